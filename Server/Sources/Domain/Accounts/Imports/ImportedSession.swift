package import enum OkaeriWire.JSONValue

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
    /// What the app kept of it, and when that was last changed.
    package var fields: [String: JSONValue] = [:]
    package var updatedAt: Timestamp?
    /// What the record holds and no session can have, such as a time in year 12000.
    package var faults: [ValidationError] = []

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

    /// The rules that it breaks.
    ///
    /// - Parameter limits: The application's, of fields.
    /// - Returns: a fault for each.
    func faults(within limits: ProfileLimits) -> [ValidationError] {
        var faults =
            self.faults + device.faults(field: "device") + ProfileRules.faults(ofFields: fields, within: limits)
        if !(1...SessionToken.maximumForeignBytes).contains(token.revealed.utf8.count) {
            faults.append(
                ValidationError(field: "token", rule: .tooManyBytes(maximum: SessionToken.maximumForeignBytes)))
        }
        return faults
    }
}
