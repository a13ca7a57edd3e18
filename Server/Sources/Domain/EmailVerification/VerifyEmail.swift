/// Takes the code or the token of a verification mail: the address is the user's now, and shown to be.
package struct VerifyEmail: Sendable {
    let clock: any WallClock
    let tryCode: TryCode
    let notice: MailNotice
    let audit: AuditTrail

    package enum Proof: Sendable {
        /// Typed in the user's session.
        case code(String, by: Authenticated)
        /// From a link, which needs no session.
        case token(String)
    }

    /// - Parameters:
    ///   - proof: What the mail said.
    ///   - application: Where.
    ///   - client: Who tries.
    ///   - attempt: Names the attempt, so that it can be repeated.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `codeRefused`, also when the user has another address by now; `identifiersTaken` when somebody else has
    ///   the address by now; `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ proof: Proof, in application: Application, from client: ClientAddress, attempt: SecretDigest? = nil,
        origin: RequestOrigin? = nil
    ) async throws(DomainError) {
        let entry = audit.draft(
            .emailVerified, by: .unknown, in: application.id,
            from: origin ?? RequestOrigin(address: client.text))
        var presented =
            switch proof {
            case .code(let code, let who):
                TryCode.Presented(
                    .emailVerification, in: application.id, .user(who.user.id), code, from: client, attempt: attempt)
            case .token(let token):
                TryCode.Presented(
                    .emailVerification, in: application.id, .code, token, from: client, attempt: attempt)
            }
        presented.refusal = entry
        let now = clock.now
        let mail = try await notice(for: presented, in: application, at: now)
        try await tryCode(presented) { code, user, transaction throws(DomainError) in
            // A repetition finds all this done.
            guard code.usedBy == nil else { return }
            let owner = try transaction.user(TypedIdentifier(.email, shown: code.address), in: application.id)
            guard owner == nil || owner?.id == user.id else { throw .identifiersTaken([.email]) }
            var verified = user
            verified.email = code.address
            verified.emailVerifiedAt = now
            verified.updatedAt = now
            try transaction.updateIdentifiers(of: verified)
            if let mail { try transaction.insert(mail) }
            try entry.record(
                on: .user(user.id), by: .user(user.id),
                details: ["address": user.email == code.address ? "same" : "new"], in: transaction)
        }
    }

    /// The mail to the former address, when it was shown to be the user's.
    private func notice(
        for presented: TryCode.Presented, in application: Application, at now: Timestamp
    ) async throws(DomainError) -> QueuedMail? {
        guard let (code, user) = try await tryCode.owner(of: presented), user.email != code.address else { return nil }
        return try notice(.emailChanged, to: user, in: application, at: now)
    }
}
