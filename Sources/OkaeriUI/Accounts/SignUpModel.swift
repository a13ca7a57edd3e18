package import Foundation
public import Okaeri

/// What a person can do on the screens that make an account.
public enum SignUpEvent: Hashable, Sendable {
    /// Something in the form.
    case form(FormEvent)
    /// A provider's button.
    case provider(Provider)
    /// "Add a passkey", on the screen "save your data".
    case passkey
    /// "I have an account already."
    case logIn
}

/// The screen that makes a new account.
public struct SignUpModel: FormScreen {
    /// Its fields.
    public package(set) var form: ScreenForm
    /// Its parts.
    public let options: SignUpOptions
    /// Which screen it is.
    public var screen: ScreenName { .signUp }

    /// Makes the screen.
    ///
    /// - Parameters:
    ///   - options: Its parts.
    ///   - identifier: What was typed elsewhere already.
    public init(_ options: SignUpOptions = SignUpOptions(), identifier: String = "") {
        self.options = options
        form = options.form(identifier: identifier)
    }

    package var failureTitle: ScreenMessage? { .key(.signUpFailed) }

    /// The screen appears.
    public mutating func begin() -> [ScreenEffect] { [] }

    /// Takes an event.
    public mutating func handle(_ event: SignUpEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event): return handleForm(event)
        case .provider(let provider):
            guard form.isEnabled, options.providers.contains(where: { $0.provider == provider }) else { return [] }
            return form.run(.provider(provider, .logIn(restoring: false)))
        // Only who is there already can add one.
        case .passkey: return []
        case .logIn:
            guard form.isEnabled else { return [] }
            return [.show(.logIn(identifier: form.text(of: .username)))]
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? {
        .signUp(options.values(of: form, at: instant), .automatic)
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch (response, request) {
        case (.user(let user), _): .signedUp(user)
        case (.welcome(let welcome), .provider(let provider, _)): .loggedIn(welcome, by: .provider(provider))
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch response {
        case .user(let user):
            form.finish()
            return [.show(user.nextScreen)]
        case .welcome(let welcome):
            form.finish()
            return [.show(.home(welcome.user))]
        default: return []
        }
    }
}

extension User {
    /// Where a new account leads: an address that nobody has shown to be theirs is verified first.
    var nextScreen: ScreenDestination {
        if let email, !emailVerified { return .verification(email: email) }
        return .home(self)
    }
}
