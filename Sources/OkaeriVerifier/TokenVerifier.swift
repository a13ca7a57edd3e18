import Foundation
import OkaeriWire

/// Verifies access tokens: JWTs that apps get from `POST /v1/token` and send to your backend (RFC 9068).
///
/// A valid token says what was true when it was issued, at most ten minutes ago. For what must not happen after a session has
/// ended, ask the server: `POST /a/{application}/introspect`.
public struct TokenVerifier: Sendable {
    private let issuer: String
    private let audiences: [String]
    private let keys: KeySet
    private let leeway: Int64
    private let clock: any VerifierClock

    /// Makes a verifier; one for each server and audience is enough for a whole program.
    ///
    /// - Parameters:
    ///   - issuer: The server's address, as its tokens have it in `iss`: `https://id.example.com`.
    ///   - audiences: For whom tokens must be: the audience that the app asks for, or the application's id.
    ///   - keys: The server's public keys.
    ///   - leeway: By how much the clocks of both servers may differ, five minutes at the most.
    ///   - clock: The time.
    public init(
        issuer: String, audiences: [String], keys: KeySet, leeway: Duration = .seconds(30),
        clock: any VerifierClock = SystemVerifierClock()
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.keys = keys
        self.leeway = min(max(leeway.components.seconds, 0), 300)
        self.clock = clock
    }

    /// Verifies a token.
    ///
    /// A token that is bound to a key (``AccessTokenClaims/keyThumbprint``) needs a proof beside it: see ``RequestVerifier``.
    ///
    /// - Parameter token: The token as it was sent, without `Bearer`.
    /// - Returns: What it says.
    /// - Throws: `VerificationError`.
    public func verify(_ token: String) async throws(VerificationError) -> AccessTokenClaims {
        let read = try SignedToken(token)
        guard let type = read.header["typ"]?.text?.lowercased(), type == "at+jwt" || type == "application/at+jwt" else {
            throw .typeRefused
        }
        guard let id = read.header["kid"]?.text else { throw .keyUnknown }
        try read.verify(by: try await keys.key(id))
        return try check(read.claims)
    }

    private func check(_ claims: [String: JSONValue]) throws(VerificationError) -> AccessTokenClaims {
        guard claims["iss"]?.isText(issuer) == true else { throw .issuerRefused }
        let names: [JSONValue] =
            switch claims["aud"] {
            case .array(let values)?: values
            case let value?: [value]
            case nil: []
            }
        guard names.contains(where: { name in audiences.contains { name.isText($0) } }) else { throw .audienceRefused }
        guard let expires = claims["exp"]?.seconds, let issued = claims["iat"]?.seconds,
            let user = claims["sub"]?.text, !user.isEmpty
        else { throw .claimMissing }
        let now = clock.seconds
        // Both sums stay in range: `now` is a date, and the leeway 300 at the most.
        guard now - leeway < expires else { throw .expired }
        guard issued <= now + leeway else { throw .notYetValid }
        if let begins = claims["nbf"] {
            guard let begins = begins.seconds else { throw .malformed }
            guard begins <= now + leeway else { throw .notYetValid }
        }
        return AccessTokenClaims(claims, user: user, expires: expires, issued: issued)
    }
}
