import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// What a password is chosen for; its name is the page's and begins the names of its texts.
enum PasswordChoice: String, Sendable {
    case reset, register
}

/// `GET /a/{application}/reset?token=…`: the link of the mail. Opening it changes nothing: mail programs open links too.
struct ShowReset: HostedPage {
    var choice: PasswordChoice = .reset

    func respond(to request: HostedPageRequest) async throws -> Response {
        try request.reset(choice, token: request.browser.query.text("token"), isLinked: true)
    }
}

/// `POST /a/{application}/reset`: sets the new password, which makes the user at a registration.
struct SendReset: HostedPage {
    var choice: PasswordChoice = .reset

    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        let token = form.text("token")
        let isRestoring = form["restore"] != nil
        do {
            try await request.modules.accounts.resetPassword(
                ResetPassword.Request(
                    application: request.application, token: token, newPassword: Secret(form.text("password")),
                    address: request.browser.client,
                    attempt: SecretDigest(of: request.attemptName(choice.rawValue, token).utf8),
                    restoringFrom: isRestoring ? request.browser.origin : nil, origin: request.browser.origin,
                    rules: .native))
            return try request.message(
                "\(choice.rawValue)-done",
                ["back": request.path("log-in"), "backLabel": request.text("common.toLogIn")])
        } catch let error as DomainError {
            var errors = request.errors(of: error, names: ["newPassword": "password"])
            // With another password than before, the token is one that was used.
            if error.code == .codeRefused || error.code == .attemptReused {
                errors.status = .unprocessableContent
                errors.others = []
                errors.fields = [("token", request.text("fault.codeRefused"))]
            }
            return try request.reset(
                choice, token: token, isLinked: errors["token"] == nil && !token.isEmpty, errors,
                offersRestore: isRestoring || error.erasedAt != nil)
        }
    }
}

extension HostedPageRequest {
    /// The form for a password.
    ///
    /// - Parameters:
    ///   - choice: For what.
    ///   - token: What allows it.
    ///   - isLinked: Whether the token need not be typed.
    ///   - lead: What stands above the form; `nil` for the usual words.
    ///   - errors: What was wrong with it.
    ///   - offersRestore: Whether it has a box that takes a deletion back.
    /// - Returns: the page.
    /// - Throws: when the template is broken.
    func reset(
        _ choice: PasswordChoice, token: String, isLinked: Bool, lead: String? = nil, _ errors: FormErrors? = nil,
        offersRestore: Bool = false
    ) throws -> Response {
        let minimum = application.settings.passwordMinimum(of: nil)
        let password = PageField(
            "password", label: text(choice == .reset ? "field.newPassword" : "field.password"), kind: .password,
            hint: text("signUp.passwordHint", ["minimum": String(minimum)]), error: errors?["password"],
            autocomplete: "new-password"
        ).focused(isLinked && !token.isEmpty)
        let typed = PageField(
            "token", label: text("field.token"), kind: .code, value: token, error: errors?["token"],
            autocomplete: "one-time-code"
        ).focused()
        let hasToken = isLinked && !token.isEmpty
        return try FormPage(
            page: choice.rawValue,
            fields: (hasToken ? [password] : [typed, password]) + (offersRestore ? [restoreField] : []),
            hidden: hasToken ? [("token", token)] : [], errors: errors,
            offersForgot: choice == .reset && errors?["token"] != nil, lead: lead
        ).response(self)
    }
}
