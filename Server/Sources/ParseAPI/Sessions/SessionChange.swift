import Domain
import HTTPSupport
import OkaeriWire

/// What is what in a session's object.
enum SessionFields {
    /// Members with a meaning of their own.
    static let known: Set<String> = [
        "objectId", "createdAt", "updatedAt", "ACL", "user", "installationId", "sessionToken", "createdWith",
        "expiresAt", "restricted",
    ]
}

/// What the body of a new or changed session asks for.
struct SessionChange {
    private(set) var fields: FieldChanges
    private(set) var expiresAt: Timestamp?

    /// - Parameters:
    ///   - body: The members.
    ///   - present: The session as the caller sees it; `nil` for a new one.
    ///   - isMaster: Whether an administrator asks.
    /// - Throws: 105 for what is not the app's to change, 107, 108, 111, 116, 121.
    init(_ body: [String: JSONValue], of present: SessionObject?, isMaster: Bool) throws(ParseFault) {
        guard body.count <= ProfileRules.maximumOperations else { throw .tooManyMembers }
        fields = FieldChanges(reserved: SessionFields.known, isCreation: present == nil)
        let shown = present?.members ?? [:]
        for (name, value) in body.sorted(by: { $0.key < $1.key }) {
            if name == "ACL" { throw ParseFault(105, "Cannot set ACL on a Session.") }
            guard SessionFields.known.contains(name) else {
                try fields.take(name, value)
                continue
            }
            // SDKs send back what they read.
            if shown[name] == value { continue }
            guard name == "expiresAt", isMaster, present != nil else {
                throw ParseFault(105, "\(name) of a session cannot be changed.")
            }
            expiresAt = try Self.end(value)
        }
        try fields.checkSize()
    }

    private static func end(_ value: JSONValue) throws(ParseFault) -> Timestamp {
        if case .object = value, let time = ParseValue.time(value) { return time }
        throw .invalidDate("expiresAt")
    }
}

/// A `where` over sessions, of which a user has a hundred at the most.
struct SessionFilter {
    private(set) var user: Identifier<User>?
    private(set) var id: String?
    private var installation: String?
    private(set) var token: String?
    /// What custom fields must be, or hold in a list.
    private var fields: [String: JSONValue] = [:]

    /// - Throws: 102, 105, 111, 119, 121.
    init(_ value: JSONValue?) throws(ParseFault) {
        guard let value else { return }
        guard case .object(let members) = value else { throw ParseFault(107, "where must be an object.") }
        for (name, asked) in members.sorted(by: { $0.key < $1.key }) {
            var asked = asked
            if case .object(let constraint) = asked, let equal = constraint["$eq"], constraint.count == 1 {
                asked = equal
            }
            switch (name, asked) {
            case ("user", .object(let pointer)):
                guard case .string(let id)? = pointer["objectId"] else { throw ParseFault(106, "Invalid pointer.") }
                user = Identifier(rawValue: id)
            case ("objectId", .string(let text)): id = text
            case ("installationId", .string(let text)): installation = text
            case ("sessionToken", .string(let text)): token = text
            case (let name, .object(let constraint)) where constraint.keys.contains { $0.hasPrefix("$") }:
                throw Self.notOffered(name)
            case (let name, let asked) where UserFields.isName(name) && !SessionFields.known.contains(name):
                fields[name] = try ParseValue.checked(asked, name)
            default: throw Self.notOffered(name)
            }
        }
    }

    private static func notOffered(_ name: String) -> ParseFault {
        ParseFault(
            119,
            "Sessions are found by user, objectId, installationId and the values of custom fields: "
                + "\(MemberFault.printable(name)).")
    }

    /// Whether every session fits.
    var isEmpty: Bool { user == nil && id == nil && installation == nil && token == nil && fields.isEmpty }

    func fits(_ session: Session) -> Bool {
        (user.map { $0 == session.user } ?? true) && (id.map { $0 == session.id.rawValue } ?? true)
            && (installation.map { $0 == session.device.installation } ?? true)
            && fields.allSatisfy { name, asked in
                let value = session.fields[name] ?? .null
                if case .array(let items) = value, items.contains(asked) { return true }
                return value == asked
            }
    }
}
