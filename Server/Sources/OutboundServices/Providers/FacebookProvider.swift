package import Domain
import enum OkaeriWire.JSONValue

/// Facebook: identity tokens of its Limited Login, access tokens of the classic one, which Facebook itself is asked about,
/// and codes of its dialog in a browser. The application's audience there is the app id, its secret the app secret.
package struct FacebookProvider: IdentityProvider {
    private static let issuers: Set<String> = ["https://www.facebook.com", "https://limited.facebook.com"]

    private let graph: String
    private let dialog: String
    private let keySet: String
    private let call: any WebCaller
    private let verify: TokenVerifier

    /// - Parameters:
    ///   - graph: The address of the Graph API with its version, without a slash at the end.
    ///   - dialog: The address of the log-in dialog with its version.
    ///   - keySet: The address of the keys of Limited Login.
    ///   - call: Asks Facebook.
    ///   - verify: Checks tokens.
    package init(graph: String, dialog: String, keySet: String, call: any WebCaller, verify: TokenVerifier) {
        self.graph = graph
        self.dialog = dialog
        self.keySet = keySet
        self.call = call
        self.verify = verify
    }

    package func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        secret == nil ? [ValidationError(field: "secret", rule: .required)] : []
    }

    package func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
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
            return ExternalIdentity(
                provider: .facebook, subject: claims.text("sub") ?? "", audience: verified.audience, email: email,
                displayName: claims.text("name"), replay: verified.replay)
        }
        guard let token = credential.accessToken else { return nil }
        return try await person(of: token, configured)
    }

    package func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        let (audience, redirectURI) = try configured.settings.client(of: code)
        // The dialog always sends a code somewhere, and Facebook asks where.
        guard let redirectURI else { throw .fieldsRefused([ValidationError(field: "redirectUri", rule: .required)]) }
        guard let secret = configured.secret else { throw .providerMisconfigured }
        var form = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code.code.revealed),
            (name: "client_id", value: audience), (name: "client_secret", value: secret.revealed),
            (name: "redirect_uri", value: redirectURI),
        ]
        if let verifier = code.verifier { form.append((name: "code_verifier", value: verifier.revealed)) }
        let answer = try await call.answer(to: WebCall(form: form, to: "\(graph)/oauth/access_token"))
        guard let members = JSONMembers(parsing: answer.body) else { throw .providerUnavailable }
        guard answer.status == 200 else { throw Self.refusal(members) }
        guard let token = members.text("access_token") else { throw .providerUnavailable }
        return try await self.person(of: Secret(token), configured)
    }

    /// What an error of the Graph API is (Graph API, "Handling Errors"): 100 is the code's fault, 1 and 101 that of app
    /// secret and app id, and the others pass.
    private static func refusal(_ members: JSONMembers) -> DomainError {
        let fault = members.values["error"].flatMap(JSONMembers.init(object:))
        return switch fault?.values["code"] {
        case .integer(100)?: .providerRefused
        case .integer(1)?, .integer(101)?: .providerMisconfigured
        default: .providerUnavailable
        }
    }

    package var takesBrowsers: Bool { true }

    package func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        var authorization = authorization
        // Facebook asks for it by itself, and receives no more than it must know.
        authorization.hint = nil
        return authorization.address(
            at: dialog, audience: configured.settings.browserAudience, scope: "public_profile", nonce: nil)
    }

    package func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError)
    {
        // Facebook gives no refresh tokens, so none is ever kept.
    }

    package func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        do throws(DomainError) {
            let (status, data) = try await debug(Secret("okaeri-settings-check"), configured)
            // With the right app secret Facebook says that the token is none; with a wrong one that the secret is.
            if status == 200, data != nil { return .accepted }
            return .refused(answer: "status \(status)")
        } catch {
            return .unreachable
        }
    }

    /// Asks whose a token is and for which app it was made (Graph API, `/debug_token`). A token for another app is
    /// refused: the operator of that app could log in as each of its users here.
    private func person(
        of token: Secret, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        let (status, data) = try await debug(token, configured)
        guard status == 200, let data else {
            throw status == 200 ? .providerUnavailable : .providerMisconfigured
        }
        guard data.flag("is_valid"), let app = data.text("app_id"), configured.settings.audiences.contains(app),
            let subject = data.subject("user_id")
        else { throw .providerTokenRefused(.accessToken) }
        return ExternalIdentity(provider: .facebook, subject: subject, audience: app)
    }

    /// - Returns: the status, and what Facebook says of the token, if anything.
    private func debug(
        _ token: Secret, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> (status: Int, data: JSONMembers?) {
        guard let app = configured.settings.audiences.first, let secret = configured.secret else {
            throw .providerMisconfigured
        }
        let query = WebCall.encoded([(name: "input_token", value: token.revealed)])
        let answer = try await call.answer(
            to: WebCall(
                .get, "\(graph)/debug_token?\(query)",
                headers: [(name: "Authorization", value: "OAuth \(app)|\(secret.revealed)")]))
        guard let body = JSONMembers(parsing: answer.body) else { throw .providerUnavailable }
        return (answer.status, body.values["data"].flatMap(JSONMembers.init(object:)))
    }
}
