/// How users come to be and log in.
package final class LogIns: Sendable {
    package let judgeFirstLaunch: JudgeFirstLaunch
    package let logInAutomatically: LogInAutomatically
    package let signUp: SignUp
    package let registerUser: RegisterUser
    package let registerByMail: RegisterByMail
    package let logInWithPassword: LogInWithPassword
    package let logInWithCode: LogInWithCode
    package let logInWithProvider: LogInWithProvider
    package let logInWithIdentities: LogInWithIdentities
    package let verifyPassword: VerifyPassword
    /// Makes new users ready, for whatever else makes one.
    let registrar: UserRegistrar

    init(
        _ world: DomainWorld, changes: AccountChanges, check: PasswordCheck, rateLimiter: RateLimiter,
        providers: Providers, messaging: Messaging, askHook: AskHook
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let issuers = SessionIssuers(world, changes: changes)
        registrar = UserRegistrar(
            randomness: randomness, passwords: world.passwords, rateLimiter: rateLimiter, changes: changes,
            askHook: askHook,
            limit: AddressLimit(world.limits.firstLaunches, ofOldApps: world.limits.oldApps.firstLaunches))
        judgeFirstLaunch = JudgeFirstLaunch(world)
        logInAutomatically = LogInAutomatically(
            store: store, clock: clock, verifyProof: ProofVerifier(), registrar: registrar, issuers: issuers,
            judgeFirstLaunch: judgeFirstLaunch)
        signUp = SignUp(
            store: store, clock: clock, check: check, registrar: registrar, issuers: issuers,
            judgeFirstLaunch: judgeFirstLaunch)
        registerUser = RegisterUser(store: store, clock: clock, registrar: registrar, issuers: issuers)
        registerByMail = RegisterByMail(store: store, enqueueMessage: messaging.enqueueMessage)
        logInWithPassword = LogInWithPassword(
            store: store, clock: clock, check: check, issuers: issuers, audit: changes.audit,
            migrate: MigratePassword(
                store: store, clock: clock, randomness: randomness, passwords: world.passwords, changes: changes,
                askHook: askHook))
        logInWithCode = LogInWithCode(clock: clock, tryCode: messaging.tryCode, issuers: issuers)
        logInWithProvider = LogInWithProvider(
            store: store, clock: clock, rateLimiter: rateLimiter, findProvider: providers.findProvider,
            sealingKey: world.sealingKey, registrar: registrar, issuers: issuers)
        logInWithIdentities = LogInWithIdentities(
            store: store, clock: clock, issuers: issuers, sealingKey: world.sealingKey, registrar: registrar,
            changes: changes, askHook: askHook)
        verifyPassword = VerifyPassword(store: store, check: check)
    }
}
