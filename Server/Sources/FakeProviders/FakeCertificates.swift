import Crypto
import CryptoExtras
package import Domain
import Foundation

/// A chain of certificates as Game Center's: a root, an issuer of certificates for code signing, and the one that signs.
package struct FakeCertificates: Sendable {
    /// The three keys.
    package struct Keys: Sendable {
        let root: _RSA.Signing.PrivateKey
        let issuer: _RSA.Signing.PrivateKey
        let leaf: _RSA.Signing.PrivateKey

        /// New keys, which take long to make.
        ///
        /// - Throws: when the library makes none.
        package init() throws {
            root = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            issuer = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            leaf = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        }
    }

    /// What the last certificate says; what is wrong on purpose is a change of it.
    package struct Leaf: Sendable {
        package var organization = "Apple Inc."
        package var maySignCode = true
        package var isAuthority = false
        package var end: Timestamp?
        package var issuerURL = "http://cacerts.digicert.com/FakeCodeSigning.crt"
        /// Signed by its own key instead of the issuer's.
        package var isSelfSigned = false

        package init() {}
    }

    package let root: [UInt8]
    package let issuer: [UInt8]
    package let leaf: [UInt8]
    let key: _RSA.Signing.PrivateKey

    /// - Throws: when the library does not sign.
    package init(_ keys: Keys, now: Timestamp, _ leaf: Leaf = Leaf()) throws {
        let (start, end) = (now - .days(365), now + .days(365))
        let authority = [Self.constraints(isAuthority: true), Self.usage(0x04, unused: 2)]
        root = try Self.certificate(
            "Fake Root", by: "Fake Root", keys.root.publicKey, signed: keys.root, (start, end), authority)
        issuer = try Self.certificate(
            "Fake Code Signing", by: "Fake Root", keys.issuer.publicKey, signed: keys.root, (start, end),
            authority + [Self.purposes(maySignCode: true)])
        self.leaf = try Self.certificate(
            leaf.organization, by: "Fake Code Signing", keys.leaf.publicKey,
            signed: leaf.isSelfSigned ? keys.leaf : keys.issuer, (start, leaf.end ?? end),
            [
                Self.constraints(isAuthority: leaf.isAuthority), Self.usage(0x80, unused: 7),
                Self.purposes(maySignCode: leaf.maySignCode), Self.access(leaf.issuerURL),
            ])
        key = keys.leaf
    }

    private static func certificate(
        _ subject: String, by issuer: String, _ key: _RSA.Signing.PublicKey, signed signer: _RSA.Signing.PrivateKey,
        _ times: (Timestamp, Timestamp), _ extensions: [[UInt8]]
    ) throws -> [UInt8] {
        let algorithm = der(0x30, oid([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11]), [5, 0])
        let signed = der(
            0x30, der(0xa0, [2, 1, 2]), [2, 1, 1], algorithm, name(issuer), der(0x30, time(times.0), time(times.1)),
            name(subject), Array(key.derRepresentation), der(0xa3, der(0x30, extensions.flatMap { $0 })))
        let signature = try signer.signature(for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5)
        return der(0x30, signed, algorithm, der(3, [0] + Array(signature.rawRepresentation)))
    }

    /// Organisation alone.
    static func name(_ text: String) -> [UInt8] {
        der(0x30, der(0x31, der(0x30, oid([0x55, 4, 10]), der(0x0c, Array(text.utf8)))))
    }

    static func time(_ moment: Timestamp) -> [UInt8] {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate, .withFullTime]
        let text = formatter.string(from: Date(timeIntervalSince1970: Double(moment.milliseconds / 1000)))
        return der(0x18, Array(text.filter { $0.isNumber }.utf8) + [UInt8(ascii: "Z")])
    }

    static func constraints(isAuthority: Bool) -> [UInt8] {
        entry([0x55, 0x1d, 19], isAuthority ? der(0x30, [1, 1, 0xff]) : der(0x30))
    }

    static func usage(_ bits: UInt8, unused: UInt8) -> [UInt8] {
        entry([0x55, 0x1d, 15], der(3, [unused, bits]))
    }

    private static func purposes(maySignCode: Bool) -> [UInt8] {
        entry([0x55, 0x1d, 37], der(0x30, oid([0x2b, 6, 1, 5, 5, 7, 3, maySignCode ? 3 : 1])))
    }

    private static func access(_ url: String) -> [UInt8] {
        let entry = der(0x30, oid([0x2b, 6, 1, 5, 5, 7, 48, 2]), der(0x86, Array(url.utf8)))
        return self.entry([0x2b, 6, 1, 5, 5, 7, 1, 1], der(0x30, entry), isCritical: false)
    }

    static func entry(_ name: [UInt8], _ value: [UInt8], isCritical: Bool = true) -> [UInt8] {
        der(0x30, oid(name), isCritical ? [1, 1, 0xff] : [], der(4, value))
    }

    static func oid(_ bytes: [UInt8]) -> [UInt8] { der(6, bytes) }

    /// A value of DER (X.690 §8.1).
    static func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = parts.flatMap { $0 }
        let length: [UInt8] =
            switch content.count {
            case ..<128: [UInt8(content.count)]
            case ..<256: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xff)]
            }
        return [tag] + length + content
    }
}
