/// The rules that only foreign protocols and the ways in and out of them ask for.
package final class ForeignUseCases: Sendable {
    package let searchUsers: SearchUsers
    package let eraseUser: EraseAccessibleUser
    package let importUsers: ImportUsers
    package let verifyCredential: VerifyCredential
    package let logInWithIdentities: LogInWithIdentities
    package let adoptSession: AdoptSession
    package let changeProtocolRules: ChangeProtocolRules
    package let verifyPassword: VerifyPassword
    package let openSession: OpenSession
    package let findSession: FindSession
    package let importSessions: ImportSessions
    package let registerByMail: RegisterByMail
    package let refreshSession: RefreshSession
    package let findPendingAddress: FindPendingAddress
    package let requestPhoneVerification: RequestPhoneVerification
    package let verifyPhone: VerifyPhone
    package let requestTextedReset: RequestTextedReset

    init(
        _ world: UseCases.World, authenticate: Authenticate, findProvider: FindProvider,
        enqueueMessage: EnqueueMessage, check: PasswordCheck, searches: SearchScheduler, editUser: EditUser,
        registrar: UserRegistrar
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let changes = editUser.changes
        let audit = changes.audit
        let rateLimiter = RateLimiter(store: store, clock: clock)
        searchUsers = SearchUsers(schedule: searches)
        importUsers = ImportUsers(
            store: store, clock: clock, randomness: randomness, passwords: world.passwords, findProvider: findProvider)
        importSessions = ImportSessions(store: store, clock: clock, randomness: randomness)
        verifyPassword = VerifyPassword(store: store, check: check)
        openSession = OpenSession(store: store, clock: clock, randomness: randomness, audit: audit)
        findSession = FindSession(store: store)
        eraseUser = EraseAccessibleUser(store: store, clock: clock, audit: audit)
        verifyCredential = VerifyCredential(
            findProvider: findProvider, rateLimiter: rateLimiter, hasLimits: world.hasRateLimits)
        logInWithIdentities = LogInWithIdentities(
            store: store, clock: clock, randomness: randomness, sealingKey: world.sealingKey, registrar: registrar,
            changes: changes)
        findPendingAddress = FindPendingAddress(store: store, clock: clock)
        requestPhoneVerification = RequestPhoneVerification(enqueueMessage: enqueueMessage)
        verifyPhone = VerifyPhone(
            tryCode: TryCode(
                store: store, clock: clock, digests: CodeDigests(key: world.sealingKey), rateLimiter: rateLimiter,
                hasLimits: world.hasRateLimits),
            editUser: editUser, changes: changes)
        requestTextedReset = RequestTextedReset(enqueueMessage: enqueueMessage)
        refreshSession = RefreshSession(
            store: store, clock: clock, randomness: randomness,
            hash: world.sealingKey.keyedHash(purpose: "okaeri refresh token"))
        registerByMail = RegisterByMail(
            store: store, clock: clock, enqueueMessage: enqueueMessage, registrar: registrar)
        changeProtocolRules = ChangeProtocolRules(store: store, audit: audit)
        adoptSession = AdoptSession(
            store: store, clock: clock, randomness: randomness, verifyProof: ProofVerifier(),
            authenticate: authenticate, audit: audit)
    }
}
