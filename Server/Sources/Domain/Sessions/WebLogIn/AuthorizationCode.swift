import Crypto
import Foundation

/// What an app asks for when it sends a person to the pages (OAuth 2.1, PKCE with S256 alone).
package struct AuthorizationRequest: Hashable, Sendable {
    /// Where the person goes afterwards; it was compared with the registered ones.
    package var redirect: String
    /// Base64url of the SHA-256 of what the app keeps to itself (RFC 7636 §4.2).
    package var challenge: String
    /// Comes back in the identity token (OpenID Connect Core 1.0 §3.1.2.1).
    package var nonce: String?
    package var scopes: [String]

    package init(redirect: String, challenge: String, nonce: String?, scopes: [String]) {
        self.redirect = redirect
        self.challenge = challenge
        self.nonce = nonce
        self.scopes = scopes
    }
}

/// What stands in a code, sealed: nothing is stored until it is used.
struct AuthorizationGrant: Codable, Sendable {
    var user: String
    var redirect: String
    var challenge: String
    var nonce: String?
    var scopes: [String]
    /// Milliseconds since 1970.
    var expiresAt: Int64
    /// The session of the pages. A code without it, of the minute before an update, opens nothing.
    var source: SessionSource
    /// The user's `credentialsVersion`; codes of before it was written have the first one.
    var version: Int64?
    /// Whether the person has just registered on the pages.
    var isNew: Bool?

    static func purpose(_ application: Identifier<Application>) -> String { "authorization code \(application)" }
}

/// Gives an app a code for the person who is logged in on the pages. It is good once, for 60 seconds, and only together
/// with what the app kept to itself (requirements 29, 30).
package struct IssueAuthorizationCode: Sendable {
    package static let life: Duration = .seconds(60)

    let clock: any WallClock
    let sealingKey: SealingKey

    /// - Parameters:
    ///   - request: What the app asks for.
    ///   - who: The person.
    ///   - isNew: Whether the person registers on the way to this app.
    /// - Returns: the code.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    package func callAsFunction(
        _ request: AuthorizationRequest, for who: Authenticated, isNew: Bool
    ) throws(DomainError) -> Secret {
        let now = clock.now
        let grant = AuthorizationGrant(
            user: who.user.id.rawValue, redirect: request.redirect, challenge: request.challenge,
            nonce: request.nonce, scopes: request.scopes, expiresAt: (now + Self.life).milliseconds,
            source: SessionSource(who), version: who.user.credentialsVersion, isNew: isNew)
        let bytes: [UInt8]
        do {
            bytes = Array(try JSONEncoder().encode(grant))
        } catch {
            // Texts and whole numbers always encode.
            throw .secretUnreadable
        }
        return Secret(
            Base64URL.text(
                of: try sealingKey.seal(bytes, purpose: AuthorizationGrant.purpose(who.application.id))))
    }
}
