/// The table of contents of the rules: everything that a protocol or a command can ask for. It is shared rather than
/// copied: it is large, and every route holds it.
package final class UseCases: Sendable {
    // Applications
    package let createApplication: CreateApplication
    package let listApplications: ListApplications
    package let findApplication: FindApplication
    package let changeTheme: ChangeTheme
    // Foreign protocols
    package let findProtocol: FindProtocol
    package let enableProtocol: EnableProtocol
    package let disableProtocol: DisableProtocol
    package let listProtocolKeys: ListProtocolKeys
    package let foreign: ForeignUseCases
    package let protocolTokens: ProtocolTokens
    // Automatic log-in
    package let logInAutomatically: LogInAutomatically
    // Providers
    package let findProvider: FindProvider
    package let setProvider: SetProvider
    package let listProviders: ListProviders
    package let removeProvider: RemoveProvider
    package let checkProvider: CheckProvider
    package let logInWithProvider: LogInWithProvider
    package let linkProvider: LinkProvider
    package let revokeGrants: RevokeGrants
    package let takeAppleNotification: TakeAppleNotification
    package let transferTeam: TransferTeam
    // Log-in by password
    package let signUp: SignUp
    package let registerUser: RegisterUser
    package let logInWithPassword: LogInWithPassword
    package let changePassword: ChangePassword
    // Account linking
    package let upgradeUser: UpgradeUser
    // Sessions
    package let authenticate: Authenticate
    package let logOut: LogOut
    package let listSessions: ListSessions
    package let reauthenticate: Reauthenticate
    package let requireRecentLogIn: RequireRecentLogIn
    package let endSession: EndSession
    package let endOtherSessions: EndOtherSessions
    package let listDeviceKeys: ListDeviceKeys
    package let removeDeviceKeys: RemoveDeviceKeys
    package let revokeSession: RevokeSession
    package let writeSessionActivity: WriteSessionActivity
    package let purgeExpired: PurgeExpired
    // Users
    package let readUser: ReadUser
    package let editUser: EditUser
    package let lookUpUser: LookUpUser
    package let listUsers: ListUsers
    package let setUserDisabled: SetUserDisabled
    package let rememberAttempt: RememberAttempt
    // Access tokens
    package let mintAccessToken: MintAccessToken
    package let signingKeys: SigningKeys
    package let rotateSigningKeys: RotateSigningKeys
    // Mail
    package let deliverMail: DeliverMail
    package let listQueuedMail: ListQueuedMail
    package let readOutbox: ReadOutbox
    package let changeMailSettings: ChangeMailSettings
    /// Rings when there is mail to send.
    package let mailQueueSignal: MailQueueSignal
    // One-time codes
    package let requestLogInCode: RequestLogInCode
    package let logInWithCode: LogInWithCode
    // Verification of mail addresses
    package let requestEmailVerification: RequestEmailVerification
    package let verifyEmail: VerifyEmail
    // Recovery
    package let requestPasswordReset: RequestPasswordReset
    package let resetPassword: ResetPassword
    // Transfer codes
    package let issueTransferCode: IssueTransferCode
    package let withdrawTransferCode: WithdrawTransferCode
    package let redeemTransferCode: RedeemTransferCode
    package let undoTransfer: UndoTransfer
    package let listNotices: ListNotices
    package let acknowledgeNotice: AcknowledgeNotice
    // Deletion
    package let requestDeletion: RequestDeletion
    package let deleteUser: DeleteUser
    package let restoreUser: RestoreUser
    package let eraseUser: EraseUser
    package let eraseDeletedUsers: EraseDeletedUsers
    package let removeIdleUsers: RemoveIdleUsers
    package let exportUser: ExportUser
    // Merging
    package let upgradeOrOfferMerge: UpgradeOrOfferMerge
    package let previewMerge: PreviewMerge
    package let resolveMerge: ResolveMerge
    package let undoMerge: UndoMerge
    /// What admins can ask for.
    package let administration: AdministrationUseCases
    // Web log-in
    package let issueAuthorizationCode: IssueAuthorizationCode
    package let redeemAuthorizationCode: RedeemAuthorizationCode
    package let startAuthorization: StartAuthorization
    package let readAuthorizationState: ReadAuthorizationState
    package let issueOneTimeLogInToken: IssueOneTimeLogInToken
    package let openPages: OpenPages
    package let changeRedirects: ChangeRedirects
    // Field rules
    package let changeFieldRules: ChangeFieldRules
    package let countRuleBreakers: CountRuleBreakers
    // Audit
    package let chainAuditEntries: ChainAuditEntries
    package let verifyAudit: VerifyAudit
    package let listAudit: ListAudit

    private let sessionCache: SessionCache
    private let searches: SearchScheduler
    private let clock: any WallClock
    /// The server's own address for people; `nil` while nobody told it.
    package let pagesURL: String?

    /// The present time, for answers that tell of it.
    package var now: Timestamp { clock.now }

    package init(_ world: World) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        self.clock = clock
        pagesURL = world.pagesURL
        let verifyProof = ProofVerifier()
        let activity = SessionActivity()
        let sealing = MailSealing(key: world.sealingKey, randomness: randomness)
        let notice = MailNotice(sealing: sealing, delivery: world.mailDelivery)
        let seals = AuditSeals(world.sealingKey)
        let keyring = ProtocolKeyring(sealingKey: world.sealingKey, randomness: randomness)
        let audit = AuditTrail(clock: clock, randomness: randomness, seals: seals)
        let changes = AccountChanges(notice: notice, audit: audit)
        let rateLimiter = RateLimiter(store: store, clock: clock)
        searches = SearchScheduler(store: store, clock: clock, limits: world.searchLimits)
        let check = PasswordCheck(
            store: store, clock: clock, passwords: world.passwords, failuresPerAddress: world.passwordFailures,
            hasDelays: world.hasPasswordDelays)
        sessionCache = SessionCache(capacity: world.sessionCacheCapacity, validity: world.validity)
        createApplication = CreateApplication(
            store: store, clock: clock, randomness: randomness, audit: audit, keyring: keyring)
        listApplications = ListApplications(store: store)
        findApplication = FindApplication(store: store, validity: world.validity)
        findProtocol = FindProtocol(store: store, keyring: keyring, validity: world.validity)
        enableProtocol = EnableProtocol(store: store, keyring: keyring, audit: audit)
        disableProtocol = DisableProtocol(store: store, audit: audit)
        listProtocolKeys = ListProtocolKeys(store: store, keyring: keyring)
        protocolTokens = ProtocolTokens(clock: clock)
        let registrar = UserRegistrar(
            randomness: randomness, passwords: world.passwords, rateLimiter: rateLimiter, changes: changes,
            limit: world.firstLaunches)
        logInAutomatically = LogInAutomatically(
            store: store, clock: clock, randomness: randomness, verifyProof: verifyProof, registrar: registrar,
            audit: audit)
        signUp = SignUp(
            store: store, clock: clock, randomness: randomness, verifyProof: verifyProof, passwords: world.passwords,
            registrar: registrar, audit: audit)
        registerUser = RegisterUser(
            store: store, clock: clock, randomness: randomness, registrar: registrar, audit: audit)
        logInWithPassword = LogInWithPassword(
            store: store, clock: clock, randomness: randomness, verifyProof: verifyProof, check: check, audit: audit)
        changePassword = ChangePassword(
            store: store, clock: clock, passwords: world.passwords, check: check, changes: changes)
        editUser = EditUser(
            store: store, clock: clock, randomness: randomness, sealingKey: world.sealingKey,
            passwords: world.passwords, changes: changes)
        upgradeUser = UpgradeUser(store: store, passwords: world.passwords, editUser: editUser)
        let offerMerge = OfferMerge(store: store, clock: clock, randomness: randomness, changes: changes)
        requireRecentLogIn = RequireRecentLogIn(clock: clock)
        findProvider = FindProvider(
            store: store, sealingKey: world.sealingKey, providers: world.providers, validity: world.validity)
        setProvider = SetProvider(
            store: store, clock: clock, sealingKey: world.sealingKey, providers: world.providers, audit: audit)
        listProviders = ListProviders(store: store)
        removeProvider = RemoveProvider(store: store, audit: audit)
        checkProvider = CheckProvider(findProvider: findProvider)
        logInWithProvider = LogInWithProvider(
            store: store, clock: clock, randomness: randomness, verifyProof: verifyProof,
            rateLimiter: rateLimiter, findProvider: findProvider,
            sealingKey: world.sealingKey, registrar: registrar, audit: audit)
        linkProvider = LinkProvider(
            store: store, clock: clock, findProvider: findProvider, offerMerge: offerMerge, editUser: editUser)
        revokeGrants = RevokeGrants(
            store: store, clock: clock, sealingKey: world.sealingKey, findProvider: findProvider)
        takeAppleNotification = TakeAppleNotification(
            store: store, clock: clock, audit: audit, apple: world.providers.apple)
        transferTeam = TransferTeam(
            store: store, clock: clock, findProvider: findProvider, apple: world.providers.apple)
        authenticate = Authenticate(
            store: store, clock: clock, cache: sessionCache, activity: activity, verifyProof: verifyProof)
        let enqueueMessage = EnqueueMessage(
            store: store, clock: clock, sealing: sealing, rateLimiter: rateLimiter, delivery: world.mailDelivery,
            textDelivery: world.textDelivery, pagesURL: world.pagesURL, hasLimits: world.hasRateLimits)
        foreign = ForeignUseCases(
            world, authenticate: authenticate, findProvider: findProvider, enqueueMessage: enqueueMessage, check: check,
            searches: searches, editUser: editUser, registrar: registrar)
        logOut = LogOut(store: store)
        listSessions = ListSessions(store: store, clock: clock)
        endSession = EndSession(store: store, audit: audit)
        endOtherSessions = EndOtherSessions(store: store, clock: clock, changes: changes)
        listDeviceKeys = ListDeviceKeys(store: store)
        removeDeviceKeys = RemoveDeviceKeys(store: store, clock: clock, changes: changes)
        revokeSession = RevokeSession(store: store, audit: audit)
        writeSessionActivity = WriteSessionActivity(store: store, activity: activity)
        purgeExpired = PurgeExpired(store: store, clock: clock)
        readUser = ReadUser(store: store)
        lookUpUser = LookUpUser(store: store, rateLimiter: rateLimiter, hasLimits: world.hasRateLimits)
        listUsers = ListUsers(store: store)
        rememberAttempt = RememberAttempt(store: store, clock: clock)
        setUserDisabled = SetUserDisabled(editUser: editUser)
        signingKeys = SigningKeys(store: store, clock: clock, sealingKey: world.sealingKey, validity: world.validity)
        mintAccessToken = MintAccessToken(
            clock: clock, randomness: randomness, signingKeys: signingKeys, issuer: world.issuer)
        let digests = CodeDigests(key: world.sealingKey)
        let tryCode = TryCode(
            store: store, clock: clock, digests: digests, rateLimiter: rateLimiter,
            hasLimits: world.hasRateLimits)
        reauthenticate = Reauthenticate(
            store: store, clock: clock, randomness: randomness, check: check, tryCode: tryCode,
            identify: VerifyExternalIdentity(findProvider: findProvider), audit: audit)
        deliverMail = DeliverMail(
            store: store, clock: clock, randomness: randomness, sealing: sealing, delivery: world.mailDelivery,
            textDelivery: world.textDelivery, findApplication: findApplication,
            renderMessage: RenderMessage(
                store: store, clock: clock, randomness: randomness, sealing: sealing, digests: digests,
                renderer: world.mailRenderer))
        requestLogInCode = RequestLogInCode(enqueueMessage: enqueueMessage, randomness: randomness)
        logInWithCode = LogInWithCode(
            clock: clock, randomness: randomness, verifyProof: verifyProof, tryCode: tryCode, audit: audit)
        requestEmailVerification = RequestEmailVerification(
            enqueueMessage: enqueueMessage, requireRecentLogIn: requireRecentLogIn)
        verifyEmail = VerifyEmail(tryCode: tryCode, editUser: editUser, changes: changes)
        requestPasswordReset = RequestPasswordReset(enqueueMessage: enqueueMessage)
        resetPassword = ResetPassword(
            store: store, clock: clock, randomness: randomness, passwords: world.passwords, tryCode: tryCode,
            changes: changes)
        listQueuedMail = ListQueuedMail(store: store)
        readOutbox = ReadOutbox(store: store, sealingKey: world.sealingKey)
        changeMailSettings = ChangeMailSettings(store: store, audit: audit)
        mailQueueSignal = MailQueueSignal()
        issueAuthorizationCode = IssueAuthorizationCode(clock: clock, sealingKey: world.sealingKey)
        redeemAuthorizationCode = RedeemAuthorizationCode(
            store: store, clock: clock, randomness: randomness, sealingKey: world.sealingKey, verifyProof: verifyProof,
            mintIdentityToken: MintIdentityToken(clock: clock, signingKeys: signingKeys), audit: audit)
        startAuthorization = StartAuthorization(
            clock: clock, randomness: randomness, sealingKey: world.sealingKey, findProvider: findProvider)
        readAuthorizationState = ReadAuthorizationState(clock: clock, sealingKey: world.sealingKey)
        issueOneTimeLogInToken = IssueOneTimeLogInToken(
            clock: clock, sealingKey: world.sealingKey, pagesURL: world.pagesURL)
        openPages = OpenPages(
            store: store, clock: clock, randomness: randomness, sealingKey: world.sealingKey, audit: audit)
        changeRedirects = ChangeRedirects(store: store, audit: audit)
        changeTheme = ChangeTheme(store: store, audit: audit)
        changeFieldRules = ChangeFieldRules(store: store, audit: audit)
        countRuleBreakers = CountRuleBreakers(schedule: searches)
        rotateSigningKeys = RotateSigningKeys(store: store, signingKeys: signingKeys, clock: clock, audit: audit)
        let transferHash = world.sealingKey.keyedHash(purpose: "okaeri transfer code")
        issueTransferCode = IssueTransferCode(
            store: store, clock: clock, randomness: randomness, hash: transferHash, rateLimiter: rateLimiter,
            limit: world.hasRateLimits ? .transferCodesIssued : nil, changes: changes)
        withdrawTransferCode = WithdrawTransferCode(store: store, clock: clock, changes: changes)
        redeemTransferCode = RedeemTransferCode(
            store: store, clock: clock, randomness: randomness, verifyProof: verifyProof, hash: transferHash,
            rateLimiter: rateLimiter, attempts: world.hasRateLimits ? .transferCodeAttempts : nil, changes: changes)
        undoTransfer = UndoTransfer(store: store, clock: clock, changes: changes)
        listNotices = ListNotices(store: store)
        acknowledgeNotice = AcknowledgeNotice(store: store, clock: clock)
        requestDeletion = RequestDeletion(store: store, clock: clock, audit: audit)
        deleteUser = DeleteUser(store: store, clock: clock, audit: audit)
        restoreUser = RestoreUser(store: store, audit: audit)
        eraseUser = EraseUser(store: store, clock: clock, audit: audit)
        eraseDeletedUsers = EraseDeletedUsers(store: store, clock: clock, audit: audit)
        removeIdleUsers = RemoveIdleUsers(store: store, clock: clock, audit: audit)
        exportUser = ExportUser(
            store: store, clock: clock, rateLimiter: rateLimiter, limit: world.hasRateLimits ? .exports : nil,
            audit: audit)
        upgradeOrOfferMerge = UpgradeOrOfferMerge(
            store: store, upgradeUser: upgradeUser, check: check,
            offerMerge: offerMerge)
        previewMerge = PreviewMerge(store: store, clock: clock)
        resolveMerge = ResolveMerge(store: store, clock: clock, randomness: randomness, changes: changes)
        undoMerge = UndoMerge(store: store, clock: clock, randomness: randomness, changes: changes)
        chainAuditEntries = ChainAuditEntries(store: store, seals: seals)
        verifyAudit = VerifyAudit(store: store, seals: seals)
        listAudit = ListAudit(store: store)
        administration = AdministrationUseCases(
            world, rateLimiter: rateLimiter, enqueueMessage: enqueueMessage, searches: searches, changes: changes,
            signingKeys: signingKeys)
    }

    /// How many sessions are in memory now.
    package var cachedSessions: Int { sessionCache.count }

    /// How many searches wait for a reader now.
    package var waitingSearches: Int { searches.waiting }

    /// Forgets what a committed transaction changed. The store calls it before the change is answered.
    package func forget(_ change: Change) {
        if case .mailQueued = change { return mailQueueSignal.ring() }
        sessionCache.forget(change)
        findApplication.forget(change)
        findProtocol.forget(change)
        findProvider.forget(change)
        signingKeys.forget(change)
    }
}
