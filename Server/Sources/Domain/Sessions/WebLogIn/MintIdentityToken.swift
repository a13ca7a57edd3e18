/// Mints an identity token (OpenID Connect Core 1.0 §2) with the keys that access tokens are signed with.
package struct MintIdentityToken: Sendable {
    let clock: any WallClock
    let signingKeys: SigningKeys

    private struct Claims: Encodable {
        var iss: String
        var sub: String
        var aud: String
        var iat: Int64
        var exp: Int64
        /// Missing when the person never proved to be there.
        var auth_time: Int64?
        var amr: [String]
        var acr: String
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
        let (now, source) = (clock.now.milliseconds / 1000, grant.source)
        let (hasProfile, hasEmail) = (grant.scopes.contains("profile"), grant.scopes.contains("email"))
        let claims = Claims(
            iss: issuer, sub: user.id.rawValue, aud: application.id.rawValue, iat: now,
            exp: now + MintAccessToken.lifetime.components.seconds, auth_time: source.authenticatedAt.map { $0 / 1000 },
            amr: source.methods.amr, acr: source.methods.assurance.rawValue, nonce: grant.nonce, sid: session.rawValue,
            name: hasProfile ? user.displayName : nil, preferred_username: hasProfile ? user.username : nil,
            email: hasEmail ? user.email : nil,
            email_verified: hasEmail && user.email != nil ? user.emailVerifiedAt != nil : nil)
        return try await signingKeys.sign(claims, typ: "JWT")
    }
}
