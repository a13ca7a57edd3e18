import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/providers/apple/notifications`: Apple's server-to-server notifications (requirement 35). Apple names no
/// application; the signed message does.
struct AppleNotificationRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        guard let body = try await api.readJSON(AppleNotificationBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "payload", rule: .required)])
        }
        try await api.useCases.takeAppleNotification(body.payload)
        return Response(status: .ok)
    }
}
