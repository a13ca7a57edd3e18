/// The client that asks for a log-in: by which protocol, on which device, and from where.
package struct LogInClient: Sendable {
    package var protocolName: Session.ProtocolName
    package var device: DeviceDescription
    /// Binds the session to the device's key; see `DeviceLink`.
    package var proof: PresentedProof?
    /// Whether the proof's key shall lead to the user from now on.
    package var joinsDevice: Bool
    package var address: ClientAddress
    /// Where the request came from, for the audit log.
    package var origin: RequestOrigin

    package init(
        _ protocolName: Session.ProtocolName, on device: DeviceDescription = DeviceDescription(),
        proof: PresentedProof? = nil, joinsDevice: Bool = true, from address: ClientAddress, origin: RequestOrigin
    ) {
        self.protocolName = protocolName
        self.device = device
        self.proof = proof
        self.joinsDevice = joinsDevice
        self.address = address
        self.origin = origin
    }

    /// The proof that came with the request, checked.
    ///
    /// - Parameters:
    ///   - application: What the log-in is to. The pages and foreign protocols have no proofs, whatever it wants.
    ///   - now: The server's time.
    /// - Returns: `nil` when none came.
    /// - Throws: `proofRequired` where the application wants one of every request: the session could not be used without the
    ///   key; `proofRefused`, `clockSkew`.
    func verifiedProof(in application: Application, at now: Timestamp) throws(DomainError) -> DeviceProof? {
        guard let proof else {
            guard protocolName != .native || !application.settings.proofRequired else { throw .proofRequired }
            return nil
        }
        return try ProofVerifier()(proof, at: now)
    }

    /// Who holds the session that the log-in opens.
    func holder(key proof: DeviceProof?) -> SessionIssuer.Client {
        SessionIssuer.Client(deviceKey: proof?.thumbprint, device: device, address: address.text)
    }
}
