/// Passkeys (WebAuthn level 3): adding, naming and removing them, and log-in by them.
package final class Passkeys: Sendable {
    package let addPasskey: AddPasskey
    package let managePasskeys: ManagePasskeys
    package let requestPasskey: RequestPasskey
    package let logInWithPasskey: LogInWithPasskey
    package let offerPasskeyMerge: OfferPasskeyMerge
    package let findPasskeyDomain: FindPasskeyDomain
    let verifyPasskey: VerifyPasskey

    init(_ world: DomainWorld, changes: AccountChanges, askHook: AskHook) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let pages = world.services.pagesURL.flatMap { ProofTarget($0) }
        let challenges = PasskeyChallenges(clock: clock, randomness: randomness, sealingKey: world.sealingKey)
        findPasskeyDomain = FindPasskeyDomain(store: store, validity: world.validity, pages: pages)
        verifyPasskey = VerifyPasskey(
            store: store, clock: clock, challenges: challenges, pages: pages, findDomain: findPasskeyDomain)
        addPasskey = AddPasskey(
            store: store, clock: clock, changes: changes, challenges: challenges, pages: pages,
            certificates: world.services.certificates, askHook: askHook)
        managePasskeys = ManagePasskeys(store: store, clock: clock, changes: changes, pages: pages)
        requestPasskey = RequestPasskey(challenges: challenges, pages: pages)
        logInWithPasskey = LogInWithPasskey(
            store: store, clock: clock, verifyPasskey: verifyPasskey,
            issuers: SessionIssuers(world, changes: changes))
        offerPasskeyMerge = OfferPasskeyMerge(
            store: store, verifyPasskey: verifyPasskey,
            offerMerge: OfferMerge(store: store, clock: clock, randomness: randomness, changes: changes),
            audit: changes.audit)
    }

    func forget(_ change: Change) { findPasskeyDomain.forget(change) }
}
