import Foundation
import enum OkaeriWire.JSONValue

/// A person's way from the pages to a provider and back, sealed into the text that the provider returns (`state`). Nothing
/// is stored: the browser's cookie says whose way it is, so that nobody can be sent another person's. Where the text is too
/// long for the provider, the browser keeps it in a cookie of its own, and the provider returns its digest.
struct AuthorizationStateRecord: Codable, Sendable {
    var provider: String
    /// Whom the provider vouches to.
    var audience: String
    /// The PKCE verifier (RFC 7636 §4.1).
    var verifier: String
    var nonce: String
    /// What an app waits for.
    var continuation: String?
    /// What a new user answered to the application's own questions.
    var fields: [String: JSONValue]?
    /// Whether the log-in brings a user back that asked to be deleted.
    var isRestoring: Bool?
    /// Whether the provider shall be linked to the user who is logged in.
    var isLink: Bool
    /// Who that was when the way began, and the user's `credentialsVersion` then.
    var user: String?
    var version: Int64?
    /// The digest of the browser's cookie.
    var browser: String
    /// Milliseconds since 1970.
    var expiresAt: Int64
    /// What an admin's way is for; `nil` for a user's.
    var admin: AdminAuthorization?

    static func purpose(_ application: Identifier<Application>) -> String { "provider visit \(application)" }

    static func digest(ofCookie cookie: String) -> String {
        Base64URL.text(of: SecretDigest(of: cookie.utf8).bytes)
    }

    /// What the provider returns of a sealed record that is too long for it.
    static func digest(ofSealed sealed: String) -> String {
        Base64URL.text(of: SecretDigest(of: sealed.utf8).bytes)
    }
}

/// What the way of an admin to the provider of admins and back is for.
struct AdminAuthorization: Codable, Hashable, Sendable {
    enum Purpose: String, Codable, Sendable {
        case logIn, link, reauthenticate, setUp
    }

    var purpose: Purpose
    /// Whose session it began in.
    var admin: String?
    /// The digest of the one-time link, base64url.
    var link: String?
}

/// What a provider shall be asked for in a browser (RFC 6749 §4.1.1, OpenID Connect Core 1.0 §3.1.2.1).
package struct ProviderAuthorization: Sendable {
    /// Where the provider sends the person back to.
    package var redirectURI: String
    /// Comes back as it was sent.
    package var state: String
    /// Stands in the identity token.
    package var nonce: String
    /// Base64url of the SHA-256 of the verifier (RFC 7636 §4.2).
    package var challenge: String
    /// A mail address that the person can be expected to log in with.
    package var hint: String?
    /// Whether the person must log in there now, whatever session there is (OpenID Connect Core 1.0 §3.1.2.1).
    package var demandsFreshLogIn = false
    /// How long ago the person may have logged in there at the most, where an app says so (`max_age`).
    package var maximumAgeSeconds: Int64?

    package init(redirectURI: String, state: String, nonce: String, challenge: String, hint: String? = nil) {
        self.redirectURI = redirectURI
        self.state = state
        self.nonce = nonce
        self.challenge = challenge
        self.hint = hint
    }
}
