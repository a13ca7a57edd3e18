import Crypto

/// A P-256 key that signs access tokens, opened.
package struct SigningKey: Sendable {
    let privateKey: P256.Signing.PrivateKey
    /// Its thumbprint (RFC 7638).
    package let id: String
    package let createdAt: Timestamp

    package var publicKey: PublicSigningKey {
        let (x, y) = Self.coordinates(privateKey)
        return PublicSigningKey(x: x, y: y, id: id)
    }

    init(privateKey: P256.Signing.PrivateKey, createdAt: Timestamp) {
        self.privateKey = privateKey
        let (x, y) = Self.coordinates(privateKey)
        id = PublicKeyThumbprint.text(x: x, y: y)
        self.createdAt = createdAt
    }

    private static func coordinates(_ key: P256.Signing.PrivateKey) -> (x: String, y: String) {
        let point = Array(key.publicKey.rawRepresentation)
        return (Base64URL.text(of: point[..<32]), Base64URL.text(of: point[32...]))
    }
}

/// What others need to check a signature.
package struct PublicSigningKey: Hashable, Sendable {
    /// Base64url of 32 bytes.
    package var x: String
    /// Base64url of 32 bytes.
    package var y: String
    package var id: String
}

/// A signing key as stored. Keys belong to the server, not to an application.
package struct SealedSigningKey: Hashable, Sendable {
    package var id: String
    package var sealed: [UInt8]
    package var createdAt: Timestamp

    package init(id: String, sealed: [UInt8], createdAt: Timestamp) {
        self.id = id
        self.sealed = sealed
        self.createdAt = createdAt
    }
}
