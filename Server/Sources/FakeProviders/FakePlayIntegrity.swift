import Crypto
import enum Domain.Hexadecimal
import Foundation
@_spi(Base64URL) package import OkaeriWire

/// Plays Google Play: makes the tokens of Play Integrity (classic requests) for an app whose keys it has.
package struct FakePlayIntegrity: Sendable {
    /// What a token says; what is wrong on purpose is a change of it.
    package struct Manner: Sendable {
        package var requestPackage: String
        package var package: String
        package var certificates: [JSONValue]
        package var recognition: JSONValue = "PLAY_RECOGNIZED"
        package var devices: JSONValue = ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY"]
        package var nonce: JSONValue
        package var time: JSONValue
        package var wrapping = "A256KW"
        package var encryption = "A256GCM"
        package var signature = "ES256"
        /// Members that are left out of the verdict.
        package var missing: Set<String> = []
        /// Signed or encrypted by another key.
        package var isForged = false
        package var isForSomebodyElse = false
    }

    package let package: String
    package let certificate: [UInt8]
    private let key = SymmetricKey(size: .bits256)
    private let signer = P256.Signing.PrivateKey()

    package init(package: String) {
        self.package = package
        certificate = Array(SHA256.hash(data: Array(package.utf8)))
    }

    /// As the Play Console shows them.
    package var decryptionKey: String { key.withUnsafeBytes { Data($0) }.base64EncodedString() }
    package var verificationKey: String { signer.publicKey.derRepresentation.base64EncodedString() }

    /// As `keytool` shows it.
    package var fingerprint: String {
        certificate.map { Hexadecimal.capitals(of: CollectionOfOne($0)) }.joined(separator: ":")
    }

    /// A token.
    ///
    /// - Parameters:
    ///   - nonce: What the app sends with its request.
    ///   - milliseconds: The time, since 1970.
    ///   - change: What is wrong.
    /// - Returns: What an app sends its server.
    /// - Throws: when the library does not sign or encrypt.
    package func token(
        nonce: [UInt8], at milliseconds: Int64, _ change: (inout Manner) -> Void = { _ in }
    ) throws -> String {
        var manner = Manner(
            requestPackage: package, package: package, certificates: [.string(Self.text(certificate))],
            nonce: .string(Self.text(nonce)), time: .string(String(milliseconds)))
        change(&manner)
        var members: [String: JSONValue] = [
            "requestDetails": [
                "requestPackageName": .string(manner.requestPackage), "nonce": manner.nonce,
                "timestampMillis": manner.time,
            ],
            "appIntegrity": [
                "appRecognitionVerdict": manner.recognition, "packageName": .string(manner.package),
                "certificateSha256Digest": .array(manner.certificates), "versionCode": "42",
            ],
            "deviceIntegrity": ["deviceRecognitionVerdict": manner.devices],
            "accountDetails": ["appLicensingVerdict": "LICENSED"],
        ]
        for name in manner.missing { members[name] = Optional.none }
        let payload = try JSONEncoder().encode(JSONValue.object(members))
        let signed = Self.text(Array(#"{"alg":"\#(manner.signature)"}"#.utf8)) + "." + Self.text(Array(payload))
        let author = manner.isForged ? P256.Signing.PrivateKey() : signer
        let signature = try author.signature(for: Array(signed.utf8)).rawRepresentation
        return try encrypt(signed + "." + Self.text(Array(signature)), manner)
    }

    private func encrypt(_ text: String, _ manner: Manner) throws -> String {
        let header = Self.text(Array(#"{"alg":"\#(manner.wrapping)","enc":"\#(manner.encryption)"}"#.utf8))
        let contentKey = SymmetricKey(size: .bits256)
        let wrapped = try AES.KeyWrap.wrap(
            contentKey, using: manner.isForSomebodyElse ? SymmetricKey(size: .bits256) : key)
        let box = try AES.GCM.seal(Array(text.utf8), using: contentKey, authenticating: Array(header.utf8))
        let parts = [Array(wrapped), Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
        return ([header] + parts.map(Self.text)).joined(separator: ".")
    }

    private static func text(_ bytes: [UInt8]) -> String { Base64URL.text(of: bytes) }
}
