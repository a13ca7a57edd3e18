/// What the slice asks of storage.
package protocol DeletionQueries {
    /// Users whose deletion was requested before a time, oldest request first.
    func usersToErase(
        in application: Identifier<Application>, requestedBefore limit: Timestamp, count: Int
    ) throws(DomainError) -> [Identifier<User>]
    /// Removes everything that is stored about a user but the audit log.
    func erase(_ user: Identifier<User>, in application: Identifier<Application>) throws(DomainError)
    /// Users after one in the order of ids, that nobody could type a name of, whose last log-in was before a time.
    func idleUsers(
        in application: Identifier<Application>, loggedInBefore limit: Timestamp, after id: Identifier<User>?,
        count: Int
    ) throws(DomainError) -> [Identifier<User>]
}
