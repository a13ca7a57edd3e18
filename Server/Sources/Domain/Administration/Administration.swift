/// What admins can ask for, by subject.
package final class Administration: Sendable {
    package let perform: PerformAdminAction
    package let logIns: AdminLogIns
    package let admins: Admins
    package let keys: AdminKeys
    package let users: UserOperations
    package let audit: AuditLog
    package let statistics: Statistics

    init(
        _ world: DomainWorld, rateLimiter: RateLimiter, enqueueMessage: EnqueueMessage, searches: SearchScheduler,
        changes: AccountChanges, signingKeys: SigningKeys, passkeys: Passkeys, providers: Providers
    ) {
        let trail = changes.audit
        perform = PerformAdminAction(
            clock: world.clock, recordReading: RecordReading(store: world.store, audit: trail))
        logIns = AdminLogIns(world, rateLimiter: rateLimiter, passkeys: passkeys, providers: providers, audit: trail)
        admins = Admins(world, logIns: logIns, passkeys: passkeys, audit: trail)
        keys = AdminKeys(world, audit: trail)
        users = UserOperations(world, enqueueMessage: enqueueMessage, searches: searches, changes: changes)
        audit = AuditLog(store: world.store, seals: trail.seals, searches: searches)
        statistics = Statistics(world, signingKeys: signingKeys, searches: searches)
    }
}
