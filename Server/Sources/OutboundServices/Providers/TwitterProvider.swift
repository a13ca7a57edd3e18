import Crypto
package import Domain
import Foundation

/// X, formerly Twitter: access tokens of OAuth 1.0a, as the SDKs of the mobile backends send them, and codes of OAuth 2.0
/// from a browser. X is asked whose a token of OAuth 1.0a is, in a request signed with the application's consumer key and
/// secret: a token for another app does not fit.
package struct TwitterProvider: IdentityProvider {
    let base: String
    let dialog: String
    let call: any WebCaller
    private let clock: any WallClock
    private let randomness: any Randomness

    /// - Parameters:
    ///   - base: X's API address, without a slash at the end.
    ///   - dialog: The address that people are sent to.
    ///   - call: Asks X.
    ///   - clock: The time.
    ///   - randomness: For the nonce of each request.
    package init(
        base: String, dialog: String, call: any WebCaller, clock: any WallClock, randomness: any Randomness
    ) {
        self.base = base
        self.dialog = dialog
        self.call = call
        self.clock = clock
        self.randomness = randomness
    }

    package func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        secret == nil ? [ValidationError(field: "secret", rule: .required)] : []
    }

    package func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        guard let token = credential.accessToken else { return nil }
        guard let tokenSecret = credential.accessTokenSecret else {
            throw .fieldsRefused([ValidationError(field: "accessTokenSecret", rule: .required)])
        }
        let answer = try await verifyCredentials(token, tokenSecret, configured)
        guard answer.status == 200 else { throw .providerTokenRefused(.accessToken) }
        guard let members = JSONMembers(parsing: answer.body), let subject = members.subject("id_str") else {
            throw .providerUnavailable
        }
        return ExternalIdentity(
            provider: .twitter, subject: subject, audience: configured.settings.audiences.first ?? "",
            displayName: members.text("name"))
    }

    package func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        try await redeem(code, for: configured)
    }

    package var takesBrowsers: Bool { true }

    /// X's documentation: "The length of this string can be up to 500 characters."
    package var maximumStateCharacters: Int { 500 }

    package func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        address(authorization, for: configured)
    }

    package func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError)
    {
        // Access tokens of OAuth 1.0a are the client's own and never kept; those of OAuth 2.0 are asked once and forgotten.
    }

    package func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        guard !configured.settings.redirectURIs.isEmpty else { return await checkConsumer(configured) }
        let finding = await checkClient(configured)
        guard finding == .accepted, configured.settings.audiences.count > 1 else { return finding }
        return await checkConsumer(configured)
    }

    private func checkConsumer(_ configured: ConfiguredProvider) async -> ProviderFinding {
        do throws(DomainError) {
            let answer = try await verifyCredentials(Secret("check"), Secret("check"), configured)
            let word = String(decoding: answer.body.prefix(200), as: UTF8.self)
            // Code 89 is "invalid token", 32 "could not authenticate you", which a wrong consumer key gets.
            if word.firstRange(of: "89") != nil { return .accepted }
            return word.firstRange(of: "32") != nil
                ? .refused(answer: "code 32") : .unexpected(answer: "status \(answer.status)")
        } catch {
            return .unreachable
        }
    }

    private func verifyCredentials(
        _ token: Secret, _ tokenSecret: Secret, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> WebResponse {
        guard let consumer = configured.settings.audiences.first, let secret = XSecrets(configured)?.consumer else {
            throw .providerMisconfigured
        }
        let signature = RequestSignature(
            consumerKey: consumer, consumerSecret: secret, token: token, tokenSecret: tokenSecret,
            nonce: Base64URL.text(of: randomness.bytes(24)), timestamp: clock.now.milliseconds / 1000)
        let url = "\(base)/1.1/account/verify_credentials.json"
        let query = [(name: "include_entities", value: "false"), (name: "skip_status", value: "true")]
        return try await call.answer(
            to: WebCall(
                .get, "\(url)?\(WebCall.encoded(query))",
                headers: [
                    (name: "Authorization", value: signature.header(method: "GET", url: url, parameters: query))
                ]))
    }
}

/// The signature of a request with HMAC-SHA1 (RFC 5849 §3.4).
struct RequestSignature {
    let consumerKey: String
    let consumerSecret: Secret
    let token: Secret
    let tokenSecret: Secret
    let nonce: String
    let timestamp: Int64

    /// The value of the header `Authorization` (RFC 5849 §3.5.1).
    func header(method: String, url: String, parameters: [(name: String, value: String)]) -> String {
        var fields = [
            (name: "oauth_consumer_key", value: consumerKey), (name: "oauth_nonce", value: nonce),
            (name: "oauth_signature_method", value: "HMAC-SHA1"), (name: "oauth_timestamp", value: String(timestamp)),
            (name: "oauth_token", value: token.revealed), (name: "oauth_version", value: "1.0"),
        ]
        let pairs = (fields + parameters)
            .map { ($0.name.percentEncoded, $0.value.percentEncoded) }
            .sorted { $0 < $1 }
        let normalized = pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        let base = [method, url, normalized].map(\.percentEncoded).joined(separator: "&")
        let key = [consumerSecret.revealed, tokenSecret.revealed].map(\.percentEncoded).joined(separator: "&")
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Array(base.utf8), using: SymmetricKey(data: Array(key.utf8)))
        fields.append((name: "oauth_signature", value: Data(code).base64EncodedString()))
        return "OAuth "
            + fields.map { "\($0.name)=\"\($0.value.percentEncoded)\"" }.joined(separator: ", ")
    }
}
