import Domain
import HTTPSupport
import OkaeriWire

/// A role as an object of the class `_Role`.
struct RoleObject {
    let role: Grant

    init(_ role: Grant) {
        self.role = role
    }

    /// Roles keep no times; the id of one tells when it was made.
    var createdAt: Timestamp { role.id.instant ?? Timestamp(milliseconds: 0) }

    var members: [String: JSONValue] {
        [
            "objectId": .string(role.id.rawValue), "name": .string(role.name), "createdAt": .string(createdAt.text),
            "updatedAt": .string(createdAt.text),
            // Who has a role sees it, and nobody but the master key writes it.
            "ACL": .object(["role:\(role.name)": ["read": true]]),
            "users": Self.relation(to: "_User"), "roles": Self.relation(to: "_Role"),
        ]
    }

    private static func relation(to name: String) -> JSONValue {
        .object(["__type": "Relation", "className": .string(name)])
    }
}

/// A `where` over roles, of which an application has a thousand at the most.
struct RoleFilter {
    private var names: Set<String>?
    private var ids: Set<String>?
    /// Whose roles are asked for.
    private(set) var user: Identifier<User>?
    /// Whether roles within roles are asked for, of which there are none.
    private(set) var isNobodys = false

    /// - Throws: 106, 107, 119.
    init(_ value: JSONValue?) throws(ParseFault) {
        guard let value else { return }
        guard case .object(let members) = value else { throw ParseFault(107, "where must be an object.") }
        for (name, asked) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "name": names = try Self.texts(asked, name)
            case "objectId": ids = try Self.texts(asked, name)
            case "users": user = Identifier(rawValue: try RolePointer.objectId(Self.equal(asked), of: "_User"))
            case "roles": isNobodys = true
            case "$relatedTo":
                guard case .object(let relation) = asked, relation["key"] == "roles" else {
                    throw Self.notOffered(name)
                }
                isNobodys = true
            default: throw Self.notOffered(name)
            }
        }
    }

    /// The values that a column is compared with.
    private static func texts(_ asked: JSONValue, _ name: String) throws(ParseFault) -> Set<String> {
        if case .object(let constraint) = asked, case .array(let list)? = constraint["$in"], constraint.count == 1 {
            var texts: Set<String> = []
            // A number is nobody's name.
            for case .string(let text) in list { texts.insert(text) }
            return texts
        }
        guard case .string(let text) = equal(asked) else { throw notOffered(name) }
        return [text]
    }

    private static func equal(_ asked: JSONValue) -> JSONValue {
        guard case .object(let constraint) = asked, let equal = constraint["$eq"], constraint.count == 1 else {
            return asked
        }
        return equal
    }

    private static func notOffered(_ name: String) -> ParseFault {
        ParseFault(
            119,
            "Roles are found by name and objectId, by equality or $in, and by one of their users: "
                + "\(MemberFault.printable(name)).")
    }

    func fits(_ role: Grant) -> Bool {
        !isNobodys && names?.contains(role.name) ?? true && ids?.contains(role.id.rawValue) ?? true
    }
}

/// Pointers in what is asked about roles.
enum RolePointer {
    /// The id that a pointer names.
    ///
    /// - Throws: 106 for what is no pointer, 111 for one to another class.
    static func objectId(_ value: JSONValue, of className: String) throws(ParseFault) -> String {
        guard case .object(let members) = value, case .string(let id)? = members["objectId"],
            case .string(let name)? = members["className"], (1...128).contains(id.utf8.count)
        else { throw ParseFault(106, "Invalid pointer.") }
        guard name == className else {
            throw ParseFault(
                111, "A pointer to \(className) is expected here, not one to \(MemberFault.printable(name)).")
        }
        return id
    }

    /// The role whose users a `where` over users asks for by `$relatedTo`, as `getUsers()` of the SDKs does.
    ///
    /// - Returns: `nil` for a question without it, and for one with conditions beside it, which nobody answers.
    /// - Throws: 106, 111.
    static func roleOfUsers(_ condition: JSONValue?) throws(ParseFault) -> Identifier<Grant>? {
        guard case .object(let members)? = condition, members.count == 1,
            case .object(let relation)? = members["$relatedTo"], relation["key"] == "users",
            let object = relation["object"]
        else { return nil }
        return Identifier(rawValue: try objectId(object, of: "_Role"))
    }
}
