/// Applications, their settings, and the keys and rules of the foreign protocols that they speak.
package final class Applications: Sendable {
    /// The protocols that this program speaks.
    package let protocols: ProtocolRegistry
    package let createApplication: CreateApplication
    package let listApplications: ListApplications
    package let findApplication: FindApplication
    package let changeApplication: ChangeApplication
    package let changeTheme: ChangeTheme
    package let changeRedirects: ChangeRedirects
    package let changeFieldRules: ChangeFieldRules
    package let changeAccessRules: ChangeAccessRules
    package let countRuleBreakers: CountRuleBreakers
    package let findProtocol: FindProtocol
    package let enableProtocol: EnableProtocol
    package let disableProtocol: DisableProtocol
    package let listProtocolKeys: ListProtocolKeys
    package let changeProtocolRules: ChangeProtocolRules
    package let protocolTokens: ProtocolTokens
    package let sealPlayKeys: SealPlayKeys

    init(
        _ world: DomainWorld, audit: AuditTrail, searches: SearchScheduler
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        protocols = world.services.protocols
        let keyring = ProtocolKeyring(sealingKey: world.sealingKey, protocols: protocols, randomness: randomness)
        createApplication = CreateApplication(
            store: store, clock: clock, randomness: randomness, audit: audit, protocols: protocols, keyring: keyring,
            passkeyDomains: PasskeyDomainRule(pagesURL: world.services.pagesURL))
        listApplications = ListApplications(store: store, schedule: searches)
        findApplication = FindApplication(store: store, validity: world.validity)
        let editApplication = EditApplication(world, audit: audit)
        changeApplication = ChangeApplication(
            editApplication: editApplication, certificates: world.services.certificates)
        changeTheme = ChangeTheme(editApplication: editApplication)
        changeRedirects = ChangeRedirects(editApplication: editApplication)
        changeFieldRules = ChangeFieldRules(editApplication: editApplication)
        changeAccessRules = ChangeAccessRules(
            editApplication: editApplication, store: store, clock: clock, randomness: randomness)
        countRuleBreakers = CountRuleBreakers(schedule: searches)
        findProtocol = FindProtocol(store: store, keyring: keyring, validity: world.validity)
        enableProtocol = EnableProtocol(store: store, keyring: keyring, audit: audit)
        disableProtocol = DisableProtocol(store: store, audit: audit)
        listProtocolKeys = ListProtocolKeys(store: store, protocols: protocols, keyring: keyring)
        changeProtocolRules = ChangeProtocolRules(protocols: protocols, editApplication: editApplication)
        protocolTokens = ProtocolTokens(clock: clock)
        sealPlayKeys = SealPlayKeys(sealingKey: world.sealingKey)
    }

    func forget(_ change: Change) {
        findApplication.forget(change)
        findProtocol.forget(change)
    }
}
