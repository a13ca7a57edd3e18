import Crypto
import CryptoExtras

/// How an authority signs certificates: RSA (PKCS #1 v1.5, RFC 8017) or ECDSA (RFC 5758), with a digest of SHA-2.
struct CertificateAlgorithm {
    private enum Digest: UInt8, CaseIterable {
        case sha256
        case sha384
        case sha512
    }

    private let digest: Digest
    private let isRSA: Bool

    /// - Parameter identifier: In DER, with the parameters that belong to it; `nil` for any other.
    init?(_ identifier: [UInt8]) {
        for digest in Digest.allCases {
            guard identifier == Self.rsa(11 + digest.rawValue) || identifier == Self.ecdsa(2 + digest.rawValue) else {
                continue
            }
            self.digest = digest
            isRSA = identifier == Self.rsa(11 + digest.rawValue)
            return
        }
        return nil
    }

    /// Whether a signature is by a key (`SubjectPublicKeyInfo`): RSA of 2048 bits or more, P-256, P-384 or P-521.
    func isValid(_ signature: [UInt8], over bytes: [UInt8], by key: [UInt8]) -> Bool {
        switch digest {
        case .sha256: isValid(signature, for: SHA256.hash(data: bytes), by: key)
        case .sha384: isValid(signature, for: SHA384.hash(data: bytes), by: key)
        case .sha512: isValid(signature, for: SHA512.hash(data: bytes), by: key)
        }
    }

    /// A key of another kind than the algorithm, and a signature of another form, are not valid.
    private func isValid(_ signature: [UInt8], for digest: some Crypto.Digest, by key: [UInt8]) -> Bool {
        if isRSA {
            guard let key = try? _RSA.Signing.PublicKey(derRepresentation: key) else { return false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        }
        if let key = try? P256.Signing.PublicKey(derRepresentation: key),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        {
            return key.isValidSignature(signature, for: digest)
        }
        if let key = try? P384.Signing.PublicKey(derRepresentation: key),
            let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature)
        {
            return key.isValidSignature(signature, for: digest)
        }
        if let key = try? P521.Signing.PublicKey(derRepresentation: key),
            let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature)
        {
            return key.isValidSignature(signature, for: digest)
        }
        return false
    }

    /// `sha256WithRSAEncryption` and its sisters (RFC 8017 appendix C).
    private static func rsa(_ number: UInt8) -> [UInt8] {
        [0x30, 0x0d, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, number, 5, 0]
    }

    /// `ecdsa-with-SHA256` and its sisters (RFC 5758 §3.2).
    private static func ecdsa(_ number: UInt8) -> [UInt8] {
        [0x30, 0x0a, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, number]
    }
}
