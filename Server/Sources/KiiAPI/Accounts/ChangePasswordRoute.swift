import Domain
import HTTPSupport
import Hummingbird

/// `PUT /apps/{appID}/users/{user}/password`: another password. All tokens end, the one of the request too.
struct ChangePasswordRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let user = try await api.changeable(
            try UserReference(context, in: enabled.publicKey), by: caller, in: enabled)
        let body = try await api.body(of: request, context)
        guard user.hasPassword else { throw KiiFault.notAllowed("The user has no password") }
        guard let new = try body.text("newPassword").map(Secret.init(_:)) else { throw KiiFault.passwordTooShort }
        guard let session = caller.session else {
            var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .kii))
            edit.password = .set(new, renewal: nil)
            try await api.modules.accounts.editUser(
                edit, of: user.id, in: enabled.application, by: api.author(caller, of: user, request, context))
            return KiiResponse.nothing
        }
        let old = Secret(try body.text("oldPassword") ?? "")
        do {
            _ = try await api.modules.accounts.changePassword(
                ChangePassword.Request(
                    current: old, new: new, address: api.gate.client(of: request, context), rules: .kii,
                    keepsSession: false, origin: api.origin(of: request, context)),
                by: session, isProven: false)
        } catch {
            guard case .credentialRefused = error else { throw error }
            throw KiiFault(
                401, "WRONG_PASSWORD", "WrongPassword", "The password is wrong",
                [("appID", enabled.publicKey), ("principalID", user.id.rawValue)])
        }
        return KiiResponse.nothing
    }
}
