/// A new password that breaks no rule which can be judged at once. It becomes a hash by `PasswordHashing.hash(new:)` alone, so
/// that none is stored which the lists of leaked passwords hold (requirement 4).
package struct NewPassword: Sendable {
    package let password: Password
    /// The member that it came in, for the error.
    package let field: String
    /// Whether the lists of leaked passwords count. Apps of old protocols have no words for their refusal.
    package let mustBeUnknown: Bool

    package init(_ password: Password, field: String, mustBeUnknown: Bool) {
        self.password = password
        self.field = field
        self.mustBeUnknown = mustBeUnknown
    }
}

/// A list of passwords that are known from leaks (requirement 4).
package protocol BreachedPasswords: Sendable {
    /// Whether a password is on the list.
    ///
    /// - Throws: `BreachListUnavailable` when the list cannot be read or asked.
    func contain(_ password: Password) async throws(BreachListUnavailable) -> Bool
}

/// A list of leaked passwords that gave no answer.
package struct BreachListUnavailable: Error, Hashable, Sendable {
    /// Why, for the log.
    package var reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
