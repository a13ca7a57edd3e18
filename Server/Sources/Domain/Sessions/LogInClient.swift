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

    /// Who holds the session that the log-in opens.
    func holder(key proof: DeviceProof?) -> SessionIssuer.Client {
        SessionIssuer.Client(deviceKey: proof?.thumbprint, device: device, address: address.text)
    }
}
