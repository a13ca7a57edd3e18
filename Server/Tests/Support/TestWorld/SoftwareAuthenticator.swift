package import Crypto
package import CryptoExtras
import Domain
import Foundation

/// An authenticator in software, with a real key: makes credentials and assertions (WebAuthn §6), right ones and wrong ones.
package struct SoftwareAuthenticator: Sendable {
    package enum Key: Sendable {
        case es256(P256.Signing.PrivateKey)
        case edDSA(Curve25519.Signing.PrivateKey)
        case rs256(_RSA.Signing.PrivateKey)
    }

    /// What is said in a ceremony, each part open to being spoilt.
    package struct Ceremony: Sendable {
        package var type: String
        /// Base64url.
        package var challenge: String
        package var origin = SoftwareAuthenticator.origin
        package var crossOrigin: String?
        package var domain = SoftwareAuthenticator.domain
        /// Touched, recognised, can be backed up, is backed up.
        package var flags: UInt8 = 0x1d
        package var signCount: UInt32 = 0
        /// For a registration: `none`, `packed`, or anything else.
        package var format = "none"
        /// Who attests for it, in the format `packed`; `nil` for the credential's own key.
        package var certifier: TestCertifier?

        package init(_ type: String, challenge: String) {
            self.type = type
            self.challenge = challenge
        }
    }

    package static let domain = "example.com"
    package static let origin = "https://example.com"

    package let key: Key
    package let credentialId: [UInt8]
    package var aaguid = [UInt8](repeating: 0, count: 16)

    package init(key: Key = .es256(P256.Signing.PrivateKey()), idBytes: Int = 32) {
        self.key = key
        credentialId = SymmetricKey(size: SymmetricKeySize(bitCount: idBytes * 8)).withUnsafeBytes { Array($0) }
    }

    /// One whose key and credential are known.
    package init(key: Key, credentialId: [UInt8]) {
        self.key = key
        self.credentialId = credentialId
    }

    /// The credential's id, base64url.
    package var id: String { Base64URL.text(of: credentialId) }

    /// Makes a credential.
    package func create(_ ceremony: Ceremony) throws -> (clientData: [UInt8], attestationObject: [UInt8]) {
        let clientData = Self.clientData(ceremony)
        let bytes = Self.joined(
            Self.authenticatorData(ceremony, hasCredential: true), aaguid,
            [UInt8(truncatingIfNeeded: credentialId.count >> 8), UInt8(truncatingIfNeeded: credentialId.count)],
            credentialId, try cose)
        var statement: [UInt8] = [0xa0]
        if ceremony.format == "packed" {
            let signed = bytes + Array(SHA256.hash(data: clientData))
            if let certifier = ceremony.certifier {
                let signature = Array(try certifier.key.signature(for: signed).derRepresentation)
                statement = Self.joined(
                    [0xa3], Self.text("alg"), Self.number(-7), Self.text("sig"), Self.bytes(signature),
                    Self.text("x5c"), Self.head(4, certifier.chain.count), certifier.chain.flatMap(Self.bytes))
            } else {
                statement = Self.joined(
                    [0xa2], Self.text("alg"), Self.number(algorithm), Self.text("sig"), Self.bytes(try sign(signed)))
            }
        }
        return (
            clientData,
            Self.joined(
                [0xa3], Self.text("fmt"), Self.text(ceremony.format), Self.text("attStmt"), statement,
                Self.text("authData"), Self.bytes(bytes))
        )
    }

    /// Shows the credential.
    package func get(
        _ ceremony: Ceremony
    ) throws -> (clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
        let clientData = Self.clientData(ceremony)
        let data = Self.authenticatorData(ceremony, hasCredential: false)
        return (clientData, data, try sign(data + Array(SHA256.hash(data: clientData))))
    }

    private static func clientData(_ ceremony: Ceremony) -> [UInt8] {
        var members = [
            #""type":"\#(ceremony.type)""#, #""challenge":"\#(ceremony.challenge)""#,
            #""origin":"\#(ceremony.origin)""#,
        ]
        if let crossOrigin = ceremony.crossOrigin { members.append(#""crossOrigin":\#(crossOrigin)"#) }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    private static func authenticatorData(_ ceremony: Ceremony, hasCredential: Bool) -> [UInt8] {
        let count = ceremony.signCount
        let counter: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        return joined(
            Array(SHA256.hash(data: Array(ceremony.domain.utf8))),
            [hasCredential ? ceremony.flags | 0x40 : ceremony.flags], counter)
    }

    private func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        switch key {
        case .es256(let key): Array(try key.signature(for: bytes).derRepresentation)
        case .edDSA(let key): Array(try key.signature(for: bytes))
        case .rs256(let key):
            Array(
                try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    private var algorithm: Int {
        switch key {
        case .es256: -7
        case .edDSA: -8
        case .rs256: -257
        }
    }

    private var cose: [UInt8] {
        get throws {
            switch key {
            case .es256(let key):
                let point = Array(key.publicKey.rawRepresentation)
                return Self.joined(
                    [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21], Self.bytes(Array(point[..<32])), [0x22],
                    Self.bytes(Array(point[32...])))
            case .edDSA(let key):
                return Self.joined(
                    [0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21],
                    Self.bytes(Array(key.publicKey.rawRepresentation)))
            case .rs256(let key):
                let primitives = try key.publicKey.getKeyPrimitives()
                return Self.joined(
                    [0xa4, 0x01, 0x03, 0x03], Self.number(-257), [0x20], Self.bytes(Array(primitives.modulus)), [0x21],
                    Self.bytes(Array(primitives.publicExponent)))
            }
        }
    }

    private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }
    private static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }
    private static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    private static func number(_ negative: Int) -> [UInt8] { head(1, -1 - negative) }

    private static func head(_ major: UInt8, _ number: Int) -> [UInt8] {
        switch number {
        case ..<24: [major << 5 | UInt8(clamping: number)]
        case ..<256: [major << 5 | 24, UInt8(clamping: number)]
        default:
            [
                major << 5 | 25, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
            ]
        }
    }
}
