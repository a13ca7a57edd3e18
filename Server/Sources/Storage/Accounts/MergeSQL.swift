package import Domain

extension SQLTransaction {
    package func insert(_ ticket: MergeTicket) throws(DomainError) {
        try connection.insert(ticket, as: MergeTicketRow.self)
    }

    package func mergeTicket(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> MergeTicket? {
        try connection.first(
            MergeTicketRow.self, "FROM merge_tickets WHERE application_id = $1 AND digest = $2",
            [.id(application), .digest(digest)])
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
        try connection.insert(merge, as: MergeRow.self)
    }

    package func merge(
        _ id: Identifier<Merge>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Merge? {
        try connection.first(
            MergeRow.self, "FROM merges WHERE application_id = $1 AND user_id = $2 AND id = $3",
            [.id(application), .id(user), .id(id)])
    }

    package func remove(_ merge: Merge) throws(DomainError) {
        try connection.run(
            "DELETE FROM merges WHERE application_id = $1 AND user_id = $2 AND id = $3",
            [.id(merge.application), .id(merge.user), .id(merge.id)])
    }

    package func removeMergeTickets(endedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int {
        try connection.change(
            """
            DELETE FROM merge_tickets WHERE (application_id, digest) IN (
                SELECT application_id, digest FROM merge_tickets WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """, [.time(limit), .count(count)])
    }

    package func removeMerges(mergedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int {
        try connection.change(
            """
            DELETE FROM merges WHERE (application_id, user_id, id) IN (
                SELECT application_id, user_id, id FROM merges WHERE merged_at < $1 ORDER BY merged_at LIMIT $2)
            """, [.time(limit), .count(count)])
    }
}
