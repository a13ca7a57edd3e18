import Crypto
import Foundation

/// A passkey of a seeded user, as its authenticator keeps it.
package struct KnownPasskey: Sendable {
    /// What the measured application's passkeys belong to.
    package static let domain = "localhost"
    package static let origin = "https://localhost"

    private let key: P256.Signing.PrivateKey
    /// The credential's id, base64url.
    package let id: String
    /// The user's handle, base64url.
    package let handle: String

    /// A new one.
    package init() {
        key = P256.Signing.PrivateKey()
        id = Base64URL.text(of: SHA256.hash(data: key.publicKey.rawRepresentation))
        handle = Base64URL.text(of: SHA256.hash(data: key.rawRepresentation))
    }

    private init(key: P256.Signing.PrivateKey, id: String, handle: String) {
        self.key = key
        self.id = id
        self.handle = handle
    }

    /// That of the device which the passkey is used on: the same at each log-in, as on a person's phone.
    package var device: DeviceKey {
        get throws {
            DeviceKey(try P256.Signing.PrivateKey(rawRepresentation: Data(SHA256.hash(data: key.rawRepresentation))))
        }
    }

    /// The public key in the form of COSE (RFC 9053 §7.1): EC2, ES256, P-256.
    package var cose: [UInt8] {
        let point = Array(key.publicKey.rawRepresentation)
        return [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[..<32] + [0x22, 0x58, 0x20]
            + point[32...]
    }

    /// The body of a log-in with the passkey.
    ///
    /// - Parameter challenge: What the server gave out, base64url.
    /// - Returns: JSON.
    /// - Throws: When the signature cannot be made.
    package func logIn(_ challenge: String) throws -> String {
        let client = Data(#"{"type":"webauthn.get","challenge":"\#(challenge)","origin":"\#(Self.origin)"}"#.utf8)
        // Touched, recognised, can be backed up, is backed up; the counter of passkeys that are synchronised stays 0.
        let data = Data(SHA256.hash(data: Data(Self.domain.utf8))) + [0x1d, 0, 0, 0, 0]
        let signature = try key.signature(for: data + Data(SHA256.hash(data: client))).derRepresentation
        return """
            {"credential":{"id":"\(id)","type":"public-key","response":{"clientDataJSON":"\(Base64URL.text(of: client))",\
            "authenticatorData":"\(Base64URL.text(of: data))","signature":"\(Base64URL.text(of: signature))",\
            "userHandle":"\(handle)"}}}
            """
    }

    /// One line of the side file.
    package var line: String { "\(key.rawRepresentation.base64EncodedString()) \(id) \(handle)\n" }

    /// Reads passkeys from a side file.
    ///
    /// - Parameters:
    ///   - path: Where `seed --passkeys` wrote it.
    ///   - lines: Which of its lines.
    /// - Returns: The passkeys in the file's order.
    /// - Throws: When the file cannot be read or a key in it is none.
    package static func read(from path: String, lines: Range<Int>) throws -> [KnownPasskey] {
        try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            .split(separator: "\n").prefix(lines.upperBound).dropFirst(lines.lowerBound)
            .map { line in
                let parts = line.split(separator: " ").map(String.init)
                guard parts.count == 3, let number = Data(base64Encoded: parts[0]) else {
                    throw CocoaError(.fileReadCorruptFile)
                }
                return KnownPasskey(
                    key: try P256.Signing.PrivateKey(rawRepresentation: number), id: parts[1], handle: parts[2])
            }
    }
}
