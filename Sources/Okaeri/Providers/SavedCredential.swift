/// What the person has saved for this app on the system, to log in without typing.
public enum SavedCredential: Sendable {
    /// Sign in with Apple.
    case apple(AppleCredential)
    /// A password of the Keychain.
    case password(SavedPassword)
}

/// A name and a password that the person has saved. Printed, it hides the password.
public struct SavedPassword: Hashable, Sendable {
    /// What the person logs in as.
    public let identifier: String
    package let password: Secret

    /// Takes what was saved.
    public init(identifier: String, password: String) {
        self.identifier = identifier
        self.password = Secret(password)
    }
}
