import Domain
import Foundation

/// X in a browser: OAuth 2.0 with PKCE ("OAuth 2.0 Authorization Code Flow with PKCE" in X's documentation). X names the
/// same person as it does for OAuth 1.0a.
extension TwitterProvider {
    /// What `/2/users/me` needs.
    private static let scope = "users.read tweet.read"

    func address(_ authorization: ProviderAuthorization, for configured: ConfiguredProvider) -> String {
        var authorization = authorization
        // X knows by itself who is logged in there.
        authorization.hint = nil
        return authorization.address(
            at: dialog, audience: configured.settings.browserAudience, scope: Self.scope, nonce: nil)
    }

    func redeem(
        _ code: ProviderCredential.AuthorizationCode, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        let redirectURI = try configured.settings.client(of: code).redirectURI
        var missing: [ValidationError] = []
        if redirectURI == nil { missing.append(ValidationError(field: "redirectUri", rule: .required)) }
        if code.verifier == nil { missing.append(ValidationError(field: "codeVerifier", rule: .required)) }
        guard let redirectURI, let verifier = code.verifier else { throw .fieldsRefused(missing) }
        let audience = code.audience ?? configured.settings.browserAudience
        let tokens = try await ask(code.code, verifier, redirectURI, audience, configured)
        guard let token = tokens.accessToken else { throw .providerRefused }
        // The token came over a connection to X itself, for this client and this code: nobody else can have put it here.
        let answer = try await call.answer(
            to: WebCall(
                .get, "\(base)/2/users/me", headers: [(name: "Authorization", value: "Bearer \(token.revealed)")]))
        guard answer.status == 200 else {
            throw answer.status == 403 ? .providerMisconfigured : .providerRefused
        }
        guard let data = JSONMembers(parsing: answer.body)?.values["data"].flatMap(JSONMembers.init(object:)),
            let subject = data.subject("id")
        else { throw .providerUnavailable }
        return ExternalIdentity(
            provider: .twitter, subject: subject, audience: audience, displayName: data.text("name"))
    }

    /// Tries client id and secret with a code that nobody issued.
    func checkClient(_ configured: ConfiguredProvider) async -> ProviderFinding {
        do throws(DomainError) {
            _ = try await ask(
                Secret("okaeri-settings-check"), Secret(String(repeating: "0", count: 43)),
                configured.settings.redirectURIs.first ?? "", configured.settings.browserAudience, configured)
            return .unexpected(answer: "tokens for a code that nobody issued")
        } catch {
            switch error {
            case .providerRefused: return .accepted
            case .providerMisconfigured: return .refused(answer: "invalid_client")
            default: return .unreachable
            }
        }
    }

    private func ask(
        _ code: Secret, _ verifier: Secret, _ redirectURI: String, _ audience: String,
        _ configured: ConfiguredProvider
    ) async throws(DomainError) -> TokenEndpoint.Tokens {
        var form = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code.revealed),
            (name: "redirect_uri", value: redirectURI), (name: "code_verifier", value: verifier.revealed),
        ]
        var headers: [(name: String, value: String)] = []
        if let secret = XSecrets(configured)?.client {
            let pair = "\(audience.percentEncoded):\(secret.revealed.percentEncoded)"
            headers.append((name: "Authorization", value: "Basic \(Data(pair.utf8).base64EncodedString())"))
        } else {
            form.append((name: "client_id", value: audience))
        }
        return try await TokenEndpoint(call: call).redeem(form, at: "\(base)/2/oauth2/token", headers: headers)
    }
}

/// X gives one app two pairs: consumer key and secret for OAuth 1.0a, client id and secret for OAuth 2.0. The stored
/// secret holds both words, in this order; a single word is the only client's.
struct XSecrets {
    let consumer: Secret
    /// `nil` for a public client, which PKCE alone protects.
    let client: Secret?

    /// `nil` without a secret.
    init?(_ configured: ConfiguredProvider) {
        guard let secret = configured.secret else { return nil }
        let words = secret.revealed.words.map { Secret($0) }
        guard let first = words.first, let last = words.last else { return nil }
        consumer = first
        client = words.count > 1 || configured.settings.audiences.count == 1 ? last : nil
    }
}
