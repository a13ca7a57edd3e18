package import Domain
package import OkaeriWire

extension UserBody {
    /// A user as the native API and the command line show it.
    package init(_ user: User) {
        self.init(
            id: user.id.rawValue, isAnonymous: user.isAnonymous, displayName: user.displayName, locale: user.locale,
            fields: user.fields, identities: user.identities.map { IdentityBody($0) },
            createdAt: user.createdAt.wire, updatedAt: user.updatedAt.wire)
        username = user.username
        email = user.email
        emailVerified = user.emailVerifiedAt != nil
        emailIsRelay = user.hasRelayedEmail ? true : nil
        phone = user.phone
        phoneVerified = user.phoneVerifiedAt != nil
        hasPassword = user.hasPassword
        lastLogInAt = user.lastLogInAt?.wire
        previousLogInAt = user.previousLogInAt?.wire
    }
}

extension IdentityBody {
    package init(_ identity: Identity) {
        self.init(
            provider: identity.provider.rawValue, subject: identity.subject, linkedAt: identity.linkedAt.wire)
    }
}

/// A user's session, as the API and the commands show it to admins.
package struct AdminSessionBody: Encodable {
    let id: String
    let user: String
    let device: DeviceBody?
    let address: String?
    let `protocol`: String
    let createdWith: String
    let createdAt: WireTime
    let lastUsedAt: WireTime
    let expiresAt: WireTime

    /// - Parameter session: As the admin sees it.
    package init(_ session: Session) {
        id = session.id.rawValue
        user = session.user.rawValue
        device = DeviceBody(session.device)
        address = session.address
        `protocol` = session.protocolName.rawValue
        createdWith = session.method.rawValue
        createdAt = session.createdAt.wire
        lastUsedAt = session.lastUsedAt.wire
        expiresAt = session.expiresAt.wire
    }
}

extension DeviceBody {
    /// `nil` when the device said nothing of itself.
    package init?(_ device: DeviceDescription) {
        guard device != DeviceDescription() else { return nil }
        self.init(name: device.name, model: device.model, system: device.system, appVersion: device.appVersion)
    }
}

/// A user's passkey, as the API and the commands show it to admins.
package struct AdminPasskeyBody: Encodable {
    let id: String
    let name: String?
    let aaguid: String
    let transports: [String]
    let isBackupEligible: Bool
    let isBackedUp: Bool
    /// What the authenticator last counted; 0 for those that do not count.
    let signCount: Int64
    let createdAt: WireTime
    let lastUsedAt: WireTime?

    /// - Parameter passkey: As the admin sees it.
    package init(_ passkey: Passkey) {
        id = passkey.id
        name = passkey.name
        aaguid = passkey.aaguid
        transports = passkey.transports
        isBackupEligible = passkey.isBackupEligible
        isBackedUp = passkey.isBackedUp
        signCount = passkey.signCount
        createdAt = passkey.createdAt.wire
        lastUsedAt = passkey.lastUsedAt?.wire
    }
}
