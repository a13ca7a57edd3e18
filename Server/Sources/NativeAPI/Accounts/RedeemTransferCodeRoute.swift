import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/transfer-code`: a new device joins the user that issued the code.
struct RedeemTransferCodeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        guard let proof = api.gate.presentedProof(of: request, context) else { throw DomainError.proofRequired }
        let attemptName = try Attempt.name(of: request)
        guard let body = try await api.readJSON(TransferLogInBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "code", rule: .required)])
        }
        // The code is a secret: what is kept of an attempt must not help to guess it.
        let attempt = try Attempt(name: attemptName, body: body.device)
        let redeemed = try await redeem(
            RedeemTransferCode.Request(
                application: application, code: body.code, proof: proof,
                device: body.device.map { DeviceDescription($0) } ?? .init(), attempt: attempt,
                address: api.gate.client(of: request, context), origin: api.origin(of: request, context)))
        context.tellNotices(redeemed.logIn.noticeCount)
        var answer = LogInResponse(redeemed.logIn)
        answer.leftUser = redeemed.leftUser.map { LeftUserBody(id: $0.id.rawValue, erasedAt: $0.erasedAt?.wire) }
        return try JSONResponse(body: answer).response()
    }

    private func redeem(
        _ request: RedeemTransferCode.Request
    ) async throws(DomainError) -> RedeemTransferCode.Redeemed {
        do throws(DomainError) {
            let redeemed = try await api.useCases.redeemTransferCode(request)
            api.metrics.knownUserLogIns.add()
            return redeemed
        } catch {
            if case .transferCodeRefused = error { api.metrics.refusedCredentials.add() }
            if case .rateLimited = error { api.metrics.delayedLogIns.add() }
            throw error
        }
    }
}
