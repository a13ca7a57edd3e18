import Crypto
package import Domain
import Foundation
import enum OkaeriWire.JSONValue

/// Plays Apple's App Attest: attests keys, under a root of its own.
package struct FakeAppAttest: FakeProvider {
    /// What an attestation says; what is wrong on purpose is a change of it.
    package struct Manner: Sendable {
        package var isDevelopment = false
        package var format = "apple-appattest"
        package var counter: UInt8 = 0
        /// Instead of the kind of the service.
        package var aaguid: [UInt8]?
        /// Instead of the key's SHA-256.
        package var credentialId: [UInt8]?
        /// Instead of that of the authenticator data and the client data.
        package var nonce: [UInt8]?
        /// When the key's certificate ends, and when the authority's does.
        package var end: Timestamp?
        package var authorityEnd: Timestamp?
        /// Signed by its own key instead of the authority's.
        package var isSelfSigned = false
        package var hasNonce = true
        /// How long the receipt is.
        package var receiptBytes = 4
        /// How the app came to the device, as iOS 27 says in the authenticator data (4 for the App Store); older systems say
        /// nothing.
        package var category: UInt8?
        /// Whether statement and object have a member more each, as a later system may write.
        package var hasMore = false

        package init() {}
    }

    /// What the system gives an app.
    package struct Attestation: Sendable {
        package var keyId: [UInt8]
        package var object: [UInt8]
    }

    package let root: [UInt8]
    private let clock: any WallClock
    private let rootKey = P384.Signing.PrivateKey()
    private let authorityKey = P384.Signing.PrivateKey()

    /// - Throws: when the library does not sign.
    package init(clock: any WallClock) throws {
        self.clock = clock
        root = try Self.certificate(
            ("Fake Attestation Root", "Fake Attestation Root"), Array(rootKey.publicKey.derRepresentation),
            (clock.now - .days(365), clock.now + .days(365)), Self.authority, by: rootKey)
    }

    /// Attests a new key.
    ///
    /// - Parameters:
    ///   - clientDataHash: What the app gives.
    ///   - app: `TEAMID.bundle.id`.
    ///   - manner: What is wrong.
    /// - Returns: What an app sends its server.
    /// - Throws: when the library does not sign.
    package func attest(
        _ clientDataHash: [UInt8], of app: String, _ manner: Manner = Manner()
    ) throws -> Attestation {
        let key = P256.Signing.PrivateKey()
        let keyId = Array(SHA256.hash(data: key.publicKey.x963Representation))
        let data = Self.authenticatorData(key.publicKey, keyId, app, manner)
        let nonce = manner.nonce ?? Array(SHA256.hash(data: data + clientDataHash))
        let (start, end) = (clock.now - .days(1), clock.now + .days(3))
        let authority = try Self.certificate(
            ("Fake Attestation CA 1", "Fake Attestation Root"), Array(authorityKey.publicKey.derRepresentation),
            (start, manner.authorityEnd ?? end), Self.authority, by: rootKey)
        let value = FakeCertificates.der(0x30, FakeCertificates.der(0xa1, FakeCertificates.der(4, nonce)))
        let entry = FakeCertificates.entry(
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x63, 0x64, 8, 2], value, isCritical: false)
        let leaf = try Self.certificate(
            ("Fake Key", "Fake Attestation CA 1"), Array(key.publicKey.derRepresentation),
            (start, manner.end ?? end),
            [FakeCertificates.constraints(isAuthority: false), FakeCertificates.usage(0x80, unused: 7)]
                + (manner.hasNonce ? [entry] : []),
            by: manner.isSelfSigned ? P384.Signing.PrivateKey() : authorityKey)
        let more = manner.hasMore ? [("next", Self.text("27"))] : []
        let statement = Self.map(
            [
                ("x5c", Self.head(4, 2) + Self.bytes(leaf) + Self.bytes(authority)),
                ("receipt", Self.bytes([UInt8](repeating: 1, count: manner.receiptBytes))),
            ] + more)
        let object = Self.map(
            [("fmt", Self.text(manner.format)), ("attStmt", statement), ("authData", Self.bytes(data))] + more)
        return Attestation(keyId: keyId, object: object)
    }

    /// For a client of development, which has no such service: attests for any app.
    package func answer(_ request: FakeRequest) async -> FakeResponse {
        guard request.method == "POST", request.path == "/fake/attest" else { return FakeResponse(404) }
        guard case .string(let app)? = request.json["app"], case .string(let text)? = request.json["clientDataHash"],
            let hash = Base64URL.bytes(of: text.utf8), let attestation = try? attest(hash, of: app)
        else { return FakeResponse(400) }
        return FakeResponse(
            200,
            [
                "keyId": .string(Base64URL.text(of: attestation.keyId)),
                "object": .string(Base64URL.text(of: attestation.object)),
            ])
    }

    private static func authenticatorData(
        _ key: P256.Signing.PublicKey, _ keyId: [UInt8], _ app: String, _ manner: Manner
    ) -> [UInt8] {
        let kind =
            manner.aaguid
            ?? (manner.isDevelopment
                ? Array("appattestdevelop".utf8) : Array("appattest".utf8) + [UInt8](repeating: 0, count: 7))
        let id = manner.credentialId ?? keyId
        let point = Array(key.rawRepresentation)
        // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
        let cose =
            head(5, 5) + [1, 2, 3, 0x26, 0x20, 1, 0x21] + bytes(Array(point.prefix(32))) + [0x22]
            + bytes(Array(point.suffix(32)))
        // Four bytes, the least first; the flag says that extensions follow.
        let extensions =
            manner.category.map {
                map([("apple_validation_category_01", bytes([$0, 0, 0, 0])), ("apple_bundle_version_01", text("1"))])
            } ?? []
        let flags: UInt8 = extensions.isEmpty ? 0x40 : 0xc0
        return Array(SHA256.hash(data: Array(app.utf8))) + [flags, 0, 0, 0, manner.counter] + kind
            + [UInt8(truncatingIfNeeded: id.count >> 8), UInt8(truncatingIfNeeded: id.count)] + id + cose + extensions
    }

    private static let authority = [
        FakeCertificates.constraints(isAuthority: true), FakeCertificates.usage(0x04, unused: 2),
    ]

    private static func certificate(
        _ names: (subject: String, issuer: String), _ key: [UInt8], _ times: (Timestamp, Timestamp),
        _ extensions: [[UInt8]], by signer: P384.Signing.PrivateKey
    ) throws -> [UInt8] {
        typealias Form = FakeCertificates
        // ecdsa-with-SHA384
        let algorithm = Form.der(0x30, Form.oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3]))
        let signed = Form.der(
            0x30, Form.der(0xa0, [2, 1, 2]), [2, 1, 1], algorithm, Form.name(names.issuer),
            Form.der(0x30, Form.time(times.0), Form.time(times.1)), Form.name(names.subject), key,
            Form.der(0xa3, Form.der(0x30, extensions.flatMap { $0 })))
        let signature = try signer.signature(for: SHA384.hash(data: signed))
        return Form.der(0x30, signed, algorithm, Form.der(3, [0] + Array(signature.derRepresentation)))
    }

    /// The head of a value of CBOR (RFC 8949 §3).
    private static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
        let first = major << 5
        return switch count {
        case ..<24: [first | UInt8(truncatingIfNeeded: count)]
        case ..<256: [first | 24, UInt8(truncatingIfNeeded: count)]
        case ..<65_536: [first | 25, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        default: [first | 26] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        }
    }

    private static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }

    private static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

    private static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
        head(5, members.count) + members.flatMap { text($0) + $1 }
    }
}
