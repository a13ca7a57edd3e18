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
