import Domain

/// The endpoint that exchanges codes for tokens (RFC 6749 §5).
struct TokenEndpoint: Sendable {
    let call: any WebCaller

    /// Tokens as they came. Nothing of them is believed yet.
    struct Tokens: Sendable {
        var identityToken: Secret?
        var accessToken: Secret?
        var refreshToken: Secret?
    }

    /// What came back.
    enum Answer: Sendable {
        case tokens(Tokens)
        /// The provider's own word, such as `invalid_grant`.
        case refused(String)
    }

    /// Sends a form, once.
    ///
    /// - Throws: `providerUnavailable` when there is no answer, or one that says "later".
    func ask(
        _ form: [(name: String, value: String)], at url: String, headers: [(name: String, value: String)] = []
    ) async throws(DomainError) -> Answer {
        let answer = try await call.answer(to: WebCall(form: form, to: url, headers: headers))
        guard let members = JSONMembers(parsing: answer.body) else { throw .providerUnavailable }
        // Naver tells errors with status 200.
        if answer.status == 200, members.text("error") == nil {
            return .tokens(
                Tokens(
                    identityToken: members.text("id_token").map { Secret($0) },
                    accessToken: members.text("access_token").map { Secret($0) },
                    refreshToken: members.text("refresh_token").map { Secret($0) }))
        }
        guard let word = members.text("error") else { throw .providerUnavailable }
        return .refused(String(word.unicodeScalars.prefix(64)))
    }

    /// Exchanges a code, once.
    ///
    /// - Throws: `providerRefused` for the code, `providerMisconfigured` for our own credentials,
    ///   `providerUnavailable`.
    func redeem(
        _ form: [(name: String, value: String)], at url: String, headers: [(name: String, value: String)] = []
    ) async throws(DomainError) -> Tokens {
        switch try await ask(form, at: url, headers: headers) {
        case .tokens(let tokens): return tokens
        case .refused("invalid_client"), .refused("unauthorized_client"): throw .providerMisconfigured
        case .refused: throw .providerRefused
        }
    }
}

extension WebCaller {
    /// An answer of a server that works.
    ///
    /// - Throws: `providerUnavailable` for none, 429 and 5xx.
    func answer(to call: WebCall) async throws(DomainError) -> WebResponse {
        let answer: WebResponse
        do throws(WebFault) {
            answer = try await self(call)
        } catch {
            throw .providerUnavailable
        }
        guard answer.status < 500, answer.status != 429 else { throw .providerUnavailable }
        return answer
    }
}

extension ProviderSettings {
    /// The audience that a code is for, and where it was sent.
    ///
    /// - Throws: `fieldsRefused` for one that the application does not list.
    func client(
        of code: ProviderCredential.AuthorizationCode
    ) throws(DomainError) -> (audience: String, redirectURI: String?) {
        var faults: [ValidationError] = []
        if let audience = code.audience, !audiences.contains(audience) {
            faults.append(ValidationError(field: "clientId", rule: .notListed))
        }
        if let address = code.redirectURI, !redirectURIs.contains(address) {
            faults.append(ValidationError(field: "redirectUri", rule: .notListed))
        }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        return (code.audience ?? audiences.first ?? "", code.redirectURI)
    }
}

extension ProviderAuthorization {
    /// The address with everything that the provider is asked (RFC 6749 §4.1.1).
    func address(
        at endpoint: String, audience: String, scope: String?, nonce: String?,
        more: [(name: String, value: String)] = []
    ) -> String {
        var fields = [
            (name: "response_type", value: "code"), (name: "client_id", value: audience),
            (name: "redirect_uri", value: redirectURI), (name: "state", value: state),
            (name: "code_challenge", value: challenge), (name: "code_challenge_method", value: "S256"),
        ]
        if let nonce { fields.append((name: "nonce", value: nonce)) }
        if let scope { fields.append((name: "scope", value: scope)) }
        if let hint { fields.append((name: "login_hint", value: hint)) }
        fields += more
        return "\(endpoint)\(endpoint.contains("?") ? "&" : "?")\(WebCall.encoded(fields))"
    }
}
