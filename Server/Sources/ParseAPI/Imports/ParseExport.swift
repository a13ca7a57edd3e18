package import Domain
import Foundation
package import OkaeriWire

/// Rows of an export of Parse: of the hosted service and its dashboard (the form of the REST API), or of the database of a
/// Parse Server (the form of `mongoexport`, or of PostgreSQL's rows as JSON).
package enum ParseExport {
    /// Why a row is none, in words for the operator.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// A row of `_User`.
    ///
    /// - Parameters:
    ///   - record: One object of the export.
    ///   - application: Where the user comes to.
    /// - Returns: the user.
    /// - Throws: `Fault`.
    package static func user(
        _ record: JSONValue, of application: Identifier<Application>
    ) throws(Fault) -> ImportedUser {
        let row = try Row(record)
        guard let id = row.text("objectId") ?? row.text("_id") else { throw Fault(description: "objectId is missing") }
        guard let created = row.time("createdAt", "_created_at") else {
            throw Fault(description: "createdAt is no time")
        }
        var user = User(
            id: Identifier(rawValue: id), application: application, createdAt: created,
            updatedAt: row.time("updatedAt", "_updated_at") ?? created)
        user.email = row.text("email")
        if user.email != nil, row.members["emailVerified"] == true { user.emailVerifiedAt = user.updatedAt }
        do {
            user.fields = try row.fields()
            user.accessList = try row.accessList()
        } catch {
            throw Fault(description: error.message)
        }
        if user.accessList?.entries.isEmpty == true { user.disabledAt = user.updatedAt }
        var imported = ImportedUser(user: user)
        try take(row.authData, into: &imported)
        if let hash = row.text("bcryptPassword") ?? row.text("_hashed_password") ?? row.text("password"),
            hash.hasPrefix("$2")
        {
            imported.hash = PasswordHash(text: hash)
        }
        takeName(row, into: &imported)
        if let token = row.text("_session_token") ?? row.text("sessionToken") {
            imported.sessions = [
                ImportedSession(
                    user: imported.user.id, application: application, token: Secret(token), protocolName: .parse,
                    method: .password, createdAt: created)
            ]
        }
        return imported
    }

    /// A row of `_Session`.
    ///
    /// - Parameters:
    ///   - record: One object of the export.
    ///   - application: Where the session comes to.
    /// - Returns: the session.
    /// - Throws: `Fault`.
    package static func session(
        _ record: JSONValue, of application: Identifier<Application>
    ) throws(Fault) -> ImportedSession {
        let row = try Row(record)
        guard let token = row.text("sessionToken") ?? row.text("_session_token") else {
            throw Fault(description: "sessionToken is missing")
        }
        guard let user = row.pointer("user") else { throw Fault(description: "user is no pointer") }
        guard let created = row.time("createdAt", "_created_at") else {
            throw Fault(description: "createdAt is no time")
        }
        return ImportedSession(
            user: Identifier(rawValue: user), application: application, token: Secret(token), protocolName: .parse,
            method: row.method, device: DeviceDescription(installation: row.text("installationId")),
            createdAt: created, expiresAt: row.time("expiresAt", "_expiresAt"))
    }

    private static func take(
        _ authData: [String: JSONValue], into imported: inout ImportedUser
    ) throws(Fault) {
        for (name, value) in authData.sorted(by: { $0.key < $1.key }) where value != .null {
            let provider = Identity.Provider(rawValue: name)
            guard AuthDataObject.providers.contains(provider) else {
                throw Fault(description: "authData.\(name) is of a provider that is not offered")
            }
            guard case .object(let members) = value, case .string(let id)? = members["id"], !id.isEmpty else {
                throw Fault(description: "authData.\(name).id is missing")
            }
            guard provider == .anonymous else {
                imported.providerNames[provider] = id
                continue
            }
            guard let anonymous = AnonymousId(id) else {
                throw Fault(description: "authData.anonymous.id is no UUID")
            }
            imported.anonymousId = anonymous
        }
    }

    /// The made-up name of somebody who has no password is no choice of theirs.
    private static func takeName(_ row: Row, into imported: inout ImportedUser) {
        guard let name = row.text("username") else { return }
        let isMadeUp = name.utf8.count == 25 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let isLinked = imported.anonymousId != nil || !imported.providerNames.isEmpty
        if isMadeUp, isLinked, imported.hash == nil { return }
        imported.user.username = name
    }
}

/// A row, in whichever of the forms.
private struct Row {
    let members: [String: JSONValue]

    init(_ record: JSONValue) throws(ParseExport.Fault) {
        guard case .object(let members) = record else { throw ParseExport.Fault(description: "is no object") }
        self.members = members
    }

    func text(_ name: String) -> String? {
        guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
        return text
    }

    /// A plain text, a date of Parse, or one of MongoDB, which may be a text or a number of milliseconds.
    func time(_ names: String...) -> Timestamp? {
        names.lazy.compactMap { members[$0].flatMap(Self.time) }.first
    }

    private static func time(_ value: JSONValue) -> Timestamp? {
        if let time = ParseValue.time(value) { return time }
        guard case .object(let members) = value, let date = members["$date"] else { return nil }
        switch date {
        case .integer(let milliseconds): return Timestamp(milliseconds: milliseconds)
        case .object(let number):
            guard case .string(let text)? = number["$numberLong"], let milliseconds = Int64(text) else { return nil }
            return Timestamp(milliseconds: milliseconds)
        default: return ParseValue.time(date)
        }
    }

    /// The id that a pointer names: an object, or `_User$id` in a column with a prefix.
    func pointer(_ name: String) -> String? {
        if case .object(let pointer)? = members[name], case .string(let id)? = pointer["objectId"] { return id }
        guard let text = text("_p_\(name)") ?? text(name) else { return nil }
        return text.split(separator: "$", maxSplits: 1).last.map(String.init)
    }

    var method: Session.LogInMethod {
        guard case .object(let created)? = members["createdWith"] else { return .password }
        switch (created["action"], created["authProvider"]) {
        case ("signup"?, _): return .signUp
        case ("create"?, _): return .creation
        case ("upgrade"?, _): return .upgrade
        case (_, "masterkey"?): return .administrator
        case (_, .string(let provider)?): return Session.LogInMethod(rawValue: String(provider.prefix(64)))
        default: return .password
        }
    }

    /// By provider: one member, or a column of each.
    var authData: [String: JSONValue] {
        if case .object(let authData)? = members["authData"] { return authData }
        let prefix = "_auth_data_"
        return Dictionary(
            members.filter { $0.key.hasPrefix(prefix) }.map { (String($0.key.dropFirst(prefix.count)), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The app's own fields. What begins with an underscore is the server's, but for pointers.
    func fields() throws(ParseFault) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for (name, value) in members where value != .null && !UserFields.known.contains(name) {
            if name.hasPrefix("_p_"), case .string(let text) = value {
                let parts = text.split(separator: "$", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw .invalidField(name) }
                fields[String(name.dropFirst(3))] = .object([
                    "__type": "Pointer", "className": .string(parts[0]), "objectId": .string(parts[1]),
                ])
            } else if !name.hasPrefix("_"), name != "bcryptPassword" {
                guard UserFields.isName(name) else { throw .invalidField(name) }
                fields[name] = try ParseValue.checked(Self.plain(value), name)
            }
        }
        return fields
    }

    /// Dates of MongoDB as those of Parse.
    private static func plain(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            if members["$date"] != nil, let time = time(value) { return ParseValue.date(time) }
            if case .string(let text)? = members["$numberLong"], let number = Int64(text) { return .integer(number) }
            if case .string(let text)? = members["$numberDouble"], let number = Double(text) { return .number(number) }
            if case .string(let text)? = members["$numberInt"], let number = Int64(text) { return .integer(number) }
            return .object(members.mapValues(plain))
        case .array(let values): return .array(values.map(plain))
        default: return value
        }
    }

    /// The list, or the two columns of who reads and who writes. Without any of them the standard holds.
    func accessList() throws(ParseFault) -> AccessList? {
        if let acl = members["ACL"], acl != .null { return try UserFields.accessList(acl) }
        guard case .array(let readers)? = members["_rperm"] else { return nil }
        var writers: [JSONValue] = []
        if case .array(let list)? = members["_wperm"] { writers = list }
        var list = AccessList()
        for (names, right) in [(readers, AccessList.Rights.read), (writers, .write)] {
            for case .string(let name) in names where !name.isEmpty {
                list.entries[AccessList.Subject(text: name), default: []].insert(right)
            }
        }
        return list
    }
}
