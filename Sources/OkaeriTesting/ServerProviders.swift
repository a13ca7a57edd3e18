import Foundation
public import Okaeri
@_spi(Base64URL) import OkaeriWire

extension AppleCredential {
    /// What Apple's sheet would give for a person, good for an ``InMemoryServer``: its token is signed by nobody.
    ///
    /// - Parameters:
    ///   - user: Apple's name for the person.
    ///   - name: The person's name, which the real Apple tells at the first sign-in only.
    ///   - email: The mail address in the token.
    ///   - nonce: The nonce; a new one by default.
    /// - Returns: The credential.
    public static func test(
        user: String, name: String? = nil, email: String? = nil, nonce: AppleNonce = AppleNonce()
    ) -> AppleCredential {
        var claims = ["sub": user, "nonce": nonce.hashed]
        claims["email"] = email
        return AppleCredential(
            user: user, identityToken: TestToken.text(of: claims), authorizationCode: "code-of-\(user)",
            nonce: nonce.value, name: name)
    }
}

extension ProviderCredential {
    /// What a provider would give for a person, good for an ``InMemoryServer``: its token is signed by nobody.
    ///
    /// - Parameters:
    ///   - provider: Any but Apple; see ``Okaeri/AppleCredential/test(user:name:email:nonce:)``
    ///     for Apple.
    ///   - user: The provider's name for the person.
    ///   - nonce: Any text that no other sign-in has.
    /// - Returns: The credential.
    public static func test(_ provider: Provider, user: String, nonce: String) -> ProviderCredential {
        let token = TestToken.text(of: ["sub": user, "nonce": nonce])
        switch provider {
        case .google: return .google(idToken: token, nonce: nonce)
        case .facebook: return .facebook(idToken: token, nonce: nonce)
        case .line: return .line(idToken: token, nonce: nonce)
        case .kakao: return .kakao(idToken: token, nonce: nonce)
        case .yahooJapan: return .yahooJapan(idToken: token, nonce: nonce)
        case .naver: return .naver(code: token, state: nonce)
        case .gameCenter:
            return .gameCenter(
                GameCenterCredential(
                    publicKeyURL: URL(fileURLWithPath: "/test.cer"), signature: Data(token.utf8),
                    salt: Data(nonce.utf8), timestamp: 0, playerId: user, bundleId: "com.example.app"))
        default: return .openID(String(provider.rawValue.dropFirst("oidc:".count)), idToken: token, nonce: nonce)
        }
    }
}

/// A JWT that nobody signed.
enum TestToken {
    static func text(of claims: [String: String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Texts always encode.
        let bytes = (try? encoder.encode(claims)) ?? Data()
        return "\(Base64URL.text(of: Data(#"{"alg":"none"}"#.utf8))).\(Base64URL.text(of: bytes))."
    }

    static func claims(of token: String) -> [String: String]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.bytes(of: parts[1].utf8) else { return nil }
        // Whatever it is, it is no token of a test.
        return try? JSONDecoder().decode([String: String].self, from: Data(bytes))
    }
}

extension InMemoryServer {
    func logInWithProvider(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let thumbprint = try checkProof(of: request, token: nil, &contents)
        let body = try read(ProviderLogInBody.self, from: request.body ?? Data())
        if let name = request.headers[HeaderName.idempotencyKey], let known = contents.responses[name] {
            guard known.thumbprint == thumbprint, known.body == request.body ?? Data() else {
                throw Refusal(409, .idempotencyKeyReused)
            }
            return known.response
        }
        let (provider, subject, email) = try named(by: body, request.url.lastPathComponent)
        guard !contents.usedTokens.contains(body.withTestToken.idToken ?? "") else {
            throw Refusal(401, .providerTokenReplayed)
        }
        let response = try logIn(
            provider: provider, subject: subject, email: email, thumbprint: thumbprint, body,
            restores: request.restores,
            &contents)
        try use(body, &contents)
        if let name = request.headers[HeaderName.idempotencyKey] {
            contents.responses[name] = (thumbprint, request.body ?? Data(), response)
        }
        return response
    }

    private func logIn(
        provider: String, subject: String, email: String?, thumbprint: String, _ body: ProviderLogInBody,
        restores: Bool, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let now = time(contents)
        let linkName = "\(provider)/\(subject)"
        let known = contents.usersByIdentity[linkName].flatMap { contents.users[$0] }
        guard known?.isDisabled != true else { throw Refusal(403, .userDisabled) }
        if let known {
            try restore(known.body.id, isWished: restores, &contents)
            try demandSecondFactor(of: known.body, thumbprint, body.device, by: provider, contents: &contents)
        }
        let number = contents.newNumber()
        var user =
            known
            ?? ServerContents.StoredUser(
                number: number,
                body: UserBody(
                    id: newName("u", 9), isAnonymous: false, locale: body.user?.locale,
                    fields: body.user?.fields ?? [:],
                    identities: [IdentityBody(provider: provider, subject: subject, linkedAt: now)],
                    createdAt: now, updatedAt: now))
        if known == nil {
            user.body.email = email
            user.body.emailVerified = email != nil
        }
        user.body.displayName = user.body.displayName ?? body.user?.displayName ?? body.name
        let previous = user.body.lastLogInAt
        user.body.previousLogInAt = previous
        user.body.lastLogInAt = now
        if contents.usersByKey[thumbprint] == nil {
            contents.usersByKey[thumbprint] = user.body.id
            contents.removedKeys[thumbprint] = nil
            user.body.identities.append(IdentityBody(provider: "device", subject: thumbprint, linkedAt: now))
        }
        contents.users[user.body.id] = user
        contents.usersByIdentity[linkName] = user.body.id
        let token = "oks_" + newName("", 32)
        let end = WireTime(millisecondsSince1970: now.millisecondsSince1970 + 400 * 86_400_000)
        var session = SessionBody(
            id: newName("s", 9), isCurrent: false, protocol: "native", createdWith: provider, createdAt: now,
            lastUsedAt: now, expiresAt: end)
        session.device = body.device
        session.address = "192.0.2.1"
        contents.sessions[token] = ServerContents.StoredSession(
            number: number, user: user.body.id, thumbprint: thumbprint, body: session, authenticatedAt: now)
        let response = LogInResponse(
            isNew: known == nil, user: user.body, previousLogInAt: previous,
            session: NewSessionBody(id: session.id, token: token, expiresAt: end, idleSeconds: 60 * 86_400))
        return .json(known == nil ? 201 : 200, response)
    }

    func link(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        try checkConfirmed(session, contents)
        let body = try read(ProviderLinkBody.self, from: request.body ?? Data()).logIn
        let (provider, subject, email) = try named(by: body, request.url.lastPathComponent)
        let linkName = "\(provider)/\(subject)"
        if let owner = contents.usersByIdentity[linkName] {
            guard owner == session.user else {
                // A token that was used before proves nothing any more.
                guard !contents.usedTokens.contains(body.withTestToken.idToken ?? "") else {
                    throw Refusal(409, .identityTaken)
                }
                throw conflict(session.user, owner, .identityTaken, &contents)
            }
            return .json(200, contents.users[owner]?.body)
        }
        try use(body, &contents)
        guard var user = contents.users[session.user] else { throw Refusal(401, .sessionInvalid) }
        if !user.body.identities.contains(where: { $0.provider == provider }) {
            user.body.identities.append(
                IdentityBody(provider: provider, subject: subject, linkedAt: time(contents)))
        }
        user.body.isAnonymous = false
        user.body.displayName = user.body.displayName ?? body.name
        // Who has a second factor shows it for an address.
        if !contents.secondFactors.has(session.user) { user.body.email = user.body.email ?? email }
        user.body.updatedAt = max(time(contents), user.body.updatedAt)
        contents.users[session.user] = user
        contents.usersByIdentity[linkName] = session.user
        return .json(200, user.body)
    }

    func unlink(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> TransportResponse {
        let session = try authenticate(request, &contents).session
        try checkConfirmed(session, contents)
        let provider = request.url.lastPathComponent
        guard var user = contents.users[session.user] else { throw Refusal(401, .sessionInvalid) }
        guard let identity = user.body.identities.first(where: { $0.provider == provider }) else {
            throw Refusal(404, .identityUnknown)
        }
        guard user.body.identities.count > 1 else { throw Refusal(409, .lastWayIn) }
        user.body.identities.removeAll { $0 == identity }
        user.body.isAnonymous = user.body.identities.allSatisfy { $0.provider == "device" } && user.body.email == nil
        user.body.updatedAt = max(time(contents), user.body.updatedAt)
        contents.users[session.user] = user
        contents.usersByIdentity["\(provider)/\(identity.subject)"] = nil
        return .json(200, user.body)
    }

    /// Whom a token names: it must hold the nonce.
    func named(
        by body: ProviderLogInBody, _ provider: String
    ) throws(Refusal) -> (provider: String, subject: String, email: String?) {
        let body = body.withTestToken
        guard let token = body.idToken, let claims = TestToken.claims(of: token), let subject = claims["sub"],
            let nonce = body.nonce, claims["nonce"] == (provider == "apple" ? AppleNonce(value: nonce).hashed : nonce)
        else { throw Refusal(401, .providerTokenInvalid) }
        return (provider, provider == "apple" ? "TESTTEAM01/\(subject)" : subject, claims["email"])
    }

    /// A token counts once.
    func use(_ body: ProviderLogInBody, _ contents: inout ServerContents) throws(Refusal) {
        guard contents.usedTokens.insert(body.withTestToken.idToken ?? "").inserted else {
            throw Refusal(401, .providerTokenReplayed)
        }
    }
}

extension ProviderLogInBody {
    /// The body with the token that a test put in the place of a code or a signature.
    fileprivate var withTestToken: ProviderLogInBody {
        var body = self
        if idToken == nil, let authorizationCode { (body.idToken, body.nonce) = (authorizationCode, state ?? nonce) }
        if let player = gameCenter, let token = Data(base64Encoded: player.signature),
            let salt = Data(base64Encoded: player.salt)
        {
            body.idToken = String(decoding: token, as: UTF8.self)
            body.nonce = String(decoding: salt, as: UTF8.self)
        }
        return body
    }
}
