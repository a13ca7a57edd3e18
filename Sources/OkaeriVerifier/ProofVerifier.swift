public import Foundation
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// Verifies DPoP proofs (RFC 9449 §4.3): that who sends a token that is bound to a key has this key, for this very request.
public struct ProofVerifier: Sendable {
    /// How old a proof may be, and how far ahead its clock, in seconds.
    private static let lifetime: Int64 = 60
    private static let maximumIdentifierBytes = 256

    private let replays: any ReplayCache
    private let clock: any VerifierClock

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - replays: Remembers proofs, so that none is taken twice. Several nodes need one that they share.
    ///   - clock: The time.
    public init(replays: any ReplayCache, clock: any VerifierClock = SystemVerifierClock()) {
        self.replays = replays
        self.clock = clock
    }

    /// Verifies a proof.
    ///
    /// - Parameters:
    ///   - proof: The header `DPoP`.
    ///   - method: The request's method, in capitals.
    ///   - url: The address of the request as the client knows it: with the public scheme and host, behind a proxy too.
    ///   - token: The access token of the request.
    ///   - thumbprint: The key that the token is bound to, ``AccessTokenClaims/keyThumbprint``.
    /// - Throws: `VerificationError`.
    public func verify(
        _ proof: String, method: String, url: URL, token: String, boundTo thumbprint: String
    ) async throws(VerificationError) {
        let read = try SignedToken(proof)
        guard read.header["typ"]?.text?.lowercased() == "dpop+jwt" else { throw .typeRefused }
        guard case .object(let members)? = read.header["jwk"], let key = P256.Signing.PublicKey.of(members) else {
            throw .malformed
        }
        try read.verify(by: key)
        guard key.thumbprint.isSame(as: thumbprint), read.claims["htm"]?.isText(method) == true,
            let target = read.claims["htu"]?.text.flatMap(Self.target), Self.target(url.absoluteString) == target,
            read.claims["ath"]?.isText(Base64URL.text(of: SHA256.hash(data: Data(token.utf8)))) == true
        else { throw .proofRefused }
        guard let issued = read.claims["iat"]?.seconds, let id = read.claims["jti"]?.text, !id.isEmpty,
            id.utf8.count <= Self.maximumIdentifierBytes
        else { throw .malformed }
        let now = clock.seconds
        guard (now - Self.lifetime...now + Self.lifetime).contains(issued) else { throw .timeRefused }
        let isFirst: Bool
        do {
            isFirst = try await replays.isFirstUse(
                of: "\(thumbprint) \(id)", until: Date(timeIntervalSince1970: TimeInterval(issued + Self.lifetime + 1)))
        } catch {
            throw .unavailable
        }
        guard isFirst else { throw .proofReplayed }
    }

    /// An address in the form in which two are compared: without query and fragment, the port of the scheme left out
    /// (RFC 3986 §6.2.2 and §6.2.3); `nil` for none over HTTP.
    private static func target(_ text: String) -> [String]? {
        guard text.utf8.count <= 4096, let parts = URLComponents(string: text), let host = parts.host?.lowercased(),
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme), parts.user == nil
        else { return nil }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        return [scheme, host, String(port), parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath]
    }
}

/// Remembers what was used, for as long as it would count.
public protocol ReplayCache: Sendable {
    /// Notes a use. Of several at once, one alone may be the first.
    ///
    /// - Parameters:
    ///   - name: What is used: the thumbprint of the key that signed, a space, and the proof's own id.
    ///   - end: Until when it must be remembered.
    /// - Returns: Whether it was not used before.
    /// - Throws: When that is not known.
    func isFirstUse(of name: String, until end: Date) async throws -> Bool
}

/// Remembers in the memory of this process. When it is full of what still counts, nothing more is taken.
///
/// One key has a twentieth of the room, so that no user alone keeps out all others.
public actor MemoryReplayCache: ReplayCache {
    /// More uses at once than the cache may hold.
    public struct Full: Error {}

    private let capacity: Int
    private let share: Int
    private let clock: any VerifierClock
    private var ends: [String: Date] = [:]
    /// How many uses each key has among them.
    private var counts: [Substring: Int] = [:]
    private var purgedAt: Int64?

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - capacity: How much it holds, at least 1. A proof is held for two minutes at the most: the standard is room for 800
    ///     requests a second, and for 40 of one key.
    ///   - clock: The time.
    public init(capacity: Int = 100_000, clock: any VerifierClock = SystemVerifierClock()) {
        self.capacity = max(capacity, 1)
        share = max(capacity / 20, 1)
        self.clock = clock
    }

    /// Notes a use.
    public func isFirstUse(of name: String, until end: Date) throws -> Bool {
        let now = clock.now
        if let known = ends[name], now < known { return false }
        let key = Self.key(of: name)
        if ends.count >= capacity || counts[key, default: 0] >= share { purge(at: now) }
        guard ends.count < capacity, counts[key, default: 0] < share else { throw Full() }
        if ends.updateValue(end, forKey: name) == nil { counts[key, default: 0] += 1 }
        return true
    }

    /// Forgets what has ended, once a second at the most: looking at everything for each request would be what a flood wants.
    private func purge(at now: Date) {
        let second = clock.seconds
        guard purgedAt != second else { return }
        purgedAt = second
        ends = ends.filter { now < $0.value }
        counts = ends.keys.reduce(into: [:]) { counts, name in counts[Self.key(of: name), default: 0] += 1 }
    }

    private static func key(of name: String) -> Substring { name.prefix { $0 != " " } }
}
