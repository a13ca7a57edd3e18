import CryptoExtras
import Domain
import Foundation
import SwiftASN1

/// What is read of a certificate (RFC 5280 §4.1). Nothing of it is believed before its chain is checked.
package struct X509Certificate: Sendable {
    /// Longer than any certificate.
    package static let maximumBytes = 16 * 1024

    /// All of it, in DER.
    let encoded: [UInt8]
    let signedPart: [UInt8]
    let signatureAlgorithm: [UInt8]
    let signature: [UInt8]
    /// Names as they are encoded; a chain has the very same bytes.
    let issuer: [UInt8]
    let subject: [UInt8]
    /// The texts of the subject's name, by object identifier.
    let subjectTexts: [String: [String]]
    let start: Timestamp
    let end: Timestamp
    /// The subject's key (§4.1.2.7).
    let publicKey: [UInt8]
    let extensions: X509Extensions

    /// - Returns: `nil` when the bytes are no certificate of version 3, or hold what is not understood.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes else { return nil }
        do {
            try self.init(reading: bytes)
        } catch {
            // What is wrong with it interests nobody here.
            return nil
        }
    }

    private init(reading bytes: [UInt8]) throws {
        encoded = bytes
        let parts = try DER.parse(bytes).members(.sequence)
        guard parts.count == 3 else { throw UnreadableCertificate() }
        var rest = try parts[0].members(.sequence)[...]
        guard let version = rest.popFirst(), version.identifier == .tagged(0),
            try version.members(.tagged(0)).map({ Array($0.encodedBytes) }) == [[2, 1, 2]],
            rest.popFirst()?.identifier == .integer, let algorithm = rest.popFirst(), let issuer = rest.popFirst(),
            let validity = try rest.popFirst()?.members(.sequence), validity.count == 2,
            let subject = rest.popFirst(), let key = rest.popFirst(), let last = rest.last,
            rest.allSatisfy({ (1...3).map(ASN1Identifier.tagged).contains($0.identifier) })
        else { throw UnreadableCertificate() }
        // One outside of the signature could name another (§4.1.1.2).
        guard algorithm.encodedBytes == parts[1].encodedBytes else { throw UnreadableCertificate() }
        signedPart = Array(parts[0].encodedBytes)
        signatureAlgorithm = Array(algorithm.encodedBytes)
        let bits = try ASN1BitString(derEncoded: parts[2])
        guard bits.paddingBits == 0 else { throw UnreadableCertificate() }
        signature = Array(bits.bytes)
        self.issuer = Array(issuer.encodedBytes)
        self.subject = Array(subject.encodedBytes)
        subjectTexts = try Self.texts(in: subject)
        (start, end) = (try validity[0].time(), try validity[1].time())
        publicKey = Array(key.encodedBytes)
        // Behind its algorithm the key is a string of bits, whatever they say.
        guard let keyBits = try key.members(.sequence).last else { throw UnreadableCertificate() }
        _ = try ASN1BitString(derEncoded: keyBits)
        let list = last.identifier == .tagged(3) ? try last.members(.tagged(3)) : []
        extensions = try X509Extensions(try list.first?.members(.sequence) ?? [])
    }

    private static func texts(in name: ASN1Node) throws -> [String: [String]] {
        var texts: [String: [String]] = [:]
        for attribute in try name.members(.sequence).flatMap({ try $0.members(.set) }) {
            let pair = try attribute.members(.sequence)
            guard pair.count == 2, pair[1].identifier == .utf8String || pair[1].identifier == .printableString,
                case .primitive(let text) = pair[1].content
            else { continue }
            texts[try ASN1ObjectIdentifier(derEncoded: pair[0]).dotted, default: []]
                .append(String(decoding: text, as: UTF8.self))
        }
        return texts
    }

    /// The organisations of the subject.
    var organizations: [String] { subjectTexts["2.5.4.10"] ?? [] }

    var verified: VerifiedCertificate {
        VerifiedCertificate(
            publicKey: publicKey, subject: subjectTexts, isAuthority: extensions.isAuthority,
            extensions: extensions.all)
    }

    func isValid(at moment: Timestamp) -> Bool { start <= moment && moment <= end }

    /// Whether the holder of another certificate signed this one.
    ///
    /// - Parameters:
    ///   - other: The issuer's.
    ///   - below: How many authorities are between the issuer and the leaf (RFC 5280 §4.2.1.9).
    /// - Returns: `false` also when the other one's holder is no authority that may.
    func isSigned(by other: X509Certificate, below: Int = 0) -> Bool {
        guard issuer == other.subject, other.extensions.isAuthority, other.extensions.maySignCertificates,
            other.extensions.maximumBelow.map({ below <= $0 }) ?? true,
            let algorithm = CertificateAlgorithm(signatureAlgorithm)
        else { return false }
        return algorithm.isValid(signature, over: signedPart, by: other.publicKey)
    }

    /// The key; `nil` for another kind, and for less than 2048 bits.
    var rsaKey: _RSA.Signing.PublicKey? { try? _RSA.Signing.PublicKey(derRepresentation: publicKey) }
}

struct UnreadableCertificate: Error {}

extension ASN1Identifier {
    static func tagged(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension ASN1Node {
    /// What a sequence, set or tag holds.
    func members(_ identifier: ASN1Identifier) throws -> [ASN1Node] {
        guard self.identifier == identifier, case .constructed(let nodes) = content else {
            throw UnreadableCertificate()
        }
        return Array(nodes)
    }

    /// A time of a certificate (RFC 5280 §4.1.2.5).
    func time() throws -> Timestamp {
        var parts = DateComponents()
        if identifier == .utcTime {
            let time = try UTCTime(derEncoded: self)
            (parts.year, parts.month, parts.day) = (time.year, time.month, time.day)
            (parts.hour, parts.minute, parts.second) = (time.hours, time.minutes, time.seconds)
        } else {
            let time = try GeneralizedTime(derEncoded: self)
            (parts.year, parts.month, parts.day) = (time.year, time.month, time.day)
            (parts.hour, parts.minute, parts.second) = (time.hours, time.minutes, time.seconds)
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard let date = calendar.date(from: parts),
            let time = Timestamp(secondsSince1970: date.timeIntervalSince1970)
        else { throw UnreadableCertificate() }
        return time
    }
}

extension ASN1ObjectIdentifier {
    /// As people write it: numbers with dots.
    var dotted: String { String(describing: self) }
}
