/// Takes a user over from a session of a foreign protocol: the way out of an old app's log-in. The device's key leads to
/// the user from then on, so that the next launch is automatic. The old session stays as it is.
package struct AdoptSession: Sendable {
    let store: any Store
    let clock: any WallClock
    let protocols: ProtocolRegistry
    let issuers: SessionIssuers
    let audit: AuditTrail
    let verifyProof: ProofVerifier
    let authenticate: Authenticate

    package struct Request: Sendable {
        package var application: Application
        /// The protocol of the session, one that the application has switched on.
        package var protocolName: Session.ProtocolName
        package var token: Secret
        package var client: LogInClient
        package var attempt: Attempt?

        package init(
            application: Application, protocolName: Session.ProtocolName, token: Secret, client: LogInClient,
            attempt: Attempt? = nil
        ) {
            self.application = application
            self.protocolName = protocolName
            self.token = token
            self.client = client
            self.attempt = attempt
        }
    }

    /// - Throws: `proofRequired`; `credentialRefused` for a token that is nobody's, or of a protocol that is not switched on;
    ///   `userDisabled`, `fieldsRefused`, `proofRefused`, `proofReplayed`, `clockSkew`, `attemptReused`,
    ///   `secondFactorRequired`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        guard let presented = request.client.proof else { throw .proofRequired }
        let proof = try verifyProof(presented, at: now)
        var faults = request.client.device.faults(field: "device")
        if !protocols.foreign.contains(where: { $0.name == request.protocolName }) {
            faults.append(ValidationError(field: "protocol", rule: .notListed))
        }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let application = request.application.id
        let link = DeviceLink(proof: proof, joins: request.client.joinsDevice, now: now)
        let issuer = issuers.issuer(
            for: .init(
                request.application, .native, by: .adoption,
                on: request.client.holder(key: proof),
                attempt: request.attempt, record: .logIn(from: request.client.origin)),
            at: now)
        let old = try await session(request)
        let (user, name) = (old.user.id, request.protocolName)
        let retires = request.application.settings.retiresWeakPasswords
        let ready = audit.ready(atLogIn: .weakPasswordRetired, in: application, from: request.client.origin, at: now)
        let result = try await store.write { transaction throws(DomainError) -> Result<LogIn, DomainError>? in
            try link.use(in: transaction, application)
            guard try transaction.protocolKeys(of: application).contains(where: { $0.protocolName == name }),
                let known = try transaction.user(user, in: application)
            else { return nil }
            // The old session may have begun without the second factor; the key that joins counts as one.
            return try issuer.issue(to: known, joining: link, in: transaction) { joined throws(DomainError) in
                guard retires else { return }
                try transaction.retireWeakPassword(of: &joined, key: proof.thumbprint, with: ready)
            }
        }
        guard let result else { throw .credentialRefused }
        return try result.get()
    }

    private func session(_ request: Request) async throws(DomainError) -> Authenticated {
        do {
            return try await authenticate(
                Authenticate.Request(
                    application: request.application, token: request.token.revealed[...], proof: nil,
                    protocolName: request.protocolName),
                from: { request.client.address })
        } catch {
            throw error == .sessionInvalid ? .credentialRefused : error
        }
    }
}
