/// Identity providers: their settings, their tokens, and the way to them and back.
package final class Providers: Sendable {
    package let findProvider: FindProvider
    package let setProvider: SetProvider
    package let listProviders: ListProviders
    package let removeProvider: RemoveProvider
    package let checkProvider: CheckProvider
    package let verifyCredential: VerifyCredential
    package let revokeGrants: RevokeGrants
    package let takeAppleNotification: TakeAppleNotification
    package let transferTeam: TransferTeam
    package let startAuthorization: StartAuthorization
    package let readAuthorizationState: ReadAuthorizationState
    package let manageOldServices: ManageOldServices

    init(
        _ world: DomainWorld, changes: AccountChanges, rateLimiter: RateLimiter
    ) {
        let (store, clock, randomness, audit) = (world.store, world.clock, world.randomness, changes.audit)
        findProvider = FindProvider(
            store: store, sealingKey: world.sealingKey, providers: world.services.providers, validity: world.validity)
        setProvider = SetProvider(
            store: store, clock: clock, sealingKey: world.sealingKey, providers: world.services.providers, audit: audit)
        listProviders = ListProviders(store: store)
        removeProvider = RemoveProvider(store: store, audit: audit)
        checkProvider = CheckProvider(findProvider: findProvider)
        verifyCredential = VerifyCredential(
            findProvider: findProvider, rateLimiter: rateLimiter,
            credentialsForClient: AddressLimit(
                LogInWithProvider.bareCodes, ofOldApps: world.limits.oldApps.providerCredentials),
            hasLimits: world.limits.hasRateLimits)
        revokeGrants = RevokeGrants(
            store: store, clock: clock, randomness: randomness, sealingKey: world.sealingKey,
            findProvider: findProvider)
        takeAppleNotification = TakeAppleNotification(
            store: store, clock: clock, changes: changes, apple: world.services.providers.apple)
        transferTeam = TransferTeam(
            store: store, clock: clock, findProvider: findProvider, apple: world.services.providers.apple,
            audit: audit)
        startAuthorization = StartAuthorization(
            clock: clock, randomness: randomness, sealingKey: world.sealingKey, findProvider: findProvider)
        readAuthorizationState = ReadAuthorizationState(clock: clock, sealingKey: world.sealingKey)
        manageOldServices = ManageOldServices(
            sealingKey: world.sealingKey, tokens: world.services.oldTokens,
            editApplication: EditApplication(world, audit: audit))
    }
}
