package import Domain
import Foundation

/// Any OpenID Connect provider, found by its issuer (OpenID Connect Discovery 1.0): identity tokens, and authorization
/// codes with PKCE (RFC 7636). Providers whose issuer everybody knows are presets of it.
package struct OpenIDProvider: IdentityProvider {
    private let preset: Preset?
    private let call: any WebCaller
    private let descriptions: RemoteDocuments<OpenIDDescription>
    private let verify: TokenVerifier

    package init(
        preset: Preset? = nil, call: any WebCaller, descriptions: RemoteDocuments<OpenIDDescription>,
        verify: TokenVerifier
    ) {
        self.preset = preset
        self.call = call
        self.descriptions = descriptions
        self.verify = verify
    }

    package func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        if let preset { return preset.faults(in: secret) }
        guard let issuer = settings.issuer else { return [ValidationError(field: "issuer", rule: .required)] }
        guard call.mayAsk(issuer), !issuer.utf8.contains(where: "?#".utf8.contains) else {
            return [ValidationError(field: "issuer", rule: .notAnAddress)]
        }
        return []
    }

    package func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        guard let token = credential.identityToken else {
            guard let token = credential.accessToken, let tokenInfo = preset?.tokenInfo else { return nil }
            return try await AccessTokenCheck(call: call, info: tokenInfo).person(of: token, configured)
        }
        let description = try await description(for: configured)
        let verified = try await verify(
            token,
            policy(
                description, Set(configured.settings.audiences), configured.secret,
                nonce: credential.checksNonce ? .plainIfThere(credential.nonce) : .none))
        return person(verified, configured)
    }

    package func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        let (audience, redirectURI) = try configured.settings.client(of: code)
        var faults: [ValidationError] = []
        if code.verifier == nil { faults.append(ValidationError(field: "codeVerifier", rule: .required)) }
        if redirectURI == nil { faults.append(ValidationError(field: "redirectUri", rule: .required)) }
        guard faults.isEmpty, let verifier = code.verifier, let redirectURI else { throw .fieldsRefused(faults) }
        let description = try await description(for: configured)
        var form = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code.code.revealed),
            (name: "redirect_uri", value: redirectURI), (name: "code_verifier", value: verifier.revealed),
        ]
        let headers = authentication(audience, configured.secret, description, &form)
        let tokens = try await TokenEndpoint(call: call)
            .redeem(form, at: description.tokenEndpoint, headers: headers)
        guard let token = tokens.identityToken else { throw .providerRefused }
        var policy = policy(description, [audience], configured.secret, nonce: .plainIfThere(nonce))
        policy.accessToken = tokens.accessToken
        policy.required = preset?.required ?? []
        let verified = try await verify(token, policy)
        return try self.person(verified, configured).joined(to: person, refreshToken: tokens.refreshToken)
    }

    package var takesBrowsers: Bool { true }

    package var maximumStateCharacters: Int { preset?.maximumStateCharacters ?? Preset.addressCharacters }

    package func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        guard let endpoint = try await description(for: configured).authorizationEndpoint else { return nil }
        var authorization = authorization
        if preset?.takesHint == false { authorization.hint = nil }
        return authorization.address(
            at: endpoint, audience: configured.settings.browserAudience, scope: preset?.scope ?? Preset.allScopes,
            nonce: authorization.nonce,
            more: (preset?.parameters ?? []) + demands(of: authorization))
    }

    /// What a provider has to obey by the standard (OpenID Connect Core 1.0 §15.1). Of the presets Google does not know
    /// `prompt=login`, and the others are asked for what their rows say alone.
    private func demands(of authorization: ProviderAuthorization) -> [(name: String, value: String)] {
        guard preset == nil else { return [] }
        if authorization.demandsFreshLogIn { return [(name: "prompt", value: "login"), (name: "max_age", value: "0")] }
        return authorization.maximumAgeSeconds.map { [(name: "max_age", value: String($0))] } ?? []
    }

    package func revoke(
        _ grant: Secret, audience: String, for configured: ConfiguredProvider
    ) async throws(DomainError) {
        let description = try await description(for: configured)
        // A provider without such an endpoint cannot be asked (RFC 7009 is optional).
        guard let endpoint = description.revocationEndpoint else { return }
        var form = [
            (name: "token", value: grant.revealed), (name: "token_type_hint", value: "refresh_token"),
        ]
        let headers = authentication(audience, configured.secret, description, &form)
        let answer = try await call.answer(to: WebCall(form: form, to: endpoint, headers: headers))
        let word = JSONMembers(parsing: answer.body)?.text("error")
        // Google answers 400 `invalid_token` for a dead token where RFC 7009 §2.2 wants 200.
        guard answer.status == 200 || answer.status == 400 && word != "invalid_client" else {
            throw .providerMisconfigured
        }
    }

    package func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        do throws(DomainError) {
            let description = try await description(for: configured)
            guard let audience = configured.settings.audiences.first else { return .secretUnusable }
            var form = [
                (name: "grant_type", value: "authorization_code"), (name: "code", value: "okaeri-settings-check"),
                (name: "redirect_uri", value: configured.settings.redirectURIs.first ?? "https://example.com/"),
                (name: "code_verifier", value: String(repeating: "0", count: 43)),
            ]
            let headers = authentication(audience, configured.secret, description, &form)
            switch try await TokenEndpoint(call: call).ask(form, at: description.tokenEndpoint, headers: headers) {
            case .refused("invalid_grant"): return .accepted
            case .refused(let word) where word.hasSuffix("_client"): return .refused(answer: word)
            case .refused(let word): return .unexpected(answer: word)
            case .tokens: return .unexpected(answer: "tokens for a code that nobody issued")
            }
        } catch {
            return .unreachable
        }
    }

    private func description(for configured: ConfiguredProvider) async throws(DomainError) -> OpenIDDescription {
        guard let issuer = preset?.address ?? configured.settings.issuer else { throw .providerMisconfigured }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let description = try await descriptions.document(at: "\(base)/.well-known/openid-configuration")
        // A description speaks for its own issuer alone (OpenID Connect Discovery 1.0 §4.3).
        guard preset?.issuers.contains(description.issuer) ?? (description.issuer == issuer) else {
            throw .providerMisconfigured
        }
        return description
    }

    private func policy(
        _ description: OpenIDDescription, _ audiences: Set<String>, _ secret: Secret?, nonce: TokenVerifier.Nonce
    ) -> TokenVerifier.Policy {
        let algorithms = preset?.algorithms ?? [.rs256, .es256]
        return TokenVerifier.Policy(
            keySet: description.keySet, algorithms: algorithms, issuers: preset?.issuers ?? [description.issuer],
            audiences: audiences, nonce: nonce, sharedSecret: algorithms.contains(.hs256) ? secret : nil,
            needsKeyId: preset != nil)
    }

    /// How the application proves itself: its secret in the form, or by HTTP Basic where the provider takes nothing
    /// else (RFC 6749 §2.3.1). A public client has none; PKCE stands in for it.
    private func authentication(
        _ audience: String, _ secret: Secret?, _ description: OpenIDDescription,
        _ form: inout [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        guard let secret else {
            form.append((name: "client_id", value: audience))
            return []
        }
        if preset?.takesSecretInForm ?? description.takesSecretInForm {
            form += [(name: "client_id", value: audience), (name: "client_secret", value: secret.revealed)]
            return []
        }
        let pair = "\(audience.percentEncoded):\(secret.revealed.percentEncoded)"
        return [(name: "Authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())")]
    }

    private func person(_ verified: TokenVerifier.Verified, _ configured: ConfiguredProvider) -> ExternalIdentity {
        let claims = verified.claims
        var person = ExternalIdentity(
            provider: configured.settings.provider, subject: claims.text("sub") ?? "", audience: verified.audience,
            // Kakao's word for a name.
            email: claims.email, displayName: claims.text("name") ?? claims.text("nickname"), replay: verified.replay)
        // Only of who is asked for a log-in of now: Kakao and Yahoo! JAPAN tell the time of a session's beginning unasked, and who
        // has one there could not show another log-in.
        if preset == nil, claims.has("auth_time") {
            // One that cannot be understood shows no log-in of now.
            person.authenticatedAt = claims.time("auth_time") ?? Timestamp(milliseconds: 0)
        }
        person.hostedDomain = claims.text("hd").flatMap { $0.isEmpty ? nil : $0 }
        return person
    }
}
