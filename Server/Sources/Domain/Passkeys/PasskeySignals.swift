/// What a client can let authenticators know of a user's passkeys (WebAuthn level 3, §5.1.10).
package struct PasskeySignals: Hashable, Sendable {
    package var domain: String
    package var userName: String
    package var displayName: String
    /// The credentials that lead to the user, by the handle that authenticators keep with them. The user's own handle is
    /// there also without any.
    package var accepted: [String: [String]]

    /// - Parameters:
    ///   - user: The user.
    ///   - passkeys: All of the user's.
    ///   - application: Where.
    ///   - pages: The server's own address for people.
    /// - Throws: `passkeysNotEnabled`.
    init(of user: User, _ passkeys: [Passkey], in application: Application, pages: ProofTarget?) throws(DomainError) {
        domain = try application.settings.passkeys.requiredDomain(orHostOf: pages)
        (userName, displayName) = user.passkeyNames(in: application)
        accepted = [Passkey.handle(of: user.id, in: application.id): []]
        for passkey in passkeys { accepted[passkey.userHandle, default: []].append(passkey.id) }
    }
}

extension User {
    /// What authenticators show of the user.
    func passkeyNames(in application: Application) -> (user: String, display: String) {
        let name = username ?? email ?? displayName ?? application.name
        return (name, displayName ?? name)
    }
}
