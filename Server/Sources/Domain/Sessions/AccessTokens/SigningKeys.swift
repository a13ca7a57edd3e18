import Crypto
import Foundation

/// The keys that sign and verify access tokens. The first is made when it is first needed.
package struct SigningKeys: Sendable {
    static let purpose = "access token signing key"
    /// How long a response with the keys may be kept (`Cache-Control` of the key set).
    package static let keeping: Duration = .seconds(300)
    /// For how long a new key is published before it signs: a cache and a backend behind it, which both keep a response
    /// without the key for as long as they may, have asked anew by then.
    package static let publication: Duration = keeping * 2

    private let store: any Store
    private let clock: any WallClock
    private let sealingKey: SealingKey
    private let known: Cache<String, [SigningKey]>

    package init(store: any Store, clock: any WallClock, sealingKey: SealingKey, validity: any CacheValidity) {
        self.store = store
        self.clock = clock
        self.sealingKey = sealingKey
        known = Cache(validity: validity)
    }

    /// Newest first. All verify; the newest that has been published for long enough signs.
    ///
    /// - Throws: `secretUnreadable` when a key was sealed under another sealing key, `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> [SigningKey] {
        try await known.value(for: Self.purpose) { () async throws(DomainError) in
            let stored = try await store.read { transaction throws(DomainError) in try transaction.signingKeys() }
            return try open(stored.isEmpty ? try await makeFirst() : stored)
        }
    }

    private struct Header: Encodable {
        let typ: String
        let alg = "ES256"
        let kid: String
    }

    /// A JWT in compact form (RFC 7515 §7.1).
    ///
    /// - Parameters:
    ///   - claims: What it says.
    ///   - typ: What it is (RFC 7519 §5.1).
    /// - Returns: the token, to be handed out once.
    /// - Throws: `secretUnreadable`, also should the cryptographic library fail; `storageUnavailable`.
    func sign(_ claims: some Encodable, typ: String) async throws(DomainError) -> Secret {
        let (keys, published) = (try await callAsFunction(), clock.now - Self.publication)
        // The oldest is known longest: the first key of all has nothing that could sign before it.
        guard let key = keys.first(where: { $0.createdAt <= published }) ?? keys.last else { throw .secretUnreadable }
        do {
            let header = Base64URL.text(of: try JSONEncoder().encode(Header(typ: typ, kid: key.id)))
            let signed = header + "." + Base64URL.text(of: try JSONEncoder().encode(claims))
            let signature = try key.privateKey.signature(for: Array(signed.utf8)).rawRepresentation
            return Secret(signed + "." + Base64URL.text(of: signature))
        } catch {
            // The claims always encode; signing fails only when the library does.
            throw .secretUnreadable
        }
    }

    /// Forgets what a committed transaction changed.
    package func forget(_ change: Change) {
        if case .signingKeys = change { known.forget(Self.purpose) }
    }

    /// A new key, newer than `present` even when the clock has not moved since.
    ///
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func newSealedKey(after present: SigningKey? = nil) throws(DomainError) -> SealedSigningKey {
        let now = clock.now
        let createdAt = present.map { max(now, $0.createdAt + .milliseconds(1)) } ?? now
        let key = SigningKey(privateKey: P256.Signing.PrivateKey(), createdAt: createdAt)
        let sealed = try sealingKey.seal(Array(key.privateKey.rawRepresentation), purpose: Self.purpose)
        return SealedSigningKey(id: key.id, sealed: sealed, createdAt: key.createdAt)
    }

    private func makeFirst() async throws(DomainError) -> [SealedSigningKey] {
        let candidate = try newSealedKey()
        return try await store.write { transaction throws(DomainError) in
            let present = try transaction.signingKeys()
            guard present.isEmpty else { return present }
            try transaction.insert(candidate)
            return [candidate]
        }
    }

    private func open(_ stored: [SealedSigningKey]) throws(DomainError) -> [SigningKey] {
        var keys: [SigningKey] = []
        for record in stored {
            let bytes = try sealingKey.open(record.sealed, purpose: Self.purpose)
            do {
                keys.append(
                    SigningKey(
                        privateKey: try P256.Signing.PrivateKey(rawRepresentation: bytes), createdAt: record.createdAt))
            } catch {
                throw .secretUnreadable
            }
        }
        return keys
    }
}
