import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `GET /v1/user/device-keys`: the keys by which devices log in automatically, oldest first.
struct ListDeviceKeysRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let keys = try await api.useCases.listDeviceKeys(of: caller.user.id, in: caller.application.id)
        let bodies = keys.map { DeviceKeyBody($0, isCurrent: $0.thumbprint == caller.session.deviceKey) }
        return try JSONResponse(body: DeviceKeyListAnswer(deviceKeys: bodies)).response()
    }
}

/// `DELETE /v1/user/device-keys/{thumbprint}`: the device logs in automatically no more, and its sessions end.
struct RemoveDeviceKeyRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        guard let thumbprint = context.parameters.get("thumbprint") else { throw DomainError.identityUnknown }
        try await api.useCases.removeDeviceKeys(
            thumbprint, of: caller.user.id, in: caller.application,
            by: Operator(actor: .user(caller.user.id), origin: api.origin(of: request, context)))
        return Response(status: .noContent)
    }
}

/// `DELETE /v1/user/device-keys`: the same for all devices but the one of the request.
struct RemoveOtherDeviceKeysRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let removed = try await api.useCases.removeDeviceKeys.others(
            of: caller.user.id, in: caller.application, keeping: KeptAccess(caller),
            by: Operator(actor: .user(caller.user.id), origin: api.origin(of: request, context)))
        return try JSONResponse(body: RemovedDeviceKeysAnswer(removed: removed)).response()
    }
}

extension DeviceKeyBody {
    init(_ key: DeviceKey, isCurrent: Bool?) {
        self.init(
            thumbprint: key.thumbprint, isCurrent: isCurrent, device: DeviceBody(key.device),
            addedAt: key.addedAt.wire, lastUsedAt: key.lastUsedAt?.wire)
    }
}
