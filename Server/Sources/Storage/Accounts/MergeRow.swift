package import Domain
import enum OkaeriWire.JSONValue

package enum MergeTicketRow: StoredRow {
    package static let table: StaticString = "merge_tickets"

    package enum Column: Int, RowColumn {
        case applicationId, digest, userId, otherId, expiresAt, shownBy
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> MergeTicket {
        MergeTicket(
            application: row.id(.applicationId), digest: try row.digest(.digest), user: row.id(.userId),
            other: row.id(.otherId), expiresAt: row.time(.expiresAt),
            shownBy: row.optionalText(.shownBy).map(Session.LogInMethod.init(rawValue:)))
    }

    package static func stored(_ ticket: MergeTicket, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(ticket.application)
        case .digest: .digest(ticket.digest)
        case .userId: .id(ticket.user)
        case .otherId: .id(ticket.other)
        case .expiresAt: .time(ticket.expiresAt)
        case .shownBy: .optional(ticket.shownBy?.rawValue)
        }
    }
}

package enum MergeRow: StoredRow {
    package static let table: StaticString = "merges"

    package enum Column: Int, RowColumn {
        case id, applicationId, userId, leftUserId, moved, mergedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Merge {
        Merge(
            id: row.id(.id), application: row.id(.applicationId), user: row.id(.userId), leftUser: row.id(.leftUserId),
            moved: try JSONText.decode(StoredMove.self, from: row.text(.moved)).moved, mergedAt: row.time(.mergedAt))
    }

    package static func stored(_ merge: Merge, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .id: .id(merge.id)
        case .applicationId: .id(merge.application)
        case .userId: .id(merge.user)
        case .leftUserId: .id(merge.leftUser)
        case .moved: .text(try JSONText.encode(StoredMove(merge.moved)))
        case .mergedAt: .time(merge.mergedAt)
        }
    }
}

/// What a merge moved, as stored.
private struct StoredMove: Codable {
    var identities: [StoredIdentity]
    var before: StoredProfile
    var after: StoredProfile
    /// None in rows that an earlier version wrote.
    var transfers: [String]?

    struct StoredIdentity: Codable {
        var provider: String
        var subject: String
        var linkedAt: Int64
        /// None in rows that an earlier version wrote.
        var joinedBy: String?

        init(_ identity: Identity) {
            (provider, subject) = (identity.provider.rawValue, identity.subject)
            (linkedAt, joinedBy) = (identity.linkedAt.milliseconds, identity.joinedBy?.rawValue)
        }

        var identity: Identity {
            var identity = Identity(
                provider: .init(rawValue: provider), subject: subject, linkedAt: Timestamp(milliseconds: linkedAt))
            identity.joinedBy = joinedBy.map(Session.LogInMethod.init(rawValue:))
            return identity
        }
    }

    struct StoredProfile: Codable {
        var displayName: String?
        var locale: String?
        var fields: [String: JSONValue]

        init(_ profile: Merge.Profile) {
            (displayName, locale, fields) = (profile.displayName, profile.locale, profile.fields)
        }

        var profile: Merge.Profile { Merge.Profile(displayName: displayName, locale: locale, fields: fields) }
    }

    init(_ moved: Merge.Moved) {
        identities = moved.identities.map { StoredIdentity($0) }
        before = StoredProfile(moved.before)
        after = StoredProfile(moved.after)
        transfers = moved.transfers.isEmpty ? nil : moved.transfers.map(\.rawValue)
    }

    var moved: Merge.Moved {
        Merge.Moved(
            identities: identities.map(\.identity), before: before.profile, after: after.profile,
            transfers: (transfers ?? []).map { Identifier(rawValue: $0) })
    }
}
