import Crypto
import CryptoExtras
import Domain
import Foundation
import SwiftASN1

/// What is read of a certificate (RFC 5280 §4.1). Nothing of it is believed before its chain is checked.
package struct X509Certificate: Sendable {
    /// Longer than any certificate.
    package static let maximumBytes = 16 * 1024

    let signedPart: [UInt8]
    let signatureAlgorithm: [UInt8]
    let signature: [UInt8]
    /// Names as they are encoded; a chain has the very same bytes.
    let issuer: [UInt8]
    let subject: [UInt8]
    /// The organisations of the subject.
    let organizations: [String]
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
        organizations = try Self.organizations(in: subject)
        (start, end) = (try validity[0].time(), try validity[1].time())
        publicKey = Array(key.encodedBytes)
        let list = last.identifier == .tagged(3) ? try last.members(.tagged(3)) : []
        extensions = try X509Extensions(try list.first?.members(.sequence) ?? [])
    }

    private static func organizations(in name: ASN1Node) throws -> [String] {
        try name.members(.sequence).flatMap { set in try set.members(.set) }.compactMap { attribute in
            let pair = try attribute.members(.sequence)
            guard pair.count == 2, try ASN1ObjectIdentifier(derEncoded: pair[0]) == [2, 5, 4, 10],
                pair[1].identifier == .utf8String || pair[1].identifier == .printableString,
                case .primitive(let text) = pair[1].content
            else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
    }

    func isValid(at moment: Timestamp) -> Bool { start <= moment && moment <= end }

    /// Whether the holder of another certificate signed this one.
    func isSigned(by other: X509Certificate) -> Bool {
        guard issuer == other.subject, other.extensions.isAuthority, other.extensions.maySignCertificates else {
            return false
        }
        guard let key = other.rsaKey else { return isSignedByECDSA(of: other) }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch signatureAlgorithm {
        case Self.rsa(11):
            key.isValidSignature(signature, for: SHA256.hash(data: signedPart), padding: .insecurePKCS1v1_5)
        case Self.rsa(12):
            key.isValidSignature(signature, for: SHA384.hash(data: signedPart), padding: .insecurePKCS1v1_5)
        case Self.rsa(13):
            key.isValidSignature(signature, for: SHA512.hash(data: signedPart), padding: .insecurePKCS1v1_5)
        default: false
        }
    }

    /// The key; `nil` for another kind, and for less than 2048 bits.
    var rsaKey: _RSA.Signing.PublicKey? { try? _RSA.Signing.PublicKey(derRepresentation: publicKey) }

    /// `sha256WithRSAEncryption` and its sisters, with the parameters that they have (RFC 8017 appendix C).
    private static func rsa(_ number: UInt8) -> [UInt8] {
        [0x30, 0x0d, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, number, 5, 0]
    }
}

/// The extensions that decide here (RFC 5280 §4.2).
struct X509Extensions: Sendable {
    private(set) var isAuthority = false
    /// As is, without an extension that says otherwise.
    private(set) var maySignCertificates = true
    private(set) var maySignData = true
    private(set) var maySignCode = false
    /// Where the issuer's certificate is.
    private(set) var issuerURLs: [String] = []
    /// The values of those that say nothing of chains.
    private(set) var others: [ASN1ObjectIdentifier: [UInt8]] = [:]

    /// - Throws: for a critical extension that is not understood.
    fileprivate init(_ list: [ASN1Node]) throws {
        for entry in list {
            var parts = try entry.members(.sequence)[...]
            guard let name = parts.popFirst(), let value = parts.popLast() else { throw UnreadableCertificate() }
            let isCritical = try parts.first.map { try Bool(derEncoded: $0) } ?? false
            let bytes = Array(try ASN1OctetString(derEncoded: value).bytes)
            let identifier = try ASN1ObjectIdentifier(derEncoded: name)
            switch identifier {
            case [2, 5, 29, 19]: try readConstraints(bytes)
            case [2, 5, 29, 15]: try readUsage(bytes)
            case [2, 5, 29, 37]: try readPurposes(bytes)
            case [1, 3, 6, 1, 5, 5, 7, 1, 1]: try readAccess(bytes)
            default:
                guard !isCritical, others.updateValue(bytes, forKey: identifier) == nil else {
                    throw UnreadableCertificate()
                }
            }
        }
    }

    private mutating func readConstraints(_ bytes: [UInt8]) throws {
        let first = try DER.parse(bytes).members(.sequence).first { $0.identifier == .boolean }
        isAuthority = try first.map { try Bool(derEncoded: $0) } ?? false
    }

    private mutating func readUsage(_ bytes: [UInt8]) throws {
        let first = try ASN1BitString(derEncoded: bytes).bytes.first ?? 0
        maySignData = first & 0x80 != 0
        maySignCertificates = first & 0x04 != 0
    }

    private mutating func readPurposes(_ bytes: [UInt8]) throws {
        maySignCode = try DER.parse(bytes).members(.sequence)
            .contains { try ASN1ObjectIdentifier(derEncoded: $0) == [1, 3, 6, 1, 5, 5, 7, 3, 3] }
    }

    private mutating func readAccess(_ bytes: [UInt8]) throws {
        for entry in try DER.parse(bytes).members(.sequence) {
            let parts = try entry.members(.sequence)
            guard parts.count == 2, try ASN1ObjectIdentifier(derEncoded: parts[0]) == [1, 3, 6, 1, 5, 5, 7, 48, 2],
                parts[1].identifier == .tagged(6), case .primitive(let text) = parts[1].content
            else { continue }
            issuerURLs.append(String(decoding: text, as: UTF8.self))
        }
    }
}

private struct UnreadableCertificate: Error {}

extension ASN1Identifier {
    fileprivate static func tagged(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension ASN1Node {
    /// What a sequence, set or tag holds.
    fileprivate func members(_ identifier: ASN1Identifier) throws -> [ASN1Node] {
        guard self.identifier == identifier, case .constructed(let nodes) = content else {
            throw UnreadableCertificate()
        }
        return Array(nodes)
    }

    /// A time of a certificate (RFC 5280 §4.1.2.5).
    fileprivate func time() throws -> Timestamp {
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
