package import enum OkaeriWire.JSONValue

/// Logs a device in by its key; the first time, that makes a new anonymous user.
///
/// One transaction when the device is known. On a first launch the allowance of the address is counted between two
/// transactions, because counters that many write must be transactions of their own.
package struct LogInAutomatically: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let verifyProof: ProofVerifier
    let rateLimiter: RateLimiter
    let audit: AuditTrail
    /// First launches allowed for one address or /64 network; `nil` for no limit.
    let firstLaunches: RateLimit?

    package struct Request: Sendable {
        package var application: Application
        package var proof: PresentedProof
        package var device: DeviceDescription
        package var newUser: NewUser
        /// Names one attempt, so that its repetition answers what the first try answered.
        package var attempt: Attempt?
        package var address: ClientAddress
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?

        package init(
            application: Application, proof: PresentedProof, device: DeviceDescription = DeviceDescription(),
            newUser: NewUser = NewUser(), attempt: Attempt? = nil, address: ClientAddress,
            restoringFrom: RequestOrigin? = nil
        ) {
            self.application = application
            self.proof = proof
            self.device = device
            self.newUser = newUser
            self.attempt = attempt
            self.address = address
            self.restoringFrom = restoringFrom
        }
    }

    /// First values of a user that is new.
    package struct NewUser: Sendable {
        package var displayName: String?
        package var locale: String?
        package var fields: [String: JSONValue]
        package var acl: ACL?
        /// In whose name the fields are written.
        package var actor: FieldActor

        package init(
            displayName: String? = nil, locale: String? = nil, fields: [String: JSONValue] = [:],
            acl: ACL? = nil, actor: FieldActor = .owner
        ) {
            self.displayName = displayName
            self.locale = locale
            self.fields = fields
            self.acl = acl
            self.actor = actor
        }
    }

    /// - Throws: `proofRefused`, `clockSkew`, `proofReplayed`, `fieldsRefused`, `rateLimited`, `userDisabled`,
    ///   `deviceKeyRemoved`, `attemptReused`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        let proof = try verifyProof(request.proof, at: now)
        let faults =
            request.device.faults(field: "device")
            + ProfileRules.faults(
                displayName: request.newUser.displayName, locale: request.newUser.locale,
                fields: request.newUser.fields
            ).map { ValidationError(field: "user.\($0.field)", rule: $0.rule) }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }

        let opening = SessionIssuer(
            application: request.application, deviceKey: proof.thumbprint, device: request.device,
            address: request.address.text, protocolName: .native, method: .automatic, attempt: request.attempt,
            restoration: request.restoringFrom.map {
                audit.draft(.userRestored, by: .unknown, in: request.application.id, from: $0)
            },
            randomness: randomness, now: now)
        let mayCreateAtOnce = firstLaunches == nil
        let first = try await store.write { transaction throws(DomainError) -> LogIn? in
            guard try transaction.markUsed(proof, in: request.application.id) else { throw .proofReplayed }
            return try logIn(transaction, opening, proof) {
                mayCreateAtOnce ? user(for: proof, request, at: now) : nil
            }
        }
        if let first { return first }

        if let firstLaunches {
            let key = RateLimitKey(
                application: request.application.id, kind: RateLimitKey.firstLaunch,
                subject: request.address.allowanceGroup)
            try await rateLimiter(key, limit: firstLaunches)
        }
        let second = try await store.write { transaction throws(DomainError) in
            try logIn(transaction, opening, proof) { user(for: proof, request, at: now) }
        }
        // With a candidate the transaction always ends in a log-in.
        guard let second else { throw .storageUnavailable }
        return second
    }

    /// The log-in of the user that the key leads to, or else of the candidate, which is made only then; `nil` when there
    /// is neither.
    private func logIn(
        _ transaction: any Transaction, _ opening: SessionIssuer, _ proof: DeviceProof, candidate: () -> User?
    ) throws(DomainError) -> LogIn? {
        let application = opening.application.id
        if let known = try transaction.user(provider: .device, subject: proof.thumbprint, in: application) {
            return try opening.open(for: known, in: transaction)
        }
        // A key that was taken from its user makes no new one: that would look as if the account were lost.
        if let removed = try transaction.removedDeviceKey(proof.thumbprint, in: application) {
            let owner = try transaction.user(removed.user, in: application)
            throw owner?.isDisabled == true ? .userDisabled : .deviceKeyRemoved(removed)
        }
        guard let candidate = candidate() else { return nil }
        do {
            // Judged for a new user only: whoever is known logs in, whatever the app says about first values.
            return try opening.open(forNew: candidate, in: transaction)
        } catch {
            guard let faults = error.validationErrors else { throw error }
            throw .fieldsRefused(faults.map { ValidationError(field: "user.\($0.field)", rule: $0.rule) })
        }
    }

    private func user(for proof: DeviceProof, _ request: Request, at now: Timestamp) -> User {
        User(
            id: randomness.newIdentifier(at: now), application: request.application.id,
            displayName: request.newUser.displayName, locale: request.newUser.locale, fields: request.newUser.fields,
            identities: [Identity(provider: .device, subject: proof.thumbprint, linkedAt: now)],
            createdAt: now, updatedAt: now)
    }
}
