/// What an OpenID Connect provider says of itself.
package struct OpenIDDescription: Hashable, Sendable {
    package let issuer: String
    let tokenEndpoint: String
    /// Where browsers are sent; `nil` when it is missing, or none that may be asked.
    let authorizationEndpoint: String?
    let keySet: String
    let revocationEndpoint: String?
    let takesSecretInForm: Bool

    /// Longer than any provider's. A description is kept, and a tenant may have written it.
    private static let maximumAddressBytes = 2000

    /// `nil` when something needed is missing or too long, or an address may not be asked.
    ///
    /// - Parameters:
    ///   - bytes: The description.
    ///   - url: Where it was read.
    ///   - mayAsk: Whether an address may be asked.
    package init?(parsing bytes: [UInt8], readFrom url: String, mayAsk: (String) -> Bool) {
        guard let members = JSONMembers(parsing: bytes), let issuer = members.text("issuer"),
            let tokenEndpoint = members.text("token_endpoint"), let keySet = members.text("jwks_uri")
        else { return nil }
        // What was read by https leads on by https alone (requirement 44).
        let mayBePlain = url.hasPrefix("http://")
        func isShort(_ text: String) -> Bool { text.utf8.count <= Self.maximumAddressBytes }
        func isAllowed(_ url: String) -> Bool {
            isShort(url) && mayAsk(url) && (mayBePlain || url.lowercased().hasPrefix("https://"))
        }
        guard isShort(issuer), isAllowed(tokenEndpoint), isAllowed(keySet) else { return nil }
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        self.keySet = keySet
        authorizationEndpoint = members.text("authorization_endpoint").flatMap { isAllowed($0) ? $0 : nil }
        revocationEndpoint = members.text("revocation_endpoint").flatMap { isAllowed($0) ? $0 : nil }
        // Without a list, Basic is the rule (OpenID Connect Discovery 1.0 §3).
        takesSecretInForm = members.texts("token_endpoint_auth_methods_supported").contains("client_secret_post")
    }
}
