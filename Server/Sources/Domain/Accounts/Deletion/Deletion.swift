/// The end of accounts, and what a person takes along.
package final class Deletion: Sendable {
    package let requestDeletion: RequestDeletion
    package let deleteUser: DeleteUser
    package let restoreUser: RestoreUser
    package let eraseUser: EraseUser
    package let eraseDeletedUsers: EraseDeletedUsers
    package let removeIdleUsers: RemoveIdleUsers
    package let findOverdueErasures: FindOverdueErasures
    package let eraseAccessibleUser: EraseAccessibleUser
    package let exportUser: ExportUser

    init(
        _ world: DomainWorld, changes: AccountChanges, rateLimiter: RateLimiter
    ) {
        let (store, clock, audit) = (world.store, world.clock, changes.audit)
        let endAccount = EndAccount(store: store, clock: clock, changes: changes)
        requestDeletion = RequestDeletion(endAccount: endAccount)
        deleteUser = DeleteUser(endAccount: endAccount)
        restoreUser = RestoreUser(store: store, clock: clock, changes: changes)
        eraseUser = EraseUser(endAccount: endAccount)
        eraseDeletedUsers = EraseDeletedUsers(
            store: store, clock: clock, changes: changes, steadiness: world.steadiness)
        removeIdleUsers = RemoveIdleUsers(store: store, clock: clock, audit: audit)
        findOverdueErasures = FindOverdueErasures(store: store, clock: clock)
        eraseAccessibleUser = EraseAccessibleUser(endAccount: endAccount)
        exportUser = ExportUser(
            store: store, clock: clock, rateLimiter: rateLimiter, limit: world.limits.hasRateLimits ? .exports : nil,
            audit: audit)
    }
}
