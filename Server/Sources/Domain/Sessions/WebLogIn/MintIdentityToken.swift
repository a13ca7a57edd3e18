import Crypto
import Foundation

/// Mints an identity token (OpenID Connect Core 1.0 §2) with the keys that access tokens are signed with.
package struct MintIdentityToken: Sendable {
    let clock: any WallClock
    let signingKeys: SigningKeys

    private struct Header: Encodable {
        var typ = "JWT"
        var alg = "ES256"
        var kid: String
    }

    private struct Claims: Encodable {
        var iss: String
        var sub: String
        var aud: String
        var iat: Int64
        var exp: Int64
        var auth_time: Int64
        var amr: [String]
        var nonce: String?
        var sid: String
        var name: String?
        var preferred_username: String?
        var email: String?
        var email_verified: Bool?
    }

    /// - Throws: `secretUnreadable`, `storageUnavailable`.
    func callAsFunction(
        for user: User, session: Identifier<Session>, _ grant: AuthorizationGrant, issuer: String,
        in application: Application
    ) async throws(DomainError) -> Secret {
        guard let key = try await signingKeys().first else { throw .secretUnreadable }
        let now = clock.now.milliseconds / 1000
        let (hasProfile, hasEmail) = (grant.scopes.contains("profile"), grant.scopes.contains("email"))
        let claims = Claims(
            iss: issuer, sub: user.id.rawValue, aud: application.id.rawValue, iat: now,
            exp: now + MintAccessToken.lifetime.components.seconds, auth_time: grant.authenticatedAt / 1000,
            amr: grant.methods, nonce: grant.nonce, sid: session.rawValue,
            name: hasProfile ? user.displayName : nil, preferred_username: hasProfile ? user.username : nil,
            email: hasEmail ? user.email : nil,
            email_verified: hasEmail && user.email != nil ? user.emailVerifiedAt != nil : nil)
        return try key.sign(Header(kid: key.id), claims)
    }
}

extension SigningKey {
    /// A JWT in compact form (RFC 7515 §7.1).
    ///
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func sign(_ header: some Encodable, _ claims: some Encodable) throws(DomainError) -> Secret {
        do {
            let header = Base64URL.text(of: try JSONEncoder().encode(header))
            let signed = header + "." + Base64URL.text(of: try JSONEncoder().encode(claims))
            let signature = try privateKey.signature(for: Array(signed.utf8)).rawRepresentation
            return Secret(signed + "." + Base64URL.text(of: signature))
        } catch {
            // The claims always encode; signing fails only when the library does.
            throw .secretUnreadable
        }
    }
}
