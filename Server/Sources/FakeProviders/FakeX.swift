import Crypto
import Domain
import Foundation
import enum OkaeriWire.JSONValue
import Synchronization

/// Plays X's OAuth 2.0: `/2/oauth2/token` with PKCE, and `/2/users/me`.
package final class FakeX: FakeProvider {
    private let client: String
    /// `nil` for a public client.
    private let secret: String?
    private let state = Mutex(State())

    private struct State {
        var codes: [String: Code] = [:]
        var tokens: [String: String] = [:]
        var outage: FakeAnswer?
        var calls: [FakeRequest] = []
        var count = 0
    }

    private struct Code {
        var user: String
        var redirectURI: String
        var challenge: String
    }

    package init(client: String, secret: String?) {
        self.client = client
        self.secret = secret
    }

    /// Every request that came.
    package var calls: [FakeRequest] { state.withLock { $0.calls } }

    /// Answers everything like this from now on; `nil` for as usual.
    package func fail(with answer: FakeAnswer?) { state.withLock { $0.outage = answer } }

    /// A code, as X sends it back with a person.
    package func code(user: String, redirectURI: String, challenge: String) -> String {
        state.withLock { state in
            state.count += 1
            let code = "x-code-\(state.count)"
            state.codes[code] = Code(user: user, redirectURI: redirectURI, challenge: challenge)
            return code
        }
    }

    package func answer(_ request: FakeRequest) async -> FakeAnswer {
        state.withLock { state in
            state.calls.append(request)
            if let outage = state.outage { return outage }
            switch (request.method, request.path) {
            case ("POST", "/2/oauth2/token"): return token(request, &state)
            case ("GET", "/2/users/me"):
                let token = request.headers["authorization"]?.replacing("Bearer ", with: "") ?? ""
                guard let user = state.tokens[token] else { return FakeAnswer(401, ["title": "Unauthorized"]) }
                return FakeAnswer(
                    200, ["data": ["id": .string(user), "name": "花", "username": .string("hana_\(user)")]])
            default: return FakeAnswer(404)
            }
        }
    }

    private func token(_ request: FakeRequest, _ state: inout State) -> FakeAnswer {
        let form = request.form
        let isKnown =
            if let secret {
                request.headers["authorization"] == "Basic \(Data("\(client):\(secret)".utf8).base64EncodedString())"
            } else {
                form["client_id"] == client
            }
        guard isKnown else { return .refusal("unauthorized_client", status: 401) }
        let challenge = Base64URL.text(of: Array(SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8))))
        guard let code = form["code"].flatMap({ state.codes.removeValue(forKey: $0) }),
            code.redirectURI == form["redirect_uri"], code.challenge == challenge
        else { return .refusal("invalid_request") }
        state.count += 1
        let token = "x-token-\(state.count)"
        state.tokens[token] = code.user
        return FakeAnswer(
            200,
            [
                "token_type": "bearer", "expires_in": 7200, "access_token": .string(token),
                "scope": "users.read tweet.read",
            ])
    }
}

extension FakeX {
    /// What X answers when it is down.
    package static let outage = FakeAnswer(503, ["title": "Service Unavailable"])
}
