/// What changes users: their profiles, credentials, identities, device keys and roles; and how operators make one. How else they
/// come to be is in `LogIns`, how they move in `Transfers`, and how they end in `Deletion`.
package final class Accounts: Sendable {
    package let createUser: CreateUser
    package let editUser: EditUser
    package let setUserDisabled: SetUserDisabled
    package let linkProvider: LinkProvider
    package let upgradeUser: UpgradeUser
    package let upgradeOrOfferMerge: UpgradeOrOfferMerge
    package let changePassword: ChangePassword
    package let resetPassword: ResetPassword
    package let recoverEmail: RecoverEmail
    package let verifyEmail: VerifyEmail
    package let verifyPhone: VerifyPhone
    package let findPendingAddress: FindPendingAddress
    package let rememberAttempt: RememberAttempt
    package let listDeviceKeys: ListDeviceKeys
    package let removeDeviceKeys: RemoveDeviceKeys
    package let changeUserRoles: ChangeUserRoles

    init(
        _ world: DomainWorld, changes: AccountChanges, check: PasswordCheck, lookUpUser: LookUpUser,
        registrar: UserRegistrar, providers: Providers, messaging: Messaging, askHook: AskHook
    ) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let tryCode = messaging.tryCode
        let offerMerge = OfferMerge(store: store, clock: clock, randomness: randomness, changes: changes)
        let prepareCredential = PrepareCredential(passwords: world.passwords, limits: check.limits)
        createUser = CreateUser(store: store, clock: clock, registrar: registrar, audit: changes.audit)
        editUser = EditUser(
            store: store, clock: clock, issuers: SessionIssuers(world, changes: changes),
            sealingKey: world.sealingKey, prepareCredential: prepareCredential, lookUpUser: lookUpUser,
            changes: changes, askHook: askHook)
        setUserDisabled = SetUserDisabled(editUser: editUser)
        linkProvider = LinkProvider(
            store: store, clock: clock, findProvider: providers.findProvider, offerMerge: offerMerge,
            editUser: editUser)
        upgradeUser = UpgradeUser(store: store, check: check, editUser: editUser)
        upgradeOrOfferMerge = UpgradeOrOfferMerge(
            store: store, upgradeUser: upgradeUser, check: check, offerMerge: offerMerge)
        changePassword = ChangePassword(
            store: store, clock: clock, prepareCredential: prepareCredential, check: check, changes: changes,
            protocols: world.services.protocols, randomness: randomness)
        resetPassword = ResetPassword(
            store: store, clock: clock, randomness: randomness, prepareCredential: prepareCredential, tryCode: tryCode,
            changes: changes, sealing: messaging.enqueueMessage.sealing, registrar: registrar)
        recoverEmail = RecoverEmail(
            clock: clock, randomness: randomness, prepareCredential: prepareCredential, tryCode: tryCode,
            changes: changes)
        verifyEmail = VerifyEmail(tryCode: tryCode, editUser: editUser, changes: changes)
        verifyPhone = VerifyPhone(tryCode: tryCode, editUser: editUser, changes: changes)
        findPendingAddress = FindPendingAddress(store: store, clock: clock)
        rememberAttempt = RememberAttempt(
            store: store, clock: clock, limit: world.limits.hasRateLimits ? RememberAttempt.limit : nil)
        listDeviceKeys = ListDeviceKeys(store: store)
        removeDeviceKeys = RemoveDeviceKeys(store: store, clock: clock, changes: changes)
        changeUserRoles = ChangeUserRoles(store: store, clock: clock, changes: changes)
    }
}
