/// How admins come in and go: by password and one-time code, passkey or provider, and before all of these by a one-time link.
package struct AdminLogIns: Sendable {
    /// Whether admins need an authenticator app.
    package let secondFactor: AdminSecondFactor
    package let findAdmin: FindAdmin
    package let logIn: LogInAdmin
    package let logOut: LogOutAdmin
    package let reauthenticate: ReauthenticateAdmin
    package let passkeys: AdminPasskeys
    package let signOn: AdminSignOn
    package let needsFirstAdmin: NeedsFirstAdmin
    package let openLink: OpenAdminLink
    package let setUp: SetUpAdmin

    init(
        _ world: DomainWorld, rateLimiter: RateLimiter, passkeys: Passkeys, providers: Providers, audit: AuditTrail
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let secrets = AdminSecrets(sealingKey: world.sealingKey, randomness: randomness)
        secondFactor = world.services.adminSecondFactor
        findAdmin = FindAdmin(
            store: store, clock: clock, secondFactor: secondFactor,
            recordRefusal: RecordRefusedKey(store: store, clock: clock, audit: audit))
        let check = AdminCheck(
            store: store, clock: clock, passwords: world.passwords, secrets: secrets,
            secondFactor: secondFactor, hasLimits: world.limits.hasRateLimits, signOn: world.services.adminSignOn)
        logIn = LogInAdmin(clock: clock, randomness: randomness, check: check, audit: audit)
        logOut = LogOutAdmin(store: store, audit: audit)
        reauthenticate = ReauthenticateAdmin(clock: clock, randomness: randomness, check: check, audit: audit)
        self.passkeys = AdminPasskeys(
            world, verifyPasskey: passkeys.verifyPasskey, party: AdminPasskeyParty(pagesURL: world.services.pagesURL),
            secondFactor: secondFactor, audit: audit)
        signOn = AdminSignOn(world, providers: providers, rateLimiter: rateLimiter, audit: audit)
        needsFirstAdmin = NeedsFirstAdmin(store: store, secondFactor: secondFactor)
        openLink = OpenAdminLink(
            store: store, clock: clock, secrets: secrets, rateLimiter: rateLimiter,
            secondFactor: secondFactor, hasLimits: world.limits.hasRateLimits)
        setUp = SetUpAdmin(
            store: store, clock: clock, passwords: world.passwords, open: openLink, secrets: secrets, audit: audit)
    }
}
