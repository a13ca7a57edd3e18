import Crypto
import Domain
import enum OkaeriWire.JSONValue
import Synchronization

/// Plays Facebook's Graph API for codes of its dialog: `/oauth/access_token` and `/debug_token`.
package final class FakeFacebook: FakeProvider {
    private let app: String
    private let secret: String
    private let state = Mutex(State())

    private struct State {
        var codes: [String: Code] = [:]
        /// Whose a token is, and for which app.
        var tokens: [String: (user: String, app: String)] = [:]
        var outage: FakeAnswer?
        var calls: [FakeRequest] = []
        var count = 0
    }

    private struct Code {
        var user: String
        var app: String
        var redirectURI: String
        var challenge: String
    }

    package init(app: String, secret: String) {
        self.app = app
        self.secret = secret
    }

    /// Every request that came.
    package var calls: [FakeRequest] { state.withLock { $0.calls } }

    /// Answers everything like this from now on; `nil` for as usual.
    package func fail(with answer: FakeAnswer?) { state.withLock { $0.outage = answer } }

    /// A code, as the dialog sends it back with a person.
    package func code(
        user: String, redirectURI: String, challenge: String, app: String? = nil
    ) -> String {
        state.withLock { state in
            state.count += 1
            let code = "fb-code-\(state.count)"
            state.codes[code] = Code(
                user: user, app: app ?? self.app, redirectURI: redirectURI, challenge: challenge)
            return code
        }
    }

    package func answer(_ request: FakeRequest) async -> FakeAnswer {
        state.withLock { state in
            state.calls.append(request)
            if let outage = state.outage { return outage }
            switch (request.method, request.path) {
            case ("POST", "/oauth/access_token"): return token(request.form, &state)
            case ("GET", "/debug_token"): return debug(request, state)
            default: return FakeAnswer(404)
            }
        }
    }

    private func token(_ form: [String: String], _ state: inout State) -> FakeAnswer {
        guard form["client_id"] == app else { return Self.fault(101, "Error validating application.") }
        guard form["client_secret"] == secret else { return Self.fault(1, "Error validating client secret.") }
        let challenge = Base64URL.text(of: Array(SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8))))
        guard let code = form["code"].flatMap({ state.codes.removeValue(forKey: $0) }),
            code.redirectURI == form["redirect_uri"], code.challenge == challenge
        else { return Self.fault(100, "This authorization code has been used.") }
        state.count += 1
        let token = "fb-token-\(state.count)"
        state.tokens[token] = (code.user, code.app)
        return FakeAnswer(
            200, ["access_token": .string(token), "token_type": "bearer", "expires_in": 5_183_944])
    }

    private func debug(_ request: FakeRequest, _ state: State) -> FakeAnswer {
        guard request.headers["authorization"] == "OAuth \(app)|\(secret)" else {
            return Self.fault(190, "Invalid OAuth access token.")
        }
        guard let found = state.tokens[request.query["input_token"] ?? ""] else {
            return FakeAnswer(200, ["data": ["is_valid": false]])
        }
        return FakeAnswer(
            200, ["data": ["is_valid": true, "app_id": .string(found.app), "user_id": .string(found.user)]])
    }

    private static func fault(_ code: Int64, _ message: String) -> FakeAnswer {
        FakeAnswer(
            400,
            ["error": ["message": .string(message), "type": "OAuthException", "code": .integer(code)]])
    }
}
