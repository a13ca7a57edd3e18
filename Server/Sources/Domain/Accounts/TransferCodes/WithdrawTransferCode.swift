/// Takes the user's transfer code away, if there is one.
package struct WithdrawTransferCode: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Throws: `storageUnavailable`. A code that is not there any more is no error.
    package func callAsFunction(by who: Authenticated, from origin: RequestOrigin) async throws(DomainError) {
        let (user, application) = (who.user.id, who.application.id)
        let ready = try changes.audit.ready(
            [.transferCodeWithdrawn], in: application, by: .owner(who, isProven: false, from: origin), at: clock.now)
        try await store.write { transaction throws(DomainError) in
            guard try transaction.removeTransferCode(of: user, in: application) else { return }
            var owner = who.user
            try ready.settle([.transferCodeWithdrawn: [:]], of: &owner, keeping: KeptAccess(who), in: transaction)
        }
    }
}
