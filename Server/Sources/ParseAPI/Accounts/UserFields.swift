import Domain
import HTTPSupport
import OkaeriWire

/// What is what in a user's object.
enum UserFields {
    /// Members with a meaning of their own.
    static let known: Set<String> = [
        "objectId", "createdAt", "updatedAt", "ACL", "username", "password", "email", "emailVerified", "authData",
        "sessionToken",
    ]

    /// Names that mean something to every object of JavaScript, by which requests have changed the program of servers.
    static let prohibited: Set<String> = ["constructor", "__proto__"]

    /// A letter, then letters, digits and `_`; none of the two that mean something else to some SDK.
    static func isName(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, isLetter(first), name.utf8.count <= 128 else { return false }
        return name != "className" && name != "length"
            && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    /// What a member of a body does to a field, and whether the response has the result.
    ///
    /// - Throws: 107, 108, 111, 121.
    static func operation(
        _ name: String, _ value: JSONValue, isCreation: Bool
    ) throws(ParseFault) -> (operation: FieldOperation?, isEchoed: Bool) {
        guard case .object(let members) = value, let kind = members["__op"] else {
            return (.set(try ParseValue.checked(value, name)), false)
        }
        switch kind {
        case "Increment":
            switch members["amount"] {
            case .integer?, .number?: return (.increment(members["amount"] ?? .integer(0)), true)
            default: throw ParseFault(107, "incrementing must provide a number")
            }
        case "Add": return (.append(try objects(members, name, "add")), true)
        case "AddUnique": return (.appendMissing(try objects(members, name, "add")), true)
        case "Remove": return (.removeAll(try objects(members, name, "remove")), true)
        case "Delete": return (.remove, false)
        case "SetOnInsert":
            guard isCreation else { return (nil, false) }
            return (.set(try ParseValue.checked(members["amount"] ?? .null, name)), true)
        case "AddRelation", "RemoveRelation", "Batch": throw ParseFault(108, "Relations are not offered.")
        default: throw ParseFault(108, "The operation of \(MemberFault.printable(name)) is not known.")
        }
    }

    private static func objects(
        _ members: [String: JSONValue], _ name: String, _ verb: String
    ) throws(ParseFault) -> [JSONValue] {
        guard case .array(let list)? = members["objects"] else {
            throw ParseFault(107, "objects to \(verb) must be an array")
        }
        var objects: [JSONValue] = []
        for value in list { objects.append(try ParseValue.checked(value, name)) }
        return objects
    }

    /// The access list of a body's `ACL`. Only what is granted counts.
    ///
    /// - Throws: 123.
    static func acl(_ value: JSONValue) throws(ParseFault) -> ACL {
        let wrong = ParseFault(123, "Invalid ACL.")
        guard case .object(let entries) = value else { throw wrong }
        var list = ACL()
        for (subject, value) in entries {
            guard !subject.isEmpty, case .object(let rights) = value else { throw wrong }
            var granted: ACL.Rights = []
            for (right, value) in rights {
                guard case .bool(let isGranted) = value else { throw wrong }
                switch right {
                case "read": if isGranted { granted.insert(.read) }
                case "write": if isGranted { granted.insert(.write) }
                default: throw wrong
                }
            }
            if !granted.isEmpty { list.entries[ACL.Subject(text: subject)] = granted }
        }
        return list
    }
}
