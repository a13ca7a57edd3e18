/// The body of `POST /v1/sign-up`. One of user name, mail address and phone number must be there, and the password.
public struct SignUpBody: Codable, Hashable, Sendable {
    /// A user name of at most 64 characters.
    public var username: String?
    /// A mail address.
    public var email: String?
    /// A phone number in international form (E.164).
    public var phone: String?
    /// At least as long as the application asks for, at most 1024 bytes.
    public var password: String?
    /// The name to greet by, at most 200 characters.
    public var displayName: String?
    /// The person's language, a BCP 47 tag of at most 35 characters.
    public var locale: String?
    /// The application's own fields: at most 100 keys and 32 KiB as JSON.
    public var fields: [String: JSONValue]?
    /// What the session remembers of the device.
    public var device: DeviceBody?
    /// Whether the key of the proof in the header `DPoP` shall lead to the user, so that the next launch is automatic.
    /// Absent means yes. A key that leads to somebody else already stays with them.
    public var joinsDevice: Bool?

    /// Makes a body of the new user. What the session shall know of the device is set afterwards.
    public init(
        username: String? = nil, email: String? = nil, phone: String? = nil, password: String?,
        displayName: String? = nil, locale: String? = nil, fields: [String: JSONValue]? = nil
    ) {
        self.username = username
        self.email = email
        self.phone = phone
        self.password = password
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case username, email, phone, password, displayName, locale, fields, device, joinsDevice
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        username = try members.decodeIfPresent(String.self, forKey: .username)
        email = try members.decodeIfPresent(String.self, forKey: .email)
        phone = try members.decodeIfPresent(String.self, forKey: .phone)
        password = try members.decodeIfPresent(String.self, forKey: .password)
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        locale = try members.decodeIfPresent(String.self, forKey: .locale)
        fields = try members.decodeIfPresent([String: JSONValue].self, forKey: .fields)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        joinsDevice = try members.decodeIfPresent(Bool.self, forKey: .joinsDevice)
    }
}

/// The body of `POST /v1/log-in/password`.
public struct PasswordLogInBody: Codable, Hashable, Sendable {
    /// A user name, a mail address or a phone number.
    public var identifier: String
    /// The password.
    public var password: String
    /// What the session remembers of the device.
    public var device: DeviceBody?
    /// Whether the key of the proof in the header `DPoP` shall lead to the user, as at sign-up. Absent means yes.
    public var joinsDevice: Bool?

    /// Makes a body.
    public init(identifier: String, password: String, device: DeviceBody? = nil, joinsDevice: Bool? = nil) {
        self.identifier = identifier
        self.password = password
        self.device = device
        self.joinsDevice = joinsDevice
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case identifier, password, device, joinsDevice }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        identifier = try members.decode(String.self, forKey: .identifier)
        password = try members.decode(String.self, forKey: .password)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        joinsDevice = try members.decodeIfPresent(Bool.self, forKey: .joinsDevice)
    }
}

/// The body of `PUT /v1/user/password`.
public struct PasswordChangeBody: Codable, Hashable, Sendable {
    /// The present password. Without it the session must be fresh.
    public var currentPassword: String?
    /// The new password.
    public var newPassword: String

    /// Makes a body.
    public init(currentPassword: String? = nil, newPassword: String) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case currentPassword, newPassword }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        currentPassword = try members.decodeIfPresent(String.self, forKey: .currentPassword)
        newPassword = try members.decode(String.self, forKey: .newPassword)
    }
}
