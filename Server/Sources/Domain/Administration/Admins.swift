/// The accounts of admins: who is one, with which role, and what leads to them.
package struct Admins: Sendable {
    package let list: ListAdmins
    package let create: CreateAdmin
    package let change: ChangeAdmin
    package let remove: RemoveAdmin
    package let unlock: UnlockAdmin
    package let listLocks: ListAdminLocks
    package let makeLink: MakeAdminLink
    package let ownPasskeys: ManageAdminPasskeys
    package let ownSignOn: ManageAdminSignOn

    init(_ world: DomainWorld, logIns: AdminLogIns, passkeys: Passkeys, audit: AuditTrail) {
        let (store, clock) = (world.store, world.clock)
        list = ListAdmins(store: store)
        create = CreateAdmin(store: store, clock: clock, randomness: world.randomness, audit: audit)
        change = ChangeAdmin(store: store, clock: clock, audit: audit)
        remove = RemoveAdmin(store: store, audit: audit)
        unlock = UnlockAdmin(store: store, audit: audit)
        listLocks = ListAdminLocks(store: store, clock: clock)
        makeLink = MakeAdminLink(store: store, clock: clock, secrets: logIns.openLink.secrets, audit: audit)
        ownPasskeys = ManageAdminPasskeys(
            store: store, clock: clock, addPasskey: passkeys.addPasskey, party: logIns.passkeys.party, audit: audit)
        ownSignOn = ManageAdminSignOn(signOn: logIns.signOn, openLink: logIns.openLink)
    }
}
