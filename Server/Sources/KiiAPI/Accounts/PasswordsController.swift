import Domain
import HTTPSupport
import Hummingbird

/// Passwords: changed with the present one, and reset by a message.
final class PasswordsController: Sendable {
    private let accounts: Accounts
    private let messaging: Messaging
    /// Whether links to this server's own pages can be sent.
    private let hasPages: Bool

    init(_ modules: Modules) {
        accounts = modules.accounts
        messaging = modules.messaging
        hasPages = modules.pagesURL != nil
    }

    /// `PUT /apps/{appID}/users/{user}/password`: another password. All tokens end, the one of the request too. Kii handed
    /// out no hashes: the password of a user who was imported cannot be compared, and the token is enough.
    func change(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        let body = try await request.body()
        guard user.hasPassword else { throw KiiFault.notAllowed("The user has no password") }
        guard let new = try body.text("newPassword").map(Secret.init(_:)) else { throw KiiFault.passwordTooShort }
        guard let session = request.caller.session else {
            var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .kii))
            edit.password = .set(new, renewal: nil)
            try await accounts.editUser(edit, of: user.id, in: request.application, by: request.author(of: user))
            return KiiResponse.nothing
        }
        let old = Secret(try body.text("oldPassword") ?? "")
        do {
            _ = try await accounts.changePassword(
                ChangePassword.Request(
                    current: old, new: new, address: request.client, rules: .kii, keepsSession: false,
                    replacesUnknown: true, origin: request.origin),
                by: session, isProven: false)
        } catch {
            guard case .credentialRefused = error else { throw error }
            throw KiiFault(
                401, "WRONG_PASSWORD", "WrongPassword", "The password is wrong",
                [
                    ("appID", request.appID), ("principalID", user.id.rawValue),
                    ("address", MemberFault.printable(user.typedIdentifiers.first?.shown ?? "")),
                ])
        }
        return KiiResponse.nothing
    }

    /// `POST …/password/request-reset`: orders a mail or a text message. Kii disclosed to strangers whether an address is
    /// known; this server gives them one response, which all SDKs take.
    func requestReset(_ request: KiiRequest) async throws -> Response {
        let body = try await request.body()
        let (method, form) = (try body.text("notificationMethod"), try body.text("smsResetMethod"))
        let hasLink = method == "SMS" && form == "URL"
        if hasLink, !hasPages {
            throw KiiFault(501, "OPERATION_NOT_IMPLEMENTED", "OperationNotImplemented", "The server has no pages")
        }
        switch try request.reference() {
        case .identifier(let identifier, _, _) where identifier.kind == .phone && method != "EMAIL":
            do {
                try await messaging.requestTextedReset(
                    phone: identifier.shown, in: request.application,
                    wantsVerified: request.options.demandsVerifiedPhone, hasLink: hasLink, languages: request.languages,
                    from: request.client)
            } catch {
                guard case .fieldsRefused = error else { throw error }
                // No number: nobody's, like any other that is unknown.
            }
        case .identifier(let identifier, _, _) where identifier.kind == .email && method != "SMS":
            do {
                _ = try await messaging.requestPasswordReset(
                    email: identifier.shown, in: request.application, languages: request.languages,
                    from: request.client)
            } catch {
                guard case .fieldsRefused = error else { throw error }
                // No mail address: nobody's, like any other that is unknown.
            }
        case .identifier, .id, .me:
            // Whose address it would be is not disclosed to strangers, and messages go to addresses that are typed.
            break
        }
        return KiiResponse.nothing
    }

    /// `POST …/password/complete-reset`: the code of the mail or text message, and a new password; without one the server
    /// chooses it and sends it to where the code went. Old tokens end.
    func completeReset(_ request: KiiRequest) async throws -> Response {
        let body = try await request.body()
        let code = try body.requiredText("pinCode")
        let chosen = try body.text("newPassword").map(Secret.init(_:))
        var asked = ResetPassword.Request(
            application: request.application, token: code,
            newPassword: chosen ?? accounts.resetPassword.drawPassword(), address: request.client,
            origin: request.origin, rules: .kii)
        if chosen == nil { asked.sentIn = request.languages }
        // Digits came by text message, and count for the user whom the path names; a mail's code stands alone.
        if code.utf8.count < 12 {
            switch try request.reference() {
            case .id(let id): asked.owner = .id(id)
            case .identifier(let identifier, _, _): asked.owner = .identifier(identifier)
            case .me: break
            }
        }
        do {
            try await accounts.resetPassword(asked)
        } catch {
            guard case .codeRefused = error else { throw error }
            throw KiiFault.wrongCode(code, in: request.appID)
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
