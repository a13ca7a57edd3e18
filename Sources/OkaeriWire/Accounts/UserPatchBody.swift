/// The body of `PATCH /v1/user`: a JSON merge patch (RFC 7396). What is absent stays, what is `null` goes.
public struct UserPatchBody: Codable, Hashable, Sendable {
    /// A new name to greet by, at most 200 characters.
    public var displayName: Change<String>
    /// A new language, a BCP 47 tag of at most 35 characters.
    public var locale: Change<String>
    /// Changes of the application's own fields, merged member by member into what is there. `removed` empties them.
    public var fields: Change<[String: JSONValue]>
    /// A registered user's new user name. Like the two that follow it needs a fresh session.
    public var username: Change<String>
    /// A registered user's new mail address, not verified yet.
    public var email: Change<String>
    /// A registered user's new phone number, not verified yet.
    public var phone: Change<String>

    /// What a patch does to one member.
    public enum Change<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
        /// The member is absent: nothing happens.
        case unchanged
        /// The member is `null`: the value goes.
        case removed
        /// The member has a value.
        case set(Value)
    }

    /// Makes a patch.
    public init(
        displayName: Change<String> = .unchanged, locale: Change<String> = .unchanged,
        fields: Change<[String: JSONValue]> = .unchanged, username: Change<String> = .unchanged,
        email: Change<String> = .unchanged, phone: Change<String> = .unchanged
    ) {
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
        self.username = username
        self.email = email
        self.phone = phone
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case displayName, locale, fields, username, email, phone
    }

    /// Reads a patch that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        displayName = try members.change(forKey: .displayName)
        locale = try members.change(forKey: .locale)
        fields = try members.change(forKey: .fields)
        username = try members.change(forKey: .username)
        email = try members.change(forKey: .email)
        phone = try members.change(forKey: .phone)
    }

    /// Writes the members that change something.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(displayName, forKey: .displayName)
        try members.encode(locale, forKey: .locale)
        try members.encode(fields, forKey: .fields)
        try members.encode(username, forKey: .username)
        try members.encode(email, forKey: .email)
        try members.encode(phone, forKey: .phone)
    }
}

extension KeyedDecodingContainer {
    func change<Value>(forKey key: Key) throws -> UserPatchBody.Change<Value> {
        guard contains(key) else { return .unchanged }
        return try decodeNil(forKey: key) ? .removed : .set(try decode(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    mutating func encode<Value>(_ change: UserPatchBody.Change<Value>, forKey key: Key) throws {
        switch change {
        case .unchanged: break
        case .removed: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}
