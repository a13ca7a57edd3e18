import WebAuthn

/// What a client needs to show a passkey (WebAuthn §5.5). No credentials are named: the authenticator knows its own.
package struct PasskeyRequestOptions: Sendable {
    package var challenge: String
    package var domain: String
    package var requiresUserVerification: Bool
    package var lifetime: Duration
}

/// Gives out what a client needs to show a passkey.
package struct RequestPasskey: Sendable {
    let challenges: PasskeyChallenges
    let pages: ProofTarget?

    /// - Throws: `passkeysNotEnabled`.
    package func callAsFunction(in application: Application) throws(DomainError) -> PasskeyRequestOptions {
        PasskeyRequestOptions(
            challenge: challenges.new(for: .assertion, in: application.id),
            domain: try application.settings.passkeys.requiredDomain(orHostOf: pages),
            requiresUserVerification: application.settings.passkeys.requiresUserVerification,
            lifetime: PasskeyChallenges.lifetime)
    }
}

/// Logs in whom a passkey leads to. It never makes a user, and no wrong password locks it (requirement 8).
package struct LogInWithPasskey: Sendable {
    let store: any Store
    let clock: any WallClock
    let verifyPasskey: VerifyPasskey
    let issuers: SessionIssuers

    package struct Request: Sendable {
        package let application: Application
        package let assertion: PasskeyAssertion
        package let client: LogInClient
        /// Names one attempt, so that its repetition answers what the first try answered.
        package let attempt: Attempt?
        /// Set to bring a user back that asked to be deleted.
        package let restoringFrom: RequestOrigin?

        package init(
            application: Application, assertion: PasskeyAssertion, client: LogInClient, attempt: Attempt?,
            restoringFrom: RequestOrigin?
        ) {
            self.application = application
            self.assertion = assertion
            self.client = client
            self.attempt = attempt
            self.restoringFrom = restoringFrom
        }
    }

    /// - Throws: `passkeysNotEnabled`, `passkeyUnknown`, `passkeyRefused`, `fieldsRefused`, `proofRequired`,
    ///   `proofRefused`, `clockSkew`, `proofReplayed`, `userDisabled`, `userDeleted`, `attemptReused`,
    ///   `secondFactorRequired`, `secondFactorEnrolmentRequired`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let (now, application, client) = (clock.now, request.application, request.client)
        let proof = try client.verifiedProof(in: application, at: now)
        let faults = client.device.faults(field: "device")
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let link = DeviceLink(
            proof: proof, joins: client.joinsDevice, by: .passkey, in: application.id, now: now, audit: issuers.audit)
        let verified = try await verifyPasskey(request.assertion, in: application)
        let issuer = issuers.issuer(
            for: .init(
                application, client.protocolName, by: .passkey, on: client.holder(key: proof),
                attempt: request.attempt, record: .logIn(from: client.origin),
                restoringFrom: request.restoringFrom
            ).proven(by: verified.methods),
            at: now
        ).showing(.passkey, verified.id)
        let result = try await store.write { transaction throws(DomainError) -> Result<LogIn, DomainError> in
            try link.use(in: transaction)
            let owner = try verified.owner(in: transaction)
            // The assertion counted at the first try.
            if try issuer.hasIssued(to: owner, in: transaction) {
                return .success(try issuer.reissue(repeatingFor: owner, in: transaction))
            }
            switch try verified.use(of: owner, in: transaction) {
            case .refused(let user, let fault):
                try issuer.refuse(user.id, by: .passkey, in: transaction)
                return .failure(.passkeyRefused(fault))
            case .proven(let user):
                return try issuer.issue(to: user, joining: link, in: transaction)
            }
        }
        return try result.get()
    }
}

/// A conflict by a passkey: the user of a session shows a passkey of another user, and gets the ticket to resolve it.
package struct OfferPasskeyMerge: Sendable {
    let store: any Store
    let verifyPasskey: VerifyPasskey
    let offerMerge: OfferMerge
    let audit: AuditTrail

    /// The same assertion again within the session, because the response got lost, gets another ticket.
    ///
    /// - Returns: when the passkey is the user's own.
    /// - Throws: `reauthenticationRequired` for a session without a recent log-in; `mergeOffered` when it is another user's;
    ///   `identityTaken` when that user cannot be gone on with; `passkeysNotEnabled`, `passkeyUnknown`, `passkeyRefused`, `storageUnavailable`.
    package func callAsFunction(
        _ assertion: PasskeyAssertion, by who: Authenticated, _ author: AccountAuthor, from origin: RequestOrigin
    ) async throws(DomainError) {
        // Before the passkey counts as used.
        try author.requireProof(of: .identityLinked, at: offerMerge.clock.now)
        let verified = try await verifyPasskey(assertion, in: who.application)
        let entry = audit.draft(.mergeOffered, by: .user(who.user.id), in: who.application.id, from: origin)
        let session = who.session.id.rawValue
        let result = try await store.write {
            transaction throws(DomainError) -> Result<Identifier<User>, DomainError> in
            let owner = try verified.owner(in: transaction)
            if try verified.wasUsed(by: session, in: transaction) { return .success(owner.id) }
            switch try verified.use(of: owner, in: transaction) {
            case .proven(let user):
                try verified.keepUse(by: session, in: transaction)
                return .success(user.id)
            case .refused(let user, let fault):
                try entry.record(
                    on: .user(user.id), result: .refused,
                    details: ["method": Session.LogInMethod.passkey.rawValue, "fault": fault.rawValue],
                    in: transaction)
                return .failure(.passkeyRefused(fault))
            }
        }
        let owner = try result.get()
        guard owner != who.user.id else { return }
        guard
            let offer = try await offerMerge(
                who, author, other: owner, by: .passkey, cause: .identity(.passkey), from: origin)
        else { throw .identityTaken }
        throw .mergeOffered(offer)
    }
}

extension Session.LogInMethod {
    package static let passkey = Session.LogInMethod(rawValue: "passkey")
}
