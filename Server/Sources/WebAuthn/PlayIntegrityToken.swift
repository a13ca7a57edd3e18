import Crypto
@_spi(Base64URL) import enum OkaeriWire.Base64URL
import enum OkaeriWire.JSONValue

/// Why a token of Play Integrity proves nothing: one word for each step of its verification.
package enum PlayIntegrityFault: String, Error, CaseIterable, Hashable, Sendable {
    case malformed = "attestation_malformed"
    /// It was not encrypted for the application's key, or was changed.
    case key = "attestation_key"
    /// Not signed by the key that Google Play names.
    case signature = "attestation_signature"
    /// Not made for this challenge and this key of the device.
    case nonce = "attestation_nonce"
    /// Older than the challenge can be, or from the future.
    case time = "attestation_time"
    /// Another app, or one that Google Play does not know as it is.
    case app = "attestation_app"
    /// Signed by another key than the developer's.
    case appCertificate = "attestation_app_certificate"
    /// The device has a weaker verdict than the application asks for.
    case device = "attestation_device"
}

/// The verdict of Google Play on an app and its device: the token of a classic request, which the application's own keys
/// open (requirement 25). A token is a JWS (RFC 7515, ES256) within a JWE (RFC 7516, A256KW and A256GCM), both compact.
package struct PlayIntegrityToken: Sendable {
    package static let format = "google-play-integrity"
    package static let maximumBytes = 16_384
    package static let keyBytes = 32
    private static let maximumDepth = 8
    private static let recognized = "PLAY_RECOGNIZED"

    /// What Google Play says of a device, from weak to strong.
    package enum Level: String, Sendable {
        case basic = "MEETS_BASIC_INTEGRITY"
        case device = "MEETS_DEVICE_INTEGRITY"
        case strong = "MEETS_STRONG_INTEGRITY"
    }

    /// The app that counts.
    package struct App: Sendable {
        package var package: String
        /// SHA-256 of the certificates that sign it.
        package var certificates: [[UInt8]]
        package var level: Level

        package init(package: String, certificates: [[UInt8]], level: Level) {
            self.package = package
            self.certificates = certificates
            self.level = level
        }
    }

    private let members: [String: JSONValue]

    /// Opens a token and verifies its signature.
    ///
    /// - Parameters:
    ///   - text: As the app got it.
    ///   - decryptionKey: 32 bytes, from the Play Console.
    ///   - verificationKey: The public key in DER, from the Play Console.
    /// - Throws: `malformed`, `key`, `signature`.
    package init(
        opening text: String, decryptionKey: [UInt8], verificationKey: [UInt8]
    ) throws(PlayIntegrityFault) {
        guard text.utf8.count <= Self.maximumBytes else { throw .malformed }
        let signed = try Self.decrypt(Array(text.utf8), with: decryptionKey)
        let parts = signed.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, Self.header(parts[0])?["alg"] == .string("ES256"),
            let payload = Base64URL.bytes(of: parts[1]), let signature = Base64URL.bytes(of: parts[2])
        else { throw .malformed }
        guard let key = try? P256.Signing.PublicKey(derRepresentation: verificationKey),
            let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(value, for: parts[0] + [UInt8(ascii: ".")] + parts[1])
        else { throw .signature }
        try self.init(payload: payload)
    }

    /// Reads what was signed.
    ///
    /// - Throws: `malformed`.
    init(payload: [UInt8]) throws(PlayIntegrityFault) {
        guard let members = Self.object(payload) else { throw .malformed }
        self.members = members
    }

    /// Whether these bytes are a key that can verify tokens.
    package static func isVerificationKey(_ bytes: [UInt8]) -> Bool {
        (try? P256.Signing.PublicKey(derRepresentation: bytes)) != nil
    }

    /// Verifies what the token says.
    ///
    /// - Parameters:
    ///   - nonce: What the app was asked to send with its request.
    ///   - times: Between which it may have been made, in milliseconds since 1970.
    ///   - app: The app that counts.
    /// - Throws: the first rule that is broken.
    package func verify(
        nonce: [UInt8], times: ClosedRange<Int64>, app: App
    ) throws(PlayIntegrityFault) {
        guard let request = part("requestDetails"), let verdict = part("appIntegrity"),
            let device = part("deviceIntegrity")
        else { throw .malformed }
        guard let text = Self.text(request, "nonce"), Self.webSafe(text) == nonce else { throw .nonce }
        guard let time = Self.milliseconds(request["timestampMillis"]), times.contains(time) else { throw .time }
        guard Self.text(request, "requestPackageName") == app.package, Self.text(verdict, "packageName") == app.package,
            Self.text(verdict, "appRecognitionVerdict") == Self.recognized
        else { throw .app }
        let digests = Self.texts(verdict, "certificateSha256Digest").map(Self.webSafe)
        guard !digests.isEmpty, digests.allSatisfy({ digest in app.certificates.contains { $0 == digest } }) else {
            throw .appCertificate
        }
        guard Self.texts(device, "deviceRecognitionVerdict").contains(app.level.rawValue) else { throw .device }
    }

    private static func decrypt(_ text: [UInt8], with key: [UInt8]) throws(PlayIntegrityFault) -> [UInt8] {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 5, let header = header(parts[0]), header["alg"] == .string("A256KW"),
            header["enc"] == .string("A256GCM"), header["zip"] == nil, let wrapped = Base64URL.bytes(of: parts[1]),
            let vector = Base64URL.bytes(of: parts[2]), let content = Base64URL.bytes(of: parts[3]),
            let tag = Base64URL.bytes(of: parts[4]), wrapped.count == keyBytes + 8, vector.count == 12, tag.count == 16
        else { throw .malformed }
        guard key.count == keyBytes,
            let contentKey = try? AES.KeyWrap.unwrap(wrapped, using: SymmetricKey(data: key)),
            let nonce = try? AES.GCM.Nonce(data: vector),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: content, tag: tag),
            let opened = try? AES.GCM.open(box, using: contentKey, authenticating: Array(parts[0]))
        else { throw .key }
        return Array(opened)
    }

    private static func header(_ text: ArraySlice<UInt8>) -> [String: JSONValue]? {
        Base64URL.bytes(of: text).flatMap(object)
    }

    private static func object(_ bytes: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let members)? = try? JSONValue(parsing: bytes, maximumDepth: maximumDepth) else {
            return nil
        }
        return members
    }

    private func part(_ name: String) -> [String: JSONValue]? {
        guard case .object(let part)? = members[name] else { return nil }
        return part
    }

    private static func text(_ part: [String: JSONValue], _ name: String) -> String? {
        guard case .string(let text)? = part[name] else { return nil }
        return text
    }

    /// The texts of a list; empty for anything else.
    private static func texts(_ part: [String: JSONValue], _ name: String) -> [String] {
        guard case .array(let values)? = part[name] else { return [] }
        let texts = values.compactMap { value -> String? in
            guard case .string(let text) = value else { return nil }
            return text
        }
        return texts.count == values.count ? texts : []
    }

    /// Google writes the 64-bit number as a text.
    private static func milliseconds(_ value: JSONValue?) -> Int64? {
        switch value {
        case .string(let text)?: text.utf8.count <= 20 ? Int64(text, radix: 10) : nil
        case .integer(let number)?: number
        default: nil
        }
    }

    /// Base64 for addresses, with or without its padding.
    private static func webSafe(_ text: String) -> [UInt8]? {
        var bytes = Array(text.utf8.prefix(1000))
        while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        return Base64URL.bytes(of: bytes)
    }
}
