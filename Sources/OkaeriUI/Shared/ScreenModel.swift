public import Foundation
public import Okaeri

/// What a screen decides, as a value: an event goes in, state and effects come out. It waits for nothing, asks no clock and
/// no network; a ``ScreenRunner`` performs its effects and reports how they went.
public protocol ScreenModel: Sendable {
    /// What a person can do on the screen.
    associatedtype Event: Sendable
    /// Which screen it is.
    var screen: ScreenName { get }
    /// The screen appears.
    mutating func begin() -> [ScreenEffect]
    /// Somebody did something.
    mutating func handle(_ event: Event) -> [ScreenEffect]
    /// An effect has come to its end.
    mutating func take(_ report: ScreenReport) -> [ScreenEffect]
}

/// Which screen something is about.
public enum ScreenName: String, CaseIterable, Hashable, Sendable {
    /// Log-in by name and password, and the ways to all others.
    case logIn
    /// A new account.
    case signUp
    /// A permanent account for the anonymous user: "save your data".
    case upgrade
    /// A forgotten password.
    case reset
    /// Log-in by a code from a mail.
    case code
    /// Waiting for the code that verifies an address.
    case verification
    /// Two accounts of one person.
    case conflict
    /// A code for another device.
    case transferCode
    /// The code from another device.
    case transferEntry
    /// "Was that you?", of a device that joined by a code.
    case transferNotice
    /// Where the person is logged in.
    case sessions
    /// The person's own devices, which log in by themselves.
    case deviceKeys
    /// The person's passkeys.
    case passkeys
    /// The code of an authenticator app, or a recovery code.
    case secondFactor
    /// A new authenticator app.
    case secondFactorEnrolment
    /// Recovery codes, shown once.
    case recoveryCodes
    /// The person's authenticator apps.
    case secondFactors
    /// The end of an account.
    case deletion
    /// "Is it still you?"
    case reauthentication
}

/// What a model wants done. Only a ``ScreenRunner`` looks inside.
public struct ScreenEffect: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Ask the app whether it may begin.
        case ask(Submission, attempt: Int)
        /// Ask the server.
        case call(ScreenRequest, attempt: Int)
        /// Tell the app that it went well.
        case succeed(ScreenOutcome)
        /// Tell the app that it failed, and ask whether it shows that itself.
        case fail(OkaeriError, attempt: Int)
        /// Tell the app that the person left.
        case cancel
        /// Go to another screen.
        case show(ScreenDestination)
        /// Take the screen away.
        case close
        /// Report again after a second.
        case wake
        /// Offer passkeys above the keyboard, until another thing is asked for.
        case offerPasskeys
        /// Put a text where the person can paste it elsewhere.
        case copy(String)
        /// Look whether a device has joined by a code, without a word to the person.
        case lookForTransfers
    }

    package let kind: Kind

    package init(_ kind: Kind) {
        self.kind = kind
    }

    package static func show(_ destination: ScreenDestination) -> ScreenEffect { ScreenEffect(.show(destination)) }
    package static func succeed(_ outcome: ScreenOutcome) -> ScreenEffect { ScreenEffect(.succeed(outcome)) }
    package static var close: ScreenEffect { ScreenEffect(.close) }
    package static var cancel: ScreenEffect { ScreenEffect(.cancel) }
    package static var wake: ScreenEffect { ScreenEffect(.wake) }

    /// Whether another screen comes by it.
    var leadsElsewhere: Bool {
        switch kind {
        case .show, .close: true
        default: false
        }
    }
}

/// How an effect went. Only a ``ScreenRunner`` makes one.
public struct ScreenReport: Sendable {
    package enum Kind: Sendable {
        case verdict(Verdict, attempt: Int)
        case response(Result<ScreenResponse, OkaeriError>, attempt: Int)
        /// Whether the app has shown the failure itself.
        case failureReported(isHandled: Bool, attempt: Int)
        case woke
        /// The person has chosen a passkey above the keyboard.
        case passkeyChosen(PasskeyProof)
        /// The devices that joined by a code and wait.
        case transfersKnown([Notice])
    }

    package let kind: Kind
    /// When it was reported.
    package let instant: Date

    package init(_ kind: Kind, at instant: Date) {
        self.kind = kind
        self.instant = instant
    }
}

/// Where a screen leads.
public enum ScreenDestination: Hashable, Sendable {
    /// Log-in, with what was typed elsewhere already.
    case logIn(identifier: String)
    /// Sign-up, with what was typed elsewhere already.
    case signUp(identifier: String)
    /// "Save your data."
    case upgrade
    /// A forgotten password, with the address if it was typed already.
    case reset(email: String)
    /// Log-in by a mailed code.
    case code(email: String)
    /// Waiting for the code that verifies this address.
    case verification(email: String)
    /// Two accounts of one person.
    case conflict(MergeConflict)
    /// The code from another device.
    case transferEntry
    /// A code for another device.
    case transferCode
    /// "Was that you?", of each device that joined by a code and waits.
    case transferNotice
    /// Where the person is logged in.
    case sessions
    /// The person's own devices, which log in by themselves.
    case deviceKeys
    /// The person's passkeys.
    case passkeys
    /// The end of the account.
    case deletion
    /// "Is it still you?" When it is, the screen that asked wants ``FormEvent/presenceProved``.
    case reauthentication(for: ScreenName)
    /// The second factor of a log-in that began in this way.
    case secondFactor(SecondFactorChallenge, by: LogInMethod)
    /// The second factor once more. When it was shown, the screen that asked wants ``FormEvent/presenceProved``.
    case secondFactorPresence(for: ScreenName)
    /// A new authenticator app.
    case secondFactorEnrolment(SecondFactorEnrolmentPurpose)
    /// Recovery codes, shown once.
    case recoveryCodes(RecoveryCodes, after: RecoveryCodesPurpose)
    /// The person's authenticator apps.
    case secondFactors
    /// Out of these screens: somebody is logged in.
    case home(User)
}

/// How a screen ended well.
public enum ScreenOutcome: Hashable, Sendable {
    /// Somebody logged in.
    case loggedIn(Welcome, by: LogInMethod)
    /// A new account, logged in.
    case signedUp(User)
    /// The anonymous user is a permanent one.
    case upgraded(User)
    /// A mail is on its way, if there is such an account.
    case mailed(to: String)
    /// There is a new password.
    case passwordReset
    /// An address is verified.
    case emailVerified(User)
    /// A conflict is resolved.
    case resolved(MergeResult)
    /// A merge is undone.
    case mergeUndone
    /// There is a code for another device.
    case transferCodeIssued(TransferCode)
    /// The code is worthless again.
    case transferCodeWithdrawn
    /// This device has joined another user.
    case transferred(TransferResult)
    /// A device that joined by a code is the person's own.
    case transferConfirmed
    /// A device that joined by a code is out of the account again.
    case transferUndone
    /// Log-ins on other devices have ended.
    case sessionsEnded(count: Int)
    /// Other devices no longer log in by themselves, and are logged out.
    case devicesRemoved(count: Int)
    /// A passkey leads to the user; a guest is registered by it.
    case passkeyAdded(Passkey)
    /// A passkey leads to the user no more.
    case passkeyRemoved
    /// An authenticator app is a second factor of the user.
    case secondFactorAdded
    /// An authenticator app is none any more.
    case secondFactorRemoved
    /// There are new recovery codes in place of the former.
    case recoveryCodesReplaced
    /// The account is deleted, and erased at that time.
    case deletionRequested(erasedAt: Date)
    /// The account has come back.
    case restored(Welcome)
    /// Everything about the user, as JSON.
    case exported(Data)
    /// The person is still there.
    case presenceProved
}

/// A way to log in, as it is remembered for the badge "last used". An open set.
public struct LogInMethod: RawRepresentable, Hashable, Sendable {
    /// The word that is stored.
    public let rawValue: String

    /// Makes a method from its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Name and password.
    public static let password = LogInMethod(rawValue: "password")
    /// A mailed code.
    public static let code = LogInMethod(rawValue: "code")
    /// A code from another device.
    public static let transferCode = LogInMethod(rawValue: "transferCode")
    /// A passkey.
    public static let passkey = LogInMethod(rawValue: "passkey")
    /// The device's key: no form at all.
    public static let guest = LogInMethod(rawValue: "guest")
    /// The server's hosted pages, whatever the person did there.
    public static let web = LogInMethod(rawValue: "web")

    /// A provider.
    public static func provider(_ provider: Provider) -> LogInMethod {
        LogInMethod(rawValue: provider.rawValue)
    }
}
