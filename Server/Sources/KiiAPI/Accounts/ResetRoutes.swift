import Domain
import HTTPSupport
import Hummingbird

/// `POST …/password/request-reset`: orders a mail or a text message. Kii told strangers whether an address is known;
/// this server gives them one answer, which all SDKs take.
struct RequestResetRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let body = try await api.body(of: request, context)
        let (method, form) = (try body.text("notificationMethod"), try body.text("smsResetMethod"))
        if method == "SMS", form == "URL" {
            throw KiiFault(
                501, "OPERATION_NOT_IMPLEMENTED", "OperationNotImplemented", "Text messages have a code, not a link")
        }
        switch try UserReference(context, in: enabled.publicKey) {
        case .identifier(let identifier, _, _) where identifier.kind == .phone && method != "EMAIL":
            do {
                try await api.modules.messaging.requestTextedReset(
                    phone: identifier.shown, in: enabled.application,
                    wantsVerified: enabled.options.demandsVerifiedPhone, languages: AcceptLanguage.tags(of: request),
                    from: api.gate.client(of: request, context))
            } catch {
                guard case .fieldsRefused = error else { throw error }
                // No number: nobody's, like any other that is unknown.
            }
        case .identifier(let identifier, _, _) where identifier.kind == .email && method != "SMS":
            do {
                _ = try await api.modules.messaging.requestPasswordReset(
                    email: identifier.shown, in: enabled.application,
                    languages: AcceptLanguage.tags(of: request),
                    from: api.gate.client(of: request, context))
            } catch {
                guard case .fieldsRefused = error else { throw error }
                // No mail address: nobody's, like any other that is unknown.
            }
        case .identifier, .id, .me:
            // Whose address it would be is not told to strangers, and messages go to addresses that are typed.
            break
        }
        return KiiResponse.nothing
    }
}

/// `POST …/password/complete-reset`: the code of the mail or text message, and a new password. Old tokens end.
struct CompleteResetRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let body = try await api.body(of: request, context)
        let code = try body.requiredText("pinCode")
        guard let new = try body.text("newPassword") else { throw KiiFault.passwordTooShort }
        var asked = ResetPassword.Request(
            application: enabled.application, token: code, newPassword: Secret(new),
            address: api.gate.client(of: request, context), origin: api.origin(of: request, context), rules: .kii)
        // Digits came by text message, and count for the user whom the path names; a mail's code stands alone.
        if code.utf8.count < 12 {
            switch try UserReference(context, in: enabled.publicKey) {
            case .id(let id): asked.owner = .id(id)
            case .identifier(let identifier, _, _): asked.owner = .identifier(identifier)
            case .me: break
            }
        }
        do {
            try await api.modules.accounts.resetPassword(asked)
        } catch {
            guard case .codeRefused = error else { throw error }
            throw KiiFault.wrongCode(code, in: enabled.publicKey)
        }
        return KiiResponse.nothing
    }
}

extension KiiFault {
    static func wrongCode(_ code: String, in application: String) -> KiiFault {
        KiiFault(
            403, "INVALID_VERIFICATION_CODE", "InvalidVerificationCode", "The code is not valid",
            [("appID", application), ("verificationCode", MemberFault.printable(code))])
    }
}
