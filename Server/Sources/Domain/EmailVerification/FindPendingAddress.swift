/// The mail address that waits to take the place of a user's present one.
package struct FindPendingAddress: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Returns: the address; `nil` when no mail is under way that could verify another one.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(of user: User) async throws(DomainError) -> String? {
        let mailed = try await store.read { transaction throws(DomainError) in
            try transaction.mailedAddress(of: .emailVerification, user: user.id, in: user.application)
        }
        guard let mailed, clock.now < mailed.expiresAt, mailed.address != user.email else { return nil }
        return mailed.address
    }
}
