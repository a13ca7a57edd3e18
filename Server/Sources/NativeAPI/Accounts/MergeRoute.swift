import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/merge`: keeps the current user, goes on as the other, or merges the current one into the other.
struct MergeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let body = try await api.readJSON(MergeBody.self, of: request, context) else {
            throw RequestError.membersInvalid(["ticket", "choice"].map { MemberFault(path: $0, rule: .required) })
        }
        guard let choice = MergeChoice(rawValue: body.choice) else {
            throw RequestError.membersInvalid([MemberFault(path: "choice", rule: .malformed)])
        }
        try await api.useCases.rememberAttempt(
            try Attempt(name: try Attempt.name(of: request), body: body), by: caller)
        let resolution = try await api.useCases.resolveMerge(
            body.ticket, choice, by: caller, address: api.gate.client(of: request, context),
            from: api.origin(of: request, context))
        let answer = MergeResponse(
            user: UserBody(resolution.user.shown(to: .owner, in: caller.application)),
            session: resolution.logIn.map { LogInResponse($0).session },
            merge: resolution.merge?.rawValue,
            leftUser: resolution.leftUser.map { LeftUserBody(id: $0.id.rawValue, erasedAt: $0.erasedAt?.wire) })
        return try JSONResponse(body: answer).response()
    }
}
