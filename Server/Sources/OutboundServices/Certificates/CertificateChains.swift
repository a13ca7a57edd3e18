package import Domain
import Foundation

/// Chains of certificates, verified up to roots that are given (RFC 5280 §6.1, without revocation).
package struct CertificateChains: CertificateVerifier {
    /// More than any chain has.
    private static let maximumCertificates = 8
    private static let maximumPEMBytes = 256 * 1024
    private static let pemStart = "-----BEGIN CERTIFICATE-----"
    private static let pemEnd = "-----END CERTIFICATE-----"

    package init() {}

    package func verify(_ chain: [[UInt8]], roots: [[UInt8]], at now: Timestamp) -> VerifiedCertificate? {
        guard (1...Self.maximumCertificates).contains(chain.count) else { return nil }
        let read = chain.compactMap(X509Certificate.init)
        guard let leaf = read.first, read.count == chain.count,
            Self.holds(read, roots: roots.compactMap(X509Certificate.init), at: now)
        else { return nil }
        return leaf.verified
    }

    /// Whether each certificate is valid and signed by the next one, up to one that is a root or that a root signed.
    static func holds(_ chain: [X509Certificate], roots: [X509Certificate], at now: Timestamp) -> Bool {
        let roots = roots.filter { $0.isValid(at: now) }
        for (below, certificate) in chain.enumerated() {
            guard certificate.isValid(at: now) else { return false }
            if roots.contains(where: { $0.encoded == certificate.encoded }) { return true }
            if roots.contains(where: { certificate.isSigned(by: $0, below: below) }) { return true }
            guard let issuer = chain.dropFirst(below + 1).first, certificate.isSigned(by: issuer, below: below) else {
                return false
            }
        }
        return false
    }

    package func certificates(pem: String) -> [[UInt8]]? {
        guard pem.utf8.count <= Self.maximumPEMBytes else { return nil }
        let parts = pem.components(separatedBy: Self.pemStart).dropFirst()
        let found = parts.compactMap { part -> [UInt8]? in
            let halves = part.components(separatedBy: Self.pemEnd)
            guard halves.count == 2,
                let bytes = Data(base64Encoded: halves[0].filter { !$0.isWhitespace }).map(Array.init)
            else { return nil }
            return X509Certificate(parsing: bytes).map(\.encoded)
        }
        return found.isEmpty || found.count != parts.count ? nil : found
    }
}
