package import Foundation
public import Okaeri

/// What a person can do on the log-in screen.
public enum LogInEvent: Hashable, Sendable {
    /// Something in the form.
    case form(FormEvent)
    /// The button "forgot password?".
    case passwordForgotten
    /// The button that leads to sign-up.
    case signUp
    /// A provider's button.
    case provider(Provider)
    /// The button "log in by mailed code".
    case mailedCode
    /// The button "enter a transfer code".
    case transferCode
    /// The button "continue as guest".
    case guest
    /// The button that opens the hosted pages.
    case web
    /// The button that asks for a passkey.
    case passkey
    /// Bring the deleted account back.
    case restore
    /// The app wants other fields.
    case fieldsChanged(LogInFields)
    /// How the person logged in the last time has been looked up.
    case lastMethodKnown(LogInMethod?)
    /// Whether "continue as guest" makes a new guest, because a registered person has logged out here.
    case guestKnown(isNew: Bool)
}

/// The log-in screen.
public struct LogInModel: FormScreen {
    /// Its fields.
    public package(set) var form: ScreenForm
    /// Its parts.
    public private(set) var options: LogInOptions
    /// How the person logged in the last time on this device.
    public private(set) var lastMethod: LogInMethod?
    /// Whether "continue as guest" makes a new guest, because a registered person has logged out here, or this device
    /// was taken out of its account.
    public private(set) var makesNewGuest = false
    /// Whether the device's key was removed from its account: a guest has another one.
    private var isKeyRemoved = false
    private var hasBegun = false
    /// Which screen it is.
    public var screen: ScreenName { .logIn }

    /// Makes the screen.
    ///
    /// - Parameters:
    ///   - options: Its parts.
    ///   - identifier: What was typed elsewhere already.
    /// - Throws: `FieldSetFault`, as ParseUI did, when the parts make no screen.
    public init(_ options: LogInOptions = LogInOptions(), identifier: String = "") throws(FieldSetFault) {
        if let fault = options.fields.fault, fault != .noFields || options.providers.isEmpty { throw fault }
        self.options = options
        form = ScreenForm()
        form.fields = Self.fields(options, keeping: form)
        _ = form.handle(.typed(.username, identifier))
    }

    private static func fields(_ options: LogInOptions, keeping form: ScreenForm) -> [FormField] {
        guard options.fields.contains(.usernameAndPassword) else { return [] }
        var fields = [
            FormField(
                .username, options.emailAsUsername ? .email : .identifier,
                label: .key(options.emailAsUsername ? .email : .identifier), rule: FieldRule(isRequired: true),
                text: form.text(of: .username)),
            FormField(
                .password, .password, label: .key(.password), rule: FieldRule(isRequired: true),
                text: form.text(of: .password)),
        ]
        if options.fields.contains(.rememberMe) {
            let isOn = form[.rememberMe]?.isOn ?? options.remembersAtFirst
            fields.append(
                FormField(
                    .rememberMe, .checkbox, label: .key(.logInRemember), rule: FieldRule(isRequired: false),
                    text: isOn ? "true" : ""))
        }
        return fields
    }

    /// The title of the button "continue as guest".
    public var guestTitle: TextKey { makesNewGuest ? .logInNewGuest : .logInGuest }

    /// Whether the dismiss button is shown.
    public var showsDismissButton: Bool { options.fields.contains(.dismissButton) && !options.isInNavigation }

    /// What the device keeps of the log-in.
    private var rememberMe: RememberMe { form[.rememberMe]?.isOn ?? true ? .automatic : options.unremembered }

    package var failureTitle: ScreenMessage? { .key(.logInFailed) }

    /// The screen appears, and may offer what the person has saved.
    public mutating func begin() -> [ScreenEffect] {
        hasBegun = true
        guard options.fields.contains(.savedCredentials) else { return offer }
        return form.run(.logInWithSaved(rememberMe, restoring: false))
    }

    /// Passkeys above the keyboard, while the person has the word.
    private var offer: [ScreenEffect] {
        options.fields.contains(.passkey) && form.isEnabled ? [ScreenEffect(.offerPasskeys)] : []
    }

    /// Takes an event.
    public mutating func handle(_ event: LogInEvent) -> [ScreenEffect] {
        if case .form(let event) = event {
            let effects = handleForm(event)
            // What is shown in between has ended the offer.
            if case .appeared = event, hasBegun { return effects + offer }
            return effects
        }
        if case .lastMethodKnown(let method) = event { lastMethod = method }
        if case .guestKnown(let isNew) = event { makesNewGuest = isNew }
        guard form.isEnabled else { return [] }
        let typed = form.text(of: .username).trimmingCharacters(in: .whitespacesAndNewlines)
        let address = MailForm.fits(typed) ? typed : ""
        switch event {
        case .form, .lastMethodKnown, .guestKnown: return []
        case .passwordForgotten: return [.show(.reset(email: address))]
        case .signUp: return [.show(.signUp(identifier: typed))]
        case .mailedCode: return [.show(.code(email: address))]
        case .transferCode: return [.show(.transferEntry)]
        case .provider(let provider):
            guard options.allProviders.contains(where: { $0.provider == provider }) else { return [] }
            return form.run(.provider(provider, .logIn(restoring: false)))
        case .guest: return form.run(isKeyRemoved ? .logInAsNewGuest : .logInAutomatically)
        case .web:
            guard options.fields.contains(.webLogIn) else { return [] }
            return form.run(.logInOnPages(identifier: typed))
        case .passkey:
            guard options.fields.contains(.passkey) else { return [] }
            return form.run(.logInWithPasskey(restoring: false))
        case .restore: return restore()
        case .fieldsChanged(let fields):
            guard fields.fault == nil else { return [] }
            options.fields = fields
            form.fields = Self.fields(options, keeping: form)
            return offer
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] {
        switch report.kind {
        case .passkeyChosen(let proof):
            return form.isEnabled ? form.run(.logInWithChosenPasskey(proof, restoring: false)) : []
        case .response:
            let wasRunning = form.isRunning
            let effects = takeForm(report)
            // What was asked for has ended the offer. There is none beneath another screen, which may ask for a passkey itself.
            return wasRunning && !effects.contains(where: \.leadsElsewhere) ? effects + offer : effects
        case .transfersKnown, .verdict, .failureReported, .woke: return takeForm(report)
        }
    }

    package func request(at instant: Date) -> ScreenRequest? {
        .logIn(
            identifier: form.text(of: .username), password: Secret(form.text(of: .password)), rememberMe,
            restoring: false)
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        if case .loggedIn(let welcome, let method) = response { return .loggedIn(welcome, by: method) }
        guard case .welcome(let welcome) = response else { return nil }
        switch request {
        case .provider(let provider, _): return .loggedIn(welcome, by: .provider(provider))
        case .logInAutomatically, .logInAsNewGuest: return .loggedIn(welcome, by: .guest)
        case .logInOnPages: return .loggedIn(welcome, by: .web)
        case .logInWithPasskey, .logInWithChosenPasskey: return .loggedIn(welcome, by: .passkey)
        case .restoreUser: return .restored(welcome)
        default: return .loggedIn(welcome, by: .password)
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch response {
        case .welcome(let welcome), .loggedIn(let welcome, by: _):
            form.finish()
            return [.show(.home(welcome.user))]
        default: return []
        }
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        switch (error, request) {
        case (.credentialRefused, .logIn), (.credentialRefused, .logInWithSaved): break
        case (.deviceKeyRemoved, .logInAutomatically):
            // The failure asks people to log in; one who cannot goes on as a new guest.
            (isKeyRemoved, makesNewGuest) = (true, true)
            return nil
        case (_, .logInAsNewGuest):
            // The key is another one by now, whatever came of the log-in.
            isKeyRemoved = false
            return nil
        default: return nil
        }
        // Which of the two is wrong stays secret; the password is the likelier one.
        form.show(ScreenBanner(.failure, title: .key(.logInFailed), .key(.logInMismatch)), focus: .password)
        return [ScreenEffect(.fail(error, attempt: form.attempt))]
    }
}
