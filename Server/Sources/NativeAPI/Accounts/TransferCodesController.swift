import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire
import QRCodes

/// Transfer codes, which carry a user to another device.
struct TransferCodesController: Sendable {
    let requests: NativeRequests
    let metrics: ServerMetrics
    let transfers: Transfers

    /// `POST /v1/user/transfer-code`: a code that carries the user to another device.
    func issue(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let issued = try await transfers.issueTransferCode(
            by: caller, isProven: requests.isProven(request, context), from: requests.origin(of: request, context))
        let link = issued.link?.revealed
        // An application's pattern may be too long for a QR code; the code alone never is.
        let picture = link.flatMap { QRPicture($0) } ?? QRPicture(issued.code.revealed)
        let answer = TransferCodeResponse(
            code: issued.code.revealed, expiresAt: issued.expiresAt.wire, link: link, qrSVG: picture?.svg ?? "")
        return try JSONResponse(body: answer, status: .created).response()
    }

    /// `DELETE /v1/user/transfer-code`: the code leads nowhere any more.
    func withdraw(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        try await transfers.withdrawTransferCode(by: caller, from: requests.origin(of: request, context))
        return Response(status: .noContent)
    }

    /// `POST /v1/log-in/transfer-code`: a new device joins the user that issued the code.
    func redeem(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        guard let proof = requests.gate.presentedProof(of: request, context) else { throw DomainError.proofRequired }
        if request.hasLongBody { try transfers.redeemTransferCode.verify(proof) }
        let attemptName = try Attempt.name(of: request)
        guard let body = try await requests.readJSON(TransferLogInBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "code", rule: .required)])
        }
        // The code is a secret: what is kept of an attempt must not help to guess it.
        let attempt = try Attempt(name: attemptName, body: body.device)
        let redeemed = try await redeem(
            RedeemTransferCode.Request(
                application: application, code: body.code, proof: proof,
                device: body.device.map { DeviceDescription($0) } ?? .init(), attempt: attempt,
                address: requests.gate.client(of: request, context), origin: requests.origin(of: request, context)))
        context.tellNotices(redeemed.logIn.noticeCount)
        var answer = LogInResponse(redeemed.logIn)
        answer.leftUser = redeemed.leftUser.map { LeftUserBody(id: $0.id.rawValue, erasedAt: $0.erasedAt?.wire) }
        return try JSONResponse(body: answer).response()
    }

    private func redeem(
        _ request: RedeemTransferCode.Request
    ) async throws(DomainError) -> RedeemTransferCode.Redeemed {
        do throws(DomainError) {
            let redeemed = try await transfers.redeemTransferCode(request)
            metrics.knownUserLogIns.add()
            return redeemed
        } catch {
            if case .transferCodeRefused = error { metrics.refusedCredentials.add() }
            if case .rateLimited = error { metrics.delayedLogIns.add() }
            throw error
        }
    }

    /// `POST /v1/user/transfer-code/undo`: takes a device out again that joined by a transfer code.
    func undo(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let body = try await requests.readJSON(UndoTransferBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "transfer", rule: .required)])
        }
        try await transfers.undoTransfer(
            Identifier(rawValue: body.transfer), by: caller, from: requests.origin(of: request, context))
        return Response(status: .noContent)
    }
}
