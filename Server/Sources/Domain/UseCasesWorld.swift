extension UseCases {
    /// What the rules need of the world.
    package struct World: Sendable {
        package var store: any Store
        package var validity: any CacheValidity
        package var clock: any WallClock
        package var randomness: any Randomness
        package var sealingKey: SealingKey
        package var passwords: any PasswordHashing
        /// The server's own address, for access tokens.
        package var issuer: String
        /// Who can vouch for people.
        package var providers: IdentityProviders
        /// First launches for one address or /64 network; `nil` for no limit.
        package var firstLaunches: RateLimit?
        /// Whether the limits hold that an operator cannot choose.
        package var hasRateLimits: Bool
        /// Wrong passwords for one address or /64 network; `nil` for no limit.
        package var passwordFailures: RateLimit?
        /// Whether wrong passwords for one identifier make the next try wait.
        package var hasPasswordDelays: Bool
        /// The most sessions kept in memory.
        package var sessionCacheCapacity: Int
        /// How much of the server searches may take.
        package var searchLimits: SearchLimits
        /// By which way mails leave.
        package var mailDelivery: MailDelivery
        /// Draws mails with a layout.
        package var mailRenderer: any MailRenderer
        /// By which way text messages leave.
        package var textDelivery: TextMessageDelivery
        /// The server's own address for people; `nil` while nobody told it.
        package var pagesURL: String?

        package init(
            store: any Store, validity: any CacheValidity, clock: any WallClock, randomness: any Randomness,
            sealingKey: SealingKey, passwords: any PasswordHashing, mailRenderer: any MailRenderer, issuer: String,
            firstLaunches: RateLimit? = .firstLaunches, passwordFailures: RateLimit? = .passwordFailures,
            hasPasswordDelays: Bool = true, hasRateLimits: Bool = true, sessionCacheCapacity: Int = 10_000,
            searchLimits: SearchLimits = SearchLimits(),
            providers: IdentityProviders = .none, mailDelivery: MailDelivery = .none,
            textDelivery: TextMessageDelivery = .none, pagesURL: String? = nil
        ) {
            self.store = store
            self.validity = validity
            self.clock = clock
            self.randomness = randomness
            self.sealingKey = sealingKey
            self.passwords = passwords
            self.issuer = issuer
            self.providers = providers
            self.firstLaunches = firstLaunches
            self.hasRateLimits = hasRateLimits
            self.passwordFailures = passwordFailures
            self.hasPasswordDelays = hasPasswordDelays
            self.sessionCacheCapacity = sessionCacheCapacity
            self.searchLimits = searchLimits
            self.mailDelivery = mailDelivery
            self.mailRenderer = mailRenderer
            self.textDelivery = textDelivery
            self.pagesURL = pagesURL
        }
    }
}
