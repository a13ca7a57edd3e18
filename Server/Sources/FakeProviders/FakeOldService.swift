package import Domain
package import enum OkaeriWire.JSONValue
import Synchronization

/// A service that users have left, as its documentation says: Firebase Authentication, Supabase Auth or a user pool of Amazon
/// Cognito. It publishes its keys and signs tokens.
package final class FakeOldService: FakeProvider {
    /// Where each of them publishes its keys, below its address.
    package static let keysPath = "/.well-known/jwks.json"

    package let name: OldService.Name
    private let clock: any WallClock
    private let state: Mutex<State>

    private struct State: Sendable {
        var key: FakeKey
        var isDown = false
        var keyRequests = 0
    }

    package init(_ name: OldService.Name, clock: any WallClock, key: FakeKey) {
        self.name = name
        self.clock = clock
        state = Mutex(State(key: key))
    }

    package var key: FakeKey { state.withLock { $0.key } }
    /// How often its keys were read.
    package var keyRequests: Int { state.withLock { $0.keyRequests } }

    /// Signs with another key from now on, and publishes that one alone.
    package func rotate(to key: FakeKey) { state.withLock { $0.key = key } }
    package func isDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// The claims of a token as the service writes them.
    package func claims(of subject: String, issuer: String, audience: String) -> [String: JSONValue] {
        let now = clock.now.milliseconds / 1000
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(audience), "sub": .string(subject), "iat": .integer(now - 60),
            "exp": .integer(now + 3540), "email": "hana@example.com",
        ]
        switch name {
        case .firebase:
            claims["auth_time"] = .integer(now - 86_400)
            claims["user_id"] = .string(subject)
            claims["firebase"] = ["identities": [:], "sign_in_provider": "password"]
        case .supabase:
            claims["role"] = "authenticated"
            claims["aal"] = "aal1"
            claims["is_anonymous"] = false
            claims["session_id"] = "7c6b5a49-0000-4000-8000-000000000001"
        case .cognito:
            claims["auth_time"] = .integer(now - 86_400)
            claims["token_use"] = "id"
            claims["cognito:username"] = "hana"
        case .nakama: break
        }
        return claims
    }

    package func answer(_ request: FakeRequest) async -> FakeResponse {
        let (key, isDown) = state.withLock { state in
            if request.path == Self.keysPath { state.keyRequests += 1 }
            return (state.key, state.isDown)
        }
        guard !isDown else { return FakeResponse(503) }
        guard request.method == "GET", request.path == Self.keysPath, let members = try? key.publicMembers() else {
            return FakeResponse(404)
        }
        return FakeResponse(200, ["keys": [members]])
    }
}
