public import OkaeriWire

/// What an account's identifiers and password must keep to. The server has the last word; these spare the way.
public struct FormRules: Hashable, Sendable {
    /// User names.
    public var username: FieldRule
    /// Mail addresses.
    public var email: FieldRule
    /// Phone numbers.
    public var phone: FieldRule
    /// New passwords. At log-in there are no rules but that there is one.
    public var password: FieldRule

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - username: User names: at least 3 characters by default.
    ///   - email: Mail addresses: their form by default.
    ///   - phone: Phone numbers: their international form by default.
    ///   - password: New passwords: at least 8 characters by default.
    public init(
        username: FieldRule = FieldRule(
            isRequired: true, [.minimumCharacters(3), .maximumCharacters(64), .userNameForm]),
        email: FieldRule = FieldRule(isRequired: true, [.mailForm]),
        phone: FieldRule = FieldRule(isRequired: false, [.phoneForm]),
        password: FieldRule = FieldRule(
            isRequired: true, [.minimumCharacters(8), .maximumBytes(1024), .noControlCharacters])
    ) {
        self.username = username
        self.email = email
        self.phone = phone
        self.password = password
    }

    /// The rules that the server publishes for the application.
    public init(_ profile: ApplicationProfile) {
        self.init(
            username: Self.rule(profile.rules.username, [.userNameForm]),
            email: Self.rule(profile.rules.email, [.mailForm]),
            phone: Self.rule(profile.rules.phone, [.phoneForm]),
            password: FieldRule(
                isRequired: true,
                [
                    .minimumCharacters(profile.rules.password.minimumCharacters),
                    .maximumBytes(profile.rules.password.maximumBytes), .noControlCharacters,
                ]))
    }

    private static func rule(_ body: IdentifierRuleBody, _ form: [FieldRule.Check]) -> FieldRule {
        FieldRule(
            isRequired: body.isRequired,
            (body.minimumCharacters.map { [.minimumCharacters($0)] } ?? [])
                + (body.maximumCharacters.map { [.maximumCharacters($0)] } ?? []) + form)
    }
}
