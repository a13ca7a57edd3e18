/// The body of `POST /v1/user/upgrade`: what makes an anonymous user one that can come back from anywhere. One of user
/// name, mail address and phone number must be there, and the password. The other members change the profile as a
/// patch does: what is absent stays, what is `null` goes.
public struct UpgradeBody: Codable, Hashable, Sendable {
    /// A user name of at most 64 characters.
    public var username: String?
    /// A mail address.
    public var email: String?
    /// A phone number in international form (E.164).
    public var phone: String?
    /// At least as long as the application asks for, at most 1024 bytes.
    public var password: String?
    /// A new name to greet by.
    public var displayName: UserPatchBody.Change<String>
    /// A new language.
    public var locale: UserPatchBody.Change<String>
    /// Changes of the application's own fields, merged member by member; `null` removes one.
    public var fields: UserPatchBody.Change<[String: JSONValue]>

    /// Makes a body.
    public init(
        username: String? = nil, email: String? = nil, phone: String? = nil, password: String?,
        displayName: UserPatchBody.Change<String> = .unchanged, locale: UserPatchBody.Change<String> = .unchanged,
        fields: UserPatchBody.Change<[String: JSONValue]> = .unchanged
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
        case username, email, phone, password, displayName, locale, fields
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        username = try members.decodeIfPresent(String.self, forKey: .username)
        email = try members.decodeIfPresent(String.self, forKey: .email)
        phone = try members.decodeIfPresent(String.self, forKey: .phone)
        password = try members.decodeIfPresent(String.self, forKey: .password)
        displayName = try members.change(forKey: .displayName)
        locale = try members.change(forKey: .locale)
        fields = try members.change(forKey: .fields)
    }

    /// Writes the members that change something.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(username, forKey: .username)
        try members.encodeIfPresent(email, forKey: .email)
        try members.encodeIfPresent(phone, forKey: .phone)
        try members.encodeIfPresent(password, forKey: .password)
        try members.encode(displayName, forKey: .displayName)
        try members.encode(locale, forKey: .locale)
        try members.encode(fields, forKey: .fields)
    }
}
