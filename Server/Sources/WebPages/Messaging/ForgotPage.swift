import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/forgot`: asks where to send what allows a new password.
struct ShowForgot: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        try request.forgot()
    }
}

/// `POST /a/{application}/forgot`: orders the mail. The answer is the same whether or not there is anybody to get it.
struct SendForgot: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        let email = form.text("email").trimmingSpaces
        do {
            _ = try await request.modules.messaging.requestPasswordReset(
                email: email, in: request.application, languages: request.languageTags, from: request.browser.client)
            return try request.message(
                "forgot-sent",
                ["back": request.path("reset"), "backLabel": request.text("forgotSent.enter")])
        } catch let error as DomainError {
            return try request.forgot(email, request.errors(of: error))
        }
    }
}

extension HostedPageRequest {
    fileprivate func forgot(_ email: String = "", _ errors: FormErrors? = nil) throws -> Response {
        try FormPage(
            page: "forgot",
            fields: [
                PageField(
                    "email", label: text("field.email"), kind: .email, value: email, error: errors?["email"],
                    autocomplete: "email"
                ).focused()
            ],
            errors: errors
        ).response(self)
    }

    /// The page's language first: mails are written in it when the user has none of their own.
    var languageTags: [String] { [browser.language.rawValue] }
}
