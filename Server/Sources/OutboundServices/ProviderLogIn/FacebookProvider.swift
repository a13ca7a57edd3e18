package import Domain

/// Facebook: identity tokens of its Limited Login, and access tokens of the classic one, which Facebook itself is asked
/// about. The application's audience there is the app id, its secret the app secret.
package struct FacebookProvider: IdentityProvider {
    private static let issuers: Set<String> = ["https://www.facebook.com", "https://limited.facebook.com"]

    private let graph: String
    private let keySet: String
    private let call: any WebCaller
    private let verify: TokenVerifier

    /// - Parameters:
    ///   - graph: The address of the Graph API with its version, without a slash at the end.
    ///   - keySet: The address of the keys of Limited Login.
    ///   - call: Asks Facebook.
    ///   - verify: Checks tokens.
    package init(graph: String, keySet: String, call: any WebCaller, verify: TokenVerifier) {
        self.graph = graph
        self.keySet = keySet
        self.call = call
        self.verify = verify
    }

    package func faults(in settings: ProviderSettings, secret: Secret?) -> [FieldFault] {
        secret == nil ? [FieldFault(field: "secret", rule: .required)] : []
    }

    package func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ProviderPerson? {
        if let token = credential.identityToken {
            let verified = try await verify(
                token,
                TokenVerifier.Policy(
                    keySet: keySet, algorithms: [.rs256], issuers: Self.issuers,
                    audiences: Set(configured.settings.audiences),
                    nonce: credential.checksNonce ? .plain(credential.nonce) : .none))
            let claims = verified.claims
            // Facebook does not say whether it has seen mail arrive there.
            let email = claims.text("email").flatMap { address in
                ProviderEmail.isPlausible(address)
                    ? ProviderEmail(address: address, isVerified: false, isRelay: false) : nil
            }
            return ProviderPerson(
                provider: .facebook, subject: claims.text("sub") ?? "", audience: verified.audience, email: email,
                displayName: claims.text("name"), replay: verified.replay)
        }
        guard let token = credential.accessToken else { return nil }
        return try await person(of: token, configured)
    }

    package func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ProviderPerson?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ProviderPerson {
        throw .fieldsRefused([FieldFault(field: "authorizationCode", rule: .notOffered)])
    }

    package func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError)
    {
        // Facebook gives no refresh tokens, so none is ever kept.
    }

    package func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        do throws(DomainError) {
            let (status, members) = try await debug(Secret("okaeri-settings-check"), configured)
            // With the right app secret Facebook says that the token is none; with a wrong one that the secret is.
            if status == 200, members["data"] != nil { return .accepted }
            return .refused(answer: "status \(status)")
        } catch {
            return .unreachable
        }
    }

    /// Asks whose a token is and for which app it was made (Graph API, `/debug_token`). A token for another app is
    /// refused: whoever runs that app could log in as each of its users here.
    private func person(
        of token: Secret, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> ProviderPerson {
        let (status, members) = try await debug(token, configured)
        guard status == 200, let data = members["data"] else {
            throw status == 200 ? .providerUnavailable : .providerMisconfigured
        }
        guard data.flag("is_valid"), let app = data.text("app_id"), configured.settings.audiences.contains(app),
            let subject = data.text("user_id"), !subject.isEmpty, subject.utf8.count <= 255
        else { throw .providerTokenRefused(.accessToken) }
        return ProviderPerson(provider: .facebook, subject: subject, audience: app)
    }

    private func debug(
        _ token: Secret, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> (status: Int, members: [String: JSONMembers]) {
        guard let app = configured.settings.audiences.first, let secret = configured.secret else {
            throw .providerMisconfigured
        }
        let query = WebCall.encoded([(name: "input_token", value: token.revealed)])
        let answer = try await call.answer(
            to: WebCall(
                .get, "\(graph)/debug_token?\(query)",
                headers: [(name: "Authorization", value: "OAuth \(app)|\(secret.revealed)")]))
        guard let body = JSONMembers(parsing: answer.body) else { throw .providerUnavailable }
        return (answer.status, body.values["data"].flatMap(JSONMembers.init(object:)).map { ["data": $0] } ?? [:])
    }
}
