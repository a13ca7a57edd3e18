import Domain
@_spi(TotalConversions) import OkaeriWire

/// The members of an object in an export of this program, which is strict: what has not its form is a fault of the record.
struct RecordMembers {
    private let members: [String: JSONValue]
    private let path: String
    private let id: String?

    /// - Parameters:
    ///   - value: The object.
    ///   - path: Where it stands in the record; empty for the record itself.
    ///   - id: The record's id, for faults.
    /// - Throws: `ImportFault` for a value that is no object.
    init(_ value: JSONValue?, at path: String = "", of id: String? = nil) throws(ImportFault) {
        guard case .object(let members)? = value else {
            throw ImportFault(id: id, sentence: "\(path.isEmpty ? "the record" : path) is no object")
        }
        self.members = members
        self.path = path
        self.id = id
    }

    private func fault(_ name: String, _ kind: String) -> ImportFault {
        ImportFault(id: id, sentence: "\(path.isEmpty ? name : "\(path).\(name)") is \(kind)")
    }

    subscript(name: String) -> JSONValue? { members[name] == .null ? nil : members[name] }

    /// A member as it stands there, null too.
    func exact(_ name: String) -> JSONValue? { members[name] }

    var names: [String] { members.keys.sorted() }

    func optionalText(_ name: String) throws(ImportFault) -> String? {
        switch self[name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw fault(name, "no text")
        }
    }

    func text(_ name: String) throws(ImportFault) -> String {
        guard let text = try optionalText(name) else { throw fault(name, "missing") }
        return text
    }

    func optionalTime(_ name: String) throws(ImportFault) -> Timestamp? {
        guard let text = try optionalText(name) else { return nil }
        guard let time = WireTime(text).flatMap({ Timestamp(exactly: $0.millisecondsSince1970) }) else {
            throw fault(name, "no time")
        }
        return time
    }

    func time(_ name: String) throws(ImportFault) -> Timestamp {
        guard let time = try optionalTime(name) else { throw fault(name, "missing") }
        return time
    }

    /// - Throws: `ImportFault` for a number below zero, and for none.
    func count(_ name: String) throws(ImportFault) -> Int64 {
        guard case .integer(let number)? = self[name], number >= 0 else { throw fault(name, "no whole number") }
        return number
    }

    func flag(_ name: String) throws(ImportFault) -> Bool {
        switch self[name] {
        case nil: return false
        case .bool(let flag)?: return flag
        default: throw fault(name, "neither true nor false")
        }
    }

    func optionalBytes(_ name: String) throws(ImportFault) -> [UInt8]? {
        guard let text = try optionalText(name) else { return nil }
        guard let bytes = Base64URL.bytes(of: text.utf8) else { throw fault(name, "no base64url") }
        return bytes
    }

    func bytes(_ name: String) throws(ImportFault) -> [UInt8] {
        guard let bytes = try optionalBytes(name) else { throw fault(name, "missing") }
        return bytes
    }

    func texts(_ name: String) throws(ImportFault) -> [String] {
        var texts: [String] = []
        for value in try list(name) {
            guard case .string(let text) = value else { throw fault(name, "no list of texts") }
            texts.append(text)
        }
        return texts
    }

    /// The objects of a list; none when there is no list.
    func objects(_ name: String) throws(ImportFault) -> [RecordMembers] {
        var objects: [RecordMembers] = []
        for value in try list(name) { objects.append(try RecordMembers(value, at: name, of: id)) }
        return objects
    }

    /// An object; `nil` when there is none.
    func object(_ name: String) throws(ImportFault) -> RecordMembers? {
        guard let value = self[name] else { return nil }
        return try RecordMembers(value, at: path.isEmpty ? name : "\(path).\(name)", of: id)
    }

    private func list(_ name: String) throws(ImportFault) -> [JSONValue] {
        switch self[name] {
        case nil: return []
        case .array(let values)?: return values
        default: throw fault(name, "no list")
        }
    }
}
