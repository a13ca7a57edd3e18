/// What the slice asks of storage.
package protocol UserQueries {
    /// The user with its identities.
    func user(_ id: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> User?
    /// Users by id, that is by age, oldest first.
    func users(
        in application: Identifier<Application>, after id: Identifier<User>?, limit: Int
    ) throws(DomainError) -> [User]
    /// Writes a new user, without its identities.
    func insert(_ user: User) throws(DomainError)
    /// Writes name, locale, fields and the time of change.
    func updateProfile(of user: User) throws(DomainError)
    /// Writes the times of the last two log-ins.
    func updateLogInTimes(of user: User) throws(DomainError)
}

/// What the slice asks of storage.
package protocol IdentityQueries {
    /// The user that an identity leads to.
    func user(
        provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> User?
    /// Links an identity that leads to nobody yet.
    func insert(_ identity: Identity, for user: Identifier<User>, in application: Identifier<Application>)
        throws(DomainError)
    /// Unlinks an identity.
    func remove(_ identity: Identity, of user: Identifier<User>, in application: Identifier<Application>)
        throws(DomainError)
}
