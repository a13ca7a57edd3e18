import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `GET /a/{application}/sign-up`: a new account.
struct ShowSignUp: HostedPage {
    func respond(to visit: HostedVisit) async throws -> Response {
        try visit.common("sign-up") { visit in visit.model("sign-up", SignUpForm().model(visit)) }
    }
}

/// `POST /a/{application}/sign-up`: makes the account and logs in.
struct SendSignUp: HostedPage {
    func respond(to visit: HostedVisit) async throws -> Response {
        let sent = try await visit.visit.form()
        let form = SignUpForm(username: sent.text("username").trimmingSpaces, email: sent.text("email").trimmingSpaces)
        do {
            let logIn = try await visit.pages.metrics.logIn { () async throws(DomainError) in
                try await visit.useCases.signUp(
                    SignUp.Request(
                        application: visit.application, identifiers: form.identifiers,
                        password: Secret(sent.text("password")),
                        newUser: .init(displayName: nil, locale: visit.visit.language.rawValue, fields: [:]),
                        device: visit.device, address: visit.visit.client, protocolName: .pages,
                        origin: visit.visit.origin))
            }
            return try await visit.enter(logIn)
        } catch let error as DomainError {
            var again = form
            again.errors = visit.errors(of: error)
            return try visit.html(
                "sign-up", visit.model("sign-up", again.model(visit)), status: error.pageWords.status,
                formTargets: visit.formTargets())
        }
    }
}

/// The fields of a new account; an upgrade has the same.
struct SignUpForm {
    var username = ""
    var email = ""
    var errors: FormErrors?

    /// A user name must be there; a mail address helps to get a new password.
    var identifiers: NewIdentifiers {
        NewIdentifiers(username: .set(username), email: email.isEmpty ? .unchanged : .set(email))
    }

    func model(_ visit: HostedVisit, isFocused: Bool = true) -> PageTemplates.Model {
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
            ]
        ]
        if let errors { model["summary"] = errors.summary(visit) }
        return model
    }
}
