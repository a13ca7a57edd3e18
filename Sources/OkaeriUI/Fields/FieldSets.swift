/// The parts of the log-in screen, with ParseUI's names and numbers (`PFLogInFields`) and those that it never had.
public struct LogInFields: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Fields for name and password.
    public static let usernameAndPassword = LogInFields(rawValue: 1)
    /// The button "forgot password?". It needs ``usernameAndPassword``.
    public static let passwordForgotten = LogInFields(rawValue: 2)
    /// The button that logs in. It needs ``usernameAndPassword``.
    public static let logInButton = LogInFields(rawValue: 4)
    /// Facebook.
    public static let facebook = LogInFields(rawValue: 8)
    /// Twitter.
    public static let twitter = LogInFields(rawValue: 16)
    /// The button that leads to sign-up.
    public static let signUpButton = LogInFields(rawValue: 32)
    /// The button that takes the screen away. Inside a navigation stack it is not shown.
    public static let dismissButton = LogInFields(rawValue: 64)
    /// Sign in with Apple.
    public static let apple = LogInFields(rawValue: 128)
    /// Google.
    public static let google = LogInFields(rawValue: 256)
    /// The check box "log in automatically". It needs ``usernameAndPassword``.
    public static let rememberMe = LogInFields(rawValue: 512)
    /// The button that leads to log-in by a mailed code.
    public static let mailedCode = LogInFields(rawValue: 1024)
    /// The button that leads to the code from another device.
    public static let transferCode = LogInFields(rawValue: 2048)
    /// The button "continue as guest".
    public static let guestButton = LogInFields(rawValue: 4096)
    /// The button that opens the server's hosted pages in a browser. It needs ``ScreenSurroundings/web``.
    public static let webLogIn = LogInFields(rawValue: 8192)
    /// What the person has saved on the system is offered when the screen appears: Sign in with Apple, and passwords of the
    /// iCloud Keychain. It needs ``ScreenSurroundings/saved``.
    public static let savedCredentials = LogInFields(rawValue: 16384)
    /// Passkeys: a button, and above the keyboard when the person touches the field of the user name. It needs
    /// ``ScreenSurroundings/passkeys``.
    public static let passkey = LogInFields(rawValue: 32768)

    /// ParseUI's standard, 103.
    public static let `default`: LogInFields = [
        .usernameAndPassword, .logInButton, .signUpButton, .passwordForgotten, .dismissButton,
    ]

    /// What is wrong with the set, as ParseUI had it: an empty screen, or a button that has nothing to work with.
    public var fault: FieldSetFault? {
        if isEmpty { return .noFields }
        if contains(.usernameAndPassword) { return nil }
        return isDisjoint(with: [.logInButton, .passwordForgotten, .rememberMe]) ? nil : .needsUsernameAndPassword
    }
}

/// The parts of the sign-up screen, with ParseUI's names and numbers (`PFSignUpFields`) and those that it never had.
public struct SignUpFields: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Fields for name and password, which are always shown.
    public static let usernameAndPassword = SignUpFields([])
    /// A field for the mail address.
    public static let email = SignUpFields(rawValue: 1)
    /// Additional fields: the application's own, or ParseUI's one that is stored as `additional`.
    public static let additional = SignUpFields(rawValue: 2)
    /// The button that signs up.
    public static let signUpButton = SignUpFields(rawValue: 4)
    /// The button that takes the screen away. Inside a navigation stack it is not shown.
    public static let dismissButton = SignUpFields(rawValue: 8)
    /// A field for the phone number.
    public static let phone = SignUpFields(rawValue: 16)
    /// A field for the name to greet by.
    public static let displayName = SignUpFields(rawValue: 32)

    /// ParseUI's standard, 13.
    public static let `default`: SignUpFields = [.email, .signUpButton, .dismissButton]
}

/// Why a set of fields makes no screen.
public enum FieldSetFault: Error, Hashable, Sendable {
    /// There is nothing on it.
    case noFields
    /// A button needs the fields for name and password.
    case needsUsernameAndPassword
}
