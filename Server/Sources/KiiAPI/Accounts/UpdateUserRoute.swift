import Domain
import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// `POST /apps/{appID}/users/{user}`: the custom fields as a whole, what else is named, and the upgrade of a pseudo
/// user.
struct UpdateUserRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let user = try await api.changeable(
            try UserReference(context, in: enabled.publicKey), by: caller, in: enabled)
        var profile = try KiiProfile(try await api.body(of: request, context), over: user)
        let pending = profile.identifiers.takePendingAddresses(of: user, by: caller, in: enabled)
        do {
            // Predefined: a missing one stays as it is.
            var edit = UserEdit(
                compatible: .replaced(profile.fields, keeping: ["country"]), identifiers: profile.identifiers)
            if let name = profile.displayName { edit.displayName = .set(name) }
            if let locale = profile.locale { edit.locale = .set(locale) }
            edit.password = .first(profile.password)
            let changed = try await api.modules.accounts.editUser(
                edit, of: user.id, in: enabled.application, by: api.author(caller, of: user, request, context)
            ).user
            try await api.verify(pending, after: changed, from: user, by: caller, enabled, request, context)
            return KiiResponse.response(["modifiedAt": .integer(changed.updatedAt.milliseconds)])
        } catch {
            guard let refusal = error as? DomainError, case .identifiersTaken = refusal else { throw error }
            throw KiiFault.taken(refusal.identifierKinds, in: enabled.publicKey)
        }
    }
}

/// `DELETE /apps/{appID}/users/{user}`: at once, so that the login name is free again.
struct DeleteUserRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let user = try await api.changeable(
            try UserReference(context, in: enabled.publicKey), by: caller, in: enabled)
        try await api.modules.deletion.eraseAccessibleUser(
            user.id, in: enabled.application, by: caller.actor,
            from: api.origin(of: request, context), seesLeaving: true)
        return KiiResponse.nothing
    }
}
