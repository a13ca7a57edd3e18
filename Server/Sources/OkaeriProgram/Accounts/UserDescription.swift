import Domain
import HTTPSupport
import OkaeriWire

extension UserBody {
    /// A user as the API shows it.
    init(_ user: User) {
        self.init(
            id: user.id.rawValue, isAnonymous: user.isAnonymous, username: user.username, email: user.email,
            emailVerified: user.emailVerifiedAt != nil,
            emailIsRelay: user.hasRelayedEmail ? true : nil, phone: user.phone,
            phoneVerified: user.phoneVerifiedAt != nil,
            displayName: user.displayName, locale: user.locale, fields: user.fields,
            identities: user.identities.map {
                IdentityBody(provider: $0.provider.rawValue, subject: $0.subject, linkedAt: $0.linkedAt.wire)
            },
            hasPassword: user.hasPassword, createdAt: user.createdAt.wire, updatedAt: user.updatedAt.wire,
            lastLogInAt: user.lastLogInAt?.wire,
            previousLogInAt: user.previousLogInAt?.wire)
    }
}

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
