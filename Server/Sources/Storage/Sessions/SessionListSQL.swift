package import Domain

extension SQLTransaction {
    package func sessions(
        in application: Identifier<Application>, protocolName: Session.ProtocolName?, from cursor: SessionCursor?,
        limit: Int
    ) throws(DomainError) -> [Session] {
        let (user, session) = (cursor?.user.rawValue ?? Self.afterAll, cursor?.session.rawValue ?? Self.afterAll)
        guard let protocolName, protocolName != .native else {
            return try connection.all(
                SessionRow.self,
                """
                FROM sessions WHERE application_id = $1 AND (user_id, id) < ($2, $3)
                ORDER BY user_id DESC, id DESC LIMIT $4
                """,
                [.id(application), .text(user), .text(session), .count(limit)])
        }
        return try connection.all(
            SessionRow.self,
            """
            FROM sessions
            WHERE application_id = $1 AND protocol = $2 AND protocol <> 'native' AND (user_id, slot) < ($3, $4)
            ORDER BY user_id DESC, slot DESC LIMIT $5
            """,
            [.id(application), .text(protocolName.rawValue), .text(user), .text(session), .count(limit)])
    }

    package func sessions(
        in application: Identifier<Application>, openedBy protocolName: Session.ProtocolName, newestFirst: Bool,
        skip: Int, limit: Int
    ) throws(DomainError) -> (sessions: [Session], count: Int) {
        // Ids are ordered by time.
        let sessions = try connection.all(
            SessionRow.self,
            newestFirst
                ? """
                FROM sessions WHERE application_id = $1 AND protocol = $2 AND protocol <> 'native'
                ORDER BY id DESC LIMIT $3 OFFSET $4
                """
                : """
                FROM sessions WHERE application_id = $1 AND protocol = $2 AND protocol <> 'native'
                ORDER BY id LIMIT $3 OFFSET $4
                """, [.id(application), .text(protocolName.rawValue), .count(limit), .count(skip)])
        let count = try connection.row(
            "SELECT COUNT(*) FROM sessions WHERE application_id = $1 AND protocol = $2 AND protocol <> 'native'",
            [.id(application), .text(protocolName.rawValue)]
        ) { row throws(DomainError) in row.only.count }
        return (sessions, count ?? 0)
    }

    package func merges(
        in application: Identifier<Application>, before id: Identifier<Merge>?, limit: Int
    ) throws(DomainError) -> [Merge] {
        try connection.all(
            MergeRow.self, "FROM merges WHERE application_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
            [.id(application), .text(id?.rawValue ?? "~"), .count(limit)])
    }

    package func mergeTickets(
        in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [MergeTicket] {
        try connection.all(
            MergeTicketRow.self, "FROM merge_tickets WHERE application_id = $1 ORDER BY digest LIMIT $2",
            [.id(application), .count(limit)])
    }
}
