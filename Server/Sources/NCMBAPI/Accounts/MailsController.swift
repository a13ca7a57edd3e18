import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Mails that members ask for.
final class MailsController: Sendable {
    private let requests: NCMBRequests
    private let modules: Modules
    private let requestReset: RequestPasswordReset
    private let requestVerification: RequestEmailVerification
    private let registerByMail: RegisterByMail

    init(_ requests: NCMBRequests, _ modules: Modules) {
        self.requests = requests
        self.modules = modules
        requestReset = modules.messaging.requestPasswordReset
        requestVerification = modules.messaging.requestEmailVerification
        registerByMail = modules.logIns.registerByMail
    }

    /// `POST /requestPasswordReset`: the answer is the same whether or not anybody has the address.
    func resetPassword(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        let address = try await requests.body(of: request, context).requestedAddress
        _ = try await requestReset(
            email: address, in: caller.application, languages: AcceptLanguage.tags(of: request),
            from: requests.client(of: request, context))
        return try ordered(for: caller)
    }

    /// `POST /requestMailAddressUserEntry`: sign-up by mail. The link in the mail leads to where a password is
    /// chosen, and that makes the member.
    func register(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        let address = try await requests.body(of: request, context).requestedAddress
        guard caller.options.allowsSignUpByMail else { throw NCMBFault.notToBeEntered("mailAddress") }
        try await registerByMail(
            email: address, in: caller.application, languages: AcceptLanguage.tags(of: request),
            from: requests.client(of: request, context))
        return try ordered(for: caller)
    }

    private func ordered(for caller: NCMBCaller) throws -> Response {
        try NCMBResponse.signed(
            NCMBObject([("createDate", .string(modules.now.text))]), status: .created, for: caller)
    }

    /// Sends the mail that confirms a member's new address. A server without mail sends none, and says so nowhere: the
    /// address stands unconfirmed.
    func sendConfirmation(
        to user: User, by session: Session?, for caller: NCMBCaller, _ request: Request, _ context: ServerContext
    ) async {
        // The member is stored already; a mail that cannot be ordered must not undo that in the client's eyes.
        try? await requestVerification(
            nil, of: user, by: session, in: caller.application, languages: AcceptLanguage.tags(of: request),
            from: requests.client(of: request, context))
    }
}
