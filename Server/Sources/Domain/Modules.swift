/// The modules of the rules. Each makes its own use cases; surfaces and commands take the modules that they speak to.
package final class Modules: Sendable {
    package let applications: Applications
    package let providers: Providers
    package let messaging: Messaging
    package let directory: UserDirectory
    package let logIns: LogIns
    package let accounts: Accounts
    package let imports: Imports
    package let passkeys: Passkeys
    package let secondFactors: SecondFactors
    package let transfers: Transfers
    package let deletion: Deletion
    package let sessions: Sessions
    package let administration: Administration
    package let events: Events
    package let hooks: Hooks
    package let resealSecrets: ResealSecrets

    private let searches: SearchScheduler
    private let clock: any WallClock
    private let steadiness: ClockSteadiness
    /// The server's own address for people; `nil` while it is not set.
    package let pagesURL: String?

    /// The present time, for responses that name it.
    package var now: Timestamp { clock.now }

    /// Notes the time of a round, and says whether the clock has gone on evenly for an hour of rounds. Before, nothing ends for
    /// good by its time alone.
    package func isClockSteady() -> Bool { steadiness.isSteady(at: clock.now) }

    package init(_ world: DomainWorld) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        self.clock = clock
        steadiness = world.steadiness
        pagesURL = world.services.pagesURL
        let seals = AuditSeals(world.sealingKey)
        let audit = AuditTrail(
            clock: clock, randomness: randomness, seals: seals, hasLimits: world.limits.hasRateLimits)
        let notice = MailNotice(
            sealing: MailSealing(key: world.sealingKey, randomness: randomness), delivery: world.services.mailDelivery,
            pagesURL: world.services.pagesURL)
        let changes = AccountChanges(notice: notice, audit: audit)
        let rateLimiter = RateLimiter(store: store, clock: clock)
        let check = PasswordCheck(
            store: store, clock: clock, passwords: world.passwords,
            failuresPerAddress: AddressLimit(
                world.limits.passwordFailures, ofOldApps: world.limits.oldApps.passwordFailures),
            hasDelays: world.limits.hasPasswordDelays,
            limits: world.limits.hasRateLimits
                ? RightPasswordLimits(
                    store: store, clock: clock,
                    ofAddress: AddressLimit(
                        world.limits.rightPasswords, ofOldApps: world.limits.oldApps.rightPasswords)) : nil)
        searches = SearchScheduler(store: store, clock: clock, limits: world.limits.searches)
        applications = Applications(world, audit: audit, searches: searches)
        providers = Providers(world, changes: changes, rateLimiter: rateLimiter)
        messaging = Messaging(
            world, audit: audit, rateLimiter: rateLimiter, findApplication: applications.findApplication)
        hooks = Hooks(world, audit: audit)
        directory = UserDirectory(world, audit: audit, rateLimiter: rateLimiter, searches: searches)
        logIns = LogIns(
            world, changes: changes, check: check, rateLimiter: rateLimiter, providers: providers,
            messaging: messaging, askHook: hooks.ask)
        accounts = Accounts(
            world, changes: changes, check: check, lookUpUser: directory.lookUpUser, registrar: logIns.registrar,
            providers: providers, messaging: messaging, askHook: hooks.ask)
        imports = Imports(world, audit: audit, findProvider: providers.findProvider)
        passkeys = Passkeys(world, changes: changes, askHook: hooks.ask)
        secondFactors = SecondFactors(world, changes: changes, rateLimiter: rateLimiter)
        transfers = Transfers(world, changes: changes, rateLimiter: rateLimiter)
        deletion = Deletion(world, changes: changes, rateLimiter: rateLimiter)
        sessions = Sessions(
            world, changes: changes, check: check, tryCode: messaging.tryCode, rateLimiter: rateLimiter,
            verifiers: .init(
                identity: VerifyExternalIdentity(findProvider: providers.findProvider),
                passkey: passkeys.verifyPasskey, secondFactor: secondFactors.check),
            askHook: hooks.ask)
        events = Events(world, audit: audit)
        resealSecrets = ResealSecrets(store: store, sealingKey: world.sealingKey, audit: audit)
        administration = Administration(
            world, rateLimiter: rateLimiter, enqueueMessage: messaging.enqueueMessage, searches: searches,
            changes: changes, signingKeys: sessions.signingKeys, passkeys: passkeys, providers: providers)
    }

    /// How many searches wait for a reader now.
    package var waitingSearches: Int { searches.waiting }

    /// Forgets what a committed transaction changed. The store calls it before the change is answered.
    package func forget(_ change: Change) {
        if case .mailQueued = change { return messaging.mailQueueSignal.ring() }
        if case .eventsWritten = change { return events.signal.ring() }
        if case .userPresent(let presence) = change { return sessions.note(presence) }
        sessions.forget(change)
        applications.forget(change)
        providers.findProvider.forget(change)
        passkeys.forget(change)
    }
}
