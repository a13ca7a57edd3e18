import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `GET /a/{application}/sign-up`: a new account.
struct ShowSignUp: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let hint = request.hint
        var form = hint.contains("@") ? SignUpForm(email: hint) : SignUpForm(username: hint)
        form.fields = request.newFields()
        form.providers = try await request.providers()
        guard let who = try await request.session(), who.user.isAnonymous else {
            let variant = form.providers.map(\.rawValue).joined(separator: " ")
            return try request.common("sign-up", variant: variant) { [form] request in
                request.model("sign-up", form.model(request))
            }
        }
        // A guest who signs up would leave behind what the upgrade keeps.
        form.providers = []
        var own = form.model(request)
        own["isGuest"] = true
        return try request.html("sign-up", request.model("sign-up", own), formTargets: request.formTargets())
    }
}

/// `POST /a/{application}/sign-up`: makes the account and logs in. A mail address is the account's once a mail to it was
/// answered: until then the pages say the same whether or not somebody else has it (requirement 10). User names are
/// public, and a taken one is named. A server that sends no mail takes the address at once, and says when it is taken.
struct SendSignUp: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let sent = try await request.browser.form()
        let form = SignUpForm(sent, of: request, fields: request.newFields(sent))
        let mailsFirst = request.pages.sendsMail && !form.email.isEmpty
        do {
            var identifiers = form.identifiers
            if mailsFirst { (identifiers.email, identifiers.pendingEmail) = (.unchanged, form.email) }
            let logIn = try await request.pages.metrics.logIn { () async throws(DomainError) in
                try await request.modules.logIns.signUp(
                    SignUp.Request(
                        application: request.application, identifiers: identifiers,
                        password: Secret(sent.text("password")),
                        newUser: .init(
                            displayName: form.displayName.isEmpty ? nil : form.displayName,
                            locale: request.browser.language.rawValue, fields: form.fields.changes),
                        client: request.logInClient, attempt: request.attempt(sent),
                        page: .init(browser: request.browserName, work: sent.work)))
            }
            // Where it comes again, the mail of before may have been answered.
            let needsMail = mailsFirst && logIn.user.email == nil
            if needsMail { await request.confirm(form.email, of: logIn) }
            return try await request.enter(logIn, doing: needsMail ? "emailSent" : nil)
        } catch let refusal as DomainError {
            // The form once more, but for the password: it does not show that it is the same person.
            let error = refusal.code == .attemptReused ? DomainError.identifiersTaken([.username]) : refusal
            if error.code == .proofOfWorkRequired { request.pages.metrics.refusedFirstLaunches.add() }
            var again = form
            again.providers = try await request.providers()
            again.errors = request.errors(of: error, form.fields)
            return try request.html(
                "sign-up", request.model("sign-up", again.model(request)), status: error.pageWords.status,
                formTargets: request.formTargets())
        }
    }
}

/// `POST /a/{application}/sign-up/work`: what the script must do before the form is sent.
struct SendWorkRequest: HostedPage {
    private struct Answer: Encodable {
        var challenge: String?
        var bits: Int?
    }

    func respond(to request: HostedPageRequest) async throws -> Response {
        _ = try await request.browser.form()
        let work = try await request.modules.logIns.judgeFirstLaunch.work(
            of: .init(
                application: request.application, key: request.browserName, address: request.browser.client,
                isPage: true))
        return try PageResponse.json(Answer(challenge: work?.challenge, bits: work?.bits), for: request.browser)
    }
}

extension FormValues {
    /// The work that the script has done.
    fileprivate var work: PresentedWork? {
        guard let bits = Int(text("work_bits"), radix: 10) else { return nil }
        return PresentedWork(challenge: text("work_challenge"), bits: bits, solution: text("work_solution"))
    }

    /// What the person wrote into it that is no secret.
    fileprivate var asked: FormValues {
        without(["password", PageRequest.tokenField, "work_bits", "work_challenge", "work_solution"])
    }
}

extension HostedPageRequest {
    /// What names the browser in challenges: it lasts as long as its forms.
    fileprivate var browserName: String { browser.formToken }

    /// The form as this browser sent it. Sent again, because its answer got lost, it leads into the account that it has made: the
    /// person would read that somebody else has the name.
    fileprivate func attempt(_ sent: FormValues) -> Attempt {
        let asked = FormValues.query(sent.asked.all.map { ($0.name, $0.value) })
        return Attempt(name: attemptName("sign-up", asked), request: asked.utf8)
    }

    /// Orders the mail that makes an address the new user's. A form that comes again, as when its button is pressed twice, has the
    /// same link mailed: another one would void that of the first mail.
    fileprivate func confirm(_ email: String, of logIn: LogIn) async {
        // The account is made whatever comes of it; the address can be given again on its page.
        try? await modules.messaging.verificationCodes.send(
            .emailVerification, to: email, of: logIn.user, by: logIn.session, in: application,
            languages: languageTags, from: browser.client)
    }
}

/// The fields of a new account; an upgrade has the same.
struct SignUpForm {
    var username = ""
    var email = ""
    var phone = ""
    var displayName = ""
    var fields = FieldForm.none
    var providers: [Identity.Provider] = []
    var errors: FormErrors?

    init(username: String = "", email: String = "") {
        self.username = username
        self.email = email
    }

    /// What was sent. Of fields that the form does not have nothing is taken.
    init(_ sent: FormValues, of request: HostedPageRequest, fields: FieldForm) {
        self.init(username: sent.text("username").trimmingSpaces, email: sent.text("email").trimmingSpaces)
        let rules = request.application.settings.signUp
        if rules.asksPhone { phone = sent.text("phone").trimmingSpaces }
        if rules.asksDisplayName { displayName = sent.text("displayName").trimmingSpaces }
        self.fields = fields
    }

    /// A user name must be there; a mail address helps to get a new password.
    var identifiers: NewIdentifiers {
        NewIdentifiers(
            username: .set(username), email: email.isEmpty ? .unchanged : .set(email),
            phone: phone.isEmpty ? .unchanged : .set(phone), rules: .native)
    }

    func model(_ request: HostedPageRequest, isFocused: Bool = true) -> PageTemplates.Model {
        let settings = request.application.settings
        let minimum = settings.passwordMinimum(of: nil)
        let nameMinimum = settings.signUp.usernameMinimumCharacters
        var rows: [PageField] = [
            PageField(
                "username", label: request.text("field.username"), value: username,
                hint: nameMinimum > 1 ? request.text("signUp.usernameHint", ["minimum": String(nameMinimum)]) : nil,
                error: errors?["username"], autocomplete: "username"
            ).focused(isFocused),
            PageField(
                "email",
                label: request.text(settings.signUp.isEmailRequired ? "field.email" : "field.emailOptional"),
                kind: .email, value: email, hint: request.text("signUp.emailHint"), error: errors?["email"],
                autocomplete: "email", isRequired: settings.signUp.isEmailRequired),
        ]
        if settings.signUp.asksPhone {
            rows.append(
                optional(
                    "phone", .tel, phone, autocomplete: "tel", hint: request.text("signUp.phoneHint"), request))
        }
        if settings.signUp.asksDisplayName {
            rows.append(optional("displayName", .text, displayName, autocomplete: "nickname", hint: nil, request))
        }
        rows.append(
            PageField(
                "password", label: request.text("field.password"), kind: .password,
                hint: request.text("signUp.passwordHint", ["minimum": String(minimum)]), error: errors?["password"],
                autocomplete: "new-password"))
        var model: PageTemplates.Model = ["fields": rows.map(\.model) + fields.models(request, errors)]
        model.merge(request.buttons(for: providers)) { $1 }
        if settings.attestation.mode != .off {
            model["work"] = request.path("sign-up/work")
            if let script = request.pages.assets.path(of: PageAssets.workScript) { model["workScript"] = script }
        }
        if let errors { model["summary"] = errors.summary(request) }
        return model
    }

    private func optional(
        _ name: String, _ kind: PageField.Kind, _ value: String, autocomplete: String, hint: String?,
        _ request: HostedPageRequest
    ) -> PageField {
        PageField(
            name, label: request.text("field.optional", ["label": request.text("field.\(name)")]), kind: kind,
            value: value, hint: hint, error: errors?[name], autocomplete: autocomplete, isRequired: false)
    }
}
