package import Domain

/// Checks identity tokens and other signed messages of providers (requirement 31): RFC 7519 §7.2, OpenID Connect Core
/// 1.0 §3.1.3.7. Only keys that the provider's own key set has count; `jku`, `jwk`, `x5u` and `x5c` in a token are not
/// looked at (requirement 14).
package struct TokenVerifier: Sendable {
    /// Longer than any provider's token.
    package static let maximumBytes = 16 * 1024
    /// How far a provider's clock may be from ours.
    private static let skew: Duration = .seconds(60)

    private let keySets: RemoteDocuments<KeySet>
    private let clock: any WallClock

    package init(keySets: RemoteDocuments<KeySet>, clock: any WallClock) {
        self.keySets = keySets
        self.clock = clock
    }

    /// One with key sets of its own.
    static func asking(_ call: any WebCaller, clock: any WallClock) -> TokenVerifier {
        TokenVerifier(
            keySets: RemoteDocuments(call: call, clock: clock) { bytes, _ in KeySet(parsing: bytes) }, clock: clock)
    }

    /// What a token must be.
    package struct Policy: Sendable {
        /// Where the provider's keys are.
        package var keySet: String
        package var algorithms: Set<VerificationKey.Algorithm>
        package var issuers: Set<String>
        package var audiences: Set<String>
        package var nonce: Nonce
        /// The key of HS256, where `algorithms` has it. Never a key of the key set.
        package var sharedSecret: Secret?
        /// What came with the token from the provider: a token that has `at_hash` must have this one's.
        package var accessToken: Secret?
        /// Claims that the provider always writes, and no token lacks.
        package var required: Set<RequiredClaim> = []
        /// How long a token counts at the most, whatever its own end; `nil` for no limit.
        package var maximumAge: Duration?
        /// Identity tokens are about somebody and run out; notifications do neither.
        package var isIdentity = true
        /// Whether every token names its key. A provider with a single key may leave that out.
        package var needsKeyId = true
    }

    /// A claim that OpenID Connect leaves to the provider.
    package enum RequiredClaim: Sendable {
        /// `at_hash` beside an access token (OpenID Connect Core 1.0 §3.1.3.6).
        case accessTokenHash
        /// `auth_time` (§2).
        case authenticationTime
    }

    /// What a token must hold of the nonce.
    package enum Nonce: Sendable {
        /// The SHA-256 of the client's nonce in hexadecimal, as Apple's SDK wants it; it must be there.
        case hashed(Secret?)
        /// The client's nonce itself; it must be there.
        case plain(Secret?)
        /// As `hashed`, when the token has any.
        case hashedIfThere(Secret?)
        /// As `plain`, when the token has any, or the client made one.
        case plainIfThere(Secret?)
        /// There is no nonce.
        case none
    }

    /// What a token that holds says.
    package struct Verified: Sendable {
        package let claims: JSONMembers
        /// The one of the policy's audiences that it was made for.
        package let audience: String
        package let issuedAt: Timestamp
        /// For the list of what was used.
        package let replay: UsedProof
    }

    /// - Throws: `providerTokenRefused` with what is wrong, `providerUnavailable` when the keys cannot be read.
    package func callAsFunction(_ token: Secret, _ policy: Policy) async throws(DomainError) -> Verified {
        let decoded: DecodedToken
        do throws(ProviderTokenFault) {
            decoded = try DecodedToken(token.revealed, maximumBytes: Self.maximumBytes)
            guard let algorithm = policy.algorithms.first(where: { $0.rawValue == decoded.algorithm }) else {
                throw .algorithm
            }
            if algorithm == .hs256 {
                guard let key = policy.sharedSecret.flatMap(SharedKey.init) else { throw .algorithm }
                guard key.isValid(decoded.signature, for: decoded.signedPart) else { throw .signature }
                return try check(decoded, policy)
            }
            guard !decoded.keyId.isEmpty || !policy.needsKeyId else { throw .key }
        } catch {
            throw .providerTokenRefused(error)
        }
        let keys = try await keySets.document(at: policy.keySet) { keys in
            guard decoded.keyId.isEmpty else { return keys[decoded.keyId] != nil }
            // That another key has taken its place nothing but the signature tells.
            return keys.single?.isValid(decoded.signature, for: decoded.signedPart) ?? false
        }
        do throws(ProviderTokenFault) {
            guard let key = decoded.keyId.isEmpty ? keys.single : keys[decoded.keyId] else { throw .key }
            // A key is good for one algorithm, whatever the token says.
            guard key.algorithm.rawValue == decoded.algorithm else { throw .algorithm }
            guard key.isValid(decoded.signature, for: decoded.signedPart) else { throw .signature }
            return try check(decoded, policy)
        } catch {
            throw .providerTokenRefused(error)
        }
    }

    private func check(_ token: DecodedToken, _ policy: Policy) throws(ProviderTokenFault) -> Verified {
        let (claims, now) = (token.claims, clock.now)
        guard let issuer = claims.text("iss"), policy.issuers.holds(issuer) else { throw .issuer }
        let audiences = claims.texts("aud")
        guard let audience = audiences.first(where: { policy.audiences.holds($0) }) else { throw .audience }
        // Among several audiences the one that asked is named, and must be one of ours.
        if audiences.count > 1, let party = claims.text("azp"), !policy.audiences.holds(party) { throw .audience }
        guard let issuedAt = claims.time("iat"), issuedAt <= now + Self.skew else { throw .issuedInFuture }
        if claims.has("nbf") {
            guard let start = claims.time("nbf"), start <= now + Self.skew else { throw .issuedInFuture }
        }
        var end = claims.time("exp")
        if policy.isIdentity || claims.has("exp") {
            guard let end, now < end + Self.skew else { throw .expired }
        }
        if let maximumAge = policy.maximumAge {
            let latest = issuedAt + maximumAge
            guard now < latest + Self.skew else { throw .expired }
            end = min(end ?? latest, latest)
        }
        if policy.isIdentity {
            guard let subject = claims.subject("sub"), subject.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                throw .subject
            }
        }
        if policy.required.contains(.authenticationTime) {
            guard let time = claims.time("auth_time"), time <= now + Self.skew else { throw .authenticationTime }
        }
        if let accessToken = policy.accessToken,
            claims.has("at_hash") || policy.required.contains(.accessTokenHash)
        {
            guard let hash = claims.text("at_hash"), Secret(hash) == Self.hash(of: accessToken) else {
                throw .accessTokenHash
            }
        }
        guard policy.nonce.fits(claims.text("nonce"), isThere: claims.values["nonce"] != nil) else { throw .nonce }
        // The signed part, because an ECDSA signature can be written in two ways.
        return Verified(
            claims: claims, audience: audience, issuedAt: issuedAt,
            replay: UsedProof(
                .providerToken, SecretDigest(of: token.signedPart),
                until: (end ?? issuedAt) + Self.skew + .seconds(1)))
    }

    /// `at_hash` of an access token, for every algorithm with SHA-256 (OpenID Connect Core 1.0 §3.1.3.6).
    private static func hash(of accessToken: Secret) -> Secret {
        Secret(Base64URL.text(of: accessToken.digest.bytes.prefix(16)))
    }
}

extension Set<String> {
    /// Whether a text is one of these, byte by byte: who names a client with the sign for kelvin is not the one with a K.
    fileprivate func holds(_ text: String) -> Bool { contains { $0.utf8.elementsEqual(text.utf8) } }
}

extension TokenVerifier.Nonce {
    /// Whether a token's nonce is the client's.
    fileprivate func fits(_ claimed: String?, isThere: Bool) -> Bool {
        switch self {
        case .none: return true
        case .hashed(let nonce): return Self.isEqual(claimed, nonce.map(Self.digest))
        case .plain(let nonce): return Self.isEqual(claimed, nonce)
        case .hashedIfThere(let nonce): return !isThere || Self.isEqual(claimed, nonce.map(Self.digest))
        case .plainIfThere(let nonce): return !isThere && nonce == nil || Self.isEqual(claimed, nonce)
        }
    }

    private static func isEqual(_ claimed: String?, _ expected: Secret?) -> Bool {
        guard let claimed, let expected, !claimed.isEmpty else { return false }
        return Secret(claimed) == expected
    }

    /// The SHA-256 in lower-case hexadecimal.
    static func digest(_ nonce: Secret) -> Secret {
        Secret(Hexadecimal.text(of: nonce.digest.bytes))
    }
}

/// A token taken apart, with nothing believed but its form.
private struct DecodedToken {
    let algorithm: String
    /// Empty when the header names no key.
    let keyId: String
    let claims: JSONMembers
    let signedPart: [UInt8]
    let signature: [UInt8]

    init(_ text: String, maximumBytes: Int) throws(ProviderTokenFault) {
        guard text.utf8.count <= maximumBytes else { throw .malformed }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.bytes(of: parts[0]),
            let claimBytes = Base64URL.bytes(of: parts[1]), let signature = Base64URL.bytes(of: parts[2]),
            let header = JSONMembers(parsing: headerBytes), let claims = JSONMembers(parsing: claimBytes)
        else { throw .malformed }
        guard let algorithm = header.text("alg") else { throw .algorithm }
        guard header.values["crit"] == nil else { throw .criticalExtension }
        self.algorithm = algorithm
        keyId = header.text("kid") ?? ""
        self.claims = claims
        self.signature = signature
        signedPart = Array(text.utf8[..<parts[1].endIndex])
    }
}
