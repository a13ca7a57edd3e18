import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `GET /v1/user/notices`: what this device has not been told.
struct ListNoticesRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let transfers = try await api.useCases.listNotices(for: caller)
        return try JSONResponse(body: NoticeListAnswer(notices: transfers.map { NoticeBody($0) })).response()
    }
}

extension NoticeBody {
    init(_ transfer: Transfer) {
        self.init(
            id: transfer.id.rawValue, kind: Self.deviceAdded, createdAt: transfer.redeemedAt.wire,
            device: DeviceBody(transfer.device), address: transfer.address, undoUntil: transfer.undoEnd.wire)
    }
}
