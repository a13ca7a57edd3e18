import Crypto
import Domain
import Foundation
import enum OkaeriWire.JSONValue
import Synchronization

/// Apple's own endpoints.
extension FakeApple {
    func endpoint(_ request: FakeRequest, _ faults: Faults) -> FakeResponse {
        switch (request.method, request.path) {
        case ("GET", "/auth/keys"): keySet()
        case ("POST", "/auth/token"): token(request.form, faults)
        case ("POST", "/auth/revoke"): revoke(request.form)
        case ("POST", "/auth/usermigrationinfo"): migrate(request)
        default: FakeResponse(404)
        }
    }

    private func keySet() -> FakeResponse {
        let keys = state.withLock { $0.keys }
        // A key that cannot be written stays out of the set.
        return FakeResponse(200, ["keys": .array(keys.compactMap { try? $0.publicMembers() })])
    }

    private func token(_ form: [String: String], _ faults: Faults) -> FakeResponse {
        guard isAuthentic(form) else { return .refusal("invalid_client") }
        if form["grant_type"] == "client_credentials" {
            let token = state.withLock { state in
                let token = state.next("a")
                state.accessTokens.insert(token)
                return token
            }
            return FakeResponse(200, ["access_token": .string(token), "token_type": "Bearer", "expires_in": 3600])
        }
        guard form["grant_type"] == "authorization_code" else { return .refusal("unsupported_grant_type") }
        let found = state.withLock { state in form["code"].flatMap { state.codes.removeValue(forKey: $0) } }
        guard let code = found, code.audience == form["client_id"], !faults.codesExpired else {
            return .refusal("invalid_grant")
        }
        let (key, refreshToken) = state.withLock { state in
            let token = state.next("r")
            state.grants[token] = code.audience
            return (state.keys[0], token)
        }
        let claims = claims(of: code.person, audience: faults.audience ?? code.audience, nonce: code.nonce)
        guard let token = try? key.token(claims) else { return FakeResponse(500) }
        return FakeResponse(
            200,
            [
                "access_token": "unused", "token_type": "Bearer", "expires_in": 3600,
                "refresh_token": .string(refreshToken), "id_token": .string(token),
            ])
    }

    private func revoke(_ form: [String: String]) -> FakeResponse {
        guard isAuthentic(form) else { return .refusal("invalid_client") }
        guard let token = form["token"] else { return .refusal("invalid_request") }
        state.withLock { state in
            if state.grants.removeValue(forKey: token) != nil { state.revoked.append(token) }
        }
        return FakeResponse(200)
    }

    private func migrate(_ request: FakeRequest) -> FakeResponse {
        let form = request.form
        guard isAuthentic(form) else { return .refusal("invalid_client") }
        let token = request.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) }
        return state.withLock { state in
            guard let token, state.accessTokens.contains(token) else { return .refusal("invalid_client") }
            if let subject = form["sub"], form["target"] != nil {
                guard let transfer = state.transferSubjects[subject] else { return .refusal("invalid_request") }
                return FakeResponse(200, ["transfer_sub": .string(transfer)])
            }
            guard let transfer = form["transfer_sub"], let person = state.transfers[transfer] else {
                return .refusal("invalid_request")
            }
            var members: [String: JSONValue] = ["sub": .string(person.subject)]
            if let email = person.email {
                members["email"] = .string(email)
                members["is_private_email"] = .bool(person.isPrivateEmail)
            }
            return FakeResponse(200, .object(members))
        }
    }

    /// Whether the client secret is a team's own, for this client and not too long (requirement 36).
    private func isAuthentic(_ form: [String: String]) -> Bool {
        let teams = state.withLock { $0.teams }
        let parts = (form["client_secret"] ?? "").split(separator: ".")
        guard parts.count == 3, let header = Self.members(parts[0]), let claims = Self.members(parts[1]),
            let signature = Base64URL.bytes(of: parts[2].utf8)
        else { return false }
        guard claims["aud"] == .string(Self.issuer), claims["sub"] == form["client_id"].map({ .string($0) }),
            case .integer(let start)? = claims["iat"], case .integer(let end)? = claims["exp"], end > start,
            end - start <= 15_777_000, end > clock.now.milliseconds / 1000
        else { return false }
        if teams.isEmpty { return true }
        guard case .string(let name)? = claims["iss"], let team = teams[name],
            header["kid"] == .string(team.keyId), header["alg"] == "ES256",
            let decoded = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return team.publicKey.isValidSignature(decoded, for: Array("\(parts[0]).\(parts[1])".utf8))
    }

    private static func members(_ part: Substring) -> [String: JSONValue]? {
        guard let bytes = Base64URL.bytes(of: part.utf8), case .object(let members)? = try? JSONValue(parsing: bytes)
        else { return nil }
        return members
    }
}

/// What development and the demo ask of the fake itself.
extension FakeApple {
    func control(_ request: FakeRequest) -> FakeResponse {
        let json = request.json
        func text(_ name: String) -> String? {
            guard case .string(let text)? = json[name] else { return nil }
            return text
        }
        switch (request.method, request.path) {
        case ("POST", "/fake/sign-in"):
            guard let subject = text("subject"), let audience = text("audience") else { return FakeResponse(400) }
            let person = Person(
                subject: subject, email: text("email"), isPrivateEmail: json["isPrivateEmail"] == .bool(true))
            guard let credential = try? signIn(person, audience: audience, nonce: text("nonce")) else {
                return FakeResponse(500)
            }
            return FakeResponse(
                200,
                ["identityToken": .string(credential.identityToken), "authorizationCode": .string(credential.code)])
        case ("POST", "/fake/teams"):
            guard let team = text("team"), let keyId = text("keyId"), let pem = text("publicKey"),
                let key = try? P256.Signing.PublicKey(pemRepresentation: pem)
            else { return FakeResponse(400) }
            register(team: team, keyId: keyId, publicKey: key)
            return FakeResponse(200)
        case ("POST", "/fake/faults"):
            var faults = Faults()
            if case .integer(let milliseconds)? = json["delayMilliseconds"] {
                faults.delay = .milliseconds(milliseconds)
            }
            faults.isDown = json["isDown"] == .bool(true)
            faults.codesExpired = json["codesExpired"] == .bool(true)
            faults.audience = text("audience")
            self.faults = faults
            if json["rotatesKeys"] == .bool(true),
                let key = try? FakeKey.rsa(id: "fake-apple-\(clock.now.milliseconds)")
            {
                rotate(to: key)
            }
            return FakeResponse(200)
        case ("POST", "/fake/notifications"):
            guard let kind = text("type"), let subject = text("subject"), let audience = text("audience"),
                let id = text("id"),
                let payload = try? notification(
                    kind, about: Person(subject: subject, email: text("email")), audience: audience, id: id)
            else { return FakeResponse(400) }
            return FakeResponse(200, ["payload": .string(payload)])
        case ("GET", "/fake/calls"):
            let (calls, revoked) = state.withLock { ($0.calls, $0.revoked.count) }
            return FakeResponse(
                200,
                [
                    "calls": .object(calls.mapValues { .integer(Int64($0)) }), "revoked": .integer(Int64(revoked)),
                ])
        default:
            return FakeResponse(404)
        }
    }
}
