import Crypto
package import enum OkaeriWire.JSONValue

/// What a token is worth now (RFC 7662): a session of the application, or an access token that was made from one.
///
/// The caller has shown that it may ask. The token is the subject here and not a credential: no proof is needed, and asking is no use
/// of the session.
package struct IntrospectToken: Sendable {
    /// Longer ones are nobody's. Claims of rules are bounded, and so are names of audiences.
    private static let maximumTokenBytes = 16 * 1024
    /// A header is read before anybody knows who signed it. Those of this server have three short members.
    private static let maximumHeaderBytes = 512

    let store: any Store
    let clock: any WallClock
    let authenticate: Authenticate
    let signingKeys: SigningKeys
    /// The `iss` of access tokens.
    let issuer: String

    package enum Found: Sendable {
        case session(Authenticated)
        /// The claims of an access token whose session has not ended.
        case accessToken([String: JSONValue])
    }

    /// - Parameters:
    ///   - token: Any text.
    ///   - application: Whose tokens are known here.
    /// - Returns: `nil` for everything that is not, or no longer, worth anything in this application.
    /// - Throws: `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ token: String, in application: Application
    ) async throws(DomainError) -> Found? {
        if let session = try await authenticate.session(of: token[...], in: application) { return .session(session) }
        guard token.utf8.count <= Self.maximumTokenBytes, let claims = try await verified(token),
            isCurrent(claims, in: application), try await hasSession(claims, in: application)
        else { return nil }
        return .accessToken(claims)
    }

    /// The claims of an access token that this server signed.
    private func verified(_ token: String) async throws(DomainError) -> [String: JSONValue]? {
        let bytes = Array(token.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= Self.maximumHeaderBytes, let header = Self.members(parts[0]),
            header["typ"] == "at+jwt", header["alg"] == "ES256", case .string(let id)? = header["kid"],
            let signature = Base64URL.bytes(of: parts[2])
        else { return nil }
        guard let key = try await signingKeys().first(where: { $0.id == id }) else { return nil }
        // What is no signature is none of this key.
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.privateKey.publicKey.isValidSignature(
                signature, for: Array(bytes.prefix(parts[0].count + 1 + parts[1].count)))
        else { return nil }
        return Self.members(parts[1])
    }

    private static func members(_ part: ArraySlice<UInt8>) -> [String: JSONValue]? {
        guard let bytes = Base64URL.bytes(of: part), case .object(let members)? = try? JSONValue(parsing: bytes) else {
            return nil  // What is no JSON is no part of a token.
        }
        return members
    }

    private func isCurrent(_ claims: [String: JSONValue], in application: Application) -> Bool {
        guard case .integer(let end)? = claims["exp"] else { return false }
        return claims["iss"] == .string(issuer) && claims["client_id"] == .string(application.id.rawValue)
            && clock.now.milliseconds / 1000 < end
    }

    private func hasSession(
        _ claims: [String: JSONValue], in application: Application
    ) async throws(DomainError) -> Bool {
        guard case .string(let user)? = claims["sub"], case .string(let session)? = claims["sid"] else { return false }
        let (userId, sessionId) = (Identifier<User>(rawValue: user), Identifier<Session>(rawValue: session))
        let now = clock.now
        let found = try await store.read { transaction throws(DomainError) -> Session? in
            guard let user = try transaction.user(userId, in: application.id), !user.isDisabled else { return nil }
            return try transaction.sessions(of: userId, in: application.id).first { $0.id == sessionId }
        }
        guard let found, found.canProve(in: application) else { return false }
        return !found.isExpired(
            at: now, idleLifetime: authenticate.idleLifetime(of: found.protocolName, in: application),
            lastUsedAt: found.lastUsedAt)
    }
}

/// Ends a session by its token (RFC 7009): who holds the token may end it, and nothing is said of any other text.
package struct RevokeToken: Sendable {
    let authenticate: Authenticate
    let logOut: LogOut

    /// - Parameters:
    ///   - token: Any text.
    ///   - application: Whose sessions are known here.
    /// - Throws: `storageUnavailable`. A text that is no session of the application is no error.
    package func callAsFunction(_ token: String, in application: Application) async throws(DomainError) {
        guard let session = try await authenticate.session(of: token[...], in: application, isEnding: true) else {
            return
        }
        try await logOut(session)
    }
}
