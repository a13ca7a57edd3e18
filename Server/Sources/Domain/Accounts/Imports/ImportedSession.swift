/// A session as another service kept it.
package struct ImportedSession: Sendable {
    package var user: Identifier<User>
    package var application: Identifier<Application>
    package var token: Secret
    package var protocolName: Session.ProtocolName
    package var method: Session.LogInMethod
    package var device: DeviceDescription
    package var createdAt: Timestamp
    /// `nil` for a session without end.
    package var expiresAt: Timestamp?
    /// Times of the record that no session can have.
    package var timeFaults: [ValidationError] = []

    package init(
        user: Identifier<User>, application: Identifier<Application>, token: Secret,
        protocolName: Session.ProtocolName, method: Session.LogInMethod,
        device: DeviceDescription = DeviceDescription(), createdAt: Timestamp, expiresAt: Timestamp? = nil
    ) {
        self.user = user
        self.application = application
        self.token = token
        self.protocolName = protocolName
        self.method = method
        self.device = device
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// - Parameters:
    ///   - randomness: For the id.
    ///   - now: The session counts as used now: the time of its last use did not come along.
    /// - Returns: the session, and what its token is found by.
    func session(_ randomness: any Randomness, at now: Timestamp) -> (session: Session, token: SecretDigest) {
        let session = Session(
            id: randomness.newIdentifier(at: createdAt), application: application, user: user, deviceKey: nil,
            device: device, address: nil, protocolName: protocolName, method: method, createdAt: createdAt,
            lastUsedAt: now, expiresAt: expiresAt ?? now + SessionRules.endless)
        return (session, token.digest)
    }

    /// The rules that it breaks.
    var faults: [ValidationError] {
        var faults = timeFaults + device.faults(field: "device")
        if !(1...SessionToken.maximumForeignBytes).contains(token.revealed.utf8.count) {
            faults.append(
                ValidationError(field: "token", rule: .tooManyBytes(maximum: SessionToken.maximumForeignBytes)))
        }
        return faults
    }
}
