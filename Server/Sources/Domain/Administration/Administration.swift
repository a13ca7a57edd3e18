/// What admins can ask for.
package final class Administration: Sendable {
    /// Whether admins need an authenticator app.
    package let secondFactor: AdminSecondFactor
    package let perform: PerformAdminAction
    package let findAdmin: FindAdmin
    package let logIn: LogInAdmin
    package let logOut: LogOutAdmin
    package let reauthenticate: ReauthenticateAdmin
    package let passkeys: AdminPasskeys
    package let ownPasskeys: ManageAdminPasskeys
    package let signOn: AdminSignOn
    package let ownSignOn: ManageAdminSignOn
    package let needsFirstAdmin: NeedsFirstAdmin
    package let makeLink: MakeAdminLink
    package let openLink: OpenAdminLink
    package let setUp: SetUpAdmin
    package let listAdmins: ListAdmins
    package let createAdmin: CreateAdmin
    package let changeAdmin: ChangeAdmin
    package let removeAdmin: RemoveAdmin
    package let unlockAdmin: UnlockAdmin
    package let listLocks: ListAdminLocks
    package let listKeys: ListAdminKeys
    package let createKey: CreateAdminKey
    package let changeKey: ChangeAdminKey
    package let removeKey: RemoveAdminKey
    package let browseUsers: BrowseUsers
    package let exportUsers: ExportUsers
    package let changeUserListViews: ChangeUserListViews
    package let inspectUser: InspectUser
    package let endAllSessions: EndAllSessions
    package let orderPasswordReset: OrderPasswordReset
    package let mergeUsers: MergeUsers
    package let listActivity: ListActivity
    package let writeStatistics: WriteStatistics
    package let readOverview: ReadOverview
    package let chainAuditEntries: ChainAuditEntries
    package let readAuditChain: ReadAuditChain
    package let verifyAudit: VerifyAudit
    package let listAudit: ListAudit
    package let readHealth: ReadHealth

    init(
        _ world: DomainWorld, rateLimiter: RateLimiter, enqueueMessage: EnqueueMessage, searches: SearchScheduler,
        changes: AccountChanges, signingKeys: SigningKeys, passkeys: Passkeys,
        providers: Providers
    ) {
        let audit = changes.audit
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let secrets = AdminSecrets(sealingKey: world.sealingKey, randomness: randomness)
        secondFactor = world.services.adminSecondFactor
        perform = PerformAdminAction(clock: clock, recordReading: RecordReading(store: store, audit: audit))
        findAdmin = FindAdmin(
            store: store, clock: clock, secondFactor: secondFactor,
            recordRefusal: RecordRefusedKey(store: store, clock: clock, audit: audit))
        let check = AdminCheck(
            store: store, clock: clock, passwords: world.passwords, secrets: secrets,
            secondFactor: secondFactor, hasLimits: world.limits.hasRateLimits, signOn: world.services.adminSignOn)
        logIn = LogInAdmin(clock: clock, randomness: randomness, check: check, audit: audit)
        logOut = LogOutAdmin(store: store, audit: audit)
        reauthenticate = ReauthenticateAdmin(clock: clock, randomness: randomness, check: check, audit: audit)
        let party = AdminPasskeyParty(pagesURL: world.services.pagesURL)
        self.passkeys = AdminPasskeys(
            world, verifyPasskey: passkeys.verifyPasskey, party: party, secondFactor: secondFactor, audit: audit)
        ownPasskeys = ManageAdminPasskeys(
            store: store, clock: clock, addPasskey: passkeys.addPasskey, party: party, audit: audit)
        let signOn = AdminSignOn(world, providers: providers, rateLimiter: rateLimiter, audit: audit)
        self.signOn = signOn
        needsFirstAdmin = NeedsFirstAdmin(store: store, secondFactor: secondFactor)
        makeLink = MakeAdminLink(store: store, clock: clock, secrets: secrets, audit: audit)
        openLink = OpenAdminLink(
            store: store, clock: clock, secrets: secrets, rateLimiter: rateLimiter,
            secondFactor: secondFactor, hasLimits: world.limits.hasRateLimits)
        ownSignOn = ManageAdminSignOn(signOn: signOn, openLink: openLink)
        setUp = SetUpAdmin(
            store: store, clock: clock, passwords: world.passwords, open: openLink, secrets: secrets, audit: audit)
        listAdmins = ListAdmins(store: store)
        createAdmin = CreateAdmin(store: store, clock: clock, randomness: randomness, audit: audit)
        changeAdmin = ChangeAdmin(store: store, clock: clock, audit: audit)
        removeAdmin = RemoveAdmin(store: store, audit: audit)
        unlockAdmin = UnlockAdmin(store: store, audit: audit)
        listLocks = ListAdminLocks(store: store, clock: clock)
        listKeys = ListAdminKeys(store: store)
        createKey = CreateAdminKey(store: store, clock: clock, randomness: randomness, audit: audit)
        changeKey = ChangeAdminKey(store: store, audit: audit)
        removeKey = RemoveAdminKey(store: store, audit: audit)
        browseUsers = BrowseUsers(schedule: searches)
        exportUsers = ExportUsers(store: store, browse: browseUsers, audit: audit)
        changeUserListViews = ChangeUserListViews(editApplication: EditApplication(world, audit: audit))
        inspectUser = InspectUser(store: store)
        endAllSessions = EndAllSessions(store: store, clock: clock, changes: changes)
        orderPasswordReset = OrderPasswordReset(store: store, enqueueMessage: enqueueMessage, audit: audit)
        mergeUsers = MergeUsers(store: store, clock: clock, randomness: randomness, changes: changes)
        listActivity = ListActivity(store: store)
        writeStatistics = WriteStatistics(store: store, clock: clock)
        readOverview = ReadOverview(store: store, clock: clock)
        chainAuditEntries = ChainAuditEntries(store: store, seals: audit.seals)
        readAuditChain = ReadAuditChain(store: store)
        verifyAudit = VerifyAudit(store: store, seals: audit.seals)
        listAudit = ListAudit(store: store)
        readHealth = ReadHealth(
            store: store, clock: clock, signingKeys: signingKeys, passwords: world.passwords,
            delivery: world.services.mailDelivery)
    }
}
