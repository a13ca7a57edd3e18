package import Domain
import Foundation
import HTTPSupport
package import OkaeriWire

extension UserBody {
    /// A user as the API shows it.
    init(_ shown: UserView) {
        self.init(shown.user)
        let access = shown.access
        roles = access.roles.isEmpty ? nil : access.roles
        groups = access.groups.isEmpty ? nil : access.groups
        permissions = access.permissions.isEmpty ? nil : access.permissions
        claims = access.claims.isEmpty ? nil : access.claims
        claimsVersion = access.version
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
            id: session.id.rawValue, isCurrent: isCurrent, protocol: session.protocolName.rawValue,
            createdWith: session.method.rawValue, createdAt: session.createdAt.wire,
            lastUsedAt: session.lastUsedAt.wire, expiresAt: session.expiresAt.wire)
        device = DeviceBody(session.device)
        address = session.address
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
