import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `GET /a/{application}/recover?token=…`: the link of the mail to a former address. Opening it changes nothing: mail programs open
/// links too.
struct ShowRecover: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        try request.recover(token: request.browser.query.text("token"))
    }
}

/// `POST /a/{application}/recover`: the address is the account's again, and a form for a new password follows.
struct SendRecover: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let token = try await request.browser.form().text("token")
        do {
            let reset = try await request.modules.accounts.recoverEmail(
                Secret(token), in: request.application, from: request.browser.client, origin: request.browser.origin)
            return try request.reset(
                .reset, token: reset.revealed, isLinked: true, lead: request.text("recoverDone.lead"))
        } catch let error as DomainError {
            var errors = request.errors(of: error)
            switch error.code {
            case .codeRefused:
                errors.others = []
                errors.fields = [("token", request.text("recover.refused"))]
            case .identifiersTaken:
                return try request.message(
                    "recover-taken", status: errors.status,
                    ["back": request.path("log-in"), "backLabel": request.text("common.toLogIn")])
            default: break
            }
            return try request.recover(token: token, errors)
        }
    }
}

extension HostedPageRequest {
    fileprivate func recover(token: String, _ errors: FormErrors? = nil) throws -> Response {
        // What is wrong with anything else leaves the link as it was.
        let isLinked = !token.isEmpty && errors?["token"] == nil
        let typed = PageField(
            "token", label: text("field.token"), kind: .code, value: token, error: errors?["token"],
            autocomplete: "one-time-code"
        ).focused()
        return try FormPage(
            page: "recover", fields: isLinked ? [] : [typed], hidden: isLinked ? [("token", token)] : [],
            // The mail for a new password comes again where the answer of before got lost.
            errors: errors, offersForgot: errors?["token"] != nil
        ).response(self)
    }
}
