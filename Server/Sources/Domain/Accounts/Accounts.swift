/// Users: how they come to be and log in, and what changes them.
package final class Accounts: Sendable {
    package let judgeFirstLaunch: JudgeFirstLaunch
    package let logInAutomatically: LogInAutomatically
    package let signUp: SignUp
    package let registerUser: RegisterUser
    package let registerByMail: RegisterByMail
    package let logInWithPassword: LogInWithPassword
    package let logInWithCode: LogInWithCode
    package let logInWithProvider: LogInWithProvider
    package let logInWithIdentities: LogInWithIdentities
    package let editUser: EditUser
    package let setUserDisabled: SetUserDisabled
    package let linkProvider: LinkProvider
    package let upgradeUser: UpgradeUser
    package let upgradeOrOfferMerge: UpgradeOrOfferMerge
    package let changePassword: ChangePassword
    package let resetPassword: ResetPassword
    package let verifyPassword: VerifyPassword
    package let verifyEmail: VerifyEmail
    package let verifyPhone: VerifyPhone
    package let findPendingAddress: FindPendingAddress
    package let readUser: ReadUser
    package let readLinkedIdentities: ReadLinkedIdentities
    package let lookUpUser: LookUpUser
    package let listUsers: ListUsers
    package let searchUsers: SearchUsers
    package let rememberAttempt: RememberAttempt
    package let listDeviceKeys: ListDeviceKeys
    package let removeDeviceKeys: RemoveDeviceKeys
    package let changeUserRoles: ChangeUserRoles
    package let listMembers: ListMembers
    package let recordReading: RecordReading
    package let importUsers: ImportUsers
    package let recordImport: RecordImport
    package let exportApplication: ExportApplication
    package let importApplication: ImportApplication
    package let readAnonymousId: ReadAnonymousId

    init(
        _ world: DomainWorld, changes: AccountChanges, check: PasswordCheck, rateLimiter: RateLimiter,
        searches: SearchScheduler, providers: Providers, messaging: Messaging, askHook: AskHook
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let (verifyProof, issuers) = (ProofVerifier(), SessionIssuers(world, audit: changes.audit))
        let (findProvider, tryCode) = (providers.findProvider, messaging.tryCode)
        let enqueueMessage = messaging.enqueueMessage
        let offerMerge = OfferMerge(store: store, clock: clock, randomness: randomness, changes: changes)
        let registrar = UserRegistrar(
            randomness: randomness, passwords: world.passwords, rateLimiter: rateLimiter, changes: changes,
            askHook: askHook,
            limit: AddressLimit(world.limits.firstLaunches, ofOldApps: world.limits.oldApps.firstLaunches))
        let prepareCredential = PrepareCredential(passwords: world.passwords, limits: check.limits)
        lookUpUser = LookUpUser(store: store, rateLimiter: rateLimiter, hasLimits: world.limits.hasRateLimits)
        editUser = EditUser(
            store: store, clock: clock, issuers: issuers, sealingKey: world.sealingKey,
            prepareCredential: prepareCredential, lookUpUser: lookUpUser, changes: changes, askHook: askHook)
        upgradeUser = UpgradeUser(store: store, check: check, editUser: editUser)
        judgeFirstLaunch = JudgeFirstLaunch(world)
        logInAutomatically = LogInAutomatically(
            store: store, clock: clock, verifyProof: verifyProof, registrar: registrar, issuers: issuers,
            judgeFirstLaunch: judgeFirstLaunch)
        signUp = SignUp(
            store: store, clock: clock, verifyProof: verifyProof, passwords: world.passwords, registrar: registrar,
            issuers: issuers, judgeFirstLaunch: judgeFirstLaunch)
        registerUser = RegisterUser(
            store: store, clock: clock, registrar: registrar, issuers: issuers)
        registerByMail = RegisterByMail(store: store, enqueueMessage: enqueueMessage)
        logInWithPassword = LogInWithPassword(
            store: store, clock: clock, verifyProof: verifyProof, check: check, issuers: issuers, audit: changes.audit,
            migrate: MigratePassword(
                store: store, clock: clock, randomness: randomness, passwords: world.passwords, changes: changes,
                askHook: askHook))
        logInWithCode = LogInWithCode(
            clock: clock, verifyProof: verifyProof, tryCode: tryCode, issuers: issuers)
        logInWithProvider = LogInWithProvider(
            store: store, clock: clock, verifyProof: verifyProof, rateLimiter: rateLimiter, findProvider: findProvider,
            sealingKey: world.sealingKey, registrar: registrar, issuers: issuers)
        logInWithIdentities = LogInWithIdentities(
            store: store, clock: clock, issuers: issuers, sealingKey: world.sealingKey, registrar: registrar,
            changes: changes, askHook: askHook)
        setUserDisabled = SetUserDisabled(editUser: editUser)
        linkProvider = LinkProvider(
            store: store, clock: clock, findProvider: findProvider, offerMerge: offerMerge, editUser: editUser)
        upgradeOrOfferMerge = UpgradeOrOfferMerge(
            store: store, upgradeUser: upgradeUser, check: check,
            offerMerge: offerMerge)
        changePassword = ChangePassword(
            store: store, clock: clock, prepareCredential: prepareCredential, check: check, changes: changes)
        resetPassword = ResetPassword(
            store: store, clock: clock, randomness: randomness, prepareCredential: prepareCredential, tryCode: tryCode,
            changes: changes, sealing: enqueueMessage.sealing, registrar: registrar)
        verifyPassword = VerifyPassword(store: store, check: check)
        verifyEmail = VerifyEmail(tryCode: tryCode, editUser: editUser, changes: changes)
        verifyPhone = VerifyPhone(
            tryCode: tryCode,
            editUser: editUser, changes: changes)
        findPendingAddress = FindPendingAddress(store: store, clock: clock)
        readUser = ReadUser(store: store)
        readLinkedIdentities = ReadLinkedIdentities(readUser: readUser)
        listUsers = ListUsers(store: store)
        searchUsers = SearchUsers(schedule: searches)
        rememberAttempt = RememberAttempt(
            store: store, clock: clock, limit: world.limits.hasRateLimits ? RememberAttempt.limit : nil)
        listDeviceKeys = ListDeviceKeys(store: store)
        removeDeviceKeys = RemoveDeviceKeys(store: store, clock: clock, changes: changes)
        changeUserRoles = ChangeUserRoles(store: store, clock: clock, changes: changes)
        listMembers = ListMembers(store: store)
        recordReading = RecordReading(store: store, audit: changes.audit)
        importUsers = ImportUsers(
            store: store, clock: clock, randomness: randomness, protocols: world.services.protocols,
            passwords: world.passwords, findProvider: findProvider, sealingKey: world.sealingKey)
        recordImport = RecordImport(store: store, audit: changes.audit)
        exportApplication = ExportApplication(
            store: store, clock: clock, sealingKey: world.sealingKey, audit: changes.audit)
        importApplication = ImportApplication(
            store: store, randomness: randomness, sealingKey: world.sealingKey, audit: changes.audit,
            protocols: world.services.protocols)
        readAnonymousId = ReadAnonymousId(store: store, sealingKey: world.sealingKey)
    }
}
