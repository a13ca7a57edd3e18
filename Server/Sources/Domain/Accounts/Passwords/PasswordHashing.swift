/// Hashes passwords and compares them with hashes, slowly by design, off every thread that serves requests, and with
/// bounds on memory and waiting (requirement 6).
package protocol PasswordHashing: Sendable {
    /// A new hash with a salt of its own.
    ///
    /// - Parameters:
    ///   - password: What was typed.
    ///   - share: Whose work it is, here and below.
    /// - Returns: the hash.
    /// - Throws: `busy` when too many wait already, in all or of the share.
    func hash(_ password: Password, for share: PasswordShare) async throws(DomainError) -> PasswordHash

    /// The hash of a password that somebody chose just now.
    ///
    /// - Throws: `fieldsRefused` for one that is known from leaks; `busy` when too many wait already, or when a list that must
    ///   be asked gives no answer.
    func hash(new: NewPassword, for share: PasswordShare) async throws(DomainError) -> PasswordHash

    /// Compares a password with a hash. When it does not fit, or there is no hash, it has worked as long as it takes to try
    /// each of the schemes once, so that time tells neither whether there is such a user nor where it came from
    /// (requirements 10 and 52, decision 0056).
    ///
    /// - Parameters:
    ///   - password: What was typed.
    ///   - hash: The user's; `nil` when there is no user, or no password.
    ///   - schemes: Those of all hashes among which this one is; none where all are of the server's own making, or whose it is,
    ///     is known.
    ///   - share: Whose work it is.
    /// - Returns: how it ended.
    /// - Throws: `busy` when too many wait already.
    func compare(
        _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme>, for share: PasswordShare
    ) async throws(DomainError) -> PasswordVerdict

    /// Whether a password can be compared with a hash that another service made: its form is known, and trying it costs
    /// no more than one comparison may.
    func canTry(_ hash: PasswordHash) -> Bool

    /// Whether a hash is of a function that is too fast for passwords. It is not stored as it is.
    func isFast(_ hash: PasswordHash) -> Bool

    /// Wraps a fast hash in a slow function, so that it can be stored without the password being known.
    ///
    /// - Returns: the wrapped hash; others as they are.
    /// - Throws: `busy` when too many wait already.
    func wrap(_ hash: PasswordHash, for share: PasswordShare) async throws(DomainError) -> PasswordHash

    /// How many passwords wait to be hashed.
    var waiting: Int { get }
}

extension PasswordHashing {
    /// Where no list of leaked passwords is known.
    ///
    /// - Throws: `busy` when too many wait already.
    package func hash(new: NewPassword, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        try await hash(new.password, for: share)
    }

    /// Where no fast hash is understood.
    package func isFast(_ hash: PasswordHash) -> Bool { false }

    package func wrap(_ hash: PasswordHash, for share: PasswordShare) async throws(DomainError) -> PasswordHash { hash }
}

/// Whose work a hash is. Shares take turns, so that a flood of log-ins in one application keeps no other waiting, and no admin.
package enum PasswordShare: Hashable, Sendable {
    case application(Identifier<Application>)
    case admins
    /// Of users who are taken in from elsewhere.
    case imports
}

/// How a comparison ended.
package enum PasswordVerdict: Hashable, Sendable {
    case refused
    /// It fits. `better` is a new hash of the same password when the old one is weaker than new ones are now.
    case accepted(better: PasswordHash?)
}

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
