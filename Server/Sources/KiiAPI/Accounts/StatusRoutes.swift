import Domain
import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// `GET /apps/{appID}/users/{user}/status`, for administrators.
struct ReadStatusRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let (_, user) = try await api.administered(request, context)
        return KiiResponse.response(
            ["disabled": .bool(user.isDisabled)], .ok, KiiResponse.mediaType("UserStatusRetrievalResponse"))
    }
}

/// `PUT /apps/{appID}/users/{user}/status`: an administrator keeps a user out or lets it in again. Tokens end, but for those
/// of a pseudo user, who has nothing else: they are refused meanwhile.
struct ChangeStatusRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let (enabled, user) = try await api.administered(request, context)
        let body = try await api.body(of: request, context)
        guard case .bool(let isDisabled)? = body.members["disabled"] else { throw KiiFault.invalid(["disabled"]) }
        try await api.modules.accounts.setUserDisabled(
            user.id, in: enabled.application, isDisabled: isDisabled,
            by: Operator(actor: .operator, origin: api.origin(of: request, context)))
        return KiiResponse.nothing
    }
}

extension KiiAPI {
    /// The user that an administrator's request names.
    fileprivate func administered(
        _ request: Request, _ context: ServerContext
    ) async throws -> (EnabledProtocol, User) {
        let enabled = try await enabled(request, context)
        guard try await knownCaller(enabled, request, context).isAdministrator else {
            throw KiiFault.unauthorized(in: enabled.publicKey)
        }
        return (enabled, try await found(try UserReference(context, in: enabled.publicKey), by: nil, in: enabled))
    }
}

/// A call that is known and not served.
struct NotServedRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        guard try await api.knownCaller(enabled, request, context).isAdministrator else {
            throw KiiFault.unauthorized(in: enabled.publicKey)
        }
        throw KiiFault(501, "OPERATION_NOT_IMPLEMENTED", "OperationNotImplemented", "This call is not served")
    }
}
