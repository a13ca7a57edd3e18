/// The rules that only foreign protocols and the ways in and out of them ask for.
package final class ForeignUseCases: Sendable {
    package let searchUsers: SearchUsers
    package let changeUser: ChangeUser
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

    init(
        _ world: UseCases.World, authenticate: Authenticate, findProvider: FindProvider,
        takeAllowance: TakeAllowance, queueErrand: QueueErrand, check: PasswordCheck, notice: MailNotice,
        audit: AuditTrail
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        searchUsers = SearchUsers(store: store)
        importUsers = ImportUsers(
            store: store, clock: clock, randomness: randomness, passwords: world.passwords, findProvider: findProvider)
        importSessions = ImportSessions(store: store, clock: clock, randomness: randomness)
        verifyPassword = VerifyPassword(store: store, check: check)
        openSession = OpenSession(store: store, clock: clock, randomness: randomness, audit: audit)
        findSession = FindSession(store: store)
        changeUser = ChangeUser(
            store: store, clock: clock, randomness: randomness, sealingKey: world.sealingKey,
            passwords: world.passwords, notice: notice, audit: audit)
        eraseUser = EraseAccessibleUser(store: store, clock: clock, randomness: randomness, audit: audit)
        verifyCredential = VerifyCredential(
            findProvider: findProvider, takeAllowance: takeAllowance, hasLimits: world.hasRateLimits)
        logInWithIdentities = LogInWithIdentities(
            store: store, clock: clock, randomness: randomness, takeAllowance: takeAllowance,
            sealingKey: world.sealingKey, passwords: world.passwords, newUsers: world.firstLaunches)
        findPendingAddress = FindPendingAddress(store: store, clock: clock)
        refreshSession = RefreshSession(
            store: store, clock: clock, randomness: randomness,
            hash: world.sealingKey.keyedHash(purpose: "okaeri refresh token"))
        registerByMail = RegisterByMail(
            store: store, clock: clock, randomness: randomness, queueErrand: queueErrand, takeAllowance: takeAllowance,
            newUsers: world.firstLaunches)
        changeProtocolRules = ChangeProtocolRules(store: store, audit: audit)
        adoptSession = AdoptSession(
            store: store, clock: clock, randomness: randomness, verifyProof: ProofVerifier(),
            authenticate: authenticate)
    }
}
