package import Domain

/// Sign in with Apple: identity tokens and authorization codes (requirements 31, 34, 36, 37).
package struct AppleProvider: IdentityProvider {
    /// What tokens name as their issuer, wherever they are fetched; both are seen (requirement 36).
    static let issuers: Set<String> = ["https://appleid.apple.com", "https://account.apple.com"]
    static let clientSecretAudience = "https://appleid.apple.com"
    private static let checkCode = "okaeri-settings-check"

    let base: String
    let call: any WebCaller
    let verify: TokenVerifier
    let clock: any WallClock

    /// - Parameters:
    ///   - base: Apple's address, without a slash at the end.
    ///   - call: Asks Apple.
    ///   - verify: Checks tokens.
    ///   - clock: The time.
    package init(base: String, call: any WebCaller, verify: TokenVerifier, clock: any WallClock) {
        self.base = base
        self.call = call
        self.verify = verify
        self.clock = clock
    }

    package func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        var faults: [ValidationError] = []
        if !Self.isAppleId(settings.teamId) { faults.append(ValidationError(field: "teamId", rule: .notAnAppleId)) }
        if settings.keyId != nil || secret != nil {
            if !Self.isAppleId(settings.keyId) { faults.append(ValidationError(field: "keyId", rule: .notAnAppleId)) }
            if secret.flatMap(AppleClientSecret.key) == nil {
                faults.append(ValidationError(field: "privateKey", rule: .notAPrivateKey))
            }
        }
        for audience in settings.audiences where !audience.utf8.allSatisfy(Self.isNameByte) {
            faults.append(ValidationError(field: "audiences", rule: .notAnAppleId))
        }
        return faults
    }

    package func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        guard let token = credential.identityToken else { return nil }
        let verified = try await verify(
            token,
            policy(
                audiences: Set(configured.settings.audiences),
                nonce: credential.checksNonce ? .hashed(credential.nonce) : .none))
        return person(verified, configured)
    }

    package func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        var (audience, redirectURI) = try configured.settings.client(of: code)
        // A code belongs to the audience of the token that came with it.
        if code.audience == nil, let person { audience = person.audience }
        guard let clientSecret = AppleClientSecret(configured, audience: Self.clientSecretAudience) else {
            throw .providerMisconfigured
        }
        var form = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code.code.revealed),
            (name: "client_id", value: audience),
            (name: "client_secret", value: try clientSecret.minted(for: audience, at: clock.now).revealed),
        ]
        if let redirectURI { form.append((name: "redirect_uri", value: redirectURI)) }
        if let verifier = code.verifier { form.append((name: "code_verifier", value: verifier.revealed)) }
        let tokens = try await TokenEndpoint(call: call).redeem(form, at: "\(base)/auth/token")
        guard let token = tokens.identityToken else { throw .providerRefused }
        let verified = try await verify(token, policy(audiences: [audience], nonce: .hashedIfThere(nonce)))
        return try self.person(verified, configured).joined(to: person, refreshToken: tokens.refreshToken)
    }

    package var takesBrowsers: Bool { true }

    package func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        // Without scopes: with them Apple answers by a form of its own, which brings no cookie along. Mail and name are not
        // needed for an account (requirement 33).
        authorization.address(
            at: "\(base)/auth/authorize", audience: configured.settings.browserAudience, scope: nil,
            nonce: TokenVerifier.Nonce.digest(Secret(authorization.nonce)).revealed)
    }

    package func revoke(
        _ grant: Secret, audience: String, for configured: ConfiguredProvider
    ) async throws(DomainError) {
        guard let clientSecret = AppleClientSecret(configured, audience: Self.clientSecretAudience) else {
            throw .providerMisconfigured
        }
        let form = [
            (name: "client_id", value: audience),
            (name: "client_secret", value: try clientSecret.minted(for: audience, at: clock.now).revealed),
            (name: "token", value: grant.revealed), (name: "token_type_hint", value: "refresh_token"),
        ]
        let answer = try await call.answer(to: WebCall(form: form, to: "\(base)/auth/revoke"))
        // Apple answers 200 for tokens that are dead already too (requirement 34).
        guard answer.status == 200 else { throw .providerMisconfigured }
    }

    package func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        guard let clientSecret = AppleClientSecret(configured, audience: Self.clientSecretAudience),
            let audience = configured.settings.audiences.first
        else { return .secretUnusable }
        do throws(DomainError) {
            let form = [
                (name: "grant_type", value: "authorization_code"), (name: "code", value: Self.checkCode),
                (name: "client_id", value: audience),
                (name: "client_secret", value: try clientSecret.minted(for: audience, at: clock.now).revealed),
            ]
            switch try await TokenEndpoint(call: call).ask(form, at: "\(base)/auth/token") {
            case .refused("invalid_grant"): return .accepted
            case .refused(let word) where word.hasSuffix("_client"): return .refused(answer: word)
            case .refused(let word): return .unexpected(answer: word)
            case .tokens: return .unexpected(answer: "tokens for a code that nobody issued")
            }
        } catch {
            return .unreachable
        }
    }

    func policy(
        audiences: Set<String>, nonce: TokenVerifier.Nonce, isIdentity: Bool = true
    ) -> TokenVerifier.Policy {
        TokenVerifier.Policy(
            keySet: "\(base)/auth/keys", algorithms: [.rs256], issuers: Self.issuers, audiences: audiences,
            nonce: nonce, isIdentity: isIdentity)
    }

    private func person(_ verified: TokenVerifier.Verified, _ configured: ConfiguredProvider) -> ExternalIdentity {
        let claims = verified.claims
        return ExternalIdentity(
            provider: .apple, subject: configured.subject(of: claims.text("sub") ?? ""),
            audience: verified.audience, email: Self.email(claims), transferSubject: claims.text("transfer_sub"),
            replay: verified.replay)
    }

    /// Apple's addresses are verified; relays are marked, or known by their domain (requirement 37).
    static func email(_ claims: JSONMembers) -> ProviderEmail? {
        guard let address = claims.text("email"), ProviderEmail.isPlausible(address) else { return nil }
        return ProviderEmail(
            address: address, isVerified: claims.values["email_verified"] == nil || claims.flag("email_verified"),
            isRelay: claims.flag("is_private_email")
                || address.lowercased().hasSuffix("@privaterelay.appleid.com"))
    }

    /// Team and key ids: ten capitals and digits.
    private static func isAppleId(_ text: String?) -> Bool {
        guard let text, text.utf8.count == 10 else { return false }
        return text.utf8.allSatisfy { (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}

extension ProviderEmail {
    /// Whether a text may be kept as an address: no checks of its own sense, only of its form.
    static func isPlausible(_ address: String) -> Bool {
        (3...254).contains(address.utf8.count) && address.contains("@")
            && !address.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == " " }
    }
}

extension ExternalIdentity {
    /// The person of a code, with what the token before it said; both must be the same.
    ///
    /// - Throws: `providerTokenRefused(.otherPerson)`.
    func joined(to token: ExternalIdentity?, refreshToken: Secret?) throws(DomainError) -> ExternalIdentity {
        var person = self
        person.refreshToken = refreshToken
        guard let token else { return person }
        guard token.subject == subject else { throw .providerTokenRefused(.otherPerson) }
        person.replay = token.replay
        person.email = email ?? token.email
        person.displayName = displayName ?? token.displayName
        person.transferSubject = transferSubject ?? token.transferSubject
        return person
    }
}
