import Domain
import HTTPSupport
import OkaeriWire

/// What the body of a sign-up or an update asks for.
struct UserChange {
    private(set) var operations: [String: FieldOperation] = [:]
    /// Fields whose values the answer tells, because the client cannot know them.
    private(set) var echoed: Set<String> = []
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
            default: try take(name, value, isCreation: id == nil)
            }
        }
        // A new user's operations are done right away.
        let excess = ProfileRules.faults(ofChange: operations)
        guard excess.isEmpty else { throw ParseFault(.fieldsRefused(excess)) }
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

    /// The longest name with the names of members within a field behind it.
    private static let maximumNameBytes = 1024

    private mutating func take(_ name: String, _ value: JSONValue, isCreation: Bool) throws(ParseFault) {
        guard name.utf8.count <= Self.maximumNameBytes else { throw .invalidField(name) }
        let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if let name = path.first(where: UserFields.prohibited.contains) { throw .prohibited(name) }
        guard let first = path.first, UserFields.isName(first), !UserFields.known.contains(first),
            path.count <= 8, path.allSatisfy({ !$0.isEmpty && !$0.contains("$") && !$0.utf8.contains(0) })
        else { throw .invalidField(name) }
        let (operation, isEchoed) = try UserFields.operation(name, value, isCreation: isCreation)
        guard let operation else { return }
        if isEchoed { echoed.insert(first) }
        operations[first] = try Self.inside(path.dropFirst(), operation, beside: operations[first], name)
    }

    /// An operation on a member within a field, beside others within it.
    private static func inside(
        _ path: ArraySlice<String>, _ operation: FieldOperation, beside present: FieldOperation?, _ name: String
    ) throws(ParseFault) -> FieldOperation {
        guard let first = path.first else {
            guard present == nil else { throw .invalidField(name) }
            return operation
        }
        var members: [String: FieldOperation] = [:]
        switch present {
        case nil: break
        case .members(let others)?: members = others
        default: throw .invalidField(name)
        }
        members[first] = try inside(path.dropFirst(), operation, beside: members[first], name)
        return .members(members)
    }

    /// The fields of a new user.
    ///
    /// - Throws: 111 for an operation that does not go with nothing.
    func newFields() throws(ParseFault) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for (name, operation) in operations {
            do {
                fields[name] = try operation.applied(to: nil)
            } catch {
                throw ParseFault(111, "The operation does not go with nothing: \(name).")
            }
        }
        return fields
    }
}
