/// Takes the user's transfer code away, if there is one.
package struct WithdrawTransferCode: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `storageUnavailable`. A code that is not there any more is no error.
    package func callAsFunction(by who: Authenticated, from origin: RequestOrigin) async throws(DomainError) {
        let (user, application) = (who.user.id, who.application.id)
        let entry = audit.draft(.transferCodeWithdrawn, by: .user(user), in: application, from: origin)
        try await store.write { transaction throws(DomainError) in
            guard try transaction.removeTransferCode(of: user, in: application) else { return }
            try entry.record(on: .user(user), in: transaction)
        }
    }
}
