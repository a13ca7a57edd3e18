package import Domain

/// Naver (네이버 로그인): OAuth 2.0 with codes alone.
///
/// Its access tokens name no client, and Naver tells nobody for whom one was made: the operator of another app could
/// log in with its users' tokens here. So none is taken from a client. A code is: Naver exchanges it for the client id and secret
/// that it was made for, and the token that comes of it reaches nobody else.
package struct NaverProvider: IdentityProvider {
    private let base: String
    private let profile: String
    private let call: any WebCaller

    /// - Parameters:
    ///   - base: The address of log-in, without a slash at the end.
    ///   - profile: The address of the profile.
    ///   - call: Asks Naver.
    package init(base: String, profile: String, call: any WebCaller) {
        self.base = base
        self.profile = profile
        self.call = call
    }

    package func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        secret == nil ? [ValidationError(field: "secret", rule: .required)] : []
    }

    package func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        guard credential.accessToken == nil, credential.identityToken == nil else {
            throw .providerTokenRefused(.accessToken)
        }
        return nil
    }

    package func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        let audience = try configured.settings.client(of: code).audience
        guard let state = code.state, !state.revealed.isEmpty else {
            throw .fieldsRefused([ValidationError(field: "state", rule: .required)])
        }
        let token: Secret
        switch try await ask(code.code, state, audience, configured) {
        case .tokens(let tokens):
            guard let accessToken = tokens.accessToken else { throw .providerUnavailable }
            token = accessToken
        case .refused("invalid_client"), .refused("unauthorized_client"): throw .providerMisconfigured
        case .refused: throw .providerRefused
        }
        let answer = try await call.answer(
            to: WebCall(.get, profile, headers: [(name: "Authorization", value: "Bearer \(token.revealed)")]))
        // The app may not read profiles (403, "024" and "028" of the documentation's list), or not yet.
        guard answer.status == 200 else { throw answer.status == 403 ? .providerMisconfigured : .providerRefused }
        guard let members = JSONMembers(parsing: answer.body), members.text("resultcode") == "00",
            let response = members.values["response"].flatMap(JSONMembers.init(object:)),
            let subject = response.subject("id")
        else { throw .providerUnavailable }
        return ExternalIdentity(
            provider: .naver, subject: subject, audience: audience, email: response.email,
            displayName: response.text("nickname") ?? response.text("name"))
    }

    package var takesBrowsers: Bool { true }

    /// Naver does not say how long it may be.
    package var maximumStateCharacters: Int { 500 }

    package func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        let query = WebCall.encoded([
            (name: "response_type", value: "code"), (name: "client_id", value: configured.settings.browserAudience),
            (name: "redirect_uri", value: authorization.redirectURI), (name: "state", value: authorization.state),
        ])
        return "\(base)/authorize?\(query)"
    }

    package func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError)
    {
        // The token is used once and forgotten; no grant is kept.
    }

    package func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        do throws(DomainError) {
            let code = Secret("okaeri-settings-check")
            switch try await ask(code, code, configured.settings.browserAudience, configured) {
            case .refused("invalid_client"): return .refused(answer: "invalid_client")
            case .refused("unauthorized_client"): return .refused(answer: "unauthorized_client")
            case .refused: return .accepted
            case .tokens: return .unexpected(answer: "tokens for a code that nobody issued")
            }
        } catch {
            return .unreachable
        }
    }

    private func ask(
        _ code: Secret, _ state: Secret, _ audience: String, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> TokenEndpoint.Answer {
        guard let secret = configured.secret else { throw .providerMisconfigured }
        return try await TokenEndpoint(call: call).ask(
            [
                (name: "grant_type", value: "authorization_code"), (name: "client_id", value: audience),
                (name: "client_secret", value: secret.revealed), (name: "code", value: code.revealed),
                (name: "state", value: state.revealed),
            ], at: "\(base)/token")
    }
}
