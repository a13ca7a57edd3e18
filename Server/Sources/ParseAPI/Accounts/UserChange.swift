import Domain
import HTTPSupport
import OkaeriWire

/// What the body of a sign-up or an update asks for.
struct UserChange {
    private(set) var fields: FieldChanges
    private(set) var username: ValueChange<String> = .unchanged
    private(set) var email: ValueChange<String> = .unchanged
    private(set) var password: Secret?
    private(set) var acl: ValueChange<ACL> = .unchanged
    private(set) var isEmailVerified: Bool?

    /// - Parameters:
    ///   - body: The members.
    ///   - id: Whose they are; `nil` for a new user.
    ///   - isMaster: Whether an administrator asks.
    /// - Throws: 105, 107, 108, 111, 119, 121, 123, 200, 201.
    init(_ body: [String: JSONValue], of id: Identifier<User>?, isMaster: Bool) throws(ParseFault) {
        guard body.count <= ProfileRules.maximumOperations else { throw .tooManyMembers }
        fields = FieldChanges(reserved: UserFields.known, isCreation: id == nil)
        for (name, value) in body.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "sessionToken", "authData": continue
            case "objectId" where id != nil && value == .string(id?.rawValue ?? ""): continue
            case "objectId", "id": throw ParseFault(105, "\(name) is an invalid field name.")
            case "createdAt", "updatedAt":
                throw .wrongType(name, expected: "Date", got: ParseValue.typeName(value))
            case "emailVerified":
                guard isMaster else {
                    throw ParseFault(119, "Clients aren't allowed to manually update email verification.")
                }
                guard case .bool(let isVerified) = value else {
                    throw .wrongType(name, expected: "Boolean", got: ParseValue.typeName(value))
                }
                isEmailVerified = isVerified
            case "username": try takeUsername(value, of: id)
            case "email": try takeEmail(value)
            case "password": try takePassword(value)
            case "ACL": try takeACL(value)
            default: try fields.take(name, value)
            }
        }
        // A new user's operations are done right away.
        try fields.checkSize()
    }

    private mutating func takeUsername(_ value: JSONValue, of id: Identifier<User>?) throws(ParseFault) {
        switch value {
        case .string(let text):
            // The reference keeps an empty name, by which nobody logs in: here the present one stays.
            guard !text.isEmpty else { return }
            // A made-up name that is sent back is no choice.
            if let id, text == UserObject.madeUpName(of: id) { return }
            username = .set(text)
        case .null, .object: throw .usernameMissing
        default: throw .wrongType("username", expected: "String", got: ParseValue.typeName(value))
        }
    }

    private mutating func takeEmail(_ value: JSONValue) throws(ParseFault) {
        switch value {
        case .string(let text): email = text.isEmpty ? .removed : .set(text)
        case .null: email = .removed
        case .object(let members) where members["__op"] == "Delete": email = .removed
        default: throw .wrongType("email", expected: "String", got: ParseValue.typeName(value))
        }
    }

    private mutating func takePassword(_ value: JSONValue) throws(ParseFault) {
        switch value {
        case .string(let text):
            // The reference takes it, and lets nobody log in by it: here the present one stays.
            if !text.isEmpty { password = Secret(text) }
        case .null, .object: throw .passwordMissing
        default: throw .wrongType("password", expected: "String", got: ParseValue.typeName(value))
        }
    }

    private mutating func takeACL(_ value: JSONValue) throws(ParseFault) {
        switch value {
        case .null: acl = .removed
        case .object(let members) where members["__op"] == "Delete": acl = .removed
        default: acl = .set(try UserFields.acl(value))
        }
    }
}
