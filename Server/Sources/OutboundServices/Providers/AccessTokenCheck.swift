import Domain
import enum OkaeriWire.JSONValue

/// Who tells for whom an access token was made.
package enum AccessTokenInfo: Sendable {
    /// Google Identity, "tokeninfo": its address.
    case google(String)
    /// LINE Login API, `/oauth2/v2.1/verify` and `/v2/profile`: the address of the API.
    case line(String)
}

/// Asks a provider for whom an access token was made, and about whom. A token for another application is refused: its
/// operator could log in as each of its users here.
struct AccessTokenCheck {
    let call: any WebCaller
    let info: AccessTokenInfo

    /// - Throws: `providerTokenRefused`, `providerUnavailable`.
    func person(of token: Secret, _ configured: ConfiguredProvider) async throws(DomainError) -> ExternalIdentity {
        switch info {
        case .google(let url): try await google(token, url, configured)
        case .line(let api): try await line(token, api, configured)
        }
    }

    private func google(
        _ token: Secret, _ url: String, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        // Google answers 400 for a token that it does not know or that is over.
        let claims = try await self.claims(
            WebCall(form: [(name: "access_token", value: token.revealed)], to: url, headers: []))
        let audience = try self.audience("aud", claims, configured)
        let subject = try self.subject("sub", claims)
        return ExternalIdentity(
            provider: configured.settings.provider, subject: subject, audience: audience, email: claims.email)
    }

    private func line(
        _ token: Secret, _ api: String, _ configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        // A client chose it, and it goes into a header, too (RFC 6750 §2.1).
        guard token.revealed.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .providerTokenRefused(.accessToken)
        }
        let query = WebCall.encoded([(name: "access_token", value: token.revealed)])
        let claims = try await self.claims(WebCall(.get, "\(api)/oauth2/v2.1/verify?\(query)"))
        let audience = try self.audience("client_id", claims, configured)
        // LINE's own advice: "a positive number" (Creating a secure login process between your app and server).
        guard case .integer(let seconds)? = claims.values["expires_in"], seconds > 0 else {
            throw .providerTokenRefused(.accessToken)
        }
        let profile = try await self.claims(
            WebCall(
                .get, "\(api)/v2/profile", headers: [(name: "Authorization", value: "Bearer \(token.revealed)")]))
        return ExternalIdentity(
            provider: configured.settings.provider, subject: try subject("userId", profile), audience: audience,
            displayName: profile.text("displayName"))
    }

    private func claims(_ call: WebCall) async throws(DomainError) -> JSONMembers {
        let answer = try await self.call.answer(to: call)
        guard answer.status == 200 else {
            throw (400..<500).contains(answer.status) ? .providerTokenRefused(.accessToken) : .providerUnavailable
        }
        guard let claims = JSONMembers(parsing: answer.body) else { throw .providerUnavailable }
        return claims
    }

    private func audience(
        _ name: String, _ claims: JSONMembers, _ configured: ConfiguredProvider
    ) throws(DomainError) -> String {
        guard let audience = claims.text(name), configured.settings.audiences.contains(audience) else {
            throw .providerTokenRefused(.accessToken)
        }
        return audience
    }

    private func subject(_ name: String, _ claims: JSONMembers) throws(DomainError) -> String {
        guard let subject = claims.subject(name) else { throw .providerTokenRefused(.accessToken) }
        return subject
    }
}

extension JSONMembers {
    /// The mail address of an identity token, and whether the provider has seen mail arrive there.
    var email: ProviderEmail? {
        guard let address = text("email"), ProviderEmail.isPlausible(address) else { return nil }
        return ProviderEmail(address: address, isVerified: flag("email_verified"), isRelay: false)
    }
}
