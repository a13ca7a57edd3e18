/// A password as it is stored: a PHC string (`$argon2id$v=19$…`) or another form that names its function and parameters.
/// It never prints itself.
package struct PasswordHash: Hashable, Sendable {
    package let text: String

    package init(text: String) {
        self.text = text
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹password hash›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the slice asks of storage. Hashes stand apart from users, so that no other read ever has one.
package protocol PasswordQueries {
    /// Whom an identifier leads to, and the hash of their password, in one question: a known user must not take longer
    /// than an unknown one (requirement 10).
    func passwordHash(
        of identifier: LogInIdentifier, in application: Identifier<Application>
    ) throws(DomainError) -> (user: Identifier<User>, hash: PasswordHash?)?
    func passwordHash(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> PasswordHash?
    /// Gives a user a first or another password. The user then has `passwordSetAt` and `updatedAt` at `now`, and no mark
    /// for a weak one.
    func setPassword(
        _ hash: PasswordHash, of user: Identifier<User>, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError)
    /// Takes a user's password away; nothing happens when there is none.
    func removePassword(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError)
    /// Marks a user whose password is the user name; `nil` takes the mark away.
    func markPassword(
        of user: Identifier<User>, in application: Identifier<Application>, weakSince time: Timestamp?
    ) throws(DomainError)
    /// How many users are marked.
    func weakPasswords(in application: Identifier<Application>) throws(DomainError) -> WeakPasswords
    /// Stores the same password under a better hash at `now`, unless another one was set meanwhile.
    func replacePasswordHash(
        _ before: PasswordHash, with hash: PasswordHash, of user: Identifier<User>,
        in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError)
}
