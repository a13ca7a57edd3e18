import Foundation
import Okaeri
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

extension ServerContents {
    struct StoredPasskey: Sendable {
        var body: PasskeyBody
        let user: String
        let handle: String
        /// Both coordinates.
        let publicKey: Data
    }

    /// What a challenge is good for; `nil` is a log-in, otherwise a registration of that user.
    struct PasskeyChallenge: Sendable {
        let user: String?
        let expiresAt: WireTime
        /// The session and the passkey that have used it to ask for a merge: they may ask again.
        var merging: String?
    }
}

/// Passkeys. Assertions are verified as the real server does it, by the same rules in the same words.
extension InMemoryServer {
    private static let lifetime: Int64 = 300_000
    private static let maximumPasskeys = 20

    func respondToPasskeys(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let path = request.url.path
        switch (request.method, path) {
        case ("POST", APIPath.requestPasskeyLogIn):
            let domain = try domain(contents)
            return .json(
                200,
                PasskeyRequestResponse(
                    publicKey: PasskeyRequestOptions(
                        challenge: newChallenge(for: nil, &contents), timeout: Self.lifetime, rpId: domain,
                        userVerification: "required")))
        case ("POST", APIPath.logInWithPasskey): return try logInWithPasskey(request, &contents)
        case ("POST", APIPath.requestPasskey): return try requestPasskey(request, &contents)
        case ("POST", APIPath.passkeys): return try addPasskey(request, &contents)
        case ("POST", APIPath.mergeByPasskey):
            let session = try authenticate(request, &contents).session
            let body = try read(PasskeyMergeBody.self, from: request.body ?? Data())
            let owner = try useForMerge(body.credential, by: session, &contents)
            guard owner != session.user else { return TransportResponse(status: 204) }
            throw conflict(session.user, owner, .identityTaken, &contents)
        case ("GET", APIPath.passkeys):
            let session = try authenticate(request, &contents).session
            let own = contents.passkeys.filter { $0.user == session.user }
            return .json(200, PasskeyListResponse(passkeys: own.map(\.body)))
        default: return try changePasskey(request, &contents)
        }
    }

    private func domain(_ contents: ServerContents) throws(Refusal) -> String {
        guard let domain = contents.passkeyDomain else { throw Refusal(404, .passkeysNotEnabled) }
        return domain
    }

    private func newChallenge(for user: String?, _ contents: inout ServerContents) -> String {
        let challenge = newName("", 38)
        let end = WireTime(millisecondsSince1970: time(contents).millisecondsSince1970 + Self.lifetime)
        contents.passkeyChallenges[challenge] = .init(user: user, expiresAt: end)
        return challenge
    }

    private func requestPasskey(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let domain = try domain(contents)
        try checkPresence(request, session, contents)
        try checkSecondFactor(session, contents)
        let own = contents.passkeys.filter { $0.user == session.user }
        try refuseMore(than: own.count)
        let user = contents.users[session.user]?.body
        let name = user?.username ?? user?.email ?? user?.displayName ?? application
        return .json(
            200,
            PasskeyCreationResponse(
                publicKey: PasskeyCreationOptions(
                    rp: .init(id: domain, name: application),
                    user: .init(
                        id: Base64URL.text(of: Data(session.user.utf8)), name: name,
                        displayName: user?.displayName ?? name),
                    challenge: newChallenge(for: session.user, &contents),
                    pubKeyCredParams: [-7, -8, -257].map { .init(alg: $0) }, timeout: Self.lifetime,
                    excludeCredentials: own.map { .init(id: $0.body.id, transports: $0.body.transports) },
                    authenticatorSelection: .init(userVerification: "required"))))
    }

    private func refuseMore(than count: Int) throws(Refusal) {
        guard count < Self.maximumPasskeys else {
            let problem = FieldProblem(
                field: "credential", code: "too_many_fields", detail: "At most \(Self.maximumPasskeys).")
            throw Refusal(400, .invalidMember, errors: [problem])
        }
    }

    private func addPasskey(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        let body = try read(NewPasskeyBody.self, from: request.body ?? Data())
        let domain = try domain(contents)
        try checkPresence(request, session, contents)
        try checkSecondFactor(session, contents)
        try check(name: body.name)
        let response = body.credential.response
        let (challenge, _) = try check(
            response.clientDataJSON, "webauthn.create", for: .some(session.user), domain, contents)
        guard let bytes = Base64URL.bytes(of: response.attestationObject.utf8),
            let made = TestAttestation(Data(bytes))
        else { throw refused("response.attestationObject", "attestation_malformed") }
        try check(flags: made.flags, of: made.rpIdHash, domain)
        let id = Base64URL.text(of: made.credential)
        guard id == body.credential.id else { throw refused("id", "credential_id") }
        if let known = contents.passkeys.first(where: { $0.body.id == id }) {
            guard known.user == session.user, known.publicKey == made.publicKey else {
                throw Refusal(409, .identityTaken)
            }
            return .json(201, known.body)
        }
        try refuseMore(than: contents.passkeys.count { $0.user == session.user })
        guard contents.passkeyChallenges.removeValue(forKey: challenge) != nil else {
            throw refused("response.clientDataJSON", "challenge")
        }
        let now = time(contents)
        let passkey = PasskeyBody(
            id: id, name: body.name ?? "Passkey", aaguid: "00000000-0000-0000-0000-000000000000",
            transports: response.transports ?? [], isBackupEligible: made.flags & 0x08 != 0,
            isBackedUp: made.flags & 0x10 != 0, createdAt: now, lastUsedAt: nil)
        contents.passkeys.append(
            .init(
                body: passkey, user: session.user, handle: Base64URL.text(of: Data(session.user.utf8)),
                publicKey: made.publicKey))
        contents.users[session.user]?.body.identities.append(
            IdentityBody(provider: "passkey", subject: id, linkedAt: now))
        contents.users[session.user]?.body.isAnonymous = false
        touch(session.user, &contents)
        return .json(201, passkey)
    }

    private func changePasskey(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        if request.method == "DELETE" { try checkPresence(request, session, contents) }
        let named = contents.passkeys.firstIndex {
            $0.user == session.user && APIPath.passkey($0.body.id) == request.url.path
        }
        guard let index = named else { throw Refusal(404, .passkeyUnknown) }
        switch request.method {
        case "PATCH":
            let body = try read(PasskeyNameBody.self, from: request.body ?? Data())
            try check(name: body.name)
            contents.passkeys[index].body.name = body.name
            return .json(200, contents.passkeys[index].body)
        case "DELETE":
            let id = contents.passkeys[index].body.id
            let isLast = contents.users[session.user].map { user in
                user.password == nil && !user.body.emailVerified
                    && user.body.identities.allSatisfy { $0.provider == "passkey" && $0.subject == id }
            }
            guard isLast == false else { throw Refusal(409, .lastWayIn) }
            contents.passkeys.remove(at: index)
            contents.users[session.user]?.body.identities.removeAll { $0.provider == "passkey" && $0.subject == id }
            touch(session.user, &contents)
            return TransportResponse(status: 204)
        default: throw Refusal(405, .methodNotAllowed)
        }
    }

    private func touch(_ user: String, _ contents: inout ServerContents) {
        guard let updated = contents.users[user]?.body.updatedAt else { return }
        let now = time(contents)
        contents.users[user]?.body.updatedAt = max(now, updated)
    }

    private func check(name: String?) throws(Refusal) {
        guard let name, name.isEmpty || name.unicodeScalars.count > 100 else { return }
        let problem = FieldProblem(
            field: "name", code: name.isEmpty ? "too_short" : "too_long", detail: "1 to 100 characters.")
        throw Refusal(400, .invalidMember, errors: [problem])
    }

    private func logInWithPasskey(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let body = try read(PasskeyLogInBody.self, from: request.body ?? Data())
        let thumbprint = try optionalProof(of: request, &contents)
        if let known = try repeated(request, thumbprint, contents) { return known }
        let challenge = try verify(body.credential, contents)
        guard let owner = contents.passkeys.first(where: { $0.body.id == body.credential.id })?.user else {
            throw Refusal(404, .passkeyUnknown)
        }
        let response = try logIn(
            owner, request, thumbprint, joins: body.joinsDevice, device: body.device, by: "passkey", &contents)
        _ = try use(challenge, of: body.credential, &contents)
        return response
    }

    /// The user whom a passkey proves, for `POST /v1/user/reauthenticate`.
    func prove(_ credential: PasskeyAuthentication, _ contents: inout ServerContents) throws(Refusal) -> String {
        try use(try verify(credential, contents), of: credential, &contents)
    }

    /// - Returns: the challenge that was signed.
    private func verify(
        _ credential: PasskeyAuthentication, _ contents: ServerContents
    ) throws(Refusal) -> String {
        let domain = try domain(contents)
        guard let known = contents.passkeys.first(where: { $0.body.id == credential.id }) else {
            throw Refusal(404, .passkeyUnknown)
        }
        let response = credential.response
        guard response.userHandle == known.handle else { throw refused("response.userHandle", "user_handle") }
        let (challenge, clientData) = try check(
            response.clientDataJSON, "webauthn.get", for: .some(nil), domain, contents)
        guard let data = Base64URL.bytes(of: response.authenticatorData.utf8), data.count == 37 else {
            throw refused("response.authenticatorData", "authenticator_data_malformed")
        }
        try check(flags: data[32], of: Data(data.prefix(32)), domain)
        guard let bytes = Base64URL.bytes(of: response.signature.utf8),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes),
            let key = try? P256.Signing.PublicKey(rawRepresentation: known.publicKey),
            key.isValidSignature(signature, for: Data(data) + Data(SHA256.hash(data: clientData)))
        else { throw refused("response.signature", "signature") }
        return challenge
    }

    /// The user whom a passkey proves. The same session may ask again, because the response got lost.
    private func useForMerge(
        _ credential: PasskeyAuthentication, by session: ServerContents.StoredSession, _ contents: inout ServerContents
    ) throws(Refusal) -> String {
        let challenge = try verify(credential, contents)
        let merging = "\(session.body.id) \(credential.id)"
        let known = contents.passkeyChallenges[challenge]
        if known?.merging == merging, let owner = contents.passkeys.first(where: { $0.body.id == credential.id }) {
            return owner.user
        }
        let owner = try use(challenge, of: credential, &contents)
        if let end = known?.expiresAt {
            contents.passkeyChallenges[challenge] = .init(user: nil, expiresAt: end, merging: merging)
        }
        return owner
    }

    /// Lets an assertion count, once.
    private func use(
        _ challenge: String, of credential: PasskeyAuthentication, _ contents: inout ServerContents
    ) throws(Refusal) -> String {
        guard contents.passkeyChallenges[challenge]?.merging == nil,
            contents.passkeyChallenges.removeValue(forKey: challenge) != nil
        else { throw refused("response.clientDataJSON", "challenge") }
        guard let index = contents.passkeys.firstIndex(where: { $0.body.id == credential.id }) else {
            throw Refusal(404, .passkeyUnknown)
        }
        contents.passkeys[index].body.lastUsedAt = time(contents)
        return contents.passkeys[index].user
    }

    private func check(
        _ text: String, _ type: String, for purpose: String??, _ domain: String, _ contents: ServerContents
    ) throws(Refusal) -> (challenge: String, bytes: Data) {
        struct ClientData: Decodable {
            let type: String
            let challenge: String
            let origin: String
        }
        guard let bytes = Base64URL.bytes(of: text.utf8),
            let data = try? JSONDecoder().decode(ClientData.self, from: Data(bytes))
        else { throw refused("response.clientDataJSON", "client_data_malformed") }
        guard data.type == type else { throw refused("response.clientDataJSON", "client_data_type") }
        // One that was used counts as wrong where it is used; a repeated registration is looked up before.
        if let known = contents.passkeyChallenges[data.challenge] {
            guard .some(known.user) == purpose,
                time(contents).millisecondsSince1970 < known.expiresAt.millisecondsSince1970
            else { throw refused("response.clientDataJSON", "challenge") }
        }
        guard data.origin == "https://\(domain)" else { throw refused("response.clientDataJSON", "origin") }
        return (data.challenge, Data(bytes))
    }

    private func check(flags: UInt8, of rpIdHash: Data, _ domain: String) throws(Refusal) {
        guard rpIdHash == Data(SHA256.hash(data: Data(domain.utf8))) else {
            throw refused("response.authenticatorData", "relying_party")
        }
        guard flags & 0x01 != 0 else { throw refused("response.authenticatorData", "user_presence") }
        guard flags & 0x04 != 0 else { throw refused("response.authenticatorData", "user_verification") }
    }

    private func refused(_ member: String, _ rule: String) -> Refusal {
        Refusal(
            401, .passkeyInvalid,
            errors: [
                FieldProblem(field: "credential.\(member)", code: rule, detail: "The rule of WebAuthn level 3, §7.")
            ])
    }
}
