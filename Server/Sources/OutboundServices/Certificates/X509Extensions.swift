import Domain
import SwiftASN1

/// The extensions that decide here (RFC 5280 §4.2).
struct X509Extensions: Sendable {
    private(set) var isAuthority = false
    /// As is, without an extension that says otherwise.
    private(set) var maySignCertificates = true
    private(set) var maySignData = true
    private(set) var maySignCode = false
    /// How many authorities may be between it and a leaf; `nil` for any number.
    private(set) var maximumBelow: Int?
    /// Where the issuer's certificate is.
    private(set) var issuerURLs: [String] = []
    /// By object identifier.
    private(set) var all: [String: VerifiedCertificate.Extension] = [:]

    /// - Throws: for a critical extension that is not understood, and for one that is there twice.
    init(_ list: [ASN1Node]) throws {
        for entry in list {
            var parts = try entry.members(.sequence)[...]
            guard let name = parts.popFirst(), let value = parts.popLast() else { throw UnreadableCertificate() }
            let isCritical = try parts.first.map { try Bool(derEncoded: $0) } ?? false
            let bytes = Array(try ASN1OctetString(derEncoded: value).bytes)
            let identifier = try ASN1ObjectIdentifier(derEncoded: name)
            let known = all.updateValue(.init(value: bytes, isCritical: isCritical), forKey: identifier.dotted)
            guard known == nil else { throw UnreadableCertificate() }
            switch identifier {
            case [2, 5, 29, 19]: try readConstraints(bytes)
            case [2, 5, 29, 15]: try readUsage(bytes)
            case [2, 5, 29, 37]: try readPurposes(bytes)
            case [1, 3, 6, 1, 5, 5, 7, 1, 1]: try readAccess(bytes)
            default: if isCritical { throw UnreadableCertificate() }
            }
        }
    }

    private mutating func readConstraints(_ bytes: [UInt8]) throws {
        let parts = try DER.parse(bytes).members(.sequence)
        isAuthority = try parts.first { $0.identifier == .boolean }.map { try Bool(derEncoded: $0) } ?? false
        if let length = parts.first(where: { $0.identifier == .integer }), case .primitive(let number) = length.content
        {
            guard let first = number.first, first < 128 else { throw UnreadableCertificate() }
            // One of two bytes is more than any chain has.
            maximumBelow = number.count == 1 ? Int(clamping: first) : nil
        }
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
