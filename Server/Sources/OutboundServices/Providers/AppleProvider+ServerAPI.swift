package import Domain
import enum OkaeriWire.JSONValue

extension AppleProvider: AppleServerAPI {
    package func notification(
        _ signed: String, audiences: Set<String>
    ) async throws(DomainError) -> ProviderNotification {
        let verified = try await verify(
            Secret(signed), policy(audiences: audiences, nonce: .none, isIdentity: false))
        let claims = verified.claims
        guard let id = claims.text("jti"), !id.isEmpty else { throw .providerTokenRefused(.malformed) }
        return ProviderNotification(
            id: id, audience: verified.audience, issuedAt: verified.issuedAt, events: [try Self.event(in: claims)])
    }

    /// Apple writes the event as a text that holds JSON; an object is taken too. A message is of one event.
    private static func event(in claims: JSONMembers) throws(DomainError) -> ProviderNotification.Event {
        let read: JSONMembers?
        switch claims.values["events"] {
        case .string(let text)?: read = JSONMembers(parsing: Array(text.utf8))
        case .object(let members)?: read = JSONMembers(members)
        default: read = nil
        }
        guard let event = read, let type = event.text("type"), let name = event.text("sub"), !name.isEmpty else {
            throw .providerTokenRefused(.malformed)
        }
        return .init(kind: .init(type), name: name, email: email(event), happenedAt: time(of: event))
    }

    /// When an event happened: milliseconds since 1970, or the seconds of Apple's documentation. What is neither is not known,
    /// and the message's own time counts.
    private static func time(of event: JSONMembers) -> Timestamp? {
        // As seconds that is the year 5138, as milliseconds 1973.
        guard case .integer(let number)? = event.values["event_time"], number >= 100_000_000_000 else {
            return event.time("event_time")
        }
        return Timestamp(exactly: number)
    }

    package func migrationToken(for configured: ConfiguredProvider) async throws(DomainError) -> Secret {
        let form =
            [(name: "grant_type", value: "client_credentials"), (name: "scope", value: "user.migration")]
            + (try credentials(configured))
        let tokens = try await TokenEndpoint(call: call).redeem(form, at: "\(base)/auth/token")
        guard let token = tokens.accessToken else { throw .providerMisconfigured }
        return token
    }

    package func transferSubject(
        of name: String, to team: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        let form = [(name: "sub", value: name), (name: "target", value: team)] + (try credentials(configured))
        return try await migration(form, token)?.text("transfer_sub")
    }

    package func person(
        transferredAs transferSubject: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        let form = [(name: "transfer_sub", value: transferSubject)] + (try credentials(configured))
        guard let members = try await migration(form, token), let name = members.text("sub"), !name.isEmpty else {
            return nil
        }
        return ExternalIdentity(
            provider: .apple, subject: configured.subject(of: name),
            audience: configured.settings.audiences.first ?? "", email: Self.email(members))
    }

    /// - Returns: `nil` when Apple knows nobody of that name.
    private func migration(
        _ form: [(name: String, value: String)], _ token: Secret
    ) async throws(DomainError) -> JSONMembers? {
        let answer = try await call.answer(
            to: WebCall(
                form: form, to: "\(base)/auth/usermigrationinfo",
                headers: [(name: "Authorization", value: "Bearer \(token.revealed)")]))
        let members = JSONMembers(parsing: answer.body)
        if answer.status == 200 { return members }
        guard answer.status == 400, members?.text("error") != "invalid_client" else { throw .providerMisconfigured }
        return nil
    }

    private func credentials(
        _ configured: ConfiguredProvider
    ) throws(DomainError) -> [(name: String, value: String)] {
        guard let clientSecret = AppleClientSecret(configured, audience: Self.clientSecretAudience),
            let audience = configured.settings.audiences.first
        else { throw .providerMisconfigured }
        return [
            (name: "client_id", value: audience),
            (name: "client_secret", value: try clientSecret.minted(for: audience, at: clock.now).revealed),
        ]
    }
}

extension ProviderNotification.Kind {
    /// Both spellings that are seen of a deletion (requirement 35).
    fileprivate init(_ type: String) {
        self =
            switch type {
            case "email-enabled": .emailEnabled
            case "email-disabled": .emailDisabled
            case "consent-revoked": .consentRevoked
            case "account-delete", "account-deleted": .accountDeleted
            default: .other(String(type.unicodeScalars.prefix(64)))
            }
    }
}
