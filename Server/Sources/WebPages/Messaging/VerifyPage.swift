import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/verify?token=…`: the link of the mail. Opening it changes nothing: mail programs open links too.
struct ShowVerify: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        try request.verify(token: request.browser.query.text("token"))
    }
}

/// `POST /a/{application}/verify`: the address is the user's.
struct SendVerify: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let token = try await request.browser.form().text("token")
        do {
            try await request.modules.accounts.verifyEmail(
                .token(token, of: nil), in: request.application, from: request.browser.client,
                attempt: SecretDigest(of: request.attemptName("verify", token).utf8), origin: request.browser.origin)
            return try request.message(
                "verify-done", ["back": request.path("account"), "backLabel": request.text("common.toAccount")])
        } catch let error as DomainError {
            var errors = request.errors(of: error)
            if case .codeRefused = error {
                errors.others = []
                errors.fields = [("token", request.text("fault.codeRefused"))]
            }
            return try request.verify(token: token, errors)
        }
    }
}

extension HostedPageRequest {
    fileprivate func verify(token: String, _ errors: FormErrors? = nil) throws -> Response {
        let isLinked = !token.isEmpty && errors == nil
        let typed = PageField(
            "token", label: text("field.token"), kind: .code, value: token, error: errors?["token"],
            autocomplete: "one-time-code"
        ).focused()
        return try FormPage(
            page: "verify", fields: isLinked ? [] : [typed], hidden: isLinked ? [("token", token)] : [],
            // Another one is ordered there.
            errors: errors, isOfAccount: errors != nil
        ).response(self)
    }
}
