package import Foundation
package import Okaeri

/// What a person can do on the screen for a forgotten password.
public enum ResetEvent: Hashable, Sendable {
    /// Something in the form.
    case form(FormEvent)
    /// Send another mail.
    case resend
    /// Go back to the address.
    case otherAddress
    /// "I have the code from the mail already."
    case haveCode
    /// Go to the log-in.
    case logIn
}

/// The screen for a forgotten password: the address first, then the code of the mail with a new password. Whether there is
/// an account has that address stays secret.
public struct ResetModel: FormScreen {
    /// Where things stand.
    public enum Step: Hashable, Sendable {
        /// The address is asked for.
        case address
        /// The code of the mail and a new password are asked for.
        case newPassword
        /// The password is changed.
        case done
    }

    /// Its fields.
    public package(set) var form: ScreenForm
    /// Where things stand.
    public private(set) var step: Step
    /// The address that was mailed to.
    public private(set) var email: String
    /// How long until another mail can be asked for.
    public private(set) var resendPause: ScreenCountdown?
    private let rules: FormRules
    private let resendWait: Duration

    /// Makes the screen.
    ///
    /// - Parameters:
    ///   - email: The address, if it is known.
    ///   - token: The token of the mail's link, when the app was opened by it.
    ///   - rules: What the new password must keep to.
    ///   - resendWait: How long until another mail can be asked for.
    public init(
        email: String = "", token: String? = nil, rules: FormRules = FormRules(), resendWait: Duration = .seconds(60)
    ) {
        self.email = email
        self.rules = rules
        self.resendWait = resendWait
        step = token == nil ? .address : .newPassword
        form = ScreenForm()
        form.fields = token.map { Self.passwordFields(rules, token: $0) } ?? Self.addressFields(email)
        if token != nil { form.show(nil, focus: .password) }
    }

    /// Which screen it is.
    public var screen: ScreenName { .reset }
    /// Whether another mail can be asked for.
    public var canResend: Bool {
        form.isEnabled && step == .newPassword && !email.isEmpty && !(resendPause?.isRunning ?? false)
    }

    package var failureTitle: ScreenMessage? { .key(.resetFailed) }

    private static func addressFields(_ email: String) -> [FormField] {
        [
            FormField(
                .email, .email, label: .key(.email), rule: FieldRule(isRequired: true, [.mailForm]), text: email)
        ]
    }

    private static func passwordFields(_ rules: FormRules, token: String) -> [FormField] {
        [
            FormField(
                .token, .text, label: .key(.token), rule: FieldRule(isRequired: true),
                text: String(token.prefix(FormField.maximumCharacters))),
            FormField(.password, .newPassword, label: .key(.newPassword), rule: rules.password),
        ]
    }

    /// The screen appears.
    public mutating func begin() -> [ScreenEffect] { [] }

    /// Takes an event.
    public mutating func handle(_ event: ResetEvent) -> [ScreenEffect] {
        if case .form(let event) = event { return handleForm(event) }
        if case .logIn = event, form.canDismiss { return [.show(.logIn(identifier: email))] }
        guard form.isEnabled else { return [] }
        switch event {
        case .resend: return canResend ? form.run(.requestPasswordReset(email: email)) : []
        case .otherAddress:
            step = .address
            form.fields = Self.addressFields(email)
            form.show(nil, focus: .email)
        case .haveCode: expectToken()
        case .form, .logIn: break
        }
        return []
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    private mutating func expectToken() {
        guard step == .address else { return }
        step = .newPassword
        form.fields = Self.passwordFields(rules, token: "")
        form.show(nil, focus: .token)
    }

    package mutating func tick(at instant: Date) -> Bool {
        let isPaused = form.tick(at: instant)
        return resendPause.tick(at: instant) || isPaused
    }

    package func request(at instant: Date) -> ScreenRequest? {
        switch step {
        case .address:
            .requestPasswordReset(email: form.text(of: .email).trimmingCharacters(in: .whitespacesAndNewlines))
        case .newPassword:
            .resetPassword(token: Secret(form.text(of: .token)), newPassword: Secret(form.text(of: .password)))
        case .done: nil
        }
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch request {
        case .requestPasswordReset(let email): .mailed(to: email)
        case .resetPassword: .passwordReset
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch request {
        case .requestPasswordReset(let address):
            email = address
            expectToken()
            form.show(
                ScreenBanner(.success, title: .key(.resetSentTitle), .key(.resetSent, ["name": address])), focus: .token
            )
            resendPause = ScreenCountdown(resendWait, from: instant)
            return [.wake]
        case .resetPassword:
            step = .done
            form.finish()
            form.fields = []
            form.show(ScreenBanner(.success, title: .key(.resetSentTitle), .key(.resetDone)))
            return [.show(.logIn(identifier: email))]
        default: return []
        }
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        guard case .codeRefused = error else { return nil }
        form.show(ScreenBanner(.failure, title: .key(.resetFailed), .error(error)), focus: .token)
        return [ScreenEffect(.fail(error, attempt: form.attempt))]
    }
}
