/// What a mail or a text message is for.
package enum MailKind: String, CaseIterable, Hashable, Codable, Sendable {
    /// A code to log in with.
    case logInCode = "log-in-code"
    /// Shows that an address is the user's.
    case emailVerification = "email-verification"
    /// Allows a new password.
    case passwordReset = "password-reset"
    /// Lets the owner of an address choose a password, which makes a user of them.
    case registration
    /// Tells that the password is another one now (requirement 5).
    case passwordChanged = "password-changed"
    /// Tells the former address and the new one of the change, as far as they were shown to be the user's.
    case emailChanged = "email-changed"
    /// Tells the owner of an address that somebody wanted to sign up with it.
    case addressTaken = "address-taken"
    /// A text message that shows that a phone number is the user's.
    case phoneVerification = "phone-verification"
    /// A text message that allows a new password.
    case textedReset = "texted-password-reset"

    /// Whether it is a text message, not a mail.
    package var isText: Bool {
        switch self {
        case .phoneVerification, .textedReset: true
        case .logInCode, .emailVerification, .passwordReset, .registration, .passwordChanged, .emailChanged,
            .addressTaken:
            false
        }
    }

    /// What it goes to.
    package var addressKind: LogInIdentifier.Kind { isText ? .phone : .email }

    /// Whether the mail carries a secret, which a template must show.
    package var hasSecret: Bool {
        switch self {
        case .logInCode, .emailVerification, .passwordReset, .registration, .phoneVerification, .textedReset: true
        case .passwordChanged, .emailChanged, .addressTaken: false
        }
    }
}
