package import Domain
import Foundation
package import enum OkaeriWire.JSONValue
import Synchronization

/// Plays an OpenID Connect provider: description, keys, tokens for codes with PKCE, revocation.
package final class FakeOpenID: FakeDialogProvider {
    /// What the identity token will say, and to which client.
    package struct Grant: Sendable {
        var claims: [String: JSONValue]
        var client: String
    }

    package let dialog = FakeDialog<Grant>()
    private let clock: any WallClock
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
    package init(clock: any WallClock, key: FakeKey) {
        self.clock = clock
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

    /// Makes a client known; without a secret it is a public one.
    package func register(client: String, secret: String?) {
        state.withLock { $0.clients[client] = .some(secret) }
    }

    package var key: FakeKey { state.withLock { $0.key } }
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
        case ("GET", "/keys"):
            let key = state.withLock { $0.key }
            guard let members = try? key.publicMembers() else { return FakeResponse(500) }
            return FakeResponse(200, ["keys": [members]])
        case ("POST", "/token"): return token(request)
        case ("POST", "/revoke"):
            guard client(of: request) != nil else { return .refusal("invalid_client", status: 401) }
            state.withLock { $0.revoked.append(request.form["token"] ?? "") }
            return FakeResponse(200, [:])
        default: return FakeResponse(404)
        }
    }

    private func description() -> FakeResponse {
        let (address, issuer, inForm) = state.withLock { ($0.address, $0.issuer ?? $0.address, $0.takesSecretInForm) }
        return FakeResponse(
            200,
            [
                "issuer": .string(issuer), "authorization_endpoint": .string("\(address)/authorize"),
                "token_endpoint": .string("\(address)/token"), "jwks_uri": .string("\(address)/keys"),
                "revocation_endpoint": .string("\(address)/revoke"),
                "token_endpoint_auth_methods_supported": [
                    inForm ? "client_secret_post" : "client_secret_basic"
                ],
            ])
    }

    private func token(_ request: FakeRequest) -> FakeResponse {
        guard let client = client(of: request) else { return .refusal("invalid_client", status: 401) }
        guard let grant = dialog.redeem(request.form), grant.client == client,
            let token = try? key.token(grant.claims)
        else { return .refusal("invalid_grant") }
        return FakeResponse(
            200,
            [
                "id_token": .string(token), "access_token": "unused", "token_type": "Bearer",
                "refresh_token": .string(dialog.token(for: grant)),
            ])
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
        guard let client, let known = state.withLock({ $0.clients[client] }), known == secret else { return nil }
        return client
    }
}
