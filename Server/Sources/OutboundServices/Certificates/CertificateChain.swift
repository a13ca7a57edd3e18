import Crypto
import CryptoExtras
import Domain
import Foundation

/// A chain of certificates up to a root that is known (RFC 5280 §6, as far as attestations need it).
struct CertificateChain: Sendable {
    /// That of the key, which is no authority.
    let leaf: X509Certificate

    /// Verifies a chain; there is none when it does not hold.
    ///
    /// - Parameters:
    ///   - certificates: In DER, that of the key first, without the root.
    ///   - roots: What the chain may end with.
    ///   - now: The time at which all of them must be valid.
    init?(_ certificates: [[UInt8]], under roots: [X509Certificate], at now: Timestamp) {
        let chain = certificates.compactMap(X509Certificate.init(parsing:))
        guard chain.count == certificates.count, let leaf = chain.first, let last = chain.last,
            !leaf.extensions.isAuthority, leaf.extensions.maySignData,
            zip(chain, chain.dropFirst()).allSatisfy({ $0.isSigned(by: $1) }),
            chain.allSatisfy({ $0.isValid(at: now) }),
            roots.contains(where: { last.isSigned(by: $0) && $0.isValid(at: now) })
        else { return nil }
        self.leaf = leaf
    }
}

extension X509Certificate {
    /// The key; `nil` for another kind.
    var p256Key: P256.Signing.PublicKey? { try? P256.Signing.PublicKey(derRepresentation: publicKey) }

    private var p384Key: P384.Signing.PublicKey? { try? P384.Signing.PublicKey(derRepresentation: publicKey) }

    /// Whether a signature by ECDSA (RFC 5758 §3.2) is that of the other certificate's key.
    func isSignedByECDSA(of other: X509Certificate) -> Bool {
        switch signatureAlgorithm {
        case Self.ecdsa(2): other.isValid(signature, for: SHA256.hash(data: signedPart))
        case Self.ecdsa(3): other.isValid(signature, for: SHA384.hash(data: signedPart))
        case Self.ecdsa(4): other.isValid(signature, for: SHA512.hash(data: signedPart))
        default: false
        }
    }

    private func isValid(_ signature: [UInt8], for digest: some Digest) -> Bool {
        if let key = p256Key, let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) {
            return key.isValidSignature(signature, for: digest)
        }
        if let key = p384Key, let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) {
            return key.isValidSignature(signature, for: digest)
        }
        return false
    }

    /// `ecdsa-with-SHA256` and its sisters, which have no parameters.
    private static func ecdsa(_ number: UInt8) -> [UInt8] {
        [0x30, 0x0a, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, number]
    }
}
