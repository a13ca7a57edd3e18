import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire
import QRCodes

/// `POST /v1/user/transfer-code`: a code that carries the user to another device.
struct IssueTransferCodeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let issued = try await api.useCases.issueTransferCode(by: caller, from: api.origin(of: request, context))
        let link = issued.link?.revealed
        // An application's pattern may be too long for a QR code; the code alone never is.
        let picture = link.flatMap { QRPicture($0) } ?? QRPicture(issued.code.revealed)
        let answer = TransferCodeResponse(
            code: issued.code.revealed, expiresAt: issued.expiresAt.wire, link: link, qrSVG: picture?.svg ?? "")
        return try JSONResponse(body: answer, status: .created).response()
    }
}
