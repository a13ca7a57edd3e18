package import Crypto
package import Domain
import Foundation
package import enum OkaeriWire.JSONValue
import Synchronization

/// Plays Apple's sign-in server: keys, tokens, codes, revocation, notifications and migration, with keys of its own and
/// faults on demand. The server under test knows nothing of it but its address.
package final class FakeApple: FakeProvider {
    /// What real tokens name as their issuer.
    package static let issuer = "https://appleid.apple.com"

    let clock: any WallClock
    let state: Mutex<State>

    /// What goes wrong.
    package struct Faults: Sendable, Hashable {
        /// How long each answer takes.
        package var delay: Duration = .zero
        /// Everything is answered 503.
        package var isDown = false
        /// Codes have expired.
        package var codesExpired = false
        /// Tokens are made for this audience instead of the right one.
        package var audience: String?

        package init() {}
    }

    /// A person with an Apple account.
    package struct Person: Sendable, Hashable {
        /// The name by which the team knows the person.
        package var subject: String
        package var email: String?
        package var isPrivateEmail: Bool

        package init(subject: String, email: String? = nil, isPrivateEmail: Bool = false) {
            self.subject = subject
            self.email = email
            self.isPrivateEmail = isPrivateEmail
        }
    }

    /// What the sheet gives an app.
    package struct Credential: Sendable, Hashable {
        package var identityToken: String
        package var code: String
    }

    struct State {
        var keys: [FakeKey]
        var faults = Faults()
        var teams: [String: Team] = [:]
        var codes: [String: Code] = [:]
        /// Refresh tokens by their text, with the audience that each belongs to.
        var grants: [String: String] = [:]
        var revoked: [String] = []
        var calls: [String: Int] = [:]
        var transfers: [String: Person] = [:]
        var transferSubjects: [String: String] = [:]
        var accessTokens: Set<String> = []
        var count = 0

        mutating func next(_ kind: String) -> String {
            count += 1
            return "\(kind).\(count)"
        }
    }

    struct Team {
        var keyId: String
        var publicKey: P256.Signing.PublicKey
    }

    struct Code {
        var person: Person
        var audience: String
        var nonce: String?
    }

    /// - Parameters:
    ///   - clock: The time, in tokens.
    ///   - keys: What tokens are signed with, the first one first; a new RSA key without them.
    /// - Throws: when the library makes no key.
    package init(clock: any WallClock, keys: [FakeKey]? = nil) throws {
        self.clock = clock
        state = Mutex(State(keys: try keys ?? [FakeKey.rsa(id: "fake-apple-1")]))
    }

    package var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// How often each path was called.
    package var calls: [String: Int] { state.withLock { $0.calls } }

    /// Refresh tokens that were revoked.
    package var revoked: [String] { state.withLock { $0.revoked } }

    /// The key that signs now.
    package var key: FakeKey { state.withLock { $0.keys[0] } }

    /// Makes a team known. Without any, every client secret that is a JWT is taken.
    package func register(team: String, keyId: String, publicKey: P256.Signing.PublicKey) {
        state.withLock { $0.teams[team] = Team(keyId: keyId, publicKey: publicKey) }
    }

    /// Signs with another key from now on, and forgets the ones before.
    package func rotate(to key: FakeKey) {
        state.withLock { $0.keys = [key] }
    }

    /// A finished sign-in: what the sheet gives the app.
    ///
    /// - Parameters:
    ///   - person: Who.
    ///   - audience: The app's bundle id.
    ///   - nonce: The hashed nonce, as the app gave it to the sheet.
    ///   - claims: Claims that stand over the right ones; null removes one.
    /// - Returns: token and code.
    /// - Throws: when the library does not sign.
    package func signIn(
        _ person: Person, audience: String, nonce: String?, claims: [String: JSONValue] = [:]
    ) throws -> Credential {
        let (key, stated, code) = state.withLock { state in
            let code = state.next("c")
            state.codes[code] = Code(person: person, audience: audience, nonce: nonce)
            return (state.keys[0], state.faults.audience ?? audience, code)
        }
        let right = self.claims(of: person, audience: stated, nonce: nonce).merging(claims) { $1 }
        return Credential(identityToken: try key.token(right.filter { $0.value != .null }), code: code)
    }

    /// The claims of an identity token as Apple writes them; truth values are texts at times.
    package func claims(of person: Person, audience: String, nonce: String?) -> [String: JSONValue] {
        let now = clock.now.milliseconds / 1000
        var claims: [String: JSONValue] = [
            "iss": .string(Self.issuer), "aud": .string(audience), "sub": .string(person.subject),
            "iat": .integer(now), "exp": .integer(now + 86_400), "auth_time": .integer(now),
            "nonce_supported": true,
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        if let email = person.email {
            claims["email"] = .string(email)
            claims["email_verified"] = "true"
            if person.isPrivateEmail { claims["is_private_email"] = "true" }
        }
        return claims
    }

    /// A server-to-server notification, as Apple would post it.
    ///
    /// - Throws: when the library does not sign.
    package func notification(
        _ kind: String, about person: Person, audience: String, id: String, claims: [String: JSONValue] = [:]
    ) throws -> String {
        let now = clock.now.milliseconds
        var event: [String: JSONValue] = [
            "type": .string(kind), "sub": .string(person.subject), "event_time": .integer(now),
        ]
        if let email = person.email, kind.hasPrefix("email") {
            event["email"] = .string(email)
            event["is_private_email"] = "true"
        }
        let text = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
        let right: [String: JSONValue] = [
            "iss": .string(Self.issuer), "aud": .string(audience), "iat": .integer(now / 1000), "jti": .string(id),
            "events": .string(text),
        ]
        return try key.token(right.merging(claims) { $1 }.filter { $0.value != .null })
    }

    /// Prepares what the new team will learn about a person of the old one.
    package func willTransfer(_ person: Person, as transferSubject: String, to newPerson: Person) {
        state.withLock { state in
            state.transferSubjects[person.subject] = transferSubject
            state.transfers[transferSubject] = newPerson
        }
    }

    package func answer(_ request: FakeRequest) async -> FakeResponse {
        let faults = state.withLock { state in
            state.calls[request.path, default: 0] += 1
            return state.faults
        }
        if request.path.hasPrefix("/fake/") { return control(request) }
        if faults.delay > .zero {
            // Cut short only when the fake itself is stopped.
            try? await Task.sleep(for: faults.delay)
        }
        if faults.isDown { return FakeResponse(503) }
        return endpoint(request, faults)
    }
}
