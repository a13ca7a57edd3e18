import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// The keys by which the devices of the own user log in automatically.
struct DeviceKeysController: Sendable {
    let requests: NativeRequests
    let accounts: Accounts

    /// `GET /v1/user/device-keys`: the keys by which devices log in automatically, oldest first.
    func list(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let keys = try await accounts.listDeviceKeys(of: caller.user.id, in: caller.application.id)
        let bodies = keys.map { DeviceKeyBody($0, isCurrent: $0.thumbprint == caller.session.deviceKey) }
        return try JSONResponse(body: DeviceKeyListResponse(deviceKeys: bodies)).response()
    }

    /// `DELETE /v1/user/device-keys/{thumbprint}`: the device logs in automatically no more, and its sessions end.
    func remove(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let thumbprint = context.parameters.get("thumbprint") else { throw DomainError.identityUnknown }
        try await accounts.removeDeviceKeys(
            thumbprint, of: caller.user.id, in: caller.application,
            by: requests.author(caller, request, context))
        return Response(status: .noContent)
    }

    /// `DELETE /v1/user/device-keys`: the same for all devices but the one of the request.
    func removeOthers(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let removed = try await accounts.removeDeviceKeys.others(
            of: caller.user.id, in: caller.application, by: requests.author(caller, request, context))
        return try JSONResponse(body: RemovedDeviceKeysResponse(removed: removed)).response()
    }
}

extension DeviceKeyBody {
    init(_ key: DeviceKey, isCurrent: Bool?) {
        self.init(
            thumbprint: key.thumbprint, isCurrent: isCurrent, device: DeviceBody(key.device),
            addedAt: key.addedAt.wire, lastUsedAt: key.lastUsedAt?.wire)
    }
}
