/// What an operator can decide for one application.
package struct ApplicationSettings: Hashable, Sendable {
    /// Whether every request must carry a proof of possession bound to its token (RFC 9449 §7).
    package var proofRequired: Bool
    /// How long a session lives without use.
    package var sessionIdleLifetime: Duration
    /// How long a session lives at the most (requirement 15).
    package var sessionLifetime: Duration
    /// Who may be named as the audience of an access token, beside the application itself.
    package var audiences: [String]
    /// The fewest characters of a new password, at least 8 (requirement 1).
    package var passwordMinimumCharacters: Int

    package init(
        proofRequired: Bool = false, sessionIdleLifetime: Duration = .days(60),
        sessionLifetime: Duration = .days(400), audiences: [String] = [],
        passwordMinimumCharacters: Int = PasswordRules.lowestMinimum
    ) {
        self.proofRequired = proofRequired
        self.sessionIdleLifetime = sessionIdleLifetime
        self.sessionLifetime = sessionLifetime
        self.audiences = audiences
        self.passwordMinimumCharacters = passwordMinimumCharacters
    }
}
