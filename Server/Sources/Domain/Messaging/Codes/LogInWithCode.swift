/// Logs a user in by a code that was mailed. Only users that there are already get one: it never signs a stranger up.
package struct LogInWithCode: Sendable {
    let clock: any WallClock
    let verifyProof: ProofVerifier
    let tryCode: TryCode
    let issuers: SessionIssuers

    package struct Request: Sendable {
        package var application: Application
        /// What the response to the request for the code returned.
        package var ticket: String
        package var code: String
        /// Binds the session to the device's key.
        package var proof: PresentedProof?
        /// Whether the proof's key shall lead to the user from now on.
        package var joinsDevice: Bool
        package var device: DeviceDescription
        /// Names one attempt, so that its repetition answers what the first try answered.
        package var attempt: Attempt?
        package var address: ClientAddress
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin
        package var protocolName: Session.ProtocolName

        package init(
            application: Application, ticket: String, code: String, proof: PresentedProof? = nil,
            joinsDevice: Bool = true, device: DeviceDescription = DeviceDescription(), attempt: Attempt? = nil,
            address: ClientAddress, protocolName: Session.ProtocolName, restoringFrom: RequestOrigin? = nil,
            origin: RequestOrigin? = nil
        ) {
            self.application = application
            self.ticket = ticket
            self.code = code
            self.proof = proof
            self.joinsDevice = joinsDevice
            self.device = device
            self.attempt = attempt
            self.address = address
            self.protocolName = protocolName
            self.restoringFrom = restoringFrom
            self.origin = origin ?? RequestOrigin(address: address.text)
        }
    }

    /// - Throws: `codeRefused`, `fieldsRefused`, `proofRequired`, `proofRefused`, `clockSkew`, `proofReplayed`,
    ///   `rateLimited`, `userDisabled`, `userDeleted`, `attemptReused`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        if request.proof == nil, request.protocolName == .native, request.application.settings.proofRequired {
            throw .proofRequired
        }
        var proof: DeviceProof?
        if let presented = request.proof { proof = try verifyProof(presented, at: now) }
        let faults = request.device.faults(field: "device")
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let application = request.application
        let link = DeviceLink(proof: proof, joins: request.joinsDevice, now: now)
        let issuer = issuers.issuer(
            for: .init(
                application, request.protocolName, by: .code,
                on: .init(deviceKey: proof?.thumbprint, device: request.device, address: request.address.text),
                attempt: request.attempt, record: .logIn(from: request.origin), restoringFrom: request.restoringFrom),
            at: now)
        let presented = TryCode.Presented(
            .logInCode, in: application.id, .ticket(request.ticket), request.code, from: request.address,
            attempt: request.attempt?.digest, refusal: issuer.entry)
        return try await tryCode(presented) { _, user, transaction throws(DomainError) in
            try link.use(in: transaction, application.id)
            return try issuer.issue(to: try link.joined(to: user, in: transaction), in: transaction)
        }
    }
}
