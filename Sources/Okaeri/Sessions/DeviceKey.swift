public import Foundation
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// The key that is the device's way into its account. Its private half never leaves the device.
public protocol DeviceKey: Sendable {
    /// The public half.
    var publicKey: DevicePublicKey { get }

    /// Signs with ES256 (ECDSA on P-256 with SHA-256).
    ///
    /// - Parameter message: The bytes to sign, not yet hashed.
    /// - Returns: 64 bytes: r and s, 32 bytes each (RFC 7518 §3.4).
    /// - Throws: `VaultError.unreadableNow` when the key cannot be used at the moment.
    func signature(for message: Data) throws(VaultError) -> Data
}

/// The public half of a device's key: a point on the curve P-256.
public struct DevicePublicKey: Hashable, Sendable {
    /// The x coordinate, 32 bytes.
    public let x: Data
    /// The y coordinate, 32 bytes.
    public let y: Data

    /// Takes the two coordinates, one after the other.
    ///
    /// - Parameter rawRepresentation: 64 bytes; `nil` comes back for any other count.
    public init?(rawRepresentation: Data) {
        guard rawRepresentation.count == 64 else { return nil }
        x = Data(rawRepresentation.prefix(32))
        y = Data(rawRepresentation.suffix(32))
    }

    /// The name under which servers know the key: its thumbprint (RFC 7638), base64url.
    public var thumbprint: String {
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.text(of: x))","y":"\#(Base64URL.text(of: y))"}"#
        return Base64URL.text(of: SHA256.hash(data: Data(members.utf8)))
    }
}

/// A device's key in memory, for systems without a Secure Enclave.
public struct SoftwareDeviceKey: DeviceKey, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let key: P256.Signing.PrivateKey
    /// The public half.
    public let publicKey: DevicePublicKey

    /// Makes a new key.
    public init() {
        self.init(P256.Signing.PrivateKey())
    }

    /// Takes a key that was stored.
    ///
    /// - Parameter rawRepresentation: The private number, 32 bytes.
    /// - Throws: `VaultError.damaged` when the bytes are no P-256 key.
    public init(rawRepresentation: Data) throws(VaultError) {
        do {
            self.init(try P256.Signing.PrivateKey(rawRepresentation: rawRepresentation))
        } catch {
            throw .damaged("the stored bytes are no P-256 key")
        }
    }

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = key
        let point = key.publicKey.rawRepresentation
        guard let publicKey = DevicePublicKey(rawRepresentation: point) else {
            preconditionFailure("a P-256 public key has 64 bytes, not \(point.count)")
        }
        self.publicKey = publicKey
    }

    /// The private number, 32 bytes: a secret to be stored and shown nowhere.
    public var rawRepresentation: Data { key.rawRepresentation }

    /// Signs with ES256.
    public func signature(for message: Data) throws(VaultError) -> Data {
        do {
            return try key.signature(for: message).rawRepresentation
        } catch {
            throw .unreadableNow("the device's key cannot sign")
        }
    }

    /// The public half's thumbprint, never the key.
    public var description: String { "SoftwareDeviceKey(\(publicKey.thumbprint))" }
    /// The public half's thumbprint, never the key.
    public var debugDescription: String { description }
    /// The public half alone.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
