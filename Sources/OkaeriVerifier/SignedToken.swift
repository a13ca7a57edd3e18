import Foundation
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A JWT in compact form (RFC 7515 §7.1), read and not verified yet.
struct SignedToken {
    /// Longer ones are refused before anything looks at them.
    static let maximumBytes = 16 * 1024
    private static let maximumDepth = 16

    let header: [String: JSONValue]
    let claims: [String: JSONValue]
    private let signed: Data
    private let signature: Data

    /// - Throws: `malformed`; `algorithmRefused` for anything but ES256.
    init(_ text: some StringProtocol) throws(VerificationError) {
        let bytes = Array(text.utf8.prefix(Self.maximumBytes + 1))
        guard bytes.count <= Self.maximumBytes else { throw .malformed }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed }
        header = try Self.members(parts[0])
        guard header["alg"]?.isText("ES256") == true else { throw .algorithmRefused }
        // An extension that must be understood (RFC 7515 §4.1.11): there is none here.
        guard header["crit"] == nil else { throw .malformed }
        claims = try Self.members(parts[1])
        guard let signature = Base64URL.bytes(of: parts[2]), signature.count == 64 else { throw .malformed }
        self.signature = Data(signature)
        signed = Data(bytes.prefix(parts[0].count + 1 + parts[1].count))
    }

    private static func members(_ part: ArraySlice<UInt8>) throws(VerificationError) -> [String: JSONValue] {
        guard let bytes = Base64URL.bytes(of: part) else { throw .malformed }
        do {
            guard case .object(let members) = try JSONValue(parsing: bytes, maximumDepth: maximumDepth) else {
                throw VerificationError.malformed
            }
            return members
        } catch {
            throw .malformed
        }
    }

    /// - Throws: `signatureRefused`.
    func verify(by key: P256.Signing.PublicKey) throws(VerificationError) {
        do {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: signature)
            guard key.isValidSignature(signature, for: signed) else { throw VerificationError.signatureRefused }
        } catch {
            throw .signatureRefused
        }
    }
}

extension JSONValue {
    /// The text; `nil` for any other value.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// Whether it is this text, byte by byte: Swift's own comparison takes different bytes for the same text.
    func isText(_ other: String) -> Bool { text?.isSame(as: other) == true }

    /// Seconds since 1970; `nil` for any other value. A fraction is cut.
    var seconds: Int64? {
        switch self {
        case .integer(let seconds): seconds
        case .number(let seconds): Int64(exactly: seconds.rounded(.down))
        default: nil
        }
    }
}

extension String {
    /// Whether both have the same bytes.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension P256.Signing.PublicKey {
    /// A public key of a JWK (RFC 7518 §6.2); `nil` for any other than one of P-256 without private members.
    static func of(_ key: [String: JSONValue]) -> P256.Signing.PublicKey? {
        guard key["kty"]?.isText("EC") == true, key["crv"]?.isText("P-256") == true, key["d"] == nil,
            let x = key["x"]?.text.flatMap({ Base64URL.bytes(of: $0.utf8) }), x.count == 32,
            let y = key["y"]?.text.flatMap({ Base64URL.bytes(of: $0.utf8) }), y.count == 32
        else { return nil }
        // A point that is not on the curve is no key.
        return try? P256.Signing.PublicKey(rawRepresentation: x + y)
    }

    /// The key's thumbprint (RFC 7638).
    var thumbprint: String {
        let point = Array(rawRepresentation)
        let (x, y) = (Base64URL.text(of: point.prefix(32)), Base64URL.text(of: point.dropFirst(32)))
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.text(of: SHA256.hash(data: Data(members.utf8)))
    }
}
