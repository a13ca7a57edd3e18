/// The body of `POST /v1/log-in/adopt`.
public struct AdoptionBody: Codable, Hashable, Sendable {
    /// The protocol of the session: `ncmb`, `parse`, `kii`, `envelope`; or the service of the token: `firebase`, `supabase`,
    /// `cognito`, or any other name that the application's hook knows.
    public var protocolName: String
    /// The session's token, as the old SDK has it: at Firebase and Cognito the identity token, at Supabase the access token.
    public var token: String
    /// What the session remembers of the device.
    public var device: DeviceBody?
    /// Whether the key of the proof leads to the user from now on; absent means yes.
    public var joinsDevice: Bool?

    /// Makes a body.
    public init(protocolName: String, token: String, device: DeviceBody? = nil, joinsDevice: Bool? = nil) {
        self.protocolName = protocolName
        self.token = token
        self.device = device
        self.joinsDevice = joinsDevice
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case protocolName = "protocol"
        case token, device, joinsDevice
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        protocolName = try members.decode(String.self, forKey: .protocolName)
        token = try members.decode(String.self, forKey: .token)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        joinsDevice = try members.decodeIfPresent(Bool.self, forKey: .joinsDevice)
    }
}
