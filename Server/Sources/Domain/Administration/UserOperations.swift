/// What operators see of an application's users and do to them.
package struct UserOperations: Sendable {
    package let browse: BrowseUsers
    package let export: ExportUsers
    package let changeListViews: ChangeUserListViews
    package let inspect: InspectUser
    package let endAllSessions: EndAllSessions
    package let orderPasswordReset: OrderPasswordReset
    package let merge: MergeUsers
    package let listActivity: ListActivity

    init(
        _ world: DomainWorld, enqueueMessage: EnqueueMessage, searches: SearchScheduler, changes: AccountChanges
    ) {
        let (store, clock, audit) = (world.store, world.clock, changes.audit)
        browse = BrowseUsers(schedule: searches)
        export = ExportUsers(store: store, browse: browse, audit: audit)
        changeListViews = ChangeUserListViews(editApplication: EditApplication(world, audit: audit))
        inspect = InspectUser(store: store)
        endAllSessions = EndAllSessions(store: store, clock: clock, changes: changes)
        orderPasswordReset = OrderPasswordReset(store: store, enqueueMessage: enqueueMessage, audit: audit)
        merge = MergeUsers(store: store, clock: clock, randomness: world.randomness, changes: changes)
        listActivity = ListActivity(store: store)
    }
}
