package import Domain
import Foundation
import HTTPSupport
package import OkaeriWire

extension UserBody {
    /// A user as the API shows it.
    init(_ shown: UserView) {
        let user = shown.user
        self.init(
            id: user.id.rawValue, isAnonymous: user.isAnonymous, username: user.username, email: user.email,
            emailVerified: user.emailVerifiedAt != nil,
            emailIsRelay: user.hasRelayedEmail ? true : nil, phone: user.phone,
            phoneVerified: user.phoneVerifiedAt != nil,
            displayName: user.displayName, locale: user.locale, fields: user.fields,
            identities: user.identities.map { IdentityBody($0) },
            hasPassword: user.hasPassword, createdAt: user.createdAt.wire, updatedAt: user.updatedAt.wire,
            lastLogInAt: user.lastLogInAt?.wire,
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

extension NativeAPI {
    /// A finished log-in as the API tells it, for answers of another form.
    package static func json(of logIn: LogIn) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(LogInResponse(logIn)))
    }
}

extension LogInResponse {
    /// A finished log-in as the API tells it.
    init(_ logIn: LogIn) {
        self.init(
            isNew: logIn.isNew, user: UserBody(logIn.userView), previousLogInAt: logIn.previousLogInAt?.wire,
            session: NewSessionBody(
                id: logIn.session.id.rawValue, token: logIn.token.revealed, expiresAt: logIn.session.expiresAt.wire,
                idleSeconds: logIn.idleLifetime.components.seconds))
    }
}
