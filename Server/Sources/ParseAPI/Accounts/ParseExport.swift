package import Domain
import HTTPSupport
package import OkaeriWire

/// Rows of an export of Parse: of the hosted service and its dashboard (the form of the REST API), or of the database of a
/// Parse Server (the form of `mongoexport`, or of PostgreSQL's rows as JSON).
package enum ParseExport {
    /// Why a row is none, in words for the operator.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        /// The record's id, when it has one.
        package var id: String?
        package let description: String
    }

    /// A row of `_User`.
    ///
    /// - Parameters:
    ///   - record: One object of the export.
    ///   - application: Where the user comes to.
    ///   - schema: The types of fields, for the rows of a database.
    /// - Returns: the user.
    /// - Throws: `Fault`.
    package static func user(
        _ record: JSONValue, of application: Identifier<Application>, schema: ParseSchema? = nil
    ) throws(Fault) -> ImportedUser {
        let row = try ParseRow(record)
        guard let id = row.text("objectId") ?? row.text("_id") else { throw Fault(description: "objectId is missing") }
        do {
            return try user(id, row, of: application, schema)
        } catch {
            throw Fault(id: id, description: error.description)
        }
    }

    private static func user(
        _ id: String, _ row: ParseRow, of application: Identifier<Application>, _ schema: ParseSchema?
    ) throws(Fault) -> ImportedUser {
        var times = ImportedTimes()
        let created = row.time(&times, "createdAt", "_created_at")
        guard created != nil || !times.faults.isEmpty else { throw Fault(description: "createdAt is missing") }
        let createdAt = created ?? .earliest
        var user = User(
            id: Identifier(rawValue: id), application: application, createdAt: createdAt,
            updatedAt: row.time(&times, "updatedAt", "_updated_at") ?? createdAt)
        user.email = row.text("email")
        if user.email != nil, row.members["emailVerified"] == true { user.emailVerifiedAt = user.updatedAt }
        let (fields, fieldFaults) = row.fields(schema, reserved: UserFields.known)
        user.fields = fields
        var faults = times.faults + fieldFaults
        do throws(ParseFault) {
            user.acl = try row.acl()
        } catch {
            faults.append(ValidationError(field: "accessList", rule: .otherType))
        }
        if user.acl?.entries.isEmpty == true { user.disabledAt = user.updatedAt }
        var imported = ImportedUser(user: user)
        imported.faults = faults
        switch row.members["authData"] {
        case nil, .null?, .object?, ""?: break
        default: imported.faults.append(ValidationError(field: "identities.authData", rule: .otherType))
        }
        take(row.authData, into: &imported)
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
                    method: .password, createdAt: createdAt)
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
        let row = try ParseRow(record)
        guard let token = row.text("sessionToken") ?? row.text("_session_token") else {
            throw Fault(description: "sessionToken is missing")
        }
        guard let user = row.pointer("user") else { throw Fault(description: "user is no pointer") }
        var times = ImportedTimes()
        let created = row.time(&times, "createdAt", "_created_at")
        guard created != nil || !times.faults.isEmpty else {
            throw Fault(id: user, description: "createdAt is missing")
        }
        var session = ImportedSession(
            user: Identifier(rawValue: user), application: application, token: Secret(token), protocolName: .parse,
            method: row.method, device: DeviceDescription(installation: row.text("installationId")),
            createdAt: created ?? .earliest, expiresAt: row.time(&times, "expiresAt", "_expiresAt"))
        session.updatedAt = row.time(&times, "updatedAt", "_updated_at")
        let (fields, fieldFaults) = row.fields(nil, reserved: SessionFields.known)
        session.fields = fields
        session.faults = times.faults + fieldFaults
        return session
    }

    /// What cannot be taken is a fault of the one identity, which an import may leave out.
    private static func take(_ authData: [String: JSONValue], into imported: inout ImportedUser) {
        for (name, value) in authData.sorted(by: { $0.key < $1.key }) where value != .null {
            func refuse(_ rule: ValidationError.Rule) {
                imported.faults.append(ValidationError(field: "identities.\(MemberFault.printable(name))", rule: rule))
            }
            guard let provider = AuthDataObject.provider(named: name) else {
                refuse(.notOffered)
                continue
            }
            guard case .object(let members) = value, case .string(let id)? = members["id"], !id.isEmpty else {
                refuse(.required)
                continue
            }
            guard provider == .anonymous else {
                imported.providerNames[provider] = id
                continue
            }
            guard let anonymous = AnonymousId(id) else {
                refuse(.notOffered)
                continue
            }
            imported.anonymousId = anonymous
        }
    }

    /// The made-up name of somebody who has no password is no choice of theirs.
    private static func takeName(_ row: ParseRow, into imported: inout ImportedUser) {
        guard let name = row.text("username") else { return }
        let isMadeUp = name.utf8.count == 25 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let isLinked = imported.anonymousId != nil || !imported.providerNames.isEmpty
        if isMadeUp, isLinked, imported.hash == nil { return }
        imported.user.username = name
    }
}
