import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// What one action of the account page does.
protocol AccountAction: Sendable {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response
}

/// `POST /a/{application}/account/…`: does something to the own account.
struct SendAccount: HostedPage {
    let action: any AccountAction

    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        guard let who = try await request.session() else {
            return PageResponse.redirect(to: request.path("log-in"), request.browser)
        }
        do {
            return try await action.run(request, who, form)
        } catch let error as DomainError {
            return try await request.refused(who, error) { _ in AccountState(errors: request.errors(of: error)) }
        }
    }
}

extension HostedPageRequest {
    /// Who asks for a change of the own account.
    func author(_ who: Authenticated) -> AccountAuthor { .owner(who, isProven: false, from: browser.origin) }

    /// Answers what was refused: with a form for a proof that the owner is there, or with the page and its errors.
    func refused(
        _ who: Authenticated, _ error: DomainError, _ state: (DomainError) -> AccountState
    ) async throws -> Response {
        if case .reauthenticationRequired = error { return try confirm(who) }
        if case .secondFactorNotRecent = error { return try confirmFactor(who, needsFactor: true) }
        return try await account(who, state(error))
    }
}

extension HostedPageRequest {
    /// Who the browser is; `nil` for nobody.
    ///
    /// - Throws: `userDisabled`, `storageUnavailable`.
    func session() async throws(DomainError) -> Authenticated? {
        guard let token = cookieToken else { return nil }
        let asked = Authenticate.Request(application: application, token: token, proof: nil, protocolName: .pages)
        do {
            return try await modules.sessions.authenticate(asked, from: { browser.client })
        } catch {
            guard case .sessionInvalid = error else { throw error }
            return nil
        }
    }

    /// What the cookie holds, when it is not one of before anybody logged in.
    private var cookieToken: Substring? {
        hasSessionCookie ? browser.cookie?[...] : nil
    }

    /// Ends the session that the cookie held before a log-in.
    ///
    /// - Throws: `storageUnavailable`.
    func replaceSession(by logIn: LogIn) async throws(DomainError) {
        guard let token = cookieToken else { return }
        try await modules.sessions.replacePageSession(token, by: logIn, in: application.id)
    }

    /// Asks again, by the way that the person chose or by which something was sent that does not hold.
    func confirm(
        _ who: Authenticated, by way: SecondFactorForm.Way?, _ form: FormValues, _ errors: FormErrors? = nil
    ) throws -> Response {
        let needsFactor = form[SecondFactorForm.neededField] != nil
        switch way {
        case .totp, .recoveryCode: return try confirmFactor(who, by: way ?? .totp, needsFactor: needsFactor, errors)
        case .password: return try confirmPassword(who, errors)
        case nil: return needsFactor ? try confirmFactor(who, needsFactor: true, errors) : try confirm(who, errors)
        }
    }

    /// Asks for a proof that the owner is there: the second factor of somebody who has one, or else what they log in by.
    func confirm(_ who: Authenticated, _ errors: FormErrors? = nil) throws -> Response {
        guard who.user.hasSecondFactor, application.settings.secondFactors.mode != .off else {
            return try confirmPassword(who, errors)
        }
        return try confirmFactor(who, needsFactor: false, errors)
    }

    /// Asks for the second factor. Where `needsFactor`, the password is not enough.
    private func confirmFactor(
        _ who: Authenticated, by way: SecondFactorForm.Way = .totp, needsFactor: Bool, _ errors: FormErrors? = nil
    ) throws -> Response {
        var form = SecondFactorForm(way: way, action: "account/confirm", isOfAccount: true)
        form.hasPasskey = who.user.identities.contains { $0.provider == .passkey }
        form.errors = errors
        if needsFactor {
            form.hidden = [(SecondFactorForm.neededField, "yes")]
        } else if who.user.hasPassword {
            form.others.append(.password)
        }
        return try form.response(self)
    }

    /// Asks for the password, a passkey, another log-in, or the app.
    private func confirmPassword(_ who: Authenticated, _ errors: FormErrors?) throws -> Response {
        let passkey =
            who.user.identities.contains { $0.provider == .passkey }
            ? PasskeyForm(
                ceremony: .get, action: "account/confirm", label: "passkey.confirm", isPrimary: !who.user.hasPassword)
            : nil
        if let passkey, !who.user.hasPassword, hasPasskeys {
            var own = passkeyModel(passkey)
            (own["lead"], own["back"], own["backLabel"]) = (
                text("confirm.leadPasskey"), path("account"), text("common.toAccount")
            )
            if let errors { own["summary"] = errors.summary(self) }
            return try message("confirm", status: errors?.status ?? .forbidden, own)
        }
        guard who.user.hasPassword else {
            return try message(
                "confirm", status: .forbidden,
                who.user.isAnonymous
                    ? [
                        "lead": text("confirm.leadAnonymous"), "back": path("account"),
                        "backLabel": text("common.toAccount"),
                    ]
                    : ["lead": text("confirm.leadOther"), "back": path("log-in")])
        }
        return try FormPage(
            page: "confirm",
            fields: [
                PageField(
                    "password", label: text("field.password"), kind: .password, error: errors?["password"],
                    autocomplete: "current-password"
                ).focused()
            ],
            action: "account/confirm", errors: errors, isOfAccount: true, accountName: who.user.logInName,
            passkey: passkey
        ).response(self)
    }

    /// Back to the account page, which says what was done.
    func done(_ what: String) -> Response {
        PageResponse.redirect(to: "\(path("account"))\(continuation == nil ? "?" : "&")done=\(what)", browser)
    }
}

extension User {
    /// What a password manager keeps the user's password under.
    var logInName: String? { username ?? email ?? phone }
}
