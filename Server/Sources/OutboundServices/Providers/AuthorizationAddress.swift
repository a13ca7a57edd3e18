import Domain

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
