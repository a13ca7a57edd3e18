/// Sessions of every protocol, access tokens, and log-in for web pages.
package final class Sessions: Sendable {
    package let authenticate: Authenticate
    package let logOut: LogOut
    package let listSessions: ListSessions
    package let reauthenticate: Reauthenticate
    package let editSession: EditSession
    package let endSession: EndSession
    package let endOtherSessions: EndOtherSessions
    package let writeSessionActivity: WriteSessionActivity
    package let purgeExpired: PurgeExpired
    package let openSession: OpenSession
    package let findSession: FindSession
    package let adoptSession: AdoptSession
    package let refreshSession: RefreshSession
    package let importSessions: ImportSessions
    package let signingKeys: SigningKeys
    package let rotateSigningKeys: RotateSigningKeys
    package let mintAccessToken: MintAccessToken
    package let introspectToken: IntrospectToken
    package let revokeToken: RevokeToken
    package let issueAuthorizationCode: IssueAuthorizationCode
    package let redeemAuthorizationCode: RedeemAuthorizationCode
    package let issueOneTimeLogInToken: IssueOneTimeLogInToken
    package let openPages: OpenPages
    package let replacePageSession: ReplacePageSession
    private let sessionCache: SessionCache

    init(
        _ world: DomainWorld, changes: AccountChanges, check: PasswordCheck, tryCode: TryCode,
        rateLimiter: RateLimiter, verifiers: Reauthenticate.Verifiers, askHook: AskHook
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let (verifyProof, audit, protocols) = (ProofVerifier(), changes.audit, world.services.protocols)
        let issuers = SessionIssuers(world, changes: changes)
        let activity = SessionActivity()
        sessionCache = SessionCache(world.limits.sessionCache, validity: world.validity)
        signingKeys = SigningKeys(store: store, clock: clock, sealingKey: world.sealingKey, validity: world.validity)
        authenticate = Authenticate(
            store: store, clock: clock, protocols: protocols, cache: sessionCache, activity: activity,
            verifyProof: verifyProof)
        logOut = LogOut(store: store, authenticate: authenticate)
        listSessions = ListSessions(store: store, clock: clock, protocols: protocols, activity: activity)
        reauthenticate = Reauthenticate(
            store: store, clock: clock, randomness: randomness, protocols: protocols, check: check, tryCode: tryCode,
            verifiers: verifiers, changes: changes, authenticate: authenticate,
            hash: world.sealingKey.keyedHash(purpose: "okaeri proof of presence"))
        editSession = EditSession(store: store, clock: clock, audit: audit)
        endSession = EndSession(store: store, audit: audit)
        endOtherSessions = EndOtherSessions(store: store, clock: clock, changes: changes)
        writeSessionActivity = WriteSessionActivity(store: store, activity: activity)
        purgeExpired = PurgeExpired(
            store: store, clock: clock, protocols: protocols, writeActivity: writeSessionActivity)
        openSession = OpenSession(store: store, clock: clock, issuers: issuers)
        findSession = FindSession(store: store)
        adoptSession = AdoptSession(
            store: store, clock: clock, protocols: protocols, issuers: issuers, audit: audit, verifyProof: verifyProof,
            authenticate: authenticate,
            verifyOldToken: VerifyOldToken(
                store: store, clock: clock, sealingKey: world.sealingKey, tokens: world.services.oldTokens,
                providers: world.services.providers, askHook: askHook,
                rateLimiter: rateLimiter, hasLimits: world.limits.hasRateLimits))
        refreshSession = RefreshSession(
            store: store, clock: clock, randomness: randomness, protocols: protocols,
            hash: world.sealingKey.keyedHash(purpose: "okaeri refresh token"), activity: activity, audit: audit)
        importSessions = ImportSessions(store: store, clock: clock, randomness: randomness)
        rotateSigningKeys = RotateSigningKeys(store: store, signingKeys: signingKeys, clock: clock, audit: audit)
        mintAccessToken = MintAccessToken(
            clock: clock, randomness: randomness, signingKeys: signingKeys, issuer: world.services.issuer,
            askHook: askHook, authenticate: authenticate)
        introspectToken = IntrospectToken(
            store: store, clock: clock, authenticate: authenticate, signingKeys: signingKeys,
            issuer: world.services.issuer)
        revokeToken = RevokeToken(authenticate: authenticate, logOut: logOut)
        issueAuthorizationCode = IssueAuthorizationCode(clock: clock, sealingKey: world.sealingKey)
        redeemAuthorizationCode = RedeemAuthorizationCode(
            store: store, clock: clock, sealingKey: world.sealingKey, verifyProof: verifyProof,
            mintIdentityToken: MintIdentityToken(clock: clock, signingKeys: signingKeys), issuers: issuers)
        issueOneTimeLogInToken = IssueOneTimeLogInToken(
            clock: clock, sealingKey: world.sealingKey, pagesURL: world.services.pagesURL)
        openPages = OpenPages(
            store: store, clock: clock, sealingKey: world.sealingKey, issuers: issuers)
        replacePageSession = ReplacePageSession(store: store)
    }

    /// How many sessions are in memory now.
    package var cachedSessions: Int { sessionCache.count }

    func note(_ presence: UserPresence) { writeSessionActivity.activity.note(presence) }

    func forget(_ change: Change) {
        sessionCache.forget(change)
        signingKeys.forget(change)
    }
}
