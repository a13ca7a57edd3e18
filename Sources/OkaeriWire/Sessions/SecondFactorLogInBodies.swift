/// What an error has with the code `second_factor_required` or `second_factor_enrolment_required`: what finishes the log-in.
public struct SecondFactorChallengeBody: Codable, Hashable, Sendable {
    /// Finishes the log-in together with a factor.
    public var ticket: String
    /// What can be shown, the best first: `totp`, `recovery-code`. An open set. Empty for a user who has to add one.
    public var factors: [String]
    /// Until when.
    public var expiresAt: WireTime
    /// Whether the user has a passkey, which is two factors by itself; absent from servers that do not say so.
    public var hasPasskey: Bool?
    /// `false` when the key that signed the log-in leads to somebody else, and so will not lead to the user: a log-in with
    /// another key can begin anew. Absent otherwise.
    public var joinsDevice: Bool?

    /// Makes a challenge.
    public init(
        ticket: String, factors: [String], expiresAt: WireTime, hasPasskey: Bool? = nil, joinsDevice: Bool? = nil
    ) {
        self.ticket = ticket
        self.factors = factors
        self.expiresAt = expiresAt
        self.hasPasskey = hasPasskey
        self.joinsDevice = joinsDevice
    }
}

/// The body of `POST /v1/log-in/second-factor`: the ticket of the log-in, and a code of an authenticator app or a recovery
/// code. A user who has to add a factor sends `enrolment` beside the first code.
public struct SecondFactorLogInBody: Codable, Hashable, Sendable {
    /// What the log-in returned.
    public var ticket: String
    /// What the authenticator app shows.
    public var code: String?
    /// A recovery code.
    public var recoveryCode: String?
    /// The ticket of a key that the code confirms.
    public var enrolment: String?
    /// What the user calls the app that is added.
    public var name: String?
    /// The device.
    public var device: DeviceBody?
    /// Whether the key of the proof leads to the user from now on; absent means yes.
    public var joinsDevice: Bool?

    /// Makes a body.
    public init(
        ticket: String, code: String? = nil, recoveryCode: String? = nil, enrolment: String? = nil,
        name: String? = nil, device: DeviceBody? = nil, joinsDevice: Bool? = nil
    ) {
        self.ticket = ticket
        self.code = code
        self.recoveryCode = recoveryCode
        self.enrolment = enrolment
        self.name = name
        self.device = device
        self.joinsDevice = joinsDevice
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket, code, recoveryCode, enrolment, name, device, joinsDevice
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        ticket = try members.decode(String.self, forKey: .ticket)
        code = try members.decodeIfPresent(String.self, forKey: .code)
        recoveryCode = try members.decodeIfPresent(String.self, forKey: .recoveryCode)
        enrolment = try members.decodeIfPresent(String.self, forKey: .enrolment)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        joinsDevice = try members.decodeIfPresent(Bool.self, forKey: .joinsDevice)
    }
}

/// The body of `POST /v1/log-in/second-factor/enrolment`.
public struct SecondFactorTicketBody: Codable, Hashable, Sendable {
    /// What the log-in returned.
    public var ticket: String

    /// Makes a body.
    public init(ticket: String) {
        self.ticket = ticket
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case ticket }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        ticket = try members.decode(String.self, forKey: .ticket)
    }
}
