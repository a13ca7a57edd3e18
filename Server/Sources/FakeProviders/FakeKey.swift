import Crypto
import CryptoExtras
import Domain
import Foundation
package import enum OkaeriWire.JSONValue

/// A key that a fake provider signs with, and its public half as a member of a key set.
package struct FakeKey: Sendable {
    /// Empty for a key without one.
    package let id: String
    private let key: Key

    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    private init(id: String, key: Key) {
        self.id = id
        self.key = key
    }

    /// A new RSA key of 2048 bits.
    ///
    /// - Throws: when the library makes none.
    package static func rsa(id: String) throws -> FakeKey {
        FakeKey(id: id, key: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)))
    }

    /// A new P-256 key.
    package static func p256(id: String) -> FakeKey {
        FakeKey(id: id, key: .p256(P256.Signing.PrivateKey()))
    }

    package var algorithm: String {
        switch key {
        case .rsa: "RS256"
        case .p256: "ES256"
        }
    }

    /// The public half (RFC 7517).
    ///
    /// - Throws: when the library does not tell it.
    package func publicMembers() throws -> JSONValue {
        var members: [String: JSONValue] = ["use": "sig", "alg": .string(algorithm)]
        if !id.isEmpty { members["kid"] = .string(id) }
        switch key {
        case .rsa(let key):
            let parts = try key.publicKey.getKeyPrimitives()
            members["kty"] = "RSA"
            members["n"] = .string(Base64URL.text(of: parts.modulus))
            members["e"] = .string(Base64URL.text(of: parts.publicExponent))
        case .p256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            members["kty"] = "EC"
            members["crv"] = "P-256"
            members["x"] = .string(Base64URL.text(of: point[..<32]))
            members["y"] = .string(Base64URL.text(of: point[32...]))
        }
        return .object(members)
    }

    /// The public half in PEM form, for those who confuse it with a shared secret.
    package var publicPEM: String {
        switch key {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p256(let key): key.publicKey.pemRepresentation
        }
    }

    /// A JWT. Members of `header` stand over those that are right.
    ///
    /// - Throws: when the library does not sign.
    package func token(_ claims: [String: JSONValue], header: [String: JSONValue] = [:]) throws -> String {
        let name: JSONValue = id.isEmpty ? .null : .string(id)
        let right: [String: JSONValue] = ["alg": .string(algorithm), "kid": name, "typ": "JWT"]
        let signed = try Self.signedPart(header: right.merging(header) { $1 }.filter { $0.value != .null }, claims)
        return signed + "." + Base64URL.text(of: try signature(for: Array(signed.utf8)))
    }

    /// A JWT with HS256, which names no key.
    ///
    /// - Throws: when a claim cannot be written.
    package static func token(_ claims: [String: JSONValue], secret: String) throws -> String {
        let signed = try signedPart(header: ["alg": "HS256", "typ": "JWT"], claims)
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array(secret.utf8)))
        return signed + "." + Base64URL.text(of: Array(code))
    }

    /// The first two parts of a JWT.
    package static func signedPart(header: [String: JSONValue], _ claims: [String: JSONValue]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Base64URL.text(of: try encoder.encode(header)) + "." + Base64URL.text(of: try encoder.encode(claims))
    }

    package func signature(for bytes: [UInt8]) throws -> [UInt8] {
        switch key {
        case .rsa(let key):
            try Array(key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
        case .p256(let key): try Array(key.signature(for: bytes).rawRepresentation)
        }
    }
}
