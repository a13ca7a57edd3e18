/// The body of `POST /v1/log-in/code/request` and of `POST /v1/password-reset/request`.
public struct MailOrderBody: Codable, Hashable, Sendable {
    /// The mail address of a user.
    public var email: String

    /// Makes a body.
    public init(email: String) {
        self.email = email
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case email }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        email = try members.decode(String.self, forKey: .email)
    }
}

/// The response to `POST /v1/log-in/code/request`, the same whether or not there is such a user.
public struct LogInCodeRequestResponse: Codable, Hashable, Sendable {
    /// What must come with the code.
    public var ticket: String
    /// How long the code is good, in seconds.
    public var expiresInSeconds: Int64

    /// Makes a response.
    public init(ticket: String, expiresInSeconds: Int64) {
        self.ticket = ticket
        self.expiresInSeconds = expiresInSeconds
    }
}

/// The body of `POST /v1/log-in/code`.
public struct LogInCodeBody: Codable, Hashable, Sendable {
    /// The ticket from the response to the request.
    public var ticket: String
    /// The code from the mail; spaces and hyphens do not matter.
    public var code: String
    /// What the session remembers of the device.
    public var device: DeviceBody?
    /// Whether the key of the proof leads to the user from now on; absent means yes.
    public var joinsDevice: Bool?

    /// Makes a body.
    public init(ticket: String, code: String, device: DeviceBody? = nil, joinsDevice: Bool? = nil) {
        self.ticket = ticket
        self.code = code
        self.device = device
        self.joinsDevice = joinsDevice
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case ticket, code, device, joinsDevice }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        ticket = try members.decode(String.self, forKey: .ticket)
        code = try members.decode(String.self, forKey: .code)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        joinsDevice = try members.decodeIfPresent(Bool.self, forKey: .joinsDevice)
    }
}

/// The response to every other request for a mail: on its way, if there is anybody to send it to.
public struct MailOrderResponse: Codable, Hashable, Sendable {
    /// How long the mail is good, in seconds.
    public var expiresInSeconds: Int64

    /// Makes a response.
    public init(expiresInSeconds: Int64) {
        self.expiresInSeconds = expiresInSeconds
    }
}
