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
        let pagesURL = world.services.pagesURL
        let challenges = PasskeyChallenges(clock: clock, randomness: randomness, sealingKey: world.sealingKey)
        verifyPasskey = VerifyPasskey(store: store, clock: clock, challenges: challenges, pagesURL: pagesURL)
        addPasskey = AddPasskey(
            store: store, clock: clock, changes: changes, challenges: challenges, pagesURL: pagesURL,
            certificates: world.services.certificates, askHook: askHook)
        managePasskeys = ManagePasskeys(store: store, clock: clock, changes: changes, pagesURL: pagesURL)
        requestPasskey = RequestPasskey(challenges: challenges, pagesURL: pagesURL)
        logInWithPasskey = LogInWithPasskey(
            store: store, clock: clock, verifyProof: ProofVerifier(), verifyPasskey: verifyPasskey,
            issuers: SessionIssuers(world, audit: changes.audit))
        offerPasskeyMerge = OfferPasskeyMerge(
            store: store, verifyPasskey: verifyPasskey,
            offerMerge: OfferMerge(store: store, clock: clock, randomness: randomness, changes: changes),
            audit: changes.audit)
        findPasskeyDomain = FindPasskeyDomain(store: store, validity: world.validity, pagesURL: pagesURL)
    }

    func forget(_ change: Change) { findPasskeyDomain.forget(change) }
}
