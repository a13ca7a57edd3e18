public import OkaeriWire

/// What ``OkaeriClient/update(_:)`` shall change. What is not named stays as it is.
///
/// ```swift
/// UserChanges(displayName: .set("花子"), fields: ["level": 3, "tutorial": .null])
/// ```
public struct UserChanges: Hashable, Sendable {
    /// What happens to one value: `.unchanged`, `.removed` or `.set(…)`.
    public typealias Change = UserPatchBody.Change

    /// The name to greet by, at most 200 characters.
    public var displayName: Change<String>
    /// The language, a BCP 47 tag of at most 35 characters.
    public var locale: Change<String>
    /// Changes of the application's own fields by name, merged into what is there (RFC 7396): `.null` removes a field,
    /// an object is merged member by member.
    public var fields: [String: JSONValue]
    /// Whether all fields that are there go first, whatever `fields` says. A change cannot do both at once: with `true`,
    /// `fields` is not sent.
    public var removesAllFields: Bool
    /// A registered user's new user name. Like the two that follow it needs a fresh session; see
    /// ``OkaeriClient/reauthenticate(password:)``.
    public var username: Change<String>
    /// A registered user's new mail address.
    public var email: Change<String>
    /// A registered user's new phone number, in international form.
    public var phone: Change<String>

    /// Makes a change.
    public init(
        displayName: Change<String> = .unchanged, locale: Change<String> = .unchanged,
        fields: [String: JSONValue] = [:], removesAllFields: Bool = false, username: Change<String> = .unchanged,
        email: Change<String> = .unchanged, phone: Change<String> = .unchanged
    ) {
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
        self.removesAllFields = removesAllFields
        self.username = username
        self.email = email
        self.phone = phone
    }

    /// The change as a JSON merge patch.
    var body: UserPatchBody {
        UserPatchBody(
            displayName: displayName, locale: locale,
            fields: removesAllFields ? .removed : fields.isEmpty ? .unchanged : .set(fields), username: username,
            email: email, phone: phone)
    }
}

extension SessionKeeper {
    /// Changes the user's values.
    func update(_ changes: UserChanges) async throws(OkaeriError) -> User {
        try await takeUser(APICall(.patch, APIPath.user, body: changes.body))
    }

    /// The user's values as the server has them now.
    func reloadUser() async throws(OkaeriError) -> User {
        try await takeUser(APICall(.get, APIPath.user))
    }

    /// Takes over the user's values from the response to a call.
    func takeUser(_ call: APICall) async throws(OkaeriError) -> User {
        try await takeUser(try await authenticated(call))
    }

    /// Takes over the user's values from a response.
    func takeUser(_ received: SessionResponse) async throws(OkaeriError) -> User {
        let body = try received.response.decoded(UserBody.self)
        try received.check(body)
        await change(.take(body, epoch: received.epoch, over: received.copy))
        return User(body)
    }
}
