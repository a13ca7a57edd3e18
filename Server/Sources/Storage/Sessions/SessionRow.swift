package import Domain
import enum OkaeriWire.JSONValue

package enum SessionRow: StoredRow {
    package static let table: StaticString = "sessions"
    package static let width = Column.allCases.count

    package enum Column: Int, RowColumn {
        case id, applicationId, userId, deviceKey, deviceName, deviceModel, deviceSystem, deviceAppVersion,
            installation, address, `protocol`, method, createdAt, lastUsedAt, expiresAt, authenticatedAt, fields,
            updatedAt, secondFactorAt, methods, origin, parent
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Session {
        var session = Session(
            id: row.id(.id), application: row.id(.applicationId), user: row.id(.userId),
            client: .init(
                deviceKey: row.optionalText(.deviceKey),
                device: DeviceDescription(
                    name: row.optionalText(.deviceName), model: row.optionalText(.deviceModel),
                    system: row.optionalText(.deviceSystem), appVersion: row.optionalText(.deviceAppVersion),
                    installation: row.optionalText(.installation)), address: row.optionalText(.address)),
            protocolName: .init(rawValue: row.text(.protocol)), method: .init(rawValue: row.text(.method)),
            times: .init(
                createdAt: row.time(.createdAt), lastUsedAt: row.time(.lastUsedAt), expiresAt: row.time(.expiresAt),
                authenticatedAt: row.optionalTime(.authenticatedAt)))
        if !row.isNull(.fields) { session.fields = try JSONText.members(from: row.text(.fields)) }
        session.updatedAt = row.optionalTime(.updatedAt)
        if !row.isNull(.methods) { session.methods = AuthenticationMethods(rawValue: row.integer(.methods)) }
        session.secondFactorAt = row.optionalTime(.secondFactorAt)
        session.origin = row.optionalText(.origin)
        session.parent = row.optionalId(.parent)
        return session
    }

    package static func stored(_ session: Session, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .id: .id(session.id)
        case .applicationId: .id(session.application)
        case .userId: .id(session.user)
        case .deviceKey: .optional(session.deviceKey)
        case .deviceName: .optional(session.device.name)
        case .deviceModel: .optional(session.device.model)
        case .deviceSystem: .optional(session.device.system)
        case .deviceAppVersion: .optional(session.device.appVersion)
        case .installation: .optional(session.device.installation)
        case .address: .optional(session.address)
        case .protocol: .text(session.protocolName.rawValue)
        case .method: .text(session.method.rawValue)
        case .createdAt: .time(session.createdAt)
        case .lastUsedAt: .time(session.lastUsedAt)
        case .expiresAt: .time(session.expiresAt)
        case .authenticatedAt: .optional(session.authenticatedAt)
        // Nearly all sessions have none.
        case .fields: session.fields.isEmpty ? .null : .text(try JSONText.encode(.object(session.fields)))
        case .updatedAt: .optional(session.updatedAt)
        case .secondFactorAt: .optional(session.secondFactorAt)
        // Nearly all sessions prove what their way of log-in says.
        case .methods: session.methods == session.method.methods ? .null : .integer(session.methods.rawValue)
        case .origin: .optional(session.origin)
        case .parent: .optional(session.parent)
        }
    }
}

/// What stands beside a session and is not part of it: its slot, its token, and the attempt that opened it.
package enum SessionSecretRow: StoredRow {
    package static let table: StaticString = "sessions"

    package enum Column: Int, RowColumn {
        case slot, tokenDigest, tokenLookup, attemptDigest, attemptRequestDigest, attemptWasNew,
            attemptPreviousLogInAt
    }

    package struct Content: Equatable, Sendable {
        /// What its key ends with, behind its user: the id of the first session in the slot.
        package var slot: String
        package var token: SecretDigest
        /// Whether the token says whose it is, so that no index has to.
        package var isNamed: Bool
        package var attempt: SessionAttempt?

        package init(slot: String, token: SecretDigest, isNamed: Bool, attempt: SessionAttempt?) {
            self.slot = slot
            self.token = token
            self.isNamed = isNamed
            self.attempt = attempt
        }
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Content {
        var attempt: SessionAttempt?
        if let digest = try row.optionalDigest(.attemptDigest) {
            attempt = SessionAttempt(
                digest: digest, request: try row.optionalDigest(.attemptRequestDigest),
                isNew: row.isTrue(.attemptWasNew), previousLogInAt: row.optionalTime(.attemptPreviousLogInAt))
        }
        return Content(
            slot: row.text(.slot), token: try row.digest(.tokenDigest), isNamed: row.isNull(.tokenLookup),
            attempt: attempt)
    }

    package static func stored(_ content: Content, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .slot: .text(content.slot)
        case .tokenDigest: .digest(content.token)
        case .tokenLookup: content.isNamed ? .null : .digest(content.token)
        case .attemptDigest: .optional(content.attempt?.digest)
        case .attemptRequestDigest: .optional(content.attempt?.request)
        case .attemptWasNew: .optional(content.attempt?.isNew)
        case .attemptPreviousLogInAt: .optional(content.attempt?.previousLogInAt)
        }
    }
}

/// How a refresh made the token of a session: null in nearly all of them.
enum TokenRefreshRow: Row {
    static let table: StaticString = "sessions"

    enum Column: Int, RowColumn {
        case formerDigest, refreshSeed, refreshedAt, refreshedUntil
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> TokenRefresh {
        TokenRefresh(
            former: try row.digest(.formerDigest), seed: row.bytes(.refreshSeed), at: row.time(.refreshedAt),
            end: row.time(.refreshedUntil))
    }
}

/// When a session expires, for the walk through all of them.
package enum SessionExpiryRow: Row {
    package static let table: StaticString = "sessions"

    package enum Column: Int, RowColumn {
        case applicationId, userId, slot, tokenDigest, `protocol`, lastUsedAt, expiresAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> SessionExpiry {
        SessionExpiry(
            application: row.id(.applicationId), user: row.id(.userId), slot: row.text(.slot),
            token: try row.digest(.tokenDigest), protocolName: .init(rawValue: row.text(.protocol)),
            lastUsedAt: row.time(.lastUsedAt),
            expiresAt: row.time(.expiresAt))
    }
}

/// Where a session stands in the order of users, for the same walk.
enum SessionPositionRow: Row {
    static let table: StaticString = "sessions"

    enum Column: Int, RowColumn {
        case applicationId, userId, slot
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> SessionExpiry.Position {
        SessionExpiry.Position(application: row.id(.applicationId), user: row.id(.userId), slot: row.text(.slot))
    }
}

/// What decides whether a newer session ends a session.
enum ReplaceableSessionRow: Row {
    static let table: StaticString = "sessions"

    enum Column: Int, RowColumn {
        case slot, tokenDigest, id, deviceKey, `protocol`
    }

    struct Content {
        var slot: String
        var token: SecretDigest
        var id: Identifier<Session>
        var deviceKey: String?
        var protocolName: Session.ProtocolName
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Content {
        Content(
            slot: row.text(.slot), token: try row.digest(.tokenDigest), id: row.id(.id),
            deviceKey: row.optionalText(.deviceKey),
            protocolName: .init(rawValue: row.text(.protocol)))
    }
}

/// The token of a session that ended.
enum EndedSessionRow: Row {
    static let table: StaticString = "sessions"

    enum Column: Int, RowColumn {
        case tokenDigest
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> SecretDigest {
        try row.digest(.tokenDigest)
    }
}

/// Something that counts once and was used in an application.
package enum UsedProofRow: StoredRow {
    package static let table: StaticString = "used_proofs"

    package enum Column: Int, RowColumn {
        case applicationId, digest, endsAt
    }

    package struct Content: Equatable, Sendable {
        package var application: Identifier<Application>
        package var proof: UsedProof

        package init(application: Identifier<Application>, proof: UsedProof) {
            self.application = application
            self.proof = proof
        }
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Content {
        Content(
            application: row.id(.applicationId), proof: UsedProof(key: row.bytes(.digest), end: row.time(.endsAt)))
    }

    package static func stored(_ content: Content, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(content.application)
        case .digest: .bytes(content.proof.key)
        case .endsAt: .time(content.proof.end)
        }
    }
}
