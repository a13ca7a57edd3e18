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
    /// The same to the former address, where nothing but a session asked for the change: with a link that gives it back.
    case emailRecovery = "email-recovery"
    /// Tells the address that the account had that its user name or a number is another one.
    case identifiersChanged = "identifiers-changed"
    /// Tells the owner of an address that somebody wanted to sign up with it.
    case addressTaken = "address-taken"
    /// Tells that an anonymous account has a password now, and can be reached from other devices.
    case accountUpgraded = "account-upgraded"
    /// Tells that another identity leads to the account.
    case identityLinked = "identity-linked"
    case identityUnlinked = "identity-unlinked"
    /// Tells that a device came to the account by a transfer code.
    case deviceJoined = "device-joined"
    /// Tells that a second factor was added or removed, or that there are new recovery codes.
    case secondFactorChanged = "second-factor-changed"
    /// Tells that somebody logged in with a recovery code.
    case recoveryCodeUsed = "recovery-code-used"
    /// Tells that an operator keeps the user out.
    case accountDisabled = "account-disabled"
    case accountEnabled = "account-enabled"
    /// Tells that the account will be erased, and can be restored until then.
    case deletionRequested = "deletion-requested"
    /// Tells that the deletion was taken back.
    case accountRestored = "account-restored"
    case accountErased = "account-erased"
    /// A text message that shows that a phone number is the user's.
    case phoneVerification = "phone-verification"
    /// A text message that allows a new password.
    case textedReset = "texted-password-reset"
    /// Says the password that the server chose after a reset.
    case chosenPassword = "chosen-password"
    /// The same as a text message.
    case textedPassword = "texted-password"

    /// Whether it is a text message, not a mail.
    package var isText: Bool {
        switch self {
        case .phoneVerification, .textedReset, .textedPassword: true
        default: false
        }
    }

    /// Whether it goes to an address that nobody has confirmed, too: what concerns the whole account, which may have no
    /// other way to tell its owner.
    var reachesUnverified: Bool {
        switch self {
        case .accountUpgraded, .accountDisabled, .accountEnabled, .deletionRequested, .accountRestored, .accountErased:
            true
        default: false
        }
    }

    /// Whether its code stays good once the user has another address: that is what it is for.
    var outlivesAddress: Bool { self == .emailRecovery }

    /// What it goes to.
    package var addressKind: LogInIdentifier.Kind { isText ? .phone : .email }

    /// Whether the mail carries a secret, which a template must show.
    package var hasSecret: Bool {
        switch self {
        case .chosenPassword, .textedPassword: true
        case .logInCode, .emailVerification, .passwordReset, .registration, .emailRecovery, .phoneVerification,
            .textedReset:
            true
        case .passwordChanged, .emailChanged, .identifiersChanged, .addressTaken, .accountUpgraded, .identityLinked,
            .identityUnlinked, .deviceJoined, .secondFactorChanged, .recoveryCodeUsed, .accountDisabled,
            .accountEnabled, .deletionRequested, .accountRestored, .accountErased:
            false
        }
    }
}
