import Crypto
package import Domain
import Foundation
package import enum OkaeriWire.JSONValue
import Synchronization

/// Plays an OpenID Connect provider: description, keys, tokens for codes with PKCE, revocation.
package final class FakeOpenID: FakeProvider {
    private let clock: any WallClock
    private let state: Mutex<State>

    private struct State {
        var key: FakeKey
        /// The own address, which the description names.
        var address = ""
        var issuer: String?
        var takesSecretInForm = true
        var clients: [String: String?] = [:]
        var codes: [String: Code] = [:]
        var revoked: [String] = []
        var calls: [String: Int] = [:]
        var count = 0
    }

    private struct Code {
        var claims: [String: JSONValue]
        var client: String
        var redirectURI: String
        var challenge: String
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
    package var calls: [String: Int] { state.withLock { $0.calls } }
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
            challenge: Base64URL.text(of: Array(SHA256.hash(data: Array(verifier.utf8)))))
    }

    /// A code for a browser that came with a challenge.
    package func code(
        _ claims: [String: JSONValue], client: String, redirectURI: String, challenge: String
    ) -> String {
        state.withLock { state in
            state.count += 1
            let code = "code-\(state.count)"
            state.codes[code] = Code(
                claims: claims, client: client, redirectURI: redirectURI, challenge: challenge)
            return code
        }
    }

    package func answer(_ request: FakeRequest) async -> FakeAnswer {
        state.withLock { $0.calls[request.path, default: 0] += 1 }
        switch (request.method, request.path) {
        case ("GET", "/.well-known/openid-configuration"): return description()
        case ("GET", "/keys"):
            let key = state.withLock { $0.key }
            guard let members = try? key.publicMembers() else { return FakeAnswer(500) }
            return FakeAnswer(200, ["keys": [members]])
        case ("POST", "/token"): return token(request)
        case ("POST", "/revoke"):
            guard isAuthentic(request) else { return .refusal("invalid_client", status: 401) }
            state.withLock { $0.revoked.append(request.form["token"] ?? "") }
            return FakeAnswer(200, [:])
        default: return FakeAnswer(404)
        }
    }

    private func description() -> FakeAnswer {
        let (address, issuer, inForm) = state.withLock { ($0.address, $0.issuer ?? $0.address, $0.takesSecretInForm) }
        return FakeAnswer(
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

    private func token(_ request: FakeRequest) -> FakeAnswer {
        guard isAuthentic(request) else { return .refusal("invalid_client", status: 401) }
        let form = request.form
        let challenge = Base64URL.text(of: Array(SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8))))
        return state.withLock { state in
            guard let code = form["code"].flatMap({ state.codes.removeValue(forKey: $0) }),
                code.redirectURI == form["redirect_uri"], code.challenge == challenge,
                let token = try? state.key.token(code.claims)
            else { return .refusal("invalid_grant") }
            state.count += 1
            return FakeAnswer(
                200,
                [
                    "id_token": .string(token), "access_token": "unused", "token_type": "Bearer",
                    "refresh_token": .string("refresh-\(state.count)"),
                ])
        }
    }

    private func isAuthentic(_ request: FakeRequest) -> Bool {
        var (client, secret) = (request.form["client_id"], request.form["client_secret"])
        if let header = request.headers["authorization"], header.hasPrefix("Basic "),
            let bytes = Data(base64Encoded: String(header.dropFirst(6)))
        {
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, secret == nil else { return false }
            (client, secret) = (
                String(parts[0]).removingPercentEncoding, String(parts[1]).removingPercentEncoding
            )
        } else if secret != nil, !state.withLock({ $0.takesSecretInForm }) {
            return false
        }
        guard let client else { return false }
        return state.withLock { state in
            guard let known = state.clients[client] else { return false }
            return known == secret
        }
    }
}
