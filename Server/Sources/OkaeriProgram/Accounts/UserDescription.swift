import Domain
import HTTPSupport
import OkaeriWire

/// A user's session as `--json` shows it.
struct SessionDescription: Encodable {
    let id: String
    let device: DeviceBody
    let address: String?
    let `protocol`: String
    let createdWith: String
    let createdAt: WireTime
    let lastUsedAt: WireTime
    let expiresAt: WireTime

    init(_ session: Session) {
        id = session.id.rawValue
        device = DeviceBody(
            name: session.device.name, model: session.device.model, system: session.device.system,
            appVersion: session.device.appVersion)
        address = session.address
        `protocol` = session.protocolName.rawValue
        createdWith = session.method.rawValue
        createdAt = session.createdAt.wire
        lastUsedAt = session.lastUsedAt.wire
        expiresAt = session.expiresAt.wire
    }
}
