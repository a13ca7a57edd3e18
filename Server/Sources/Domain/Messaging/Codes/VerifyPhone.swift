/// Takes the code of a text message: the number is the user's now, and shown to be.
package struct VerifyPhone: Sendable {
    let clock: any WallClock
    let tryCode: TryCode
    let changes: AccountChanges

    /// - Parameters:
    ///   - code: As typed.
    ///   - who: In whose session.
    ///   - client: Who tries.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `codeRefused`, also when the user has another number by now; `identifiersTaken` when somebody else has the
    ///   number by now; `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ code: String, by who: Authenticated, from client: ClientAddress, origin: RequestOrigin
    ) async throws(DomainError) {
        let application = who.application
        let now = clock.now
        let entry = changes.audit.draft(.phoneVerified, by: .unknown, in: application.id, from: origin)
        let ready = try changes.ready(
            [.phoneVerified, .phoneReplaced], of: who.user, in: application,
            by: Operator(actor: .user(who.user.id), origin: origin), at: now)
        var presented = TryCode.Presented(
            .phoneVerification, in: application.id, .user(who.user.id), code, from: client)
        presented.refusal = entry
        try await tryCode(presented) { code, user, transaction throws(DomainError) in
            let owner = try transaction.user(LogInIdentifier(.phone, shown: code.address), in: application.id)
            guard owner == nil || owner?.id == user.id else { throw .identifiersTaken([.phone]) }
            var verified = user
            verified.phone = code.address
            verified.phoneVerifiedAt = now
            verified.updatedAt = now
            try transaction.updateIdentifiers(of: verified)
            let isReplaced = user.phone != nil && user.phone != code.address
            try ready.settle(
                [
                    isReplaced ? .phoneReplaced : .phoneVerified: [
                        "number": user.phone == code.address ? "same" : "new"
                    ]
                ], of: &verified, keeping: KeptAccess(who), in: transaction)
        }
    }
}
