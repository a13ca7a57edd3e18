import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /requestPasswordReset`: the answer is the same whether or not anybody has the address.
struct PasswordResetMailRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let address = try await api.body(of: request, context).requestedAddress
        _ = try await api.modules.messaging.requestPasswordReset(
            email: address, in: caller.application, languages: AcceptLanguage.tags(of: request),
            from: api.client(of: request, context))
        return try NCMBResponse.signed(
            NCMBObject([("createDate", .string(api.now.text))]), status: .created, for: caller)
    }
}

/// `POST /requestMailAddressUserEntry`: sign-up by mail. The link in the mail leads to where a password is set.
struct RegistrationMailRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let address = try await api.body(of: request, context).requestedAddress
        guard caller.options.allowsSignUpByMail else { throw NCMBFault.notToBeEntered("mailAddress") }
        try await api.modules.accounts.registerByMail(
            email: address, in: caller.application, languages: AcceptLanguage.tags(of: request),
            from: api.client(of: request, context), origin: api.gate.origin(of: request, context))
        return try NCMBResponse.signed(
            NCMBObject([("createDate", .string(api.now.text))]), status: .created, for: caller)
    }
}

extension NCMBBody {
    /// The address that a mail is asked for.
    fileprivate var requestedAddress: String {
        get throws(NCMBFault) {
            switch members["mailAddress"] {
            case nil: throw .empty("mailAddress")
            case .null?: throw .absent("mailAddress")
            case .string(let text)? where MailAddress(text) != nil: text
            default: throw .malformed("mailAddress")
            }
        }
    }
}

extension NCMBAPI {
    /// Sends the mail that confirms a member's new address. A server without mail sends none, and says so nowhere: the
    /// address stands unconfirmed.
    func sendConfirmation(
        to user: User, by session: Session?, for caller: NCMBCaller, _ request: Request, _ context: ServerContext
    ) async {
        // The member is stored already; a mail that cannot be ordered must not undo that in the client's eyes.
        try? await modules.messaging.requestEmailVerification(
            nil, of: user, by: session, in: caller.application, languages: AcceptLanguage.tags(of: request),
            from: client(of: request, context))
    }
}
