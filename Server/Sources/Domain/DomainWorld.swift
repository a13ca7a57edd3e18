/// What the rules need of the world: storage, time, randomness, secrets, and the services around the server.
package struct DomainWorld: Sendable {
    package var store: any Store
    package var validity: any CacheValidity
    package var clock: any WallClock
    package var randomness: any Randomness
    package var sealingKey: SealingKey
    package var passwords: any PasswordHashing
    package var services: Services
    package var limits: Limits
    /// Of the clock, as the rounds of this process see it.
    let steadiness = ClockSteadiness()

    package init(
        store: any Store, validity: any CacheValidity, clock: any WallClock, randomness: any Randomness,
        sealingKey: SealingKey, passwords: any PasswordHashing, services: Services, limits: Limits
    ) {
        self.store = store
        self.validity = validity
        self.clock = clock
        self.randomness = randomness
        self.sealingKey = sealingKey
        self.passwords = passwords
        self.services = services
        self.limits = limits
    }

    /// What is outside of the server, and how the server is called from there.
    package struct Services: Sendable {
        /// The server's own address, for access tokens.
        package var issuer: String
        /// The server's own address for people; `nil` while it is not set.
        package var pagesURL: String?
        /// The protocols by which it is called.
        package var protocols: ProtocolRegistry
        /// Who can vouch for people.
        package var providers: IdentityProviders
        /// By which way mails leave.
        package var mailDelivery: MailDelivery
        /// Draws mails with a layout.
        package var mailRenderer: any MailRenderer
        /// By which way text messages leave.
        package var textDelivery: TextMessageDelivery
        /// Whether admins need an authenticator app.
        package var adminSecondFactor = AdminSecondFactor.demanded
        /// How the server knows the provider of its admins; `nil` without one.
        package var adminSignOn: AdminSignOnSettings?
        /// Sends events to the backends of apps.
        package var eventCarrier: any EventCarrier = NoEventCarrier()
        /// Asks the backends of apps before something happens.
        package var hookCarrier: any HookCarrier = NoHookCarrier()
        /// Verifies tokens of services that users have left.
        package var oldTokens: any OldTokenVerifier = NoOldTokenVerifier()
        /// Verifies the chains of attestations.
        package var certificates: any CertificateVerifier = NoCertificateVerifier()
        /// Who vouches for the keys of attestations.
        package var attestationCertificates: any AttestationCertificates = NoAttestationCertificates()

        package init(
            issuer: String, pagesURL: String? = nil, protocols: ProtocolRegistry, providers: IdentityProviders = .none,
            mailDelivery: MailDelivery = .none, mailRenderer: any MailRenderer,
            textDelivery: TextMessageDelivery = .none
        ) {
            self.issuer = issuer
            self.pagesURL = pagesURL
            self.protocols = protocols
            self.providers = providers
            self.mailDelivery = mailDelivery
            self.mailRenderer = mailRenderer
            self.textDelivery = textDelivery
        }
    }

    /// How much callers may do, and how much is kept in memory.
    package struct Limits: Sendable {
        /// First launches for one address or /64 network; `nil` for no limit.
        package var firstLaunches: RateLimit?
        /// Wrong passwords for one address or /64 network; `nil` for no limit.
        package var passwordFailures: RateLimit?
        /// Right passwords, and new ones, for one address or /64 network; `nil` for no limit.
        package var rightPasswords: RateLimit?
        /// What apps of old protocols may do from one address or /64 network.
        package var oldApps: OldAppLimits
        /// Whether wrong passwords for one identifier make the next try wait.
        package var hasPasswordDelays: Bool
        /// Whether the limits hold that an operator cannot choose.
        package var hasRateLimits: Bool
        /// How many sessions are kept in memory.
        package var sessionCache: SessionCacheSize
        /// How much of the server searches may take.
        package var searches: SearchLimits

        package init(
            firstLaunches: RateLimit? = .firstLaunches, passwordFailures: RateLimit? = .passwordFailures,
            rightPasswords: RateLimit? = .rightPasswords, oldApps: OldAppLimits = OldAppLimits(),
            hasPasswordDelays: Bool = true, hasRateLimits: Bool = true,
            sessionCache: SessionCacheSize = .bytes(64_000_000),
            searches: SearchLimits = SearchLimits()
        ) {
            self.firstLaunches = firstLaunches
            self.passwordFailures = passwordFailures
            self.rightPasswords = rightPasswords
            self.oldApps = oldApps
            self.hasPasswordDelays = hasPasswordDelays
            self.hasRateLimits = hasRateLimits
            self.sessionCache = sessionCache
            self.searches = searches
        }
    }
}
