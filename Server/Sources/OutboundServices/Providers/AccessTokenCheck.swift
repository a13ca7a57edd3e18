import Domain

/// Asks Google for whom an access token was made, and about whom (Google Identity, "tokeninfo"). A token for another
/// application is refused: whoever runs that one could log in as each of its users here.
struct AccessTokenCheck {
    let call: any WebCaller
    let tokenInfo: String

    /// - Throws: `providerTokenRefused`, `providerUnavailable`.
    func person(of token: Secret, _ configured: ConfiguredProvider) async throws(DomainError) -> ExternalIdentity {
        let answer = try await call.answer(
            to: WebCall(form: [(name: "access_token", value: token.revealed)], to: tokenInfo, headers: []))
        // Google answers 400 for a token that it does not know or that is over.
        guard answer.status == 200 else {
            throw (400..<500).contains(answer.status) ? .providerTokenRefused(.accessToken) : .providerUnavailable
        }
        guard let claims = JSONMembers(parsing: answer.body) else { throw .providerUnavailable }
        guard let audience = claims.text("aud"), configured.settings.audiences.contains(audience),
            let subject = claims.text("sub"), (1...255).contains(subject.utf8.count)
        else { throw .providerTokenRefused(.accessToken) }
        var email: ProviderEmail?
        if let address = claims.text("email"), ProviderEmail.isPlausible(address) {
            email = ProviderEmail(address: address, isVerified: claims.flag("email_verified"), isRelay: false)
        }
        return ExternalIdentity(
            provider: configured.settings.provider, subject: subject, audience: audience, email: email)
    }
}
