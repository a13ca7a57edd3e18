package import Foundation
public import Okaeri

/// What a person can do on the screen that adds an authenticator app.
public enum SecondFactorEnrolmentEvent: Hashable, Sendable {
    /// Something in the form. A whole code that is pasted or filled in is sent at once.
    case form(FormEvent)
    /// Put the key where it can be pasted.
    case copy
    /// Ask the server for a key once more.
    case reload
}

/// What an authenticator app is added for.
public enum SecondFactorEnrolmentPurpose: Hashable, Sendable {
    /// To finish a log-in that began in this way.
    case logIn(SecondFactorChallenge, by: LogInMethod)
    /// For the account of the person who is logged in.
    case account
}

/// The screen that adds an authenticator app: it shows the key, and takes the first code.
public struct SecondFactorEnrolmentModel: FormScreen {
    /// Its one field.
    public package(set) var form: ScreenForm
    /// The key; `nil` until the server has responded.
    public private(set) var offer: TOTPOffer?
    /// What it is added for.
    public let purpose: SecondFactorEnrolmentPurpose

    private static let digitCount = 6

    /// Makes the screen.
    ///
    /// - Parameter purpose: What the app is added for.
    public init(_ purpose: SecondFactorEnrolmentPurpose) {
        self.purpose = purpose
        form = ScreenForm()
        form.fields = Self.fields
    }

    private static var fields: [FormField] {
        [
            FormField(
                .code, .oneTimeCode, label: .key(.totpField),
                rule: FieldRule(isRequired: true, [.minimumCharacters(digitCount)]))
        ]
    }

    private var challenge: SecondFactorChallenge? {
        if case .logIn(let challenge, _) = purpose { challenge } else { nil }
    }

    /// Which screen it is.
    public var screen: ScreenName { .secondFactorEnrolment }

    /// The screen appears: it asks for a key.
    public mutating func begin() -> [ScreenEffect] { form.run(.requestTOTP(challenge)) }

    /// Takes an event.
    public mutating func handle(_ event: SecondFactorEnrolmentEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event):
            let before = form.text(of: .code).count
            let effects = handleForm(event)
            let after = form.text(of: .code).count
            guard case .typed(.code, _) = event, before < Self.digitCount, after >= Self.digitCount, offer != nil else {
                return effects
            }
            return effects + form.ask(from: screen)
        case .copy: return offer.map { [ScreenEffect(.copy($0.secret))] } ?? []
        case .reload: return offer == nil ? form.run(.requestTOTP(challenge)) : []
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    /// Nobody shall find a key that counts in a screen that was left.
    package mutating func forgetSecrets() {
        if form.phase == .done { offer = nil }
    }

    package func request(at instant: Date) -> ScreenRequest? {
        offer.map { .confirmTOTP($0, code: Secret(form.text(of: .code)), challenge) }
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .secondFactorAdded: .secondFactorAdded
        // That somebody is logged in is news once the codes are kept.
        case .secondFactorLogIn(let ended):
            ended.recoveryCodes == nil ? logInOutcome(ended) : .secondFactorAdded
        default: nil
        }
    }

    private func logInOutcome(_ ended: SecondFactorLogIn) -> ScreenOutcome? {
        guard case .logIn(_, let method) = purpose else { return nil }
        return .loggedIn(ended.welcome, by: method)
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, purpose) {
        case (.totpOffer(let offer), _):
            self.offer = offer
            form.focus = .code
            return []
        case (.secondFactorAdded(let codes), .account):
            form.finish()
            return codes.map { [.show(.recoveryCodes($0, after: .account))] } ?? [.close]
        case (.secondFactorLogIn(let ended), .logIn(_, let method)):
            form.finish()
            guard let codes = ended.recoveryCodes else { return [.show(.home(ended.welcome.user))] }
            return [.show(.recoveryCodes(codes, after: .logIn(ended.welcome, by: method)))]
        default: return []
        }
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        guard case .confirmTOTP = request, case .secondFactorRefused(let reason) = error else { return nil }
        form.fields = Self.fields
        // A key that is over is replaced: the person scans the next one.
        if reason == .ticketInvalid { offer = nil }
        form.show(ScreenBanner(.failure, .error(error)), focus: .code)
        return [ScreenEffect(.fail(error, attempt: form.attempt))]
    }
}
