/// What the slice asks of storage. Admins belong to the server and not to an application.
package protocol AdminQueries {
    func admin(_ id: Identifier<Admin>) throws(DomainError) -> Admin?
    func admin(named folded: String) throws(DomainError) -> Admin?
    /// All admins, oldest first.
    func admins() throws(DomainError) -> [Admin]
    func insert(_ admin: Admin) throws(DomainError)
    /// Writes everything about an admin.
    func update(_ admin: Admin) throws(DomainError)
    func removeAdmin(_ id: Identifier<Admin>) throws(DomainError)

    func insert(_ session: AdminSession) throws(DomainError)
    func adminSession(_ digest: SecretDigest) throws(DomainError) -> AdminSession?
    func noteUse(of session: AdminSession) throws(DomainError)
    func removeAdminSession(_ digest: SecretDigest) throws(DomainError)
    /// Ends all sessions of an admin, and forgets the links that were given out for them.
    func removeAccess(of admin: Identifier<Admin>) throws(DomainError)
    /// Removes sessions that began or were last used before, links that are over, and keys that are long over.
    func removeAdminAccess(at now: Timestamp) throws(DomainError)

    func insert(_ link: AdminLink) throws(DomainError)
    func adminLink(_ digest: SecretDigest) throws(DomainError) -> AdminLink?
    /// Forgets one link; `false` when it is gone already.
    func remove(_ link: AdminLink) throws(DomainError) -> Bool
    /// Forgets the links by which owners could be made.
    func removeOwnerLinks() throws(DomainError)

    func insert(_ key: AdminKey) throws(DomainError)
    func adminKey(_ digest: SecretDigest) throws(DomainError) -> AdminKey?
    func adminKeys() throws(DomainError) -> [AdminKey]
    func removeAdminKey(_ id: Identifier<AdminKey>) throws(DomainError) -> Bool
    /// Ends all keys that an admin made, and tells how many.
    func removeAdminKeys(madeBy admin: Identifier<Admin>) throws(DomainError) -> Int
    /// The application whose own admin key has the digest.
    func application(adminKey digest: SecretDigest) throws(DomainError) -> Application?
}
