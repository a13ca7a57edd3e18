import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/adopt`: takes a user over from a session of a foreign protocol.
struct AdoptionRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        guard let proof = api.gate.presentedProof(of: request, context) else { throw DomainError.proofRequired }
        let attemptName = try Attempt.name(of: request)
        guard let body = try await api.readJSON(AdoptionBody.self, of: request, context) else {
            throw RequestError.membersInvalid(["protocol", "token"].map { MemberFault(path: $0, rule: .required) })
        }
        var named = body
        named.token = ""
        let logIn = try await api.useCases.foreign.adoptSession(
            AdoptSession.Request(
                application: application, protocolName: .init(rawValue: body.protocolName),
                token: Secret(body.token), proof: proof, joinsDevice: body.joinsDevice ?? true,
                device: body.device.map { DeviceDescription($0) } ?? .init(),
                attempt: try Attempt(name: attemptName, body: named), address: api.gate.client(of: request, context),
                origin: api.origin(of: request, context)))
        api.metrics.knownUserLogIns.add()
        context.tellNotices(logIn.noticeCount)
        return try JSONResponse(body: LogInResponse(logIn)).response()
    }
}
