package import Domain

extension SQLTransaction {
    package func sessions(
        in application: Identifier<Application>, protocolName: Session.ProtocolName?, from place: SessionPlace?,
        limit: Int
    ) throws(DomainError) -> [Session] {
        let (user, session) = (place?.user.rawValue ?? "~", place?.session.rawValue ?? "~")
        guard let protocolName, protocolName != .native else {
            return try connection.rows(
                """
                SELECT id, application_id, user_id, device_key, device_name, device_model, device_system,
                    device_app_version, address, protocol, method, created_at, last_used_at, expires_at, authenticated_at
                FROM sessions WHERE application_id = $1 AND (user_id, id) < ($2, $3)
                ORDER BY user_id DESC, id DESC LIMIT $4
                """,
                [.id(application), .text(user), .text(session), .count(limit)], read: Self.session)
        }
        return try connection.rows(
            """
            SELECT id, application_id, user_id, device_key, device_name, device_model, device_system,
                device_app_version, address, protocol, method, created_at, last_used_at, expires_at, authenticated_at
            FROM sessions
            WHERE application_id = $1 AND protocol = $2 AND protocol <> 'native' AND (user_id, id) < ($3, $4)
            ORDER BY user_id DESC, id DESC LIMIT $5
            """,
            [.id(application), .text(protocolName.rawValue), .text(user), .text(session), .count(limit)],
            read: Self.session)
    }

    package func merges(
        in application: Identifier<Application>, before id: Identifier<Merge>?, limit: Int
    ) throws(DomainError) -> [Merge] {
        let places = try connection.rows(
            "SELECT user_id, id FROM merges WHERE application_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
            [.id(application), .text(id?.rawValue ?? "~"), .count(limit)]
        ) { row throws(DomainError) -> (Identifier<User>, Identifier<Merge>) in (row.id(0), row.id(1)) }
        var merges: [Merge] = []
        for (user, id) in places {
            if let merge = try merge(id, of: user, in: application) { merges.append(merge) }
        }
        return merges
    }

    package func mergeTickets(
        in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [MergeTicket] {
        try connection.rows(
            """
            SELECT application_id, digest, user_id, other_id, expires_at FROM merge_tickets
            WHERE application_id = $1 ORDER BY digest LIMIT $2
            """,
            [.id(application), .count(limit)]
        ) { row throws(DomainError) in
            MergeTicket(
                application: row.id(0), digest: try row.digest(1), user: row.id(2), other: row.id(3),
                expiresAt: row.time(4))
        }
    }
}
