import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// What a device has to show its user.
struct NoticesController: Sendable {
    let requests: NativeRequests
    let transfers: Transfers

    /// `GET /v1/user/notices`: the notices that this device has not acknowledged.
    func list(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let transfers = try await transfers.listNotices(for: caller)
        return try JSONResponse(body: NoticeListResponse(notices: transfers.map { NoticeBody($0) })).response()
    }

    /// `DELETE /v1/user/notices/{id}`: the person took note.
    func acknowledge(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        if let id = context.parameters.get("id") {
            try await transfers.acknowledgeNotice(
                Identifier(rawValue: id), by: caller, from: requests.origin(of: request, context))
        }
        return Response(status: .noContent)
    }
}

extension NoticeBody {
    init(_ transfer: Transfer) {
        self.init(
            id: transfer.id.rawValue, kind: Self.deviceAdded, createdAt: transfer.redeemedAt.wire,
            device: DeviceBody(transfer.device), address: transfer.address, undoUntil: transfer.undoEnd.wire)
    }
}
