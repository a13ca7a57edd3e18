package import Foundation
public import Okaeri

/// What a person can do on the screen that asks for a second factor.
public enum SecondFactorEvent: Hashable, Sendable {
    /// Something in the form. A whole code that is pasted or filled in is sent at once.
    case form(FormEvent)
    /// Type a recovery code instead.
    case recoveryCode
    /// Type the code of the authenticator app again.
    case authenticator
    /// The button that asks for a passkey, which is two factors by itself.
    case passkey
    /// Bring the deleted account back.
    case restore
}

/// What a second factor is asked for.
public enum SecondFactorPurpose: Hashable, Sendable {
    /// To finish a log-in that began in this way.
    case logIn(SecondFactorChallenge, by: LogInMethod)
    /// To go on with another screen.
    case presence(for: ScreenName)
}

/// The screen that asks for a second factor: a passkey where the app has them, the code of an authenticator app, or a
/// recovery code.
public struct SecondFactorModel: FormScreen {
    /// What is typed.
    public enum Step: Hashable, Sendable {
        /// The code of an authenticator app.
        case authenticator
        /// A recovery code.
        case recoveryCode
    }

    /// Its one field.
    public package(set) var form: ScreenForm
    /// What is typed.
    public private(set) var step: Step
    /// What it is asked for.
    public let purpose: SecondFactorPurpose
    /// Whether a passkey is offered.
    public let offersPasskey: Bool
    /// Whether the screen can change between the two codes.
    public let canChangeStep: Bool

    private static let digitCount = 6
    private static let recoveryField = FieldID.custom("recoveryCode")

    /// Makes the screen.
    ///
    /// - Parameters:
    ///   - purpose: What the second factor is asked for.
    ///   - offersPasskey: Whether the app has passkeys. None is offered in a log-in of somebody who has none.
    public init(_ purpose: SecondFactorPurpose, offersPasskey: Bool = false) {
        self.purpose = purpose
        self.offersPasskey =
            switch purpose {
            // An older server does not say who has one.
            case .logIn(let challenge, _): offersPasskey && challenge.hasPasskey != false
            case .presence: offersPasskey
            }
        step = .authenticator
        canChangeStep =
            switch purpose {
            // What this version does not know is no reason to ask for nothing.
            case .logIn(let challenge, _): challenge.factors.contains(.recoveryCode)
            case .presence: true
            }
        form = ScreenForm()
        form.fields = Self.fields(.authenticator)
    }

    private static func fields(_ step: Step) -> [FormField] {
        switch step {
        case .authenticator:
            [
                FormField(
                    .code, .oneTimeCode, label: .key(.totpField),
                    rule: FieldRule(isRequired: true, [.minimumCharacters(digitCount)]))
            ]
        case .recoveryCode:
            [FormField(recoveryField, .longCode, label: .key(.recoveryCodeField), rule: FieldRule(isRequired: true))]
        }
    }

    /// Which screen it is.
    public var screen: ScreenName { .secondFactor }

    /// The screen appears.
    public mutating func begin() -> [ScreenEffect] { [] }

    /// Takes an event.
    public mutating func handle(_ event: SecondFactorEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event):
            let before = form.text(of: .code).count
            let effects = handleForm(event)
            let after = form.text(of: .code).count
            guard case .typed(.code, _) = event, before < Self.digitCount, after >= Self.digitCount else {
                return effects
            }
            return effects + form.ask(from: screen)
        case .recoveryCode: change(to: .recoveryCode)
        case .authenticator: change(to: .authenticator)
        case .passkey:
            guard offersPasskey else { return [] }
            return form.run(passkeyRequest)
        case .restore: return restore()
        }
        return []
    }

    private var passkeyRequest: ScreenRequest {
        switch purpose {
        case .logIn: .logInWithPasskey(restoring: false)
        case .presence: .reauthenticateWithPasskey
        }
    }

    private mutating func change(to step: Step) {
        guard form.isEnabled, canChangeStep, step != self.step else { return }
        self.step = step
        form.fields = Self.fields(step)
        form.show(nil, focus: form.fields.first?.id)
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? {
        let proof: SecondFactorProof =
            switch step {
            case .authenticator: .totp(form.text(of: .code))
            case .recoveryCode: .recoveryCode(form.text(of: Self.recoveryField))
            }
        return switch purpose {
        case .logIn(let challenge, _): .logInWithSecondFactor(proof, challenge)
        case .presence: .reauthenticateWithSecondFactor(proof)
        }
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch (response, purpose) {
        case (.welcome(let welcome), .logIn(_, let method)):
            if case .logInWithPasskey = request {
                .loggedIn(welcome, by: .passkey)
            } else {
                .loggedIn(welcome, by: method)
            }
        case (.done, .presence): .presenceProved
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, purpose) {
        case (.welcome(let welcome), .logIn):
            form.finish()
            return [.show(.home(welcome.user))]
        case (.done, .presence):
            form.finish()
            return [.close]
        default: return []
        }
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        guard case .secondFactorRefused(.codeInvalid) = error else { return nil }
        // The next digit begins a new try.
        form.fields = Self.fields(step)
        form.show(ScreenBanner(.failure, .error(error)), focus: form.fields.first?.id)
        return [ScreenEffect(.fail(error, attempt: form.attempt))]
    }
}
