import Foundation
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// What Sign in with Apple gave the app. On Apple's systems `AppleSignIn` shows the sheet and makes one.
public struct AppleCredential: Sendable {
    /// Apple's name for the person, `ASAuthorizationAppleIDCredential.user`.
    public var user: String
    /// The identity token.
    public var identityToken: String
    /// The authorization code. With it the server can revoke Apple's grant when the person leaves, as the App Store wants
    /// it.
    public var authorizationCode: String?
    /// The nonce as the app made it, before it was hashed.
    public var nonce: String
    /// The person's name. Apple tells it at the first sign-in only; the library keeps it until a server has taken it,
    /// or somebody logs out.
    public var name: String?

    /// Takes what the app got from Apple by itself.
    public init(user: String, identityToken: String, authorizationCode: String?, nonce: String, name: String? = nil) {
        self.user = user
        self.identityToken = identityToken
        self.authorizationCode = authorizationCode
        self.nonce = nonce
        self.name = name
    }
}

extension AppleCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of what proves the person.
    public var description: String { "credential of apple" }
    /// Nothing of what proves the person.
    public var debugDescription: String { description }
    /// Nothing of what proves the person.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A nonce for one sign-in with Apple: Apple gets its hash and puts it into the token, the server gets the nonce itself
/// and compares. A stolen token alone cannot be used.
public struct AppleNonce: Sendable {
    /// What the server gets: 32 random bytes, base64url.
    public let value: String

    /// Makes a nonce.
    public init(randomness: any Randomness = SystemRandomness()) {
        value = Base64URL.text(of: randomness.bytes(32))
    }

    /// A nonce that was made before.
    package init(value: String) {
        self.value = value
    }

    /// What Apple gets: the SHA-256 in hexadecimal (`ASAuthorizationOpenIDRequest.nonce`).
    public var hashed: String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = SHA256.hash(data: Data(value.utf8)).flatMap {
            [digits[Int(truncatingIfNeeded: $0 >> 4)], digits[Int(truncatingIfNeeded: $0 & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether an identity token holds this nonce. Its signature is the server's to check.
    public func isIn(_ identityToken: String) -> Bool {
        struct Claims: Decodable {
            let nonce: String?
        }
        let parts = identityToken.split(separator: ".", omittingEmptySubsequences: false)
        // A token that cannot be read holds no nonce.
        guard parts.count == 3, let bytes = Base64URL.bytes(of: parts[1].utf8),
            let claims = try? UntrustedJSON.decode(Claims.self, from: Data(bytes))
        else { return false }
        return claims.nonce == hashed
    }
}

/// What the system says of a person's Apple account on this device.
public enum AppleCredentialState: Hashable, Sendable {
    /// The person is signed in with this app.
    case authorized
    /// The person has withdrawn the app's right to use the account.
    case revoked
    /// The account is not the device's.
    case notFound
    /// The account belongs to the developer's former team; the server carries it over at the next log-in.
    case transferred
}
