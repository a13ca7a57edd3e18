package import Domain
import enum OkaeriWire.JSONValue

/// A user without identities.
package enum UserRow: StoredRow {
    package static let table: StaticString = "users"
    package static let width = Column.allCases.count

    package enum Column: Int, RowColumn {
        case applicationId, id, displayName, locale, fields, createdAt, updatedAt, lastLogInAt, previousLogInAt,
            username, email, emailVerifiedAt, phone, phoneVerifiedAt, passwordSetAt, disabledAt, deletionRequestedAt,
            accessList,
            weakPasswordAt, credentialsVersion, secondFactorAt, grants
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> User {
        var user = User(
            id: row.id(.id), application: row.id(.applicationId), displayName: row.optionalText(.displayName),
            locale: row.optionalText(.locale),
            fields: row.isNull(.fields) ? [:] : try JSONText.members(from: row.text(.fields)),
            createdAt: row.time(.createdAt), updatedAt: row.time(.updatedAt))
        user.username = row.optionalText(.username)
        user.email = row.optionalText(.email)
        user.phone = row.optionalText(.phone)
        user.lastLogInAt = row.optionalTime(.lastLogInAt)
        user.previousLogInAt = row.optionalTime(.previousLogInAt)
        user.emailVerifiedAt = row.optionalTime(.emailVerifiedAt)
        user.phoneVerifiedAt = row.optionalTime(.phoneVerifiedAt)
        user.passwordSetAt = row.optionalTime(.passwordSetAt)
        user.disabledAt = row.optionalTime(.disabledAt)
        user.deletionRequestedAt = row.optionalTime(.deletionRequestedAt)
        if !row.isNull(.accessList) {
            user.acl = try JSONText.decode(StoredACL.self, from: row.text(.accessList)).list
        }
        user.weakPasswordAt = row.optionalTime(.weakPasswordAt)
        user.credentialsVersion = row.integer(.credentialsVersion)
        user.secondFactorAt = row.optionalTime(.secondFactorAt)
        if !row.isNull(.grants) {
            user.grants = Set(row.text(.grants).split(separator: " ").map { Identifier(rawValue: String($0)) })
        }
        return user
    }

    package static func stored(_ user: User, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(user.application)
        case .id: .id(user.id)
        case .displayName: .optional(user.displayName)
        case .locale: .optional(user.locale)
        // No fields are stored as null, so that most rows stay short and need no decoding.
        case .fields: user.fields.isEmpty ? .null : .text(try JSONText.encode(.object(user.fields)))
        case .createdAt: .time(user.createdAt)
        case .updatedAt: .time(user.updatedAt)
        case .lastLogInAt: .optional(user.lastLogInAt)
        case .previousLogInAt: .optional(user.previousLogInAt)
        case .username: .optional(user.username)
        case .email: .optional(user.email)
        case .emailVerifiedAt: .optional(user.emailVerifiedAt)
        case .phone: .optional(user.phone)
        case .phoneVerifiedAt: .optional(user.phoneVerifiedAt)
        case .passwordSetAt: .optional(user.passwordSetAt)
        case .disabledAt: .optional(user.disabledAt)
        case .deletionRequestedAt: .optional(user.deletionRequestedAt)
        case .accessList: .optional(try user.acl.map(JSONText.encode(listed:)))
        case .weakPasswordAt: .optional(user.weakPasswordAt)
        case .credentialsVersion: .integer(user.credentialsVersion)
        case .secondFactorAt: .optional(user.secondFactorAt)
        // Nothing is stored as null, as of fields. No id has a space.
        case .grants: user.grants.isEmpty ? .null : .text(user.grants.map(\.rawValue).sorted().joined(separator: " "))
        }
    }
}

/// What is written of a new user. Identifiers, password and standing follow with statements of their own.
enum NewUserRow: InsertedColumns {
    static let table: StaticString = "users"

    private static let columns: [UserRow.Column] = [
        .applicationId, .id, .displayName, .locale, .fields, .createdAt, .updatedAt, .lastLogInAt, .previousLogInAt,
        .accessList,
    ]

    static var names: [String] { columns.map(\.name) + ["public_read", "seen_day"] }

    static func values(of user: User) throws(DomainError) -> [Value] {
        var values: [Value] = []
        for column in columns { values.append(try UserRow.stored(user, column)) }
        return values + [publicRead(of: user), .integer(daySeen(of: user))]
    }

    /// The day of the first log-in, or that of the last one elsewhere; 0 for who never logged in: to be imported, or made
    /// by an admin, is no use of the app.
    private static func daySeen(of user: User) -> Int64 { user.lastLogInAt?.day ?? 0 }

    /// Whether everybody may read; null while the application's standard holds.
    static func publicRead(of user: User) -> Value {
        .optional(user.acl.map { $0.rights(of: nil).contains(.read) })
    }
}

package enum IdentityRow: StoredRow {
    package static let table: StaticString = "identities"
    package static let width = Column.allCases.count

    package enum Column: Int, RowColumn {
        case provider, subject, linkedAt, secondFactorAt, joinedBy
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Identity {
        var identity = Identity(
            provider: .init(rawValue: row.text(.provider)), subject: row.text(.subject), linkedAt: row.time(.linkedAt))
        identity.secondFactorAt = row.optionalTime(.secondFactorAt)
        identity.joinedBy = row.optionalText(.joinedBy).map(Session.LogInMethod.init(rawValue:))
        return identity
    }

    package static func stored(_ identity: Identity, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .provider: .text(identity.provider.rawValue)
        case .subject: .text(identity.subject)
        case .linkedAt: .time(identity.linkedAt)
        case .secondFactorAt: .optional(identity.secondFactorAt)
        case .joinedBy: .optional(identity.joinedBy?.rawValue)
        }
    }
}

/// The user that an identity leads to.
package enum IdentityOwnerRow: StoredRow {
    package static let table: StaticString = "identities"

    package enum Column: Int, RowColumn {
        case applicationId, userId
    }

    package struct Content: Equatable, Sendable {
        package var application: Identifier<Application>
        package var user: Identifier<User>

        package init(application: Identifier<Application>, user: Identifier<User>) {
            self.application = application
            self.user = user
        }
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Content {
        Content(application: row.id(.applicationId), user: row.id(.userId))
    }

    package static func stored(_ owner: Content, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(owner.application)
        case .userId: .id(owner.user)
        }
    }
}
