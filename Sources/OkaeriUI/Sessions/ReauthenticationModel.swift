package import Foundation
public import Okaeri

/// What a person can do on the screen "is it still you?".
public enum ReauthenticationEvent: Hashable, Sendable {
    /// Something in the form.
    case form(FormEvent)
    /// A provider's button.
    case provider(Provider)
    /// The button that asks for a passkey.
    case passkey
    /// Mail a code, which is typed instead of the password.
    case mailCode
}

/// The screen "is it still you?". An anonymous user, whom only the device's key proves, sees it for a moment.
public struct ReauthenticationModel: FormScreen {
    /// Its one field: the password, or a mailed code.
    public package(set) var form: ScreenForm
    /// The providers that can prove the person.
    public let providers: [ProviderOption]
    /// Whether a passkey can prove the person.
    public let hasPasskey: Bool
    /// For which screen it asks.
    public let reason: ScreenName
    /// How long until another mail can be asked for.
    public private(set) var resendPause: ScreenCountdown?
    private let email: String?
    private let isAnonymous: Bool
    private let resendWait: Duration
    private var mailed: LogInCodeRequest?

    /// Makes the screen.
    ///
    /// - Parameters:
    ///   - user: Who shall prove to be there.
    ///   - reason: For which screen.
    ///   - resendWait: How long until another mail can be asked for.
    public init(_ user: User, for reason: ScreenName, resendWait: Duration = .seconds(60)) {
        self.reason = reason
        self.resendWait = resendWait
        email = user.emailVerified ? user.email : nil
        isAnonymous = user.isAnonymous && !user.hasPassword
        var names: [String] = []
        hasPasskey = user.identities.contains { $0.provider == "passkey" }
        for identity in user.identities where !["device", "anonymous", "passkey"].contains(identity.provider) {
            if !names.contains(identity.provider) { names.append(identity.provider) }
        }
        providers = names.map { ProviderOption(Provider(rawValue: $0)) }
        form = ScreenForm()
        if user.hasPassword {
            form.fields = [FormField(.password, .password, label: .key(.password), rule: FieldRule(isRequired: true))]
        }
    }

    /// Which screen it is.
    public var screen: ScreenName { .reauthentication }
    /// Whether nothing of the account can prove the person, whom the device's key proves only as a guest: the screen says so.
    public var hasNoProof: Bool {
        !isAnonymous && form.fields.isEmpty && providers.isEmpty && !hasPasskey && email == nil
    }
    /// Whether a code can be mailed.
    public var canMailCode: Bool { form.isEnabled && email != nil && !(resendPause?.isRunning ?? false) }

    /// The screen appears: a key that proves the person is asked at once.
    public mutating func begin() -> [ScreenEffect] {
        isAnonymous && providers.isEmpty && !hasPasskey ? form.run(.reauthenticate(password: nil)) : []
    }

    /// Takes an event.
    public mutating func handle(_ event: ReauthenticationEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event):
            let before = form.text(of: .code).count
            let effects = handleForm(event)
            guard case .typed(.code, _) = event, before < 8, form.text(of: .code).count == 8 else { return effects }
            return effects + form.ask(from: screen)
        case .provider(let provider):
            guard form.isEnabled, providers.contains(where: { $0.provider == provider }) else { return [] }
            return form.run(.provider(provider, .reauthenticate))
        case .passkey:
            guard hasPasskey else { return [] }
            return form.run(.reauthenticateWithPasskey)
        case .mailCode:
            guard canMailCode, let email else { return [] }
            return form.run(.requestLogInCode(email: email))
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package mutating func tick(at instant: Date) -> Bool {
        let isPaused = form.tick(at: instant)
        return resendPause.tick(at: instant) || isPaused
    }

    package func request(at instant: Date) -> ScreenRequest? {
        if let mailed { return .reauthenticateWithCode(Secret(form.text(of: .code)), mailed) }
        return form[.password].map { .reauthenticate(password: Secret($0.text)) }
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .done: .presenceProved
        case .codeRequest(let request): .mailed(to: request.email)
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch response {
        case .done:
            form.finish()
            return [.close]
        case .codeRequest(let request):
            mailed = request
            form.fields = [
                FormField(
                    .code, .oneTimeCode, label: .key(.code),
                    rule: FieldRule(isRequired: true, [.minimumCharacters(4)]))
            ]
            form.show(ScreenBanner(.information, .key(.codeSent, ["name": request.email])), focus: .code)
            resendPause = ScreenCountdown(resendWait, from: instant)
            return [.wake]
        default: return []
        }
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        switch error {
        case .codeRefused, .credentialRefused:
            _ = form.handle(.typed(.code, ""))
            form.show(ScreenBanner(.failure, .error(error)), focus: mailed == nil ? .password : .code)
            return [ScreenEffect(.fail(error, attempt: form.attempt))]
        default: return nil
        }
    }
}
