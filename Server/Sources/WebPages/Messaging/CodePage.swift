import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `POST /a/{application}/code`: orders a code to log in with. The page that asks for it comes whether or not there is
/// anybody to get it.
struct SendCodeRequest: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let identifier = try await request.browser.form().text("identifier").trimmingSpaces
        do {
            let (ticket, _) = try await request.modules.messaging.requestLogInCode(
                email: identifier, in: request.application, languages: request.languageTags,
                from: request.browser.client)
            return try request.code(ticket: ticket.revealed)
        } catch let error as DomainError {
            var errors = request.errors(of: error)
            if case .fieldsRefused = error {
                errors.others = errors.fields.map(\.text)
                errors.fields = []
            }
            return try request.password(PasswordForm(identifier: identifier, errors: errors))
        }
    }
}

/// `POST /a/{application}/code/enter`: logs in with the code.
struct SendCode: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        let ticket = form.text("ticket")
        let isRestoring = form["restore"] != nil
        do {
            let logIn = try await request.pages.metrics.logIn { () async throws(DomainError) in
                try await request.modules.logIns.logInWithCode(
                    LogInWithCode.Request(
                        application: request.application, ticket: ticket, code: form.text("code"),
                        client: request.logInClient,
                        attempt: Attempt(name: request.attemptName("code", ticket, form.text("code")), request: []),
                        restoringFrom: isRestoring ? request.browser.origin : nil))
            }
            return try await request.enter(logIn)
        } catch let error as DomainError {
            if let asked = try await request.secondFactor(error, isRestoring: isRestoring) { return asked }
            var errors = request.errors(of: error)
            if case .codeRefused = error {
                errors.others = []
                errors.fields = [("code", request.text("fault.codeRefused"))]
            }
            // A person who has ticked it can mistype the code.
            return try request.code(ticket: ticket, errors, offersRestore: isRestoring || error.erasedAt != nil)
        }
    }
}

extension HostedPageRequest {
    fileprivate func code(
        ticket: String, _ errors: FormErrors? = nil, offersRestore: Bool = false
    ) throws -> Response {
        let code = PageField(
            "code", label: text("field.code"), kind: .code, error: errors?["code"], autocomplete: "one-time-code"
        ).focused()
        return try FormPage(
            page: "code", fields: offersRestore ? [code, restoreField] : [code],
            hidden: [("ticket", ticket)], action: "code/enter", errors: errors
        ).response(self)
    }
}
