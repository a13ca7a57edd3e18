import Foundation
package import enum OkaeriWire.JSONValue

/// Sends a browser to a provider, with state, nonce and PKCE of its own (requirements 29, 31; RFC 9700 §4.7).
package struct StartAuthorization: Sendable {
    /// How long a person may take there.
    package static let life: Duration = .seconds(600)

    let clock: any WallClock
    let randomness: any Randomness
    let sealingKey: SealingKey
    let findProvider: FindProvider

    package struct Request: Sendable {
        package var provider: Identity.Provider
        /// Where the provider sends the person back to; one of the provider's settings.
        package var redirectURI: String
        /// The browser's cookie.
        package var cookie: String
        package var continuation: String?
        /// Whose account the provider shall be linked to; `nil` for a log-in.
        package var linking: User?
        package var hint: String?
        /// What a new user answered to the application's own questions.
        package var fields: [String: JSONValue]
        /// Whether the log-in brings a user back that asked to be deleted.
        package var isRestoring: Bool
        /// Whether the person must log in there now, as the app that waits demands of every log-in.
        package var demandsFreshLogIn = false
        /// How long ago the log-in there may be at the most, as the app that waits demands.
        package var maximumAgeSeconds: Int64?
        /// What an admin's way is for.
        var admin: AdminAuthorization?

        package init(
            provider: Identity.Provider, redirectURI: String, cookie: String, continuation: String?, linking: User?,
            hint: String? = nil, fields: [String: JSONValue] = [:], isRestoring: Bool = false
        ) {
            self.provider = provider
            self.redirectURI = redirectURI
            self.cookie = cookie
            self.continuation = continuation
            self.linking = linking
            self.hint = hint
            self.fields = fields
            self.isRestoring = isRestoring
        }
    }

    /// The way out.
    package struct Departure: Sendable {
        /// The provider's address to go to.
        package var address: Secret
        /// What the browser must keep until it comes back, letters, digits and `-_`; `nil` when the provider brings
        /// everything back.
        package var kept: String?
    }

    /// What a browser keeps in two cookies: the longest request of an app, sealed, with some answers of a new user.
    package static let maximumKeptCharacters = 7600

    /// - Returns: where to go.
    /// - Throws: `fieldsRefused` when there is more to bring back than provider and browser can keep; `providerNotEnabled` for a provider that people cannot be sent to, `providerUnavailable`,
    ///   `providerMisconfigured`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ request: Request, in application: Identifier<Application>
    ) async throws(DomainError) -> Departure {
        try await leave(request, for: try await findProvider(request.provider, in: application), in: application)
    }

    /// The same with settings that no application has.
    func leave(
        _ request: Request, for found: FindProvider.Found, in application: Identifier<Application>
    ) async throws(DomainError) -> Departure {
        guard found.configured.settings.redirectURIs.contains(request.redirectURI) else { throw .providerNotEnabled }
        let verifier = Base64URL.text(of: randomness.bytes(32))
        let nonce = Base64URL.text(of: randomness.bytes(32))
        let record = AuthorizationStateRecord(
            provider: request.provider.rawValue, audience: found.configured.settings.browserAudience,
            verifier: verifier, nonce: nonce,
            continuation: request.continuation, fields: request.fields.isEmpty ? nil : request.fields,
            isRestoring: request.isRestoring ? true : nil, isLink: request.linking != nil,
            user: request.linking?.id.rawValue, version: request.linking?.credentialsVersion,
            browser: AuthorizationStateRecord.digest(ofCookie: request.cookie),
            expiresAt: (clock.now + Self.life).milliseconds, admin: request.admin)
        let bytes: [UInt8]
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            bytes = Array(try encoder.encode(record))
        } catch {
            // Texts and whole numbers always encode.
            throw .secretUnreadable
        }
        let sealed = Base64URL.text(
            of: try sealingKey.seal(bytes, purpose: AuthorizationStateRecord.purpose(application)))
        let isKept = sealed.utf8.count > found.provider.maximumStateCharacters
        guard !isKept || sealed.utf8.count <= Self.maximumKeptCharacters else {
            throw .fieldsRefused([
                ValidationError(field: "", rule: .tooManyBytes(maximum: Self.maximumKeptCharacters))
            ])
        }
        let state = isKept ? AuthorizationStateRecord.digest(ofSealed: sealed) : sealed
        var authorization = ProviderAuthorization(
            redirectURI: request.redirectURI, state: state, nonce: nonce,
            challenge: PKCE.s256(of: verifier), hint: request.hint)
        authorization.demandsFreshLogIn = request.demandsFreshLogIn || request.admin?.purpose == .reauthenticate
        authorization.maximumAgeSeconds = request.maximumAgeSeconds
        guard let address = try await found.provider.authorizationAddress(authorization, for: found.configured) else {
            throw .providerNotEnabled
        }
        return Departure(address: Secret(address), kept: isKept ? sealed : nil)
    }
}
