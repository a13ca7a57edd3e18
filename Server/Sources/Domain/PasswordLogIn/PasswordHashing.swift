/// Hashes passwords and compares them with hashes, slowly by design, off every thread that serves requests, and with
/// bounds on memory and waiting (requirement 6).
package protocol PasswordHashing: Sendable {
    /// A new hash with a salt of its own.
    ///
    /// - Throws: `busy` when too many wait already.
    func hash(_ password: Password) async throws(DomainError) -> PasswordHash

    /// Compares a password with a hash. Without one it works as long and answers `refused`, so that time does not tell
    /// whether there is such a user (requirement 10).
    ///
    /// - Throws: `busy` when too many wait already.
    func compare(_ password: Password, with hash: PasswordHash?) async throws(DomainError) -> PasswordVerdict

    /// How many passwords wait to be hashed.
    var waiting: Int { get }
}

/// How a comparison ended.
package enum PasswordVerdict: Hashable, Sendable {
    case refused
    /// It fits. `better` is a new hash of the same password when the old one is weaker than new ones are now.
    case accepted(better: PasswordHash?)
}
