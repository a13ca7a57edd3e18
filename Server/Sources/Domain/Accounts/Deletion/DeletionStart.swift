extension Transaction {
    /// - Returns: since when the user is on the way out, for a repeated request the time of the first; `nil` when there
    ///   is no such user.
    func requestDeletion(
        of id: Identifier<User>, in application: Identifier<Application>, at now: Timestamp, entry: AuditDraft
    ) throws(DomainError) -> Timestamp? {
        guard var user = try user(id, in: application) else { return nil }
        // Whoever comes back within the grace does so by what leads to the user, and by nothing that waits.
        _ = try removeTransferCode(of: id, in: application)
        _ = try removeMergeTickets(of: id, in: application)
        try voidTickets(of: &user)
        // No session has the empty id: all of them end.
        _ = try endSessions(of: id, in: application, except: Identifier(rawValue: ""))
        if let before = user.deletionRequestedAt { return before }
        user.deletionRequestedAt = now
        try updateStanding(of: user)
        try entry.record(on: .user(id), in: self)
        return now
    }
}
