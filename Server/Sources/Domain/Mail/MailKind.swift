/// What a mail is for.
package enum MailKind: String, CaseIterable, Hashable, Codable, Sendable {
    /// A code to log in with.
    case logInCode = "log-in-code"
    /// Shows that an address is the user's.
    case emailVerification = "email-verification"
    /// Allows a new password.
    case passwordReset = "password-reset"
    /// Tells that the password is another one now (requirement 5).
    case passwordChanged = "password-changed"
    /// Tells the former address that there is a new one.
    case emailChanged = "email-changed"

    /// Whether the mail carries a secret, which a template must show.
    package var hasSecret: Bool {
        switch self {
        case .logInCode, .emailVerification, .passwordReset: true
        case .passwordChanged, .emailChanged: false
        }
    }
}
