/// The end of accounts, and what a person takes along.
package final class Deletion: Sendable {
    package let requestDeletion: RequestDeletion
    package let deleteUser: DeleteUser
    package let restoreUser: RestoreUser
    package let eraseUser: EraseUser
    package let eraseDeletedUsers: EraseDeletedUsers
    package let removeIdleUsers: RemoveIdleUsers
    package let eraseAccessibleUser: EraseAccessibleUser
    package let exportUser: ExportUser

    init(
        _ world: DomainWorld, audit: AuditTrail, rateLimiter: RateLimiter
    ) {
        let (store, clock) = (world.store, world.clock)
        requestDeletion = RequestDeletion(store: store, clock: clock, audit: audit)
        deleteUser = DeleteUser(store: store, clock: clock, audit: audit)
        restoreUser = RestoreUser(store: store, clock: clock, audit: audit)
        eraseUser = EraseUser(store: store, clock: clock, audit: audit)
        eraseDeletedUsers = EraseDeletedUsers(store: store, clock: clock, audit: audit)
        removeIdleUsers = RemoveIdleUsers(store: store, clock: clock, audit: audit)
        eraseAccessibleUser = EraseAccessibleUser(store: store, clock: clock, audit: audit)
        exportUser = ExportUser(
            store: store, clock: clock, rateLimiter: rateLimiter, limit: world.limits.hasRateLimits ? .exports : nil,
            audit: audit)
    }
}
