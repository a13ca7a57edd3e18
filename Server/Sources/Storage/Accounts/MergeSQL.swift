package import Domain
import enum OkaeriWire.JSONValue

extension SQLTransaction {
    package func insert(_ ticket: MergeTicket) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO merge_tickets (application_id, digest, user_id, other_id, expires_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(ticket.application), .digest(ticket.digest), .id(ticket.user), .id(ticket.other),
                .time(ticket.expiresAt),
            ])
    }

    package func mergeTicket(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> MergeTicket? {
        try connection.row(
            """
            SELECT application_id, digest, user_id, other_id, expires_at FROM merge_tickets
            WHERE application_id = $1 AND digest = $2
            """,
            [.id(application), .digest(digest)]
        ) { row throws(DomainError) in
            MergeTicket(
                application: row.id(0), digest: try row.digest(1), user: row.id(2), other: row.id(3),
                expiresAt: row.time(4))
        }
    }

    package func remove(_ ticket: MergeTicket) throws(DomainError) {
        try connection.run(
            "DELETE FROM merge_tickets WHERE application_id = $1 AND user_id = $2 AND other_id = $3",
            [.id(ticket.application), .id(ticket.user), .id(ticket.other)])
    }

    package func removeMergeTickets(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Int {
        // Two statements, so that each has its index.
        try connection.change(
            "DELETE FROM merge_tickets WHERE application_id = $1 AND user_id = $2", [.id(application), .id(user)])
            + connection.change(
                "DELETE FROM merge_tickets WHERE application_id = $1 AND other_id = $2", [.id(application), .id(user)])
    }

    package func insert(_ merge: Merge) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO merges (application_id, user_id, id, left_user_id, moved, merged_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .id(merge.application), .id(merge.user), .id(merge.id), .id(merge.leftUser),
                .text(try JSONText.encode(StoredMove(merge.moved))), .time(merge.mergedAt),
            ])
    }

    package func merge(
        _ id: Identifier<Merge>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Merge? {
        try connection.row(
            """
            SELECT id, application_id, user_id, left_user_id, moved, merged_at FROM merges
            WHERE application_id = $1 AND user_id = $2 AND id = $3
            """,
            [.id(application), .id(user), .id(id)]
        ) { row throws(DomainError) in
            Merge(
                id: row.id(0), application: row.id(1), user: row.id(2), leftUser: row.id(3),
                moved: try JSONText.decode(StoredMove.self, from: row.text(4)).moved, mergedAt: row.time(5))
        }
    }

    package func remove(_ merge: Merge) throws(DomainError) {
        try connection.run(
            "DELETE FROM merges WHERE application_id = $1 AND user_id = $2 AND id = $3",
            [.id(merge.application), .id(merge.user), .id(merge.id)])
    }

    package func insert(_ event: Event) throws(DomainError) {
        try connection.run(
            "INSERT INTO events (application_id, id, kind, happened_at, body) VALUES ($1, $2, $3, $4, $5)",
            [
                .id(event.application), .id(event.id), .text(event.kind), .time(event.at),
                .text(try JSONText.encode(event.body)),
            ])
    }

    package func events(
        in application: Identifier<Application>, after id: Identifier<Event>?, limit: Int
    ) throws(DomainError) -> [Event] {
        try connection.rows(
            """
            SELECT id, application_id, kind, happened_at, body FROM events
            WHERE application_id = $1 AND id > $2 ORDER BY id LIMIT $3
            """,
            [.id(application), .text(id?.rawValue ?? ""), .count(limit)]
        ) { row throws(DomainError) in
            Event(
                id: row.id(0), application: row.id(1), kind: row.text(2), at: row.time(3),
                body: try JSONText.members(from: row.text(4)))
        }
    }

    package func removeMerges(
        ticketsEndedBefore tickets: Timestamp, mergedBefore merges: Timestamp
    ) throws(DomainError) {
        try connection.run("DELETE FROM merge_tickets WHERE expires_at < $1", [.time(tickets)])
        try connection.run("DELETE FROM merges WHERE merged_at < $1", [.time(merges)])
    }
}

/// What a merge moved, as stored.
private struct StoredMove: Codable {
    var identities: [StoredIdentity]
    var before: StoredProfile
    var after: StoredProfile

    struct StoredIdentity: Codable {
        var provider: String
        var subject: String
        var linkedAt: Int64
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
        identities = moved.identities.map {
            StoredIdentity(
                provider: $0.provider.rawValue, subject: $0.subject, linkedAt: $0.linkedAt.milliseconds)
        }
        before = StoredProfile(moved.before)
        after = StoredProfile(moved.after)
    }

    var moved: Merge.Moved {
        Merge.Moved(
            identities: identities.map {
                Identity(
                    provider: .init(rawValue: $0.provider), subject: $0.subject,
                    linkedAt: Timestamp(milliseconds: $0.linkedAt))
            }, before: before.profile, after: after.profile)
    }
}
