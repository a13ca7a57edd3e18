import Domain
import HTTPSupport
import OkaeriWire

/// What is what in a member's object.
enum MemberFields {
    /// Members that the server writes, or that are no custom fields. SDKs send them back, and nobody minds.
    static let readOnly: Set<String> = [
        "objectId", "createDate", "updateDate", "sessionToken", "mailAddressConfirm", "temporaryPassword",
    ]
    /// Members with a meaning of their own.
    static let known: Set<String> = readOnly.union(["userName", "password", "mailAddress", "authData", "acl"])

    /// Custom fields among the members of a body, checked by their names.
    ///
    /// - Throws: `E400005` for a name that no field can have.
    static func custom(in members: [String: JSONValue]) throws(NCMBFault) -> [String: JSONValue] {
        guard members.count <= ProfileRules.maximumOperations else {
            throw .size("fields", 0, ProfileRules.maximumOperations)
        }
        let custom = members.filter { !known.contains($0.key) }
        for name in custom.keys.sorted() where !isName(name) {
            throw .notValid(name.isEmpty ? "name" : MemberFault.printable(name))
        }
        return custom
    }

    /// Letters, digits and more; not what would mean something else in a search.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "_id" && !name.hasPrefix("$") && name.utf8.count <= 128
            && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c && $0 != 0x2e && $0 != 0x7f }
    }

    /// What a member of a body does to a field.
    ///
    /// - Throws: `E400002` and `E400005` for an operation of a wrong form.
    static func operation(_ name: String, _ value: JSONValue) throws(NCMBFault) -> FieldOperation {
        if value == .null { return .remove }
        guard case .object(let members) = value, let kind = members["__op"] else {
            return .set(try NCMBDates.normalized(value, name))
        }
        switch kind {
        case "Increment":
            switch members["amount"] {
            case .integer?, .number?: return .increment(members["amount"] ?? .integer(0))
            default: throw .wrongType(name)
            }
        case "Add": return .append(try objects(members, name))
        case "AddUnique": return .appendMissing(try objects(members, name))
        case "Remove": return .removeAll(try objects(members, name))
        case "Delete": return .remove
        default: throw .notValid(name)
        }
    }

    private static func objects(_ members: [String: JSONValue], _ name: String) throws(NCMBFault) -> [JSONValue] {
        guard case .array(let list)? = members["objects"] else { throw .wrongType(name) }
        var objects: [JSONValue] = []
        for value in list { objects.append(try NCMBDates.normalized(value, name)) }
        return objects
    }

    /// The access list of a body's `acl`; `{}` lets nobody but the member.
    ///
    /// - Throws: `E400002`.
    static func acl(_ value: JSONValue) throws(NCMBFault) -> ACL {
        guard case .object(let entries) = value else { throw .wrongType("acl") }
        var list = ACL()
        for (subject, value) in entries {
            guard !subject.isEmpty, case .object(let rights) = value else { throw .wrongType("acl") }
            var granted: ACL.Rights = []
            for (right, value) in rights {
                guard case .bool(let isGranted) = value else { throw .wrongType("acl") }
                switch right {
                case "read": if isGranted { granted.insert(.read) }
                case "write": if isGranted { granted.insert(.write) }
                default: throw .notValid("acl")
                }
            }
            list.entries[ACL.Subject(text: subject)] = granted
        }
        return list
    }
}

/// Dates inside custom fields.
enum NCMBDates {
    /// Brings dates into the one form that all SDKs read: UTC, milliseconds, `Z`.
    ///
    /// - Throws: `E400002` for a date that is none.
    static func normalized(_ value: JSONValue, _ name: String) throws(NCMBFault) -> JSONValue {
        switch value {
        case .object(let members):
            if members["__type"] == "Date" {
                guard case .string(let text)? = members["iso"], let time = WireTime(text) else {
                    throw .wrongType(name)
                }
                return .object(["__type": "Date", "iso": .string(time.description)])
            }
            var normal: [String: JSONValue] = [:]
            for (key, value) in members { normal[key] = try normalized(value, name) }
            return .object(normal)
        case .array(let values):
            var normal: [JSONValue] = []
            for value in values { normal.append(try normalized(value, name)) }
            return .array(normal)
        case .null, .bool, .integer, .number, .string: return value
        }
    }

    /// The time of a date, or of a text in its form; `nil` for everything else.
    static func time(_ value: JSONValue) -> Timestamp? {
        switch value {
        case .object(let members):
            guard members["__type"] == "Date", case .string(let text)? = members["iso"] else { return nil }
            return WireTime(text).map { Timestamp(milliseconds: $0.millisecondsSince1970) }
        case .string(let text): return WireTime(text).map { Timestamp(milliseconds: $0.millisecondsSince1970) }
        default: return nil
        }
    }
}

extension Timestamp {
    /// As NCMB writes times: plain text, UTC, three digits of fraction.
    var text: String { wire.description }
}
