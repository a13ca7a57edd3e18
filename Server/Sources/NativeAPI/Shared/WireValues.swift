import Domain
import OkaeriWire

extension Timestamp {
    /// The instant as the API writes it.
    var wire: WireTime { WireTime(millisecondsSince1970: milliseconds) }
}

extension UserBody {
    /// A user as the API shows it to the user.
    init(_ user: User) {
        self.init(
            id: user.id.rawValue, isAnonymous: user.isAnonymous, displayName: user.displayName, locale: user.locale,
            fields: user.fields, identities: user.identities.map { IdentityBody($0) },
            createdAt: user.createdAt.wire, updatedAt: user.updatedAt.wire, lastLogInAt: user.lastLogInAt?.wire,
            previousLogInAt: user.previousLogInAt?.wire)
    }
}

extension IdentityBody {
    init(_ identity: Identity) {
        self.init(
            provider: identity.provider.rawValue, subject: identity.subject, linkedAt: identity.linkedAt.wire)
    }
}

extension DeviceBody {
    /// `nil` when the device said nothing of itself.
    init?(_ device: DeviceDescription) {
        guard device != DeviceDescription() else { return nil }
        self.init(name: device.name, model: device.model, system: device.system, appVersion: device.appVersion)
    }
}

extension DeviceDescription {
    init(_ body: DeviceBody) {
        self.init(name: body.name, model: body.model, system: body.system, appVersion: body.appVersion)
    }
}

extension SessionBody {
    init(_ session: Session, isCurrent: Bool) {
        self.init(
            id: session.id.rawValue, isCurrent: isCurrent, device: DeviceBody(session.device),
            address: session.address, protocol: session.protocolName.rawValue, createdWith: session.method.rawValue,
            createdAt: session.createdAt.wire, lastUsedAt: session.lastUsedAt.wire, expiresAt: session.expiresAt.wire)
    }
}
