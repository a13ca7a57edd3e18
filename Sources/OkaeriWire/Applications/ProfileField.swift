/// One of an application's own fields at sign-up. What is typed is stored in the user's `fields` under its name.
public struct ProfileField: Codable, Hashable, Sendable {
    /// What a field takes. An open set; an unknown kind is shown as text.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The word as it is sent.
        public let rawValue: String

        /// Makes a kind from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// One line of text.
        public static let text = Kind(rawValue: "text")
        /// Several lines of text.
        public static let multiline = Kind(rawValue: "multiline")
        /// A number, stored as one.
        public static let number = Kind(rawValue: "number")
        /// A day of the Gregorian calendar as `2026-11-21`.
        public static let date = Kind(rawValue: "date")
        /// One of the choices.
        public static let choice = Kind(rawValue: "choice")
        /// Yes or no, stored as `true` or `false`.
        public static let checkbox = Kind(rawValue: "checkbox")
        /// A mail address that nobody logs in with.
        public static let email = Kind(rawValue: "email")
        /// A phone number that nobody logs in with.
        public static let phone = Kind(rawValue: "phone")
        /// The address of a page.
        public static let address = Kind(rawValue: "address")
    }

    /// One of the values of a choice.
    public struct Choice: Codable, Hashable, Sendable {
        /// What is stored.
        public var value: String
        /// What people see.
        public var label: LocalizedText

        /// Makes a choice.
        public init(value: String, label: LocalizedText) {
            self.value = value
            self.label = label
        }
    }

    /// The name in the user's `fields`.
    public var name: String
    /// What it takes.
    public var kind: Kind
    /// What people see beside it.
    public var label: LocalizedText
    /// What people see below it, if anything.
    public var hint: LocalizedText?
    /// Whether nobody signs up without it.
    public var isRequired: Bool
    /// The fewest characters, if there is a limit.
    public var minimumCharacters: Int?
    /// The most characters, if there is a limit.
    public var maximumCharacters: Int?
    /// The values of a choice.
    public var choices: [Choice]?

    /// Describes a field.
    public init(
        name: String, kind: Kind = .text, label: LocalizedText, hint: LocalizedText? = nil, isRequired: Bool = false,
        minimumCharacters: Int? = nil, maximumCharacters: Int? = nil, choices: [Choice]? = nil
    ) {
        self.name = name
        self.kind = kind
        self.label = label
        self.hint = hint
        self.isRequired = isRequired
        self.minimumCharacters = minimumCharacters
        self.maximumCharacters = maximumCharacters
        self.choices = choices
    }
}

/// Something that people are asked to agree to at sign-up. The time of their consent is stored in the user's `fields`
/// under `consent_` and its name.
public struct ProfileConsent: Codable, Hashable, Sendable {
    /// The name.
    public var name: String
    /// What people agree to, as plain text.
    public var label: LocalizedText
    /// Where they can read it, an https address.
    public var url: String?
    /// Whether nobody signs up without it.
    public var isRequired: Bool

    /// Describes a consent.
    public init(name: String, label: LocalizedText, url: String? = nil, isRequired: Bool = true) {
        self.name = name
        self.label = label
        self.url = url
        self.isRequired = isRequired
    }

    /// Where the time of the consent is stored.
    public var fieldName: String { "consent_\(name)" }
}

/// A provider that people can log in with.
public struct ProfileProvider: Codable, Hashable, Sendable {
    /// The name as in `/v1/log-in/{provider}`.
    public var name: String
    /// The name that people see; absent for the provider's own.
    public var displayName: LocalizedText?

    /// Describes a provider.
    public init(name: String, displayName: LocalizedText? = nil) {
        self.name = name
        self.displayName = displayName
    }
}

/// Pages of an application's operator, https addresses.
public struct ProfileLinks: Codable, Hashable, Sendable {
    /// Terms of use.
    public var terms: String?
    /// Privacy statement.
    public var privacy: String?
    /// Help.
    public var support: String?

    /// Names the pages.
    public init(terms: String? = nil, privacy: String? = nil, support: String? = nil) {
        self.terms = terms
        self.privacy = privacy
        self.support = support
    }
}

/// The server's own pages for people, https addresses.
public struct ProfilePages: Codable, Hashable, Sendable {
    /// The OpenID Connect issuer; the client id is the application's id.
    public var issuer: String
    /// Log-in.
    public var logIn: String?
    /// Sign-up.
    public var signUp: String?
    /// A forgotten password.
    public var forgot: String?
    /// Everything about the own account.
    public var account: String?

    /// Names the pages.
    public init(
        issuer: String, logIn: String? = nil, signUp: String? = nil, forgot: String? = nil, account: String? = nil
    ) {
        self.issuer = issuer
        self.logIn = logIn
        self.signUp = signUp
        self.forgot = forgot
        self.account = account
    }
}

/// A text in several languages, by BCP 47 tag.
public struct LocalizedText: Codable, Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The texts by language.
    public var texts: [String: String]

    /// Takes texts by language.
    public init(_ texts: [String: String]) {
        self.texts = texts
    }

    /// Takes texts by language.
    public init(dictionaryLiteral elements: (String, String)...) {
        texts = Dictionary(elements) { $1 }
    }

    /// Reads an object of texts.
    public init(from decoder: any Decoder) throws {
        texts = try decoder.singleValueContainer().decode([String: String].self)
    }

    /// Writes an object of texts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(texts)
    }

    /// The text in the best of some languages: the tag itself, then its language alone, then English, then any.
    ///
    /// - Parameter languages: BCP 47 tags, best first.
    /// - Returns: `nil` when there is no text at all.
    public func text(in languages: [String]) -> String? {
        for language in languages + ["en"] {
            if let text = texts[language] { return text }
            let primary = language.prefix { $0 != "-" && $0 != "_" }.lowercased()
            if let text = texts[primary] { return text }
        }
        return texts.min { $0.key < $1.key }?.value
    }
}

/// The application's passkeys.
public struct ProfilePasskeys: Codable, Hashable, Sendable {
    /// The domain that they belong to. An app needs it among its associated domains, as `webcredentials:DOMAIN`.
    public var domain: String

    /// Names the domain.
    public init(domain: String) {
        self.domain = domain
    }
}
