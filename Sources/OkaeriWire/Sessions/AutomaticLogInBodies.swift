/// The body of `POST /v1/log-in/automatic`. All members are optional; no body at all is allowed too.
public struct AutomaticLogInBody: Codable, Hashable, Sendable {
    /// What the session remembers of the device.
    public var device: DeviceBody?
    /// Values for the user when this log-in makes one. Ignored for a known device.
    public var user: NewUserBody?
    /// What the app attests, after the error `attestation_required` or `proof_of_work_required`. Ignored for a known device.
    public var attestation: DeviceAttestationBody?
    /// A proof of work, after the error `proof_of_work_required`. Ignored for a known device.
    public var proofOfWork: ProofOfWorkBody?

    /// Makes a body.
    public init(device: DeviceBody? = nil, user: NewUserBody? = nil) {
        self.device = device
        self.user = user
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case device, user, attestation, proofOfWork }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        user = try members.decodeIfPresent(NewUserBody.self, forKey: .user)
        attestation = try members.decodeIfPresent(DeviceAttestationBody.self, forKey: .attestation)
        proofOfWork = try members.decodeIfPresent(ProofOfWorkBody.self, forKey: .proofOfWork)
    }
}

/// A device as it describes itself. Each text at most 200 characters, no control characters.
public struct DeviceBody: Codable, Hashable, Sendable {
    /// The name that its owner gave it, for example `Hana's iPhone`.
    public var name: String?
    /// The model, for example `iPhone17,1`.
    public var model: String?
    /// The system and its version, for example `iOS 19.1`.
    public var system: String?
    /// The app's version, for example `2.4.0 (311)`.
    public var appVersion: String?

    /// Makes a description of a device.
    public init(name: String? = nil, model: String? = nil, system: String? = nil, appVersion: String? = nil) {
        self.name = name
        self.model = model
        self.system = system
        self.appVersion = appVersion
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, model, system, appVersion }

    /// Reads a description that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        model = try members.decodeIfPresent(String.self, forKey: .model)
        system = try members.decodeIfPresent(String.self, forKey: .system)
        appVersion = try members.decodeIfPresent(String.self, forKey: .appVersion)
    }
}

/// First values of a new user.
public struct NewUserBody: Codable, Hashable, Sendable {
    /// The name to greet by, at most 200 characters.
    public var displayName: String?
    /// The person's language, a BCP 47 tag of at most 35 characters.
    public var locale: String?
    /// The application's own fields: at most 100 keys and 32 KiB as JSON.
    public var fields: [String: JSONValue]?

    /// Makes first values.
    public init(displayName: String? = nil, locale: String? = nil, fields: [String: JSONValue]? = nil) {
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case displayName, locale, fields }

    /// Reads first values that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        locale = try members.decodeIfPresent(String.self, forKey: .locale)
        fields = try members.decodeIfPresent([String: JSONValue].self, forKey: .fields)
    }
}

/// The response to every log-in: 201 when it made the user, else 200.
public struct LogInResponse: Codable, Hashable, Sendable {
    /// Whether this log-in made the user.
    public var isNew: Bool
    /// The user.
    public var user: UserBody
    /// The time of the log-in before this one; `nil` on the first.
    public var previousLogInAt: WireTime?
    /// The session that was opened.
    public var session: NewSessionBody
    /// After a log-in with a transfer code: the user that the device's key led to before, if any.
    public var leftUser: LeftUserBody?
    /// After a log-in on the way of which the first second factor was added: ten recovery codes, shown this once.
    public var recoveryCodes: [String]?

    /// Makes a response.
    public init(isNew: Bool, user: UserBody, previousLogInAt: WireTime?, session: NewSessionBody) {
        self.isNew = isNew
        self.user = user
        self.previousLogInAt = previousLogInAt
        self.session = session
    }
}

/// A session that was just opened: the only time that its token is sent.
public struct NewSessionBody: Codable, Hashable, Sendable {
    /// The session's id.
    public var id: String
    /// The secret to send as `Authorization: Bearer`: `oks_` and letters, digits, dashes and one dot: no form to rely on.
    public var token: String
    /// When the session ends at the latest. It ends earlier when it is not used for `idleSeconds`.
    public var expiresAt: WireTime
    /// How long the session lives unused, in seconds.
    public var idleSeconds: Int64

    /// Makes a session's description.
    public init(id: String, token: String, expiresAt: WireTime, idleSeconds: Int64) {
        self.id = id
        self.token = token
        self.expiresAt = expiresAt
        self.idleSeconds = idleSeconds
    }
}
