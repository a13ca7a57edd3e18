import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/verify?token=…`: the link of the mail. Opening it changes nothing: mail programs open links too.
struct ShowVerify: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        try visit.verify(token: visit.visit.query.text("token"))
    }
}

/// `POST /a/{application}/verify`: the address is the user's.
struct SendVerify: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let token = try await visit.visit.form().text("token")
        do {
            try await visit.useCases.verifyEmail(
                .token(token), in: visit.application, from: visit.visit.client, origin: visit.visit.origin)
            return try visit.message(
                "verify-done", ["back": visit.path("account"), "backLabel": visit.text("common.toAccount")])
        } catch let error as DomainError {
            var errors = visit.errors(of: error)
            if case .codeRefused = error {
                errors.others = []
                errors.fields = [("token", visit.text("fault.codeRefused"))]
            }
            return try visit.verify(token: token, errors)
        }
    }
}

extension HostedPageRequest {
    fileprivate func verify(token: String, _ errors: FormErrors? = nil) throws -> Response {
        let isLinked = !token.isEmpty && errors == nil
        let typed = PageField(
            "token", label: text("field.token"), kind: .code, value: token, error: errors?["token"],
            autocomplete: "one-time-code", isFocused: true)
        return try FormPage(
            page: "verify", fields: isLinked ? [] : [typed], hidden: isLinked ? [("token", token)] : [],
            errors: errors
        ).response(self)
    }
}
