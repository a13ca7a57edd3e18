import Domain
import HTTPSupport
import OkaeriWire

/// What the body of a new or changed role asks for.
struct RoleChange {
    /// The most users that one request puts into a role or takes out: each is a change of an account.
    static let maximumUsers = 200

    private(set) var name: String?
    private(set) var hasACL = false
    /// Whether a user is put into the role, or taken out of it. The last operation on a user counts.
    private(set) var users: [Identifier<User>: Bool] = [:]

    /// - Parameters:
    ///   - body: The members.
    ///   - isCreation: Whether the role is new.
    /// - Throws: 105, 106, 107, 108, 111, 116, 119, 123.
    init(_ body: [String: JSONValue], isCreation: Bool) throws(ParseFault) {
        guard body.count <= ProfileRules.maximumOperations else { throw .tooManyMembers }
        for (member, value) in body.sorted(by: { $0.key < $1.key }) {
            switch member {
            case "name":
                guard case .string(let text) = value else { throw Self.wrongType(member, "String", value) }
                name = text
            case "ACL":
                try Self.check(acl: value)
                hasACL = true
            case "users": try take(value, member)
            case "roles": try Self.check(roles: value)
            case "objectId", "id":
                if isCreation { throw ParseFault(105, "\(member) is an invalid field name.") }
            case "createdAt", "updatedAt", "__type", "className": break
            default:
                throw ParseFault(
                    119, "Roles have a name, an ACL and users here: \(MemberFault.printable(member)) is not kept.")
            }
        }
        guard isCreation else { return }
        // In the reference's words, and in its order.
        if name == nil { throw ParseFault(111, "name is required.") }
        if !hasACL { throw ParseFault(111, "ACL is required.") }
    }

    var added: [Identifier<User>] { users.filter(\.value).map(\.key).sorted { $0.rawValue < $1.rawValue } }

    /// Every role has the same list: who has it reads it. One that lets somebody write it would not hold.
    private static func check(acl value: JSONValue) throws(ParseFault) {
        guard try UserFields.acl(value).entries.values.allSatisfy({ !$0.contains(.write) }) else {
            throw ParseFault(119, "Roles are written with the master key alone: an ACL lets nobody else write them.")
        }
    }

    /// Roles within roles are groups here, and those are not Parse's.
    private static func check(roles value: JSONValue) throws(ParseFault) {
        guard try operations(value, "roles").allSatisfy(\.objects.isEmpty) else {
            throw ParseFault(119, "A role has no roles here; groups give several roles at once.")
        }
    }

    private mutating func take(_ value: JSONValue, _ member: String) throws(ParseFault) {
        for operation in try Self.operations(value, member) {
            for pointer in operation.objects {
                users[Identifier(rawValue: try RolePointer.objectId(pointer, of: "_User"))] = operation.adds
                guard users.count <= Self.maximumUsers else {
                    throw ParseFault(
                        116, "One request puts at most \(Self.maximumUsers) users into a role or out of it.")
                }
            }
        }
    }

    /// The operations on a relation, one or a batch of them. A relation as it was read is none.
    private static func operations(
        _ value: JSONValue, _ member: String, isInBatch: Bool = false
    ) throws(ParseFault) -> [(adds: Bool, objects: [JSONValue])] {
        guard case .object(let members) = value else { throw wrongType(member, "Relation", value) }
        if members["__type"] == "Relation" { return [] }
        switch members["__op"] {
        case "AddRelation", "RemoveRelation":
            guard case .array(let objects)? = members["objects"] else {
                throw ParseFault(107, "objects of a relation must be an array")
            }
            return [(members["__op"] == "AddRelation", objects)]
        case "Batch" where !isInBatch:
            guard case .array(let list)? = members["ops"] else { throw ParseFault(107, "ops must be an array") }
            var operations: [(adds: Bool, objects: [JSONValue])] = []
            for item in list { operations += try Self.operations(item, member, isInBatch: true) }
            return operations
        case nil: throw wrongType(member, "Relation", value)
        default: throw ParseFault(108, "The operation of \(member) is not known.")
        }
    }

    private static func wrongType(_ name: String, _ expected: String, _ value: JSONValue) -> ParseFault {
        ParseFault(
            111,
            "schema mismatch for _Role.\(name); expected \(expected) but got "
                + MemberFault.printable(ParseValue.typeName(value)))
    }
}
