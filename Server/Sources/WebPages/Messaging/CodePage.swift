import Domain
import HTTPSupport
import Hummingbird
import PageSupport

/// `POST /a/{application}/code`: orders a code to log in with. The page that asks for it comes whether or not there is
/// anybody to get it.
struct SendCodeRequest: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let identifier = try await visit.visit.form().text("identifier").trimmingSpaces
        do {
            let (ticket, _) = try await visit.useCases.requestLogInCode(
                email: identifier, in: visit.application, languages: visit.languageTags, from: visit.visit.client)
            return try visit.code(ticket: ticket.revealed)
        } catch let error as DomainError {
            var errors = visit.errors(of: error)
            if case .fieldsRefused = error {
                errors.others = errors.fields.map(\.text)
                errors.fields = []
            }
            return try visit.password(PasswordForm(identifier: identifier, errors: errors))
        }
    }
}

/// `POST /a/{application}/code/enter`: logs in with the code.
struct SendCode: HostedPage {
    func respond(to visit: HostedPageRequest) async throws -> Response {
        let form = try await visit.visit.form()
        let ticket = form.text("ticket")
        do {
            let logIn = try await visit.pages.metrics.logIn { () async throws(DomainError) in
                try await visit.useCases.logInWithCode(
                    LogInWithCode.Request(
                        application: visit.application, ticket: ticket, code: form.text("code"), device: visit.device,
                        address: visit.visit.client, protocolName: .pages, origin: visit.visit.origin))
            }
            return try await visit.enter(logIn)
        } catch let error as DomainError {
            var errors = visit.errors(of: error)
            if case .codeRefused = error {
                errors.others = []
                errors.fields = [("code", visit.text("fault.codeRefused"))]
            }
            return try visit.code(ticket: ticket, errors)
        }
    }
}

extension HostedPageRequest {
    fileprivate func code(ticket: String, _ errors: FormErrors? = nil) throws -> Response {
        try FormPage(
            page: "code",
            fields: [
                PageField(
                    "code", label: text("field.code"), kind: .code, error: errors?["code"],
                    autocomplete: "one-time-code", isFocused: true)
            ],
            hidden: [("ticket", ticket)], action: "code/enter", errors: errors
        ).response(self)
    }
}
