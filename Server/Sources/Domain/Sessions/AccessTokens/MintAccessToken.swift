/// Mints a short-lived JWT for the app's own backends (RFC 9068, requirement 14).
package struct MintAccessToken: Sendable {
    package static let lifetime: Duration = .seconds(600)

    let clock: any WallClock
    let randomness: any Randomness
    let signingKeys: SigningKeys
    /// The server's own address, the token's `iss`.
    let issuer: String

    private struct Claims: Encodable {
        var iss: String
        var sub: String
        var aud: String
        var client_id: String
        var sid: String
        var jti: String
        var iat: Int64
        var exp: Int64
        var auth_time: Int64
        var amr: [String]
        var acr: String
        var is_anonymous: Bool
    }

    /// - Parameters:
    ///   - who: Whose token it is.
    ///   - audience: One of the application's audiences; `nil` for the application itself.
    /// - Returns: the token, to be shown once.
    /// - Throws: `audienceNotAllowed`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(for who: Authenticated, audience: String?) async throws(DomainError) -> Secret {
        let application = who.application
        let audience = audience ?? application.id.rawValue
        guard audience == application.id.rawValue || application.settings.audiences.contains(audience) else {
            throw .audienceNotAllowed
        }
        let now = clock.now.milliseconds / 1000
        let claims = Claims(
            iss: issuer, sub: who.user.id.rawValue, aud: audience, client_id: application.id.rawValue,
            sid: who.session.id.rawValue, jti: Base64URL.text(of: randomness.bytes(16)), iat: now,
            exp: now + Self.lifetime.components.seconds,
            auth_time: (who.session.authenticatedAt ?? who.session.createdAt).milliseconds / 1000,
            amr: who.session.methods.amr, acr: who.session.methods.assurance.rawValue,
            is_anonymous: who.user.isAnonymous)
        return try await signingKeys.sign(claims, typ: "at+jwt")
    }
}
