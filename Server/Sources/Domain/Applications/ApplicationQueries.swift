/// What the slice asks of storage.
package protocol ApplicationQueries {
    func application(_ id: Identifier<Application>) throws(DomainError) -> Application?
    /// All applications, oldest first.
    func applications() throws(DomainError) -> [Application]
    func insert(_ application: Application) throws(DomainError)
    /// Writes name and settings.
    func update(_ application: Application) throws(DomainError)
    func userCount(in application: Identifier<Application>) throws(DomainError) -> Int
}
