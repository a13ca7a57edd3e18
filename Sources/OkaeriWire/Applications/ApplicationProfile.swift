/// The response of `GET /v1/application`: what a log-in screen must know of an application before anybody is logged in.
public struct ApplicationProfile: Codable, Hashable, Sendable {
    /// The application's id.
    public var id: String
    /// The name that people see.
    public var name: String
    /// What names and passwords must keep to.
    public var rules: AccountRulesBody
    /// The application's own fields at sign-up, in their order.
    public var fields: [ProfileField]
    /// What people are asked to agree to, in their order.
    public var consents: [ProfileConsent]
    /// The providers that are enabled, in the order in which to show them.
    public var providers: [ProfileProvider]
    /// The languages of the application's texts, BCP 47 tags, best first.
    public var languages = ["en", "ja", "ko"]
    /// How screens look; absent for the standard.
    public var theme: Theme?
    /// Pages of the operator's own.
    public var links: ProfileLinks
    /// The pages that the server has for people; absent when it has no public address.
    public var pages: ProfilePages?
    /// Passkeys; absent when the application has none.
    public var passkeys: ProfilePasskeys?

    /// Makes a profile; by default that of an application without settings.
    public init(
        id: String, name: String, rules: AccountRulesBody = AccountRulesBody(), fields: [ProfileField] = [],
        consents: [ProfileConsent] = [], providers: [ProfileProvider] = [], links: ProfileLinks = ProfileLinks(),
        pages: ProfilePages? = nil
    ) {
        self.id = id
        self.name = name
        self.rules = rules
        self.fields = fields
        self.consents = consents
        self.providers = providers
        self.links = links
        self.pages = pages
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, rules, fields, consents, providers, languages, theme, links, pages, passkeys
    }

    /// Reads a profile. What is missing is as standard, and a theme that cannot be read does not keep anybody from
    /// logging in.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        name = try members.decode(String.self, forKey: .name)
        rules = try members.decodeIfPresent(AccountRulesBody.self, forKey: .rules) ?? AccountRulesBody()
        fields = try members.decodeIfPresent([ProfileField].self, forKey: .fields) ?? []
        consents = try members.decodeIfPresent([ProfileConsent].self, forKey: .consents) ?? []
        providers = try members.decodeIfPresent([ProfileProvider].self, forKey: .providers) ?? []
        languages = try members.decodeIfPresent([String].self, forKey: .languages) ?? ["en", "ja", "ko"]
        // Whatever is wrong with a theme, the standard one replaces it.
        theme = try? members.decodeIfPresent(Theme.self, forKey: .theme)
        links = try members.decodeIfPresent(ProfileLinks.self, forKey: .links) ?? ProfileLinks()
        pages = try members.decodeIfPresent(ProfilePages.self, forKey: .pages)
        passkeys = try members.decodeIfPresent(ProfilePasskeys.self, forKey: .passkeys)
    }
}

/// What names and passwords of an application must keep to.
public struct AccountRulesBody: Codable, Hashable, Sendable {
    /// User names.
    public var username: IdentifierRuleBody
    /// Mail addresses.
    public var email: IdentifierRuleBody
    /// Phone numbers.
    public var phone: IdentifierRuleBody
    /// The name that is shown.
    public var displayName: IdentifierRuleBody
    /// New passwords.
    public var password: PasswordRuleBody

    /// Makes rules; by default a user name of 3 to 64 characters, a mail address for those who want one, neither a phone number
    /// nor a name to be shown, and a password of at least 8 characters.
    public init(
        username: IdentifierRuleBody = IdentifierRuleBody(
            isOffered: true, isRequired: true, minimumCharacters: 3, maximumCharacters: 64),
        email: IdentifierRuleBody = IdentifierRuleBody(isOffered: true, isRequired: false),
        phone: IdentifierRuleBody = .notOffered,
        displayName: IdentifierRuleBody = .notOffered,
        password: PasswordRuleBody = PasswordRuleBody()
    ) {
        self.username = username
        self.email = email
        self.phone = phone
        self.displayName = displayName
        self.password = password
    }

    private enum CodingKeys: String, CodingKey {
        case username, email, phone, displayName, password
    }

    /// Reads rules. A server of before has none for phone numbers and shown names, and does not ask for them.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        username = try members.decode(IdentifierRuleBody.self, forKey: .username)
        email = try members.decode(IdentifierRuleBody.self, forKey: .email)
        phone = try members.decodeIfPresent(IdentifierRuleBody.self, forKey: .phone) ?? .notOffered
        displayName = try members.decodeIfPresent(IdentifierRuleBody.self, forKey: .displayName) ?? .notOffered
        password = try members.decode(PasswordRuleBody.self, forKey: .password)
    }
}

/// What one kind of identifier must keep to.
public struct IdentifierRuleBody: Codable, Hashable, Sendable {
    /// Whether sign-up asks for it.
    public var isOffered: Bool
    /// Whether nobody signs up without it.
    public var isRequired: Bool
    /// The fewest characters (Unicode scalars of the NFKC form); absent without a limit of its own.
    public var minimumCharacters: Int?
    /// The most characters.
    public var maximumCharacters: Int?

    /// Of what sign-up does not ask for.
    public static let notOffered = IdentifierRuleBody(isOffered: false, isRequired: false)

    /// Makes a rule.
    public init(isOffered: Bool, isRequired: Bool, minimumCharacters: Int? = nil, maximumCharacters: Int? = nil) {
        self.isOffered = isOffered
        self.isRequired = isRequired
        self.minimumCharacters = minimumCharacters
        self.maximumCharacters = maximumCharacters
    }
}

/// What a new password must keep to.
public struct PasswordRuleBody: Codable, Hashable, Sendable {
    /// The fewest characters (Unicode scalars of the NFKC form).
    public var minimumCharacters: Int
    /// The most bytes of UTF-8.
    public var maximumBytes: Int

    /// Makes a rule.
    public init(minimumCharacters: Int = 8, maximumBytes: Int = 1024) {
        self.minimumCharacters = minimumCharacters
        self.maximumBytes = maximumBytes
    }
}
