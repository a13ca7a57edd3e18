import Domain
import Foundation
@_spi(TotalConversions) import OkaeriWire

/// A record of a service's export, read by paths such as `profile.name`. In a CSV file every value is a text.
struct ExportedRecord {
    /// Of which unit the numbers are that stand for times.
    enum TimeUnit: String {
        case seconds, milliseconds
    }

    let members: [String: JSONValue]
    let unit: TimeUnit
    private(set) var times = ImportedTimes()
    /// What stands in the record and cannot be taken.
    private(set) var faults: [ValidationError] = []
    private let id: String?

    /// - Throws: `ImportFault` for a value that is no object.
    init(_ value: JSONValue, idAt path: String, unit: TimeUnit) throws(ImportFault) {
        guard case .object(let members) = value else { throw ImportFault(id: nil, sentence: "is no object") }
        self.members = members
        self.unit = unit
        id = Self.value(path, in: members).flatMap(Self.text)
    }

    /// The record with other members, for services that have values in lists or under several names.
    static func replacing(_ value: JSONValue, _ change: (inout [String: JSONValue]) -> Void) -> JSONValue {
        guard case .object(var members) = value else { return value }
        change(&members)
        return .object(members)
    }

    /// A fault of the record as a whole.
    func fault(_ sentence: String) -> ImportFault { ImportFault(id: id, sentence: sentence) }

    /// What stands at a path; `nil` for nothing and null. A member whose name has dots itself counts first.
    func value(_ path: String) -> JSONValue? { Self.value(path, in: members) }

    private static func value(_ path: String, in members: [String: JSONValue]) -> JSONValue? {
        if let value = members[path] { return value == .null ? Optional.none : value }
        guard let dot = path.firstIndex(of: "."), case .object(let inner)? = members[String(path[..<dot])] else {
            return nil
        }
        return value(String(path[path.index(after: dot)...]), in: inner)
    }

    /// A text, or a whole number as one; `nil` for an empty one.
    func text(_ path: String) -> String? { value(path).flatMap(Self.text) }

    /// The same of what leads to the user: another value, such as a number beyond 64 bits, is a fault.
    ///
    /// - Parameters:
    ///   - path: Where it stands.
    ///   - field: What the user is without for such a fault.
    /// - Returns: `nil` for nothing, an empty text, and a fault.
    mutating func text(_ path: String, faultAt field: String) -> String? {
        guard let value = value(path), value != "" else { return nil }
        let text = Self.text(value)
        if text == nil { faults.append(ValidationError(field: field, rule: .otherType)) }
        return text
    }

    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        default: nil
        }
    }

    /// An object, or the text of one, as CSV and Firebase have it. Another value is a fault.
    mutating func object(_ path: String) -> [String: JSONValue] {
        switch value(path) {
        case .object(let members)?: return members
        case .string(let text)?:
            guard !text.isEmpty else { return [:] }
            if case .object(let members)? = try? JSONValue(parsing: Array(text.utf8)) { return members }
        case nil: return [:]
        default: break
        }
        faults.append(ValidationError(field: "fields.\(Self.printable(path))", rule: .notOfKind(.object)))
        return [:]
    }

    /// A value that is an object, or the text of one.
    static func members(_ value: JSONValue?) -> [String: JSONValue]? {
        var value = value
        // A text that is no object has no members.
        if case .string(let text)? = value { value = try? JSONValue(parsing: Array(text.utf8)) }
        guard case .object(let members)? = value else { return nil }
        return members
    }

    /// A list of objects, or the text of one. Another value, and an entry that is no object, is a fault.
    ///
    /// - Parameters:
    ///   - path: Where it stands.
    ///   - field: What the user is without for such a fault.
    /// - Returns: the objects.
    mutating func list(_ path: String, faultAt field: String) -> [[String: JSONValue]] {
        var list = value(path) ?? .null
        // A text that is no JSON stays one, which is no list.
        if case .string(let text) = list, let parsed = try? JSONValue(parsing: Array(text.utf8)) { list = parsed }
        guard list != .null, list != "" else { return [] }
        guard case .array(let entries) = list else {
            faults.append(ValidationError(field: field, rule: .otherType))
            return []
        }
        let objects: [[String: JSONValue]] = entries.compactMap { entry in
            if case .object(let members) = entry { members } else { nil }
        }
        if objects.count < entries.count { faults.append(ValidationError(field: field, rule: .otherType)) }
        return objects
    }

    /// An account at a provider, and all that the record has of it.
    typealias Account = (provider: String, subject: String, members: [String: JSONValue])

    /// The accounts at providers of a list. An entry without provider or name is a fault.
    ///
    /// - Parameters:
    ///   - path: Where the list stands.
    ///   - provider: The member of an entry that says at which provider.
    ///   - subject: The member with the name there.
    ///   - own: What the service calls its own ways of log-in, which are left out.
    /// - Returns: the others.
    mutating func accounts(
        _ path: String, provider: String, subject: String, except own: Set<String>
    ) -> [Account] {
        let field = "identities.\(path)"
        var accounts: [Account] = []
        for entry in list(path, faultAt: field) {
            guard case .string(let name)? = entry[provider], !name.isEmpty else {
                faults.append(ValidationError(field: field, rule: .otherType))
                continue
            }
            guard !own.contains(name) else { continue }
            guard let known = entry[subject].flatMap(Self.text) else {
                faults.append(ValidationError(field: field, rule: .otherType))
                continue
            }
            accounts.append((name, known, entry))
        }
        return accounts
    }

    /// A time: RFC 3339, the form of PostgreSQL, or a number of the record's unit, also as a text.
    mutating func time(_ path: String) -> Timestamp? { times.time(sent(path), path) }

    private func sent(_ path: String) -> ImportedTimes.Sent {
        let factor: Int64 = unit == .seconds ? 1000 : 1
        switch value(path) {
        case nil: return .none
        case .integer(let number)?: return .milliseconds(number.multipliedWithSaturation(by: factor))
        case .number(let number)?: return .number(number * Double(factor))
        case .string(let text)?:
            if text.isEmpty { return .none }
            if let number = Int64(text, radix: 10) {
                return .milliseconds(number.multipliedWithSaturation(by: factor))
            }
            if let number = Double(text), number.isFinite { return .number(number * Double(factor)) }
            let time = WireTime(text) ?? WireTime(Self.dateTime(text))
            return time.map { .time(Timestamp(milliseconds: $0.millisecondsSince1970)) } ?? .other
        default: return .other
        }
    }

    /// `2024-01-02 03:04:05.678+00` in the form of RFC 3339; a time without offset is one of UTC.
    private static func dateTime(_ text: String) -> String {
        var bytes = Array(text.utf8)
        guard (19...40).contains(bytes.count) else { return text }
        if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        let tail = bytes[19...]
        if let sign = tail.lastIndex(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }) {
            if bytes.count - sign == 3 { bytes += Array(":00".utf8) }
        } else if bytes.last != UInt8(ascii: "Z") {
            bytes.append(UInt8(ascii: "Z"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether something is so, and since when: `true`, 1 and their texts, or a time.
    ///
    /// - Returns: `nil` when it is not so.
    mutating func since(_ path: String, otherwise: Timestamp) -> Timestamp? {
        switch value(path) {
        case nil, .bool(false)?, .integer(0)?: return nil
        case .bool(true)?, .integer(1)?: return otherwise
        case .string(let text)?:
            switch text.lowercased() {
            case "", "f", "false", "0", "no", "n": return nil
            case "t", "true", "1", "yes", "y": return otherwise
            default: return time(path)
            }
        default: return time(path)
        }
    }

    /// A name of the record for a report.
    static func printable(_ name: String) -> String {
        name.utf8.count > 64 ? String(decoding: name.utf8.prefix(64), as: UTF8.self) : name
    }
}
