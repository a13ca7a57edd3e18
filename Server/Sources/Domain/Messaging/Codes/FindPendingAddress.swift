/// The mail address, or phone number, that waits to take the place of a user's present one.
package struct FindPendingAddress: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Parameters:
    ///   - user: Whose.
    ///   - kind: `emailVerification` or `phoneVerification`.
    /// - Returns: the address; `nil` when no message is under way that could verify another one.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of user: User, by kind: MailKind = .emailVerification
    ) async throws(DomainError) -> String? {
        let mailed = try await store.read { transaction throws(DomainError) in
            try transaction.mailedAddress(of: kind, user: user.id, in: user.application)
        }
        guard let mailed, clock.now < mailed.expiresAt, mailed.address != user.identifier(kind.addressKind) else {
            return nil
        }
        return mailed.address
    }
}
