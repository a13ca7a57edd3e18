import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `GET /a/{application}/sign-up`: a new account.
struct ShowSignUp: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let hint = visit.hint
        var form = hint.contains("@") ? SignUpForm(email: hint) : SignUpForm(username: hint)
        form.fields = visit.newFields()
        form.providers = try await visit.providers()
        guard let who = try await visit.session(), who.user.isAnonymous else {
            let variant = form.providers.map(\.rawValue).joined(separator: " ")
            return try visit.common("sign-up", variant: variant) { [form] visit in
                visit.model("sign-up", form.model(visit))
            }
        }
        // A guest who signs up would leave behind what the upgrade keeps.
        form.providers = []
        var own = form.model(visit)
        own["isGuest"] = true
        return try visit.html("sign-up", visit.model("sign-up", own), formTargets: visit.formTargets())
    }
}

/// `POST /a/{application}/sign-up`: makes the account and logs in. A mail address is the account's once a mail to it was
/// answered: until then the pages say the same whether or not somebody else has it (requirement 10). User names are
/// public, and a taken one is told. A server that sends no mail takes the address at once, and tells that it is taken.
struct SendSignUp: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let sent = try await visit.visit.form()
        let form = SignUpForm(sent, fields: visit.newFields(sent))
        let mailsFirst = visit.pages.sendsMail && !form.email.isEmpty
        do {
            if mailsFirst { try RequestEmailVerification.check(form.email) }
            let identifiers = mailsFirst ? SignUpForm(username: form.username).identifiers : form.identifiers
            let logIn = try await visit.pages.metrics.logIn { () async throws(DomainError) in
                try await visit.useCases.signUp(
                    SignUp.Request(
                        application: visit.application, identifiers: identifiers,
                        password: Secret(sent.text("password")),
                        newUser: .init(
                            displayName: nil, locale: visit.visit.language.rawValue, fields: form.fields.changes),
                        device: visit.device, address: visit.visit.client, protocolName: .pages,
                        origin: visit.visit.origin))
            }
            if mailsFirst { await visit.confirm(form.email, of: logIn) }
            return try await visit.enter(logIn, doing: mailsFirst ? "emailSent" : nil)
        } catch let error as DomainError {
            var again = form
            again.providers = try await visit.providers()
            again.errors = visit.errors(of: error, form.fields)
            return try visit.html(
                "sign-up", visit.model("sign-up", again.model(visit)), status: error.pageWords.status,
                formTargets: visit.formTargets())
        }
    }
}

extension HostedPageRequest {
    /// Orders the mail that makes an address the new user's.
    fileprivate func confirm(_ email: String, of logIn: LogIn) async {
        // The account is made whatever comes of it; the address can be given again on its page.
        _ = try? await useCases.requestEmailVerification(
            email: email, by: authenticated(logIn), isProven: false, languages: languageTags, from: visit.client,
            toPages: true, isSignUp: true)
    }
}

/// The fields of a new account; an upgrade has the same.
struct SignUpForm {
    var username = ""
    var email = ""
    var fields = FieldForm.none
    var providers: [Identity.Provider] = []
    var errors: FormErrors?

    init(username: String = "", email: String = "") {
        self.username = username
        self.email = email
    }

    init(_ sent: FormValues, fields: FieldForm) {
        self.init(username: sent.text("username").trimmingSpaces, email: sent.text("email").trimmingSpaces)
        self.fields = fields
    }

    /// A user name must be there; a mail address helps to get a new password.
    var identifiers: NewIdentifiers {
        NewIdentifiers(username: .set(username), email: email.isEmpty ? .unchanged : .set(email))
    }

    func model(_ visit: HostedPageRequest, isFocused: Bool = true) -> PageTemplates.Model {
        let minimum = max(PasswordRules.lowestMinimum, visit.application.settings.passwordMinimumCharacters)
        var model: PageTemplates.Model = [
            "fields": [
                PageField(
                    "username", label: visit.text("field.username"), value: username, error: errors?["username"],
                    autocomplete: "username", isFocused: isFocused
                ).model,
                PageField(
                    "email", label: visit.text("field.emailOptional"), kind: .email, value: email,
                    hint: visit.text("signUp.emailHint"), error: errors?["email"], autocomplete: "email",
                    isRequired: false
                ).model,
                PageField(
                    "password", label: visit.text("field.password"), kind: .password,
                    hint: visit.text("signUp.passwordHint", ["minimum": String(minimum)]),
                    error: errors?["password"], autocomplete: "new-password"
                ).model,
            ] + fields.models(visit, errors)
        ]
        model.merge(visit.buttons(for: providers)) { $1 }
        if let errors { model["summary"] = errors.summary(visit) }
        return model
    }
}
