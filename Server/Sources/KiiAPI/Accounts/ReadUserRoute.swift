import Domain
import HTTPSupport
import Hummingbird
import NIOCore
import enum OkaeriWire.JSONValue

/// `GET /apps/{appID}/users/{user}`. For the own user it is the hot path: after the first time the session's cache has
/// the answer's bytes.
struct ReadUserRoute: Sendable {
    let api: KiiAPI

    private static let mediaType = KiiResponse.mediaType("UserDataRetrievalResponse")

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let reference = try UserReference(context, in: enabled.publicKey)
        if let session = caller.session {
            if reference.names(session.user) { return try await own(session, enabled) }
            let user = try await api.found(reference, by: session.user.id, in: enabled)
            let shown = user.shown(to: .others, in: enabled.application)
            return KiiResponse.response(
                enabled.options.isReadableByAll
                    ? KiiUserObject.full(shown, enabled.options) : KiiUserObject.limited(shown), .ok, Self.mediaType)
        }
        let user = try await api.found(reference, by: nil, in: enabled)
        let shown = user.shown(to: .server, in: enabled.application)
        return KiiResponse.response(KiiUserObject.full(shown, enabled.options), .ok, Self.mediaType)
    }

    private func own(_ session: Authenticated, _ enabled: EnabledProtocol) async throws -> Response {
        let options = enabled.options
        if options.demandsVerifiedEmail || options.demandsVerifiedPhone {
            // What waits for its verification stands elsewhere, and is not in the session's cache.
            var pending: [AddressKind: String] = [:]
            for kind in AddressKind.allCases where kind.isDemanded(options) {
                pending[kind] = try await api.modules.accounts.findPendingAddress(of: session.user, by: kind.mailKind)
            }
            return KiiResponse.response(
                KiiUserObject.full(session.userView, options, pending: pending), .ok, Self.mediaType)
        }
        let written = try session.written(
            for: .kii, JSONValue.object(KiiUserObject.full(session.userView, options)))
        return KiiResponse.response(written.body, .ok, Self.mediaType)
    }
}
