/// Users as others see them: read, looked up, listed and searched. It changes none.
package final class UserDirectory: Sendable {
    package let readUser: ReadUser
    package let readLinkedIdentities: ReadLinkedIdentities
    package let readAnonymousId: ReadAnonymousId
    package let lookUpUser: LookUpUser
    package let listUsers: ListUsers
    package let searchUsers: SearchUsers
    package let listMembers: ListMembers
    package let recordReading: RecordReading

    init(_ world: DomainWorld, audit: AuditTrail, rateLimiter: RateLimiter, searches: SearchScheduler) {
        let store = world.store
        readUser = ReadUser(store: store)
        readLinkedIdentities = ReadLinkedIdentities(readUser: readUser)
        readAnonymousId = ReadAnonymousId(store: store, sealingKey: world.sealingKey)
        lookUpUser = LookUpUser(store: store, rateLimiter: rateLimiter, hasLimits: world.limits.hasRateLimits)
        listUsers = ListUsers(store: store)
        searchUsers = SearchUsers(schedule: searches)
        listMembers = ListMembers(store: store)
        recordReading = RecordReading(store: store, audit: audit)
    }
}
