import enum OkaeriWire.JSONValue

/// Mints a short-lived JWT for the app's own backends (RFC 9068, requirement 14).
package struct MintAccessToken: Sendable {
    package static let lifetime: Duration = .seconds(600)

    let clock: any WallClock
    let randomness: any Randomness
    let signingKeys: SigningKeys
    /// The server's own address, the token's `iss`.
    let issuer: String
    let askHook: AskHook
    let authenticate: Authenticate

    /// The key that the token is bound to (RFC 9449 §6.1).
    private struct Confirmation: Encodable {
        var jkt: String
    }

    private struct Claims: Encodable {
        var iss: String
        var sub: String
        var aud: String
        var client_id: String
        var sid: String
        var cnf: Confirmation?
        var jti: String
        var iat: Int64
        var exp: Int64
        /// Missing when nobody ever proved to be there: a device's key shows the device.
        var auth_time: Int64?
        var amr: [String]
        var acr: String
        var is_anonymous: Bool
        /// Stands for the application's own claims; see `Access.version`.
        var claims_version: String?
    }

    /// All claims of a token. What the server says of itself stays, whatever the application's rules say.
    private struct Payload: Encodable {
        let claims: Claims
        let own: [String: JSONValue]

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Name.self)
            for (name, value) in own { try members.encode(value, forKey: Name(stringValue: name)) }
            try claims.encode(to: encoder)
        }
    }

    /// - Parameters:
    ///   - who: Whose token it is.
    ///   - audience: One of the application's audiences; `nil` for the application itself.
    ///   - isBound: Whether backends shall take it only with a proof of the key that opened the session.
    /// - Returns: the token, to be shown once.
    /// - Throws: `sessionInvalid`, `audienceNotAllowed`, `fieldsRefused` for too large claims, `hookRefused`, `hookUnavailable`,
    ///   `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        for who: Authenticated, audience: String?, isBound: Bool = false
    ) async throws(DomainError) -> Secret {
        let application = who.application
        let audience = audience ?? application.id.rawValue
        guard audience == application.id.rawValue || application.settings.audiences.contains(audience) else {
            throw .audienceNotAllowed
        }
        let access = who.user.access(in: application)
        try access.requireFittingClaims()
        let key = who.session.deviceKey
        // A session of a web page has no key.
        guard !isBound || key != nil else {
            throw .fieldsRefused([ValidationError(field: "isBound", rule: .notOffered)])
        }
        let added = try await askHook.beforeToken(for: who, audience: audience, claims: access.claims)
        // A token outlives its session by ten minutes at the most: not by the time that its request was under way, too.
        try await authenticate.requireStill(who)
        let now = clock.now.milliseconds / 1000
        let claims = Claims(
            iss: issuer, sub: who.user.id.rawValue, aud: audience, client_id: application.id.rawValue,
            sid: who.session.id.rawValue, cnf: isBound ? key.map(Confirmation.init(jkt:)) : nil,
            jti: Base64URL.text(of: randomness.bytes(16)), iat: now, exp: now + Self.lifetime.components.seconds,
            auth_time: who.session.authenticatedAt.map { $0.milliseconds / 1000 },
            amr: who.session.methods.amr, acr: who.session.methods.assurance.rawValue,
            is_anonymous: who.user.isAnonymous, claims_version: access.version)
        return try await signingKeys.sign(
            Payload(claims: claims, own: access.claims.merging(added) { rule, _ in rule }), typ: "at+jwt")
    }
}
