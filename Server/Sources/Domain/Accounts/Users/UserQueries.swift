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
    /// Writes the access list and the time of change.
    func updateACL(of user: User) throws(DomainError)
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

/// What the slice asks of storage: user names, mail addresses and phone numbers. Each leads to one user at the most
/// within an application, compared in its folded form.
package protocol LogInIdentifierQueries {
    /// The user that an identifier leads to.
    func user(_ identifier: LogInIdentifier, in application: Identifier<Application>) throws(DomainError) -> User?
    /// Writes user name, mail address, phone number, the times of their verification and of the change, and lets the
    /// folded forms lead to the user, instead of those that the user had before.
    ///
    /// Call it for a new user too, after `insert`. Look first whether somebody else has them: an identifier that is
    /// taken makes the transaction fail.
    func updateIdentifiers(of user: User) throws(DomainError)
}

/// What the slice asks of storage: whether a user may come in.
package protocol UserStandingQueries {
    /// Writes `disabledAt` and `deletionRequestedAt`.
    func updateStanding(of user: User) throws(DomainError)
}
