package import Foundation
public import Okaeri

/// What a mailed code is for.
public enum CodePurpose: Hashable, Sendable {
    /// To log in.
    case logIn(RememberMe)
    /// To verify the user's address: the waiting screen after sign-up.
    case verification
}

/// What a person can do on the screens that wait for a mailed code.
public enum CodeEvent: Hashable, Sendable {
    /// Something in the form. A whole code that is pasted or filled in is sent at once.
    case form(FormEvent)
    /// Send another code.
    case resend
    /// Go back to the address.
    case otherAddress
    /// Bring the deleted account back.
    case restore
}

/// The screens that mail a code and wait for it. Whether there is an account has that address stays secret.
public struct CodeModel: FormScreen {
    /// Where things stand.
    public enum Step: Hashable, Sendable {
        /// The address is asked for.
        case address
        /// The code is asked for.
        case code
    }

    /// Its fields: one for the address or one for the code.
    public package(set) var form: ScreenForm
    /// Where things stand.
    public private(set) var step: Step
    /// The address that was mailed to.
    public private(set) var email: String
    /// How long until another mail can be asked for.
    public private(set) var resendPause: ScreenCountdown?
    /// What the code is for.
    public let purpose: CodePurpose
    /// How many digits make a whole code.
    public let digitCount: Int
    private let resendWait: Duration
    private var mailed: LogInCodeRequest?

    /// Makes the screen.
    ///
    /// - Parameters:
    ///   - purpose: What the code is for.
    ///   - email: The address, if it is known.
    ///   - digitCount: How many digits make a whole code: 8 to log in, 6 to verify, by default.
    ///   - resendWait: How long until another mail can be asked for.
    public init(
        _ purpose: CodePurpose = .logIn(.automatic), email: String = "", digitCount: Int? = nil,
        resendWait: Duration = .seconds(60)
    ) {
        self.purpose = purpose
        self.email = email
        self.digitCount = digitCount ?? (purpose == .verification ? 6 : 8)
        self.resendWait = resendWait
        step = purpose == .verification ? .code : .address
        form = ScreenForm()
        form.fields = purpose == .verification ? Self.codeFields : Self.addressFields(email)
    }

    /// Which screen it is.
    public var screen: ScreenName { purpose == .verification ? .verification : .code }
    /// Whether another mail can be asked for.
    public var canResend: Bool { form.isEnabled && !(resendPause?.isRunning ?? false) }

    private static var codeFields: [FormField] {
        [
            FormField(
                .code, .oneTimeCode, label: .key(.code), rule: FieldRule(isRequired: true, [.minimumCharacters(4)]))
        ]
    }

    private static func addressFields(_ email: String) -> [FormField] {
        let rule = FieldRule(isRequired: true, [.mailForm])
        return [FormField(.email, .email, label: .key(.email), rule: rule, text: email)]
    }

    private var order: ScreenRequest {
        purpose == .verification ? .requestEmailVerification : .requestLogInCode(email: email)
    }

    /// The screen appears: a verification mails its code at once.
    public mutating func begin() -> [ScreenEffect] {
        purpose == .verification ? form.run(order) : []
    }

    /// Takes an event.
    public mutating func handle(_ event: CodeEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event):
            let before = form.text(of: .code).count
            let effects = handleForm(event)
            let after = form.text(of: .code).count
            guard case .typed(.code, _) = event, before < digitCount, after >= digitCount else { return effects }
            return effects + form.ask(from: screen)
        case .resend:
            guard canResend, step == .code else { return [] }
            return form.run(order)
        case .otherAddress:
            guard form.isEnabled, purpose != .verification, step == .code else { return [] }
            step = .address
            mailed = nil
            form.fields = Self.addressFields(email)
            form.show(nil, focus: .email)
            return []
        case .restore: return restore()
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package mutating func tick(at instant: Date) -> Bool {
        let isPaused = form.tick(at: instant)
        return resendPause.tick(at: instant) || isPaused
    }

    package func request(at instant: Date) -> ScreenRequest? {
        let code = Secret(form.text(of: .code))
        switch (step, purpose) {
        case (.address, _):
            return .requestLogInCode(email: form.text(of: .email).trimmingCharacters(in: .whitespacesAndNewlines))
        case (.code, .verification): return .verifyEmail(code: code)
        case (.code, .logIn(let rememberMe)):
            return mailed.map { .logInWithCode(code, $0, rememberMe, restoring: false) }
        }
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .welcome(let welcome): .loggedIn(welcome, by: .code)
        case .user(let user): .emailVerified(user)
        case .codeRequest(let request): .mailed(to: request.email)
        case .done: .mailed(to: email)
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch response {
        case .codeRequest(let request):
            mailed = request
            email = request.email
            return wait(at: instant)
        case .done: return wait(at: instant)
        case .welcome(let welcome):
            form.finish()
            return [.show(.home(welcome.user))]
        case .user(let user):
            form.finish()
            return [.show(.home(user))]
        default: return []
        }
    }

    private mutating func wait(at instant: Date) -> [ScreenEffect] {
        step = .code
        form.fields = Self.codeFields
        form.show(ScreenBanner(.information, .key(.codeSent, ["name": email])), focus: .code)
        resendPause = ScreenCountdown(resendWait, from: instant)
        return [.wake]
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        guard case .codeRefused = error else { return nil }
        // The next digit begins a new try.
        _ = form.handle(.typed(.code, ""))
        form.show(ScreenBanner(.failure, .error(error)), focus: .code)
        return [ScreenEffect(.fail(error, attempt: form.attempt))]
    }
}
