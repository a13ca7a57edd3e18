package import Domain
import Foundation
package import enum OkaeriWire.JSONValue
import Synchronization

/// Plays an OpenID Connect provider: description, consent, keys, tokens for codes with PKCE, revocation; and LINE, Kakao
/// and Yahoo! JAPAN by their manners.
package final class FakeOpenID: FakeDialogProvider {
    /// What the identity token will say, and to which client.
    package struct Grant: Sendable {
        var claims: [String: JSONValue]
        var client: String
        /// When an access token was made of it.
        var issuedAt = Timestamp.earliest
    }

    package let dialog = FakeDialog<Grant>()
    private let clock: any WallClock
    private let manner: Manner
    private let state: Mutex<State>

    private struct State {
        var key: FakeKey
        /// The own address, which the description names.
        var address = ""
        var issuer: String?
        var takesSecretInForm = true
        var clients: [String: String?] = [:]
        var revoked: [String] = []
    }

    /// - Parameters:
    ///   - clock: The time, in tokens.
    ///   - key: What tokens are signed with.
    ///   - manner: Whose manner.
    package init(clock: any WallClock, key: FakeKey, manner: Manner = Manner()) {
        self.clock = clock
        self.manner = manner
        state = Mutex(State(key: key))
    }

    /// Where the fake listens, and what it names as its issuer when that differs.
    package func listen(at address: String, issuer: String? = nil, takesSecretInForm: Bool = true) {
        state.withLock { state in
            state.address = address
            state.issuer = issuer
            state.takesSecretInForm = takesSecretInForm
        }
    }

    /// Makes a client known; without a secret it is a public one. Without any, every client is known.
    package func register(client: String, secret: String?) {
        state.withLock { $0.clients[client] = .some(secret) }
    }

    package var key: FakeKey { state.withLock { $0.key } }

    /// Signs with another key from now on, and knows the one before no more.
    package func rotate(to key: FakeKey) { state.withLock { $0.key = key } }

    package var revoked: [String] { state.withLock { $0.revoked } }

    /// The claims of an identity token.
    package func claims(
        subject: String, audience: String, nonce: String? = nil, more: [String: JSONValue] = [:]
    ) -> [String: JSONValue] {
        let now = clock.now.milliseconds / 1000
        let issuer = state.withLock { $0.issuer ?? $0.address }
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(audience), "sub": .string(subject), "iat": .integer(now),
            "exp": .integer(now + 3600),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        if manner.hasAuthenticationTime { claims["auth_time"] = .integer(now) }
        if manner.hasAudienceList { claims["aud"] = [.string(audience)] }
        return claims.merging(more) { $1 }
    }

    /// A code, as the provider would send it back to the app.
    package func code(
        _ claims: [String: JSONValue], client: String, redirectURI: String, verifier: String
    ) -> String {
        code(
            claims, client: client, redirectURI: redirectURI,
            challenge: PKCE.s256(of: verifier))
    }

    /// A code for a browser that came with a challenge.
    package func code(
        _ claims: [String: JSONValue], client: String, redirectURI: String, challenge: String
    ) -> String {
        dialog.code(for: Grant(claims: claims, client: client), redirectURI: redirectURI, challenge: challenge)
    }

    package func endpoint(_ request: FakeRequest) -> FakeResponse {
        switch (request.method, request.path) {
        case ("GET", "/.well-known/openid-configuration"): return description()
        case ("GET", "/authorize"), ("POST", "/authorize"): return consent.answer(request)
        case ("GET", "/oauth2/v2.1/verify") where manner.verifiesAccessTokens: return verify(request)
        case ("GET", "/v2/profile") where manner.verifiesAccessTokens: return profile(request)
        case ("GET", "/keys"):
            let key = state.withLock { $0.key }
            guard let members = try? key.publicMembers() else { return FakeResponse(500) }
            return FakeResponse(200, ["keys": [members]])
        case ("POST", "/token"): return token(request)
        case ("POST", "/revoke"):
            guard client(of: request) != nil else { return manner.wrongClient }
            state.withLock { $0.revoked.append(request.form["token"] ?? "") }
            return FakeResponse(200, [:])
        default: return FakeResponse(404)
        }
    }

    private func description() -> FakeResponse {
        let (address, issuer, inForm) = state.withLock { ($0.address, $0.issuer ?? $0.address, $0.takesSecretInForm) }
        var members: [String: JSONValue] = [
            "issuer": .string(issuer), "authorization_endpoint": .string("\(address)/authorize"),
            "token_endpoint": .string("\(address)/token"), "jwks_uri": .string("\(address)/keys"),
            "revocation_endpoint": .string("\(address)/revoke"),
        ]
        if manner.describesSecret {
            members["token_endpoint_auth_methods_supported"] = [inForm ? "client_secret_post" : "client_secret_basic"]
        }
        return FakeResponse(200, .object(members))
    }

    private var consent: FakeConsent {
        FakeConsent(title: manner.title) { [self] client, _ in
            state.withLock { $0.clients.isEmpty || $0.clients[client] != nil }
        } code: { [self] user, asked in
            let client = asked["client_id"] ?? ""
            return code(
                claims(subject: user, audience: client, nonce: asked["nonce"], more: ["name": .string(user)]),
                client: client, redirectURI: asked["redirect_uri"] ?? "", challenge: asked["code_challenge"] ?? "")
        }
    }

    private func token(_ request: FakeRequest) -> FakeResponse {
        guard let client = client(of: request) else { return manner.wrongClient }
        guard request.form["grant_type"] == "authorization_code" else { return .refusal("unsupported_grant_type") }
        guard var grant = dialog.redeem(request.form), grant.client == client else { return manner.wrongCode }
        grant.issuedAt = clock.now
        let accessToken = dialog.token(for: grant)
        if manner.hasAccessTokenHash, grant.claims["at_hash"] == nil {
            let half = SecretDigest(of: accessToken.utf8).bytes.prefix(16)
            grant.claims["at_hash"] = .string(Base64URL.text(of: half))
        }
        guard let token = signed(grant.claims, secret: request.form["client_secret"]) else { return FakeResponse(500) }
        return FakeResponse(
            200,
            [
                "id_token": .string(token), "access_token": .string(accessToken), "token_type": "Bearer",
                "expires_in": .integer(Manner.accessTokenSeconds), "refresh_token": .string(dialog.token(for: grant)),
            ])
    }

    /// LINE signs with the channel secret what a browser's code is exchanged for.
    private func signed(_ claims: [String: JSONValue], secret: String?) -> String? {
        let claims = claims.filter { $0.value != .null }
        guard manner.signsWithSecret else { return try? key.token(claims) }
        return secret.flatMap { try? FakeKey.token(claims, secret: $0) }
    }

    private func verify(_ request: FakeRequest) -> FakeResponse {
        guard let grant = dialog.grant(of: request.query["access_token"] ?? "") else {
            return .refusal("invalid_request", more: ["error_description": "access token expired"])
        }
        let age = (clock.now.milliseconds - grant.issuedAt.milliseconds) / 1000
        return FakeResponse(
            200,
            [
                "scope": "openid profile", "client_id": .string(grant.client),
                "expires_in": .integer(Manner.accessTokenSeconds - age),
            ])
    }

    private func profile(_ request: FakeRequest) -> FakeResponse {
        let token = request.headers["authorization"]?.replacing("Bearer ", with: "") ?? ""
        guard let grant = dialog.grant(of: token) else {
            return FakeResponse(401, ["message": "The access token expired"])
        }
        return FakeResponse(
            200, ["userId": grant.claims["sub"] ?? .null, "displayName": grant.claims["name"] ?? .string("")])
    }

    /// An access token of an app's SDK.
    package func accessToken(subject: String, client: String, issuedAt: Timestamp? = nil) -> String {
        dialog.token(
            for: Grant(
                claims: ["sub": .string(subject), "name": "花"], client: client, issuedAt: issuedAt ?? clock.now))
    }

    /// The client that asks; `nil` when it does not prove who it is.
    private func client(of request: FakeRequest) -> String? {
        var (client, secret) = (request.form["client_id"], request.form["client_secret"])
        if let header = request.headers["authorization"], header.hasPrefix("Basic "),
            let bytes = Data(base64Encoded: String(header.dropFirst(6)))
        {
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, secret == nil else { return nil }
            (client, secret) = (
                String(parts[0]).removingPercentEncoding, String(parts[1]).removingPercentEncoding
            )
        } else if secret != nil, !state.withLock({ $0.takesSecretInForm }) {
            return nil
        }
        guard let client else { return nil }
        let (all, known) = state.withLock { ($0.clients.isEmpty, $0.clients[client]) }
        return all || known == .some(secret) ? client : nil
    }
}
