/// Lets a new device join the user that issued a transfer code, and logs it in.
///
/// The new device's key leads to that user from now on. The user that it led to before stays as it is when something
/// else leads to it; otherwise nobody could reach it any more, and it is deleted after the application's grace period,
/// unless the transfer is undone.
package struct RedeemTransferCode: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let issuers: SessionIssuers
    let verifyProof = ProofVerifier()
    let hash: KeyedHash
    let rateLimiter: RateLimiter
    /// Tries for one address or /64 network within an application; `nil` for no limit.
    let attempts: RateLimit?
    let changes: AccountChanges

    package struct Request: Sendable {
        package var application: Application
        /// What the person typed.
        package var code: String
        package var proof: PresentedProof
        package var device: DeviceDescription
        package var attempt: Attempt?
        package var address: ClientAddress
        package var origin: RequestOrigin

        package init(
            application: Application, code: String, proof: PresentedProof,
            device: DeviceDescription = DeviceDescription(), attempt: Attempt? = nil, address: ClientAddress,
            origin: RequestOrigin
        ) {
            self.application = application
            self.code = code
            self.proof = proof
            self.device = device
            self.attempt = attempt
            self.address = address
            self.origin = origin
        }
    }

    package struct Redeemed: Sendable {
        package var logIn: LogIn
        package var leftUser: LeftUser?
    }

    /// The user that the device's key led to before.
    package struct LeftUser: Hashable, Sendable {
        package var id: Identifier<User>
        /// When it is erased, because nothing leads to it any more; `nil` when something does.
        package var erasedAt: Timestamp?
    }

    /// Refuses a proof that does not hold, before a long body is read.
    ///
    /// - Throws: `proofRefused`, `clockSkew`.
    package func verify(_ proof: PresentedProof) throws(DomainError) {
        _ = try verifyProof(proof, at: clock.now)
    }

    /// - Throws: `transferCodeRefused` for every code that leads nowhere, whatever the reason, a user on the way
    ///   out among them, whose code went with the request; `userDisabled` with a right code; `fieldsRefused` for what
    ///   cannot be a code, which tells nothing; `rateLimited`, `proofRefused`, `clockSkew`, `proofReplayed`,
    ///   `attemptReused`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> Redeemed {
        let now = clock.now
        let application = request.application.id
        let proof = try verifyProof(request.proof, at: now)
        var faults = request.device.faults(field: "device")
        let code = TransferCode(typed: request.code)
        if code == nil { faults.append(ValidationError(field: "code", rule: .notATransferCode)) }
        guard let code, faults.isEmpty else { throw .fieldsRefused(faults) }
        if let attempts {
            try await rateLimiter(
                kind: "transfer-code", in: application, from: request.address, limit: AddressLimit(attempts))
        }
        let digest = code.digest(hash, in: application)
        let redemption = try Redemption(
            application: request.application, digest: digest, proof: proof, now: now,
            issuer: issuers.issuer(
                for: .init(
                    request.application, .native, by: .transferCode,
                    on: .init(deviceKey: proof.thumbprint, device: request.device, address: request.address.text),
                    attempt: request.attempt?.asking(with: digest), record: .nothing),
                at: now),
            transfer: randomness.newIdentifier(at: now), device: request.device, address: request.address.text,
            ready: changes.drawingMail(
                for: changes.audit.ready(
                    [.transferCodeRedeemed], in: application,
                    by: .unknown(showing: .transferCode, from: request.origin), at: now)),
            excess: changes.audit.excessDeviceKeys(in: application, at: now))
        let redeemed = try await store.write { transaction throws(DomainError) in
            guard try transaction.markUsed(proof) else { throw .proofReplayed }
            return try redemption.redeem(in: transaction)
        }
        guard let redeemed else { throw .transferCodeRefused }
        return redeemed
    }
}

/// A code that is being redeemed: everything but the transaction.
private struct Redemption: Sendable {
    let application: Application
    let digest: SecretDigest
    let proof: DeviceProof
    let now: Timestamp
    let issuer: SessionIssuer
    let transfer: Identifier<Transfer>
    let device: DeviceDescription
    let address: String
    let ready: ReadyChanges
    /// What the keys leave that go because the device's key joins.
    let excess: ReadyChanges

    /// - Returns: `nil` when the code leads nowhere; the refusal stands in the audit log.
    func redeem(in transaction: any Transaction) throws(DomainError) -> RedeemTransferCode.Redeemed? {
        if let code = try transaction.transferCode(digest, in: application.id), now < code.expiresAt,
            let user = try transaction.user(code.user, in: application.id), user.deletionRequestedAt == nil
        {
            guard !user.isDisabled else { throw .userDisabled }
            // Before the key joins, which would count as the second factor then.
            try issuer.refuseMissing(of: user)
            return try join(user, in: transaction)
        }
        if let again = try repeated(in: transaction) { return again }
        if let again = try repeatedAtHome(in: transaction) { return again }
        try ready.refuse(.transferCodeRedeemed, of: nil, in: transaction)
        return nil
    }

    /// The device has redeemed the code already, and did not get the answer.
    private func repeated(in transaction: any Transaction) throws(DomainError) -> RedeemTransferCode.Redeemed? {
        guard let before = try transaction.transfer(codeDigest: digest, in: application.id), before.undoneAt == nil,
            before.deviceKey == proof.thumbprint, now < before.undoEnd,
            let user = try transaction.user(
                provider: .device, subject: proof.thumbprint, in: application.id),
            user.id == before.user, user.deletionRequestedAt == nil, hasShownFactor(of: user)
        else { return nil }
        var left: RedeemTransferCode.LeftUser?
        if let id = before.leftUser, let user = try transaction.user(id, in: application.id) {
            left = .init(id: id, erasedAt: user.deletionRequestedAt.map { $0 + application.settings.deletionGrace })
        }
        return .init(logIn: try issuer.issue(to: user, in: transaction), leftUser: left)
    }

    /// Whether the code stood for the second factor when it was redeemed, of a user who has one: not for one that was added since, nor
    /// while the application asked nobody for one. Such a device logs in by its key, as any other.
    private func hasShownFactor(of user: User) -> Bool {
        guard needsFactor(user) else { return true }
        return user.identities.contains {
            $0.provider == .device && $0.subject == proof.thumbprint && $0.secondFactorAt != nil
        }
    }

    private func needsFactor(_ user: User) -> Bool { application.settings.secondFactors.need(of: user) == .factor }

    /// The same of a device that was the user's already, whose code left no transfer: the session of the first try tells.
    private func repeatedAtHome(in transaction: any Transaction) throws(DomainError) -> RedeemTransferCode.Redeemed? {
        guard try transaction.transfer(codeDigest: digest, in: application.id) == nil,
            let user = try transaction.user(provider: .device, subject: proof.thumbprint, in: application.id),
            user.deletionRequestedAt == nil, try issuer.hasIssued(to: user, in: transaction)
        else { return nil }
        do throws(DomainError) {
            return .init(logIn: try issuer.issue(to: user, in: transaction), leftUser: nil)
        } catch {
            // The attempt opened a session by something else: the code leads nowhere.
            guard error.code == .attemptReused else { throw error }
            return nil
        }
    }

    private func join(
        _ user: User, in transaction: any Transaction
    ) throws(DomainError) -> RedeemTransferCode.Redeemed {
        _ = try transaction.removeTransferCode(of: user.id, in: application.id)
        let before = try transaction.user(provider: .device, subject: proof.thumbprint, in: application.id)
        if before?.id == user.id {
            try record([:], of: user, joins: false, in: transaction)
            return .init(logIn: try issuer.issue(to: user, in: transaction), leftUser: nil)
        }
        let left = try before.map { before throws(DomainError) in try leave(before, in: transaction) }
        var identity = Identity(provider: .device, subject: proof.thumbprint, linkedAt: now)
        // By what the code of anybody else was given out, nobody knows.
        if try !transaction.isReachedByKeysAlone(user) { identity.joinedBy = .transferCode }
        // Where the code counts: who issued it has shown the second factor (`AccountChange.guarded`), if anybody is asked for one.
        if needsFactor(user) { identity.secondFactorAt = now }
        try transaction.link(identity, to: user.id, in: application.id)
        try transaction.insert(
            Transfer(
                id: transfer, application: application.id, user: user.id,
                to: .init(key: proof.thumbprint, device: device, address: address), codeDigest: digest,
                leftUser: left?.id, redeemedAt: now))
        try transaction.removeExcessTransfers(of: user.id, in: application.id)
        var details = ["transfer": transfer.rawValue, "device-key": proof.thumbprint]
        details["left-user"] = left?.id.rawValue
        try record(details, of: user, joins: true, in: transaction)
        var user = user
        user.identities.append(identity)
        try transaction.removeExcessDeviceKeys(of: &user, keeping: identity.subject, recording: excess)
        return .init(logIn: try issuer.issue(to: user, in: transaction), leftUser: left)
    }

    private func record(
        _ details: [String: String], of user: User, joins: Bool, in transaction: any Transaction
    ) throws(DomainError) {
        var (user, ready) = (user, ready)
        // A device that was the user's already is no news.
        if !joins { ready.drawn = nil }
        try ready.settle(
            [.transferCodeRedeemed: details], of: &user, keeping: .nothing, by: .holder(of: user.id), in: transaction)
    }

    /// Takes the key away from the user that it led to.
    private func leave(
        _ user: User, in transaction: any Transaction
    ) throws(DomainError) -> RedeemTransferCode.LeftUser {
        _ = try transaction.remove(.device, subject: proof.thumbprint, of: user.id, in: application.id)
        _ = try transaction.endSessions(of: user.id, in: application.id, deviceKeys: [proof.thumbprint])
        var user = user
        user.identities.removeAll { $0.provider == .device && $0.subject == proof.thumbprint }
        if user.isOutOfReach, user.deletionRequestedAt == nil {
            try transaction.leaveBehind(&user, since: now, at: now)
        }
        return .init(
            id: user.id, erasedAt: user.deletionRequestedAt.map { $0 + application.settings.deletionGrace })
    }
}
