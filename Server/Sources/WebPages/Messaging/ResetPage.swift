import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/reset?token=…`: the link of the mail. Opening it changes nothing: mail programs open links too.
struct ShowReset: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        try visit.reset(token: visit.visit.query.text("token"), isLinked: true)
    }
}

/// `POST /a/{application}/reset`: sets the new password.
struct SendReset: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let form = try await visit.visit.form()
        let token = form.text("token")
        do {
            try await visit.useCases.resetPassword(
                ResetPassword.Request(
                    application: visit.application, token: token, newPassword: Secret(form.text("password")),
                    address: visit.visit.client, origin: visit.visit.origin))
            return try visit.message(
                "reset-done", ["back": visit.path("log-in"), "backLabel": visit.text("common.toLogIn")])
        } catch let error as DomainError {
            var errors = visit.errors(of: error, names: ["newPassword": "password"])
            if case .codeRefused = error {
                errors.others = []
                errors.fields = [("token", visit.text("fault.codeRefused"))]
            }
            return try visit.reset(token: token, isLinked: errors["token"] == nil && !token.isEmpty, errors)
        }
    }
}

extension HostedPageRequest {
    fileprivate func reset(token: String, isLinked: Bool, _ errors: FormErrors? = nil) throws -> Response {
        let minimum = max(PasswordRules.lowestMinimum, application.settings.passwordMinimumCharacters)
        let password = PageField(
            "password", label: text("field.newPassword"), kind: .password,
            hint: text("signUp.passwordHint", ["minimum": String(minimum)]), error: errors?["password"],
            autocomplete: "new-password", isFocused: isLinked && !token.isEmpty)
        let typed = PageField(
            "token", label: text("field.token"), kind: .code, value: token, error: errors?["token"],
            autocomplete: "one-time-code", isFocused: true)
        let hasToken = isLinked && !token.isEmpty
        return try FormPage(
            page: "reset", fields: hasToken ? [password] : [typed, password],
            hidden: hasToken ? [("token", token)] : [], errors: errors
        ).response(self)
    }
}
