public import Okaeri
public import OkaeriWire

/// What can be set about the log-in screen.
public struct LogInOptions: Hashable, Sendable {
    /// The parts of the screen.
    public var fields: LogInFields
    /// Whether people name themselves by their mail address alone.
    public var emailAsUsername: Bool
    /// Further providers, after those of ``fields``.
    public var providers: [ProviderOption]
    /// Whether the check box "log in automatically" is ticked at first.
    public var remembersAtFirst: Bool
    /// What a log-in without the tick leaves on the device.
    public var unremembered: RememberMe
    /// Whether the screen stands in a navigation stack, which has its own way back.
    public var isInNavigation: Bool

    /// Makes options.
    public init(
        fields: LogInFields = .default, emailAsUsername: Bool = false, providers: [ProviderOption] = [],
        remembersAtFirst: Bool = true, unremembered: RememberMe = .untilQuit, isInNavigation: Bool = false
    ) {
        self.fields = fields
        self.emailAsUsername = emailAsUsername
        self.providers = providers
        self.remembersAtFirst = remembersAtFirst
        self.unremembered = unremembered
        self.isInNavigation = isInNavigation
    }

    /// Options with the providers that the server has for the application, beside other fields. A server without pages
    /// takes ``LogInFields/webLogIn`` away, and ``LogInFields/passkey`` is there when the application has passkeys.
    public init(_ profile: ApplicationProfile, fields: LogInFields = .default) {
        var fields = fields.subtracting([.apple, .google, .facebook, .twitter])
        if profile.pages == nil { fields.remove(.webLogIn) }
        if profile.passkeys == nil { fields.remove(.passkey) } else { fields.insert(.passkey) }
        var others: [ProviderOption] = []
        for entry in profile.providers {
            let provider = Provider(rawValue: entry.name)
            let known = ProviderOption.known.first { $0.provider == provider }
            if let known, entry.displayName == nil {
                fields.formUnion(known.field)
            } else {
                others.append(ProviderOption(provider, name: entry.displayName))
            }
        }
        self.init(
            fields: fields, emailAsUsername: !profile.rules.username.isOffered && profile.rules.email.isOffered,
            providers: others)
    }

    /// All providers of the screen, in their order.
    public var allProviders: [ProviderOption] {
        ProviderOption.known.filter { fields.isSuperset(of: $0.field) }.map { ProviderOption($0.provider) } + providers
    }
}

/// A provider with the name that people see.
public struct ProviderOption: Hashable, Sendable, Identifiable {
    /// Which one.
    public let provider: Provider
    /// The name on its button.
    public let name: ScreenMessage
    /// The provider's own name.
    public var id: String { provider.rawValue }

    /// Names a provider.
    ///
    /// - Parameters:
    ///   - provider: Which one.
    ///   - name: The name on its button; its own when absent.
    public init(_ provider: Provider, name: LocalizedText? = nil) {
        self.provider = provider
        let raw = provider.rawValue
        let plain =
            Self.brands[raw]
            ?? (raw.hasPrefix("oidc:") ? String(raw.dropFirst(5)) : raw.prefix(1).uppercased() + raw.dropFirst())
        self.name = name.map { .localized($0.texts) } ?? .literal(plain)
    }

    /// Names that are not the id with a capital. X was Twitter until 2023; its id stays.
    private static let brands = [
        "twitter": "X", "line": "LINE", "naver": "NAVER", "yahoojapan": "Yahoo! JAPAN ID", "gamecenter": "Game Center",
    ]

    static var known: [(provider: Provider, field: LogInFields)] {
        [
            (.apple, .apple), (.google, .google), (.facebook, .facebook),
            (Provider(rawValue: "twitter"), .twitter),
        ]
    }
}
