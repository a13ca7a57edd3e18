/// A provider that vouches for people: Apple, Google, another OpenID Connect issuer, Facebook, X, LINE, Naver, Game Center.
///
/// A new provider is one type with this role and one line where the program is composed.
package protocol IdentityProvider: Sendable {
    /// What settings must hold for this provider; nothing is asked of anybody.
    func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError]

    /// Who presents the tokens of a credential.
    ///
    /// Nobody is asked for an identity token, but for the provider's keys when they are not known yet.
    ///
    /// - Returns: `nil` when the credential holds no token, only a code.
    /// - Throws: `providerTokenRefused`, `providerUnavailable`, `providerMisconfigured`.
    func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity?

    /// Exchanges an authorization code: exactly one call, because a code counts once.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - nonce: What the client made, when it made one.
    ///   - person: Whom the token named; the code must be about the same person.
    ///   - configured: The application's settings.
    /// - Returns: the person, with everything that token and code tell.
    /// - Throws: `providerRefused`, `providerTokenRefused`, `providerUnavailable`, `providerMisconfigured`.
    func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity

    /// Whether people can be sent there in a browser.
    var takesBrowsers: Bool { get }

    /// The longest `state` that the provider brings back.
    var maximumStateCharacters: Int { get }

    /// The address to send a browser to; `nil` where people cannot be sent.
    ///
    /// - Throws: `providerUnavailable`, `providerMisconfigured`.
    func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String?

    /// Ends a grant at the provider. One that is over already counts as ended.
    ///
    /// - Throws: `providerUnavailable` to try again later, `providerMisconfigured` when that needs an operator first.
    func revoke(
        _ grant: Secret, audience: String, for configured: ConfiguredProvider
    ) async throws(DomainError)

    /// Tries the settings against the provider itself.
    func check(_ configured: ConfiguredProvider) async -> ProviderFinding
}

extension IdentityProvider {
    package var takesBrowsers: Bool { false }

    /// With everything else an address of less than 8 KiB, which all servers take.
    package var maximumStateCharacters: Int { 6000 }

    package func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? { nil }
}

/// How settings fared at the provider.
package enum ProviderFinding: Hashable, Sendable {
    /// The provider takes them.
    case accepted
    /// The provider does not take key, team, client id or secret; `answer` is its own word for it.
    case refused(answer: String)
    /// The provider answered with something else.
    case unexpected(answer: String)
    /// The provider could not be reached.
    case unreachable
    /// The stored secret is no key of the right kind.
    case secretUnusable
}

/// Apple's own further duties: news about people, and people who move with an app to another team.
package protocol AppleServerAPI: Sendable {
    /// Reads a server-to-server notification (requirement 35).
    ///
    /// - Throws: `providerTokenRefused`, `providerUnavailable`.
    func notification(
        _ signed: String, audiences: Set<String>
    ) async throws(DomainError) -> ProviderNotification

    /// Opens a migration with the team's key: the access token for the calls below.
    func migrationToken(for configured: ConfiguredProvider) async throws(DomainError) -> Secret

    /// The name by which the other team will ask for a person.
    ///
    /// - Returns: `nil` when Apple does not know the person any more.
    func transferSubject(
        of name: String, to team: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String?

    /// Who a transferred person is for this team.
    ///
    /// - Returns: `nil` when Apple does not know the transfer any more.
    func person(
        transferredAs transferSubject: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity?
}

/// All providers that the program has.
package struct IdentityProviders: Sendable {
    private let named: [Identity.Provider: any IdentityProvider]
    private let openID: (any IdentityProvider)?
    /// The OpenID Connect provider of the server's own settings, by which admins log in.
    let admins: (any IdentityProvider)?
    package let apple: (any AppleServerAPI)?

    /// How much is asked at once of the addresses that tenants name, on one node: as many calls may be under way.
    package static let lanesOfTenants = 32
    /// The same of all named providers together.
    package static let lanesOfNamed = 64
    /// Calls under way at once to the provider of the admins, which wait for no application's.
    package static let callsOfAdmins = 4

    private let tenantLanes = ProviderLanes(lanesOfTenants)
    private let namedLanes = ProviderLanes(lanesOfNamed)

    /// No provider at all.
    package static var none: IdentityProviders { IdentityProviders(named: [:], openID: nil, admins: nil, apple: nil) }

    /// - Parameters:
    ///   - named: Providers of one name each.
    ///   - openID: The one that stands for every `oidc:NAME`, whose addresses tenants name.
    ///   - admins: The one whose address the server's operator names.
    ///   - apple: What only Apple does.
    package init(
        named: [Identity.Provider: any IdentityProvider], openID: (any IdentityProvider)?,
        admins: (any IdentityProvider)?, apple: (any AppleServerAPI)?
    ) {
        let (tenantLanes, namedLanes) = (tenantLanes, namedLanes)
        self.named = named.mapValues { SharedProvider($0, namedLanes) }
        self.openID = openID.map { SharedProvider($0, tenantLanes) }
        self.admins = admins
        self.apple = apple.map { SharedApple($0, namedLanes) }
    }

    /// What the tokens of a service that users have left take: Firebase's keys are at one address, others' where tenants say.
    func lanes(of service: OldService.Name) -> ProviderLanes { service == .firebase ? namedLanes : tenantLanes }

    /// The provider of a name; `nil` for none.
    package subscript(provider: Identity.Provider) -> (any IdentityProvider)? {
        provider.isOpenIDConnect ? openID : named[provider]
    }

    /// The names that are not `oidc:NAME`, in alphabetical order.
    package var names: [String] { named.keys.map(\.rawValue).sorted() }
}

extension Identity.Provider {
    package static let apple = Identity.Provider(rawValue: "apple")
    package static let google = Identity.Provider(rawValue: "google")
    package static let facebook = Identity.Provider(rawValue: "facebook")
    package static let twitter = Identity.Provider(rawValue: "twitter")
    package static let line = Identity.Provider(rawValue: "line")
    package static let kakao = Identity.Provider(rawValue: "kakao")
    package static let naver = Identity.Provider(rawValue: "naver")
    package static let yahooJapan = Identity.Provider(rawValue: "yahoojapan")
    package static let gameCenter = Identity.Provider(rawValue: "gamecenter")

    /// As people know it; of a provider that an operator named, that name.
    package var brandName: String {
        switch self {
        case .apple: "Apple"
        case .google: "Google"
        case .facebook: "Facebook"
        case .twitter: "X"
        case .line: "LINE"
        case .kakao: "Kakao"
        case .naver: "NAVER"
        case .yahooJapan: "Yahoo! JAPAN ID"
        case .gameCenter: "Game Center"
        default: isOpenIDConnect ? String(rawValue.dropFirst(5)) : rawValue
        }
    }

    /// Whether an operator gave it its name: `oidc:` and 1 to 40 of `a-z`, `0-9`, `-`.
    package var isOpenIDConnect: Bool {
        guard rawValue.hasPrefix("oidc:") else { return false }
        let name = rawValue.utf8.dropFirst(5)
        return (1...40).contains(name.count)
            && name.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }
}
