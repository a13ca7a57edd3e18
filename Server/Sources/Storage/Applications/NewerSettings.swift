import Domain
import enum OkaeriWire.JSONValue

/// Settings that are stored as one JSON object, in which newer programs write more than this one knows.
protocol SettingsDocument: Equatable {
    /// - Returns: The object.
    func storedText() throws(DomainError) -> String

    /// - Parameter text: What `storedText` returned, here or in another version of the program.
    /// - Throws: `storageUnavailable` when it is nothing like that.
    init(storedText text: String) throws(DomainError)
}

extension ApplicationSettings: SettingsDocument {}

extension SettingsDocument where Self: Codable {
    func storedText() throws(DomainError) -> String { try JSONText.encode(self) }

    init(storedText text: String) throws(DomainError) { self = try JSONText.decode(Self.self, from: text) }
}

extension SettingsDocument {
    /// The settings as they are stored over others. What a newer program wrote among those stays: while nodes
    /// are replaced one by one, an old one must not take away what a new one has set (decision 0263).
    ///
    /// - Parameter stored: What is stored now; `nil` for nothing.
    /// - Returns: The text to store.
    /// - Throws: `storageUnavailable` when it is nothing that this program can read.
    func storedText(replacing stored: String?) throws(DomainError) -> String {
        let text = try storedText()
        guard let stored else { return text }
        let known = try Self(storedText: stored).storedText()
        guard !known.utf8.elementsEqual(stored.utf8) else { return text }
        let new = JSONValue.object(try JSONText.members(from: text))
        let before = JSONValue.object(try JSONText.members(from: stored))
        let read = JSONValue.object(try JSONText.members(from: known))
        let wanted = try Self(storedText: text)
        for keepsRemains in [true, false] {
            let kept = try JSONText.encode(new.keeping(before, known: read, andRemains: keepsRemains))
            // What remains of something that was taken away may not be read any more, or as something else.
            if let settings = try? Self(storedText: kept), settings == wanted { return kept }
        }
        return text
    }
}

extension JSONValue {
    /// This value with what only a newer program knows.
    ///
    /// - Parameters:
    ///   - stored: What was there before.
    ///   - known: What this program makes of that. It does not know what is missing here, or is another word.
    ///   - keepsRemains: Whether what it does not know stays also of an object or a list that it takes away.
    /// - Returns: The value to store.
    fileprivate func keeping(_ stored: JSONValue, known: JSONValue, andRemains keepsRemains: Bool) -> JSONValue {
        if self == known { return stored }
        switch (self, stored, known) {
        case (.object(var members), .object(let stored), .object(let known)):
            for (name, value) in stored {
                let new = members[name]
                // What this program makes of it may be its standard, which is not written.
                guard let read = known[name] else {
                    members[name] = new?.keeping(value, known: value.emptied, andRemains: keepsRemains) ?? value
                    continue
                }
                let kept = (new ?? value.emptied).keeping(value, known: read, andRemains: keepsRemains)
                // What this program takes away stays away, but for what it does not know of it.
                if new != nil || keepsRemains && kept != kept.emptied { members[name] = kept }
            }
            return .object(members)
        case (.array(let elements), .array(let stored), .array(let known)):
            let (own, before, readable) = (Self.byName(elements), Self.byName(stored), Self.byName(known))
            let kept = elements.map { element -> JSONValue in
                guard let name = element.name, let value = before[name], let read = readable[name] else {
                    return element
                }
                return element.keeping(value, known: read, andRemains: keepsRemains)
            }
            let unknown = stored.filter { element in
                element.name.map { readable[$0] == nil && own[$0] == nil } ?? false
            }
            return .array(kept + unknown)
        default: return self
        }
    }

    /// The same kind of value without members; of what has none, itself.
    private var emptied: JSONValue {
        switch self {
        case .object: .object([:])
        case .array: .array([])
        default: self
        }
    }

    /// What an element of a list is known by: the id of a role, the point of a hook, the name of a rule; a word by itself.
    private var name: String? {
        if case .string(let word) = self { return word }
        guard case .object(let members) = self else { return nil }
        for member in ["id", "point", "name"] {
            guard case .string(let name)? = members[member] else { continue }
            guard case .string(let within)? = members["within"] else { return name }
            return "\(within).\(name)"
        }
        return nil
    }

    private static func byName(_ elements: [JSONValue]) -> [String: JSONValue] {
        let named = elements.compactMap { element in element.name.map { ($0, element) } }
        return Dictionary(named, uniquingKeysWith: { first, _ in first })
    }
}
