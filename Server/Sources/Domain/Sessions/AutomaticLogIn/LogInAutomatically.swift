/// Logs a device in by its key; the first time, that makes a new anonymous user.
///
/// One transaction when the device is known. On a first launch the allowance of the address is counted between two
/// transactions, because counters that many write must be transactions of their own.
package struct LogInAutomatically: Sendable {
    let store: any Store
    let clock: any WallClock
    let verifyProof: ProofVerifier
    let registrar: UserRegistrar
    let issuers: SessionIssuers
    let judgeFirstLaunch: JudgeFirstLaunch

    package struct Request: Sendable {
        package var application: Application
        package var proof: PresentedProof
        package var device: DeviceDescription
        package var newUser: UserRegistration.Profile
        /// Names one attempt, so that its repetition answers what the first try answered.
        package var attempt: Attempt?
        package var address: ClientAddress
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?
        /// What a first launch needs more where the application demands it.
        package var evidence: FirstLaunchEvidence

        package init(
            application: Application, proof: PresentedProof, device: DeviceDescription = DeviceDescription(),
            newUser: UserRegistration.Profile = .init(), attempt: Attempt? = nil, address: ClientAddress,
            restoringFrom: RequestOrigin? = nil, evidence: FirstLaunchEvidence = FirstLaunchEvidence()
        ) {
            self.application = application
            self.proof = proof
            self.device = device
            self.newUser = newUser
            self.attempt = attempt
            self.address = address
            self.restoringFrom = restoringFrom
            self.evidence = evidence
        }
    }

    /// Refuses a proof that does not hold, before a long body is read.
    ///
    /// - Throws: `proofRefused`, `clockSkew`.
    package func verify(_ proof: PresentedProof) throws(DomainError) {
        _ = try verifyProof(proof, at: clock.now)
    }

    /// - Throws: `proofRefused`, `clockSkew`, `proofReplayed`, `fieldsRefused`, `rateLimited`, `attestationRequired`,
    ///   `attestationRefused`, `proofOfWorkRequired`, `hookRefused`, `hookUnavailable`, `userDisabled`, `deviceKeyRemoved`,
    ///   `attemptReused`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        let proof = try verifyProof(request.proof, at: now)
        let faults = UserRegistration.faults(
            of: request.newUser, on: request.device, by: .device,
            within: request.application.settings.fieldRules.limits)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }

        let issuer = issuers.issuer(
            for: .init(
                request.application, .native, by: .automatic,
                on: .init(deviceKey: proof.thumbprint, device: request.device, address: request.address.text),
                attempt: request.attempt, record: .nothing, restoringFrom: request.restoringFrom),
            at: now
        ).showing(.device, proof.thumbprint)
        let isJudged = request.application.settings.attestation.mode != .off
        let asksHook = request.application.activeHook(.signUp)?.asksGuests == true
        let mayCreateAtOnce = !registrar.hasLimit && !isJudged && !asksHook
        let first = try await store.write { transaction throws(DomainError) -> LogIn? in
            guard try transaction.markUsed(proof) else { throw .proofReplayed }
            return try logIn(transaction, issuer, proof) {
                mayCreateAtOnce ? registration(of: proof, request, at: now) : nil
            }
        }
        if let first { return first }

        var evidence: UsedProof?
        if isJudged {
            evidence = try await judgeFirstLaunch(
                .init(application: request.application, key: proof.thumbprint, address: request.address),
                request.evidence)
        } else {
            try await registrar.count(from: request.address, in: request.application.id)
        }
        var approved: UserRegistration?
        if asksHook { approved = try await approvedRegistration(of: proof, request, at: now) }
        let (used, ready) = (evidence, approved)
        let second = try await store.write { transaction throws(DomainError) in
            try logIn(transaction, issuer, proof) { () throws(DomainError) in
                // One that was used has made a user, who was erased since.
                if let used, try !transaction.markUsed(used, in: request.application.id) { throw .proofReplayed }
                return ready ?? registration(of: proof, request, at: now)
            }
        }
        // With a registration the transaction always ends in a log-in.
        guard let second else { throw .storageUnavailable }
        return second
    }

    /// The log-in of the user that the key leads to, or else of the registered one, which is made only then; `nil` when
    /// there is neither.
    private func logIn(
        _ transaction: any Transaction, _ issuer: SessionIssuer, _ proof: DeviceProof,
        registration: () throws(DomainError) -> UserRegistration?
    ) throws(DomainError) -> LogIn? {
        let application = issuer.application.id
        if let known = try transaction.user(provider: .device, subject: proof.thumbprint, in: application) {
            return try issuer.issue(to: known, in: transaction)
        }
        // A key that was taken from its user makes no new one: that would look as if the account were lost.
        if let removed = try transaction.removedDeviceKey(proof.thumbprint, in: application) {
            let owner = try transaction.user(removed.user, in: application)
            throw owner?.isDisabled == true ? .userDisabled : .deviceKeyRemoved(removed)
        }
        // Judged for a new user only: a known user logs in with any first values that the app sends.
        return try registration()?.store(in: transaction, joining: nil, session: issuer).logIn
    }

    /// The registration after the application's hook was asked about it.
    private func approvedRegistration(
        of proof: DeviceProof, _ request: Request, at now: Timestamp
    ) async throws(DomainError) -> UserRegistration {
        var draft = registration(of: proof, request, at: now)
        _ = try draft.judged()
        draft.approve(by: try await registrar.approval(of: draft, vouched: nil, from: request.address))
        return draft
    }

    private func registration(of proof: DeviceProof, _ request: Request, at now: Timestamp) -> UserRegistration {
        var asked = UserRegistration.Request(
            .device, in: request.application, request.newUser, identifiers: NewIdentifiers(rules: .native))
        asked.identities = [Identity(provider: .device, subject: proof.thumbprint, linkedAt: now)]
        return registrar.draft(asked, at: now, approved: nil)
    }
}
