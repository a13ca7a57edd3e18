/// The user asks to be deleted: all sessions end at once, and when the application's grace period is over the user is
/// erased. A log-in until then tells of it and can restore the user; see `SessionIssuer`.
package struct RequestDeletion: Sendable {
    let store: any Store
    let clock: any WallClock
    let audit: AuditTrail

    /// Call it only for a session whose owner is there; see `RequireRecentLogIn`.
    ///
    /// - Returns: when the user is erased.
    /// - Throws: `sessionInvalid` when the user is gone, `storageUnavailable`.
    package func callAsFunction(
        by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) -> Timestamp {
        let now = clock.now
        let (id, application) = (who.user.id, who.application)
        let entry = audit.draft(.deletionRequested, by: .user(id), in: application.id, from: origin)
        let requestedAt = try await store.write { transaction throws(DomainError) in
            try transaction.requestDeletion(of: id, in: application.id, at: now, entry: entry)
        }
        guard let requestedAt else { throw .sessionInvalid }
        return requestedAt + application.settings.deletionGrace
    }
}
