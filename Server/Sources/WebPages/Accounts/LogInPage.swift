import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `GET /a/{application}/log-in`: asks who it is; how to prove it, the next page asks. What is asked next is the same for
/// everybody, so that nobody learns whether there is such an account (requirement 10).
struct ShowLogIn: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let providers = try await request.providers()
        // Options for passkeys are asked by the script: a page that is kept holds none.
        return try request.common("log-in", variant: providers.map(\.rawValue).joined(separator: " ")) { request in
            request.model("log-in", LogInForm(identifier: request.hint, providers: providers).model(request))
        }
    }
}

/// `POST /a/{application}/log-in`: the identifier alone leads to the password, with one it logs in.
struct SendLogIn: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        let identifier = form.text("identifier").trimmingSpaces
        guard !identifier.isEmpty else {
            return try await request.logIn(
                LogInForm(
                    errors: FormErrors(
                        status: .unprocessableContent, fields: [("identifier", request.text("rule.required"))])))
        }
        guard form["password"] != nil else {
            return try request.password(PasswordForm(identifier: identifier))
        }
        return try await logIn(request, identifier, form)
    }

    private func logIn(_ request: HostedPageRequest, _ identifier: String, _ form: FormValues) async throws -> Response
    {
        let isRestoring = form["restore"] != nil
        do {
            let logIn = try await request.pages.metrics.logIn { () async throws(DomainError) in
                try await request.modules.logIns.logInWithPassword(
                    LogInWithPassword.Request(
                        application: request.application, identifier: identifier,
                        password: Secret(form.text("password")),
                        client: request.logInClient,
                        restoringFrom: isRestoring ? request.browser.origin : nil))
            }
            return try await request.enter(logIn)
        } catch let error as DomainError {
            if let asked = try await request.secondFactor(error, isRestoring: isRestoring) { return asked }
            var again = PasswordForm(identifier: identifier)
            if let erasedAt = error.erasedAt { again.erasedAt = erasedAt }
            again.errors = request.errors(of: error)
            return try request.password(again, retryAfter: error.retryAfter)
        }
    }
}

/// The first step: who it is.
struct LogInForm {
    var identifier = ""
    var errors: FormErrors?
    var providers: [Identity.Provider] = []
    /// The passkey leads to a user that asked to be deleted.
    var offersRestore = false

    func model(_ request: HostedPageRequest) -> PageTemplates.Model {
        let passkey = request.passkeyModel(
            PasskeyForm(
                ceremony: .get, action: "log-in/passkey", label: "passkey.logIn", isConditional: !offersRestore,
                offersRestore: offersRestore))
        var model: PageTemplates.Model = [
            "identifier": PageField(
                "identifier", label: request.text("field.identifier"), value: identifier,
                error: errors?["identifier"], autocomplete: passkey.isEmpty ? "username" : "username webauthn"
            ).focused().model
        ]
        model.merge(passkey) { $1 }
        model.merge(request.buttons(for: providers)) { $1 }
        if let errors { model["summary"] = errors.summary(request) }
        return model
    }
}

/// The second step: how to prove it.
struct PasswordForm {
    var identifier: String
    /// When the user will be erased, when it asked for that.
    var erasedAt: Timestamp?
    var errors: FormErrors?
}

extension HostedPageRequest {
    /// The first step again, with what was wrong.
    func logIn(_ form: LogInForm, _ signals: PageTemplates.Model = [:]) async throws -> Response {
        var form = form
        form.providers = try await providers()
        return try html(
            "log-in", model("log-in", form.model(self).merging(signals) { $1 }), status: form.errors?.status ?? .ok,
            formTargets: formTargets())
    }

    func password(_ form: PasswordForm, retryAfter: Duration? = nil) throws -> Response {
        var own: PageTemplates.Model = [
            "who": form.identifier, "initial": form.identifier.initial,
            "action": path("log-in"), "offersCode": pages.sendsMail, "codeAction": path("code"),
            "password": PageField(
                "password", label: text("field.password"), kind: .password, error: form.errors?["password"],
                autocomplete: "current-password"
            ).focused().model,
        ]
        if let errors = form.errors { own["summary"] = errors.summary(self) }
        if form.erasedAt != nil { own["restore"] = restoreField.model }
        var response = try html(
            "password", model("password", own), status: form.errors?.status ?? .ok, formTargets: formTargets())
        if let retryAfter { response.headers[.retryAfter] = String(max(1, retryAfter.secondsRoundedUp)) }
        return response
    }

    /// By what a person brings an account back that is about to be deleted.
    var restoreField: PageField {
        PageField("restore", label: text("password.restore"), kind: .checkbox, isRequired: false)
    }

    /// The person is in: the session's token replaces what the cookie held, which anybody may have set.
    ///
    /// - Parameters:
    ///   - logIn: Who is in.
    ///   - done: What the account page shall say.
    /// - Returns: the way to the app that waits, or else to the account.
    /// - Throws: `storageUnavailable`; `secretUnreadable`, should the cryptographic library fail.
    func enter(_ logIn: LogIn, doing done: String? = nil) async throws -> Response {
        try await replaceSession(by: logIn)
        var response =
            try goOn(as: authenticated(logIn), isNew: logIn.isNew)
            ?? done.map { self.done($0) } ?? PageResponse.redirect(to: path("account"), browser)
        response.keepCookie(logIn.token.revealed, for: browser)
        return response
    }

    func authenticated(_ logIn: LogIn) -> Authenticated {
        Authenticated(
            application: application, session: logIn.session, user: logIn.user, tokenDigest: logIn.token.digest)
    }

    /// Back to the app that waits, or to the log-in that it asks for; `nil` when none waits.
    func goOn(as who: Authenticated, isNew: Bool, bySignUp: Bool = false) throws -> Response? {
        guard let continuation else { return nil }
        switch authorization(FormValues(query: continuation)) {
        case .asked(let asked):
            guard !needsLogIn(who, for: asked, bySignUp: bySignUp) else { return sendToLogIn(for: asked, continuation) }
            return try back(with: asked, for: who, isNew: isNew)
        case .error(let error, let asked, let reason): return back(error: error, because: reason, to: asked)
        case .refused(let reason): return try refuse(reason)
        }
    }

    /// Goes on after a guest's account was made permanent.
    ///
    /// - Parameters:
    ///   - user: Who the guest is now.
    ///   - who: The guest's session.
    ///   - done: What the account page shall say.
    /// - Returns: the way to the app that waits, or else to the account.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func goOn(upgraded user: User, of who: Authenticated, doing done: String) throws -> Response {
        let upgraded = Authenticated(
            application: who.application, session: who.session, user: user, tokenDigest: who.tokenDigest)
        return try goOn(as: upgraded, isNew: false, bySignUp: true) ?? self.done(done)
    }

    /// How the browser is named in the list of sessions.
    var device: DeviceDescription {
        DeviceDescription(
            name: BrowserName.of(browser.origin.userAgent), system: BrowserName.system(browser.origin.userAgent))
    }

    /// The browser, as it asks for a log-in.
    var logInClient: LogInClient { LogInClient(.pages, on: device, from: browser.client, origin: browser.origin) }
}

/// What a browser calls itself, in the words people use.
enum BrowserName {
    static func of(_ userAgent: String?) -> String? {
        guard let userAgent else { return nil }
        // The order counts: most claim to be others too.
        for (sign, name) in [
            ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox", "Firefox"), ("FxiOS", "Firefox"),
            ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"),
        ]
        where userAgent.contains(sign) { return name }
        return nil
    }

    static func system(_ userAgent: String?) -> String? {
        guard let userAgent else { return nil }
        for (sign, name) in [
            ("iPhone", "iOS"), ("iPad", "iPadOS"), ("Android", "Android"), ("Mac OS X", "macOS"),
            ("Windows", "Windows"), ("Linux", "Linux"),
        ]
        where userAgent.contains(sign) { return name }
        return nil
    }
}

extension String {
    /// Without spaces around it, which come along when a name is pasted.
    var trimmingSpaces: String { IdentifierFolding.trimmed(self) }
}
