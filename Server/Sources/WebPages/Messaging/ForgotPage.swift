import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/forgot`: asks where to send what allows a new password.
struct ShowForgot: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        try visit.forgot()
    }
}

/// `POST /a/{application}/forgot`: orders the mail. The answer is the same whether or not there is anybody to get it.
struct SendForgot: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let form = try await visit.visit.form()
        let email = form.text("email").trimmingSpaces
        do {
            _ = try await visit.useCases.requestPasswordReset(
                email: email, in: visit.application, languages: visit.languageTags, from: visit.visit.client)
            return try visit.message(
                "forgot-sent",
                ["back": visit.path("reset"), "backLabel": visit.text("forgotSent.enter")])
        } catch let error as DomainError {
            return try visit.forgot(email, visit.errors(of: error))
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
                    autocomplete: "email", isFocused: true)
            ],
            errors: errors
        ).response(self)
    }

    /// The page's language first: mails are written in it when the user has none of their own.
    var languageTags: [String] { [visit.language.rawValue] }
}
