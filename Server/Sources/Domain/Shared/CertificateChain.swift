/// Verifies chains of certificates (X.509, RFC 5280) up to roots that an application or the program names.
package protocol CertificateVerifier: Sendable {
    /// The certificates of a text in PEM (RFC 7468), in DER.
    ///
    /// - Returns: `nil` for a text without any, and for one with a certificate that cannot be read.
    func certificates(pem: String) -> [[UInt8]]?

    /// Verifies a chain: every certificate is valid and signed by an authority, the last one by a root or itself a root.
    ///
    /// - Parameters:
    ///   - chain: Certificates in DER: the leaf, then those between it and the root.
    ///   - roots: What a chain may end with, in DER.
    ///   - now: When all of them must be valid.
    /// - Returns: what the leaf says; `nil` for a chain that does not hold.
    func verify(_ chain: [[UInt8]], roots: [[UInt8]], at now: Timestamp) -> VerifiedCertificate?
}

/// What a certificate says whose chain holds.
package struct VerifiedCertificate: Sendable {
    package struct Extension: Hashable, Sendable {
        package var value: [UInt8]
        package var isCritical: Bool

        package init(value: [UInt8], isCritical: Bool) {
            self.value = value
            self.isCritical = isCritical
        }
    }

    /// The subject's key with its algorithm, in DER (RFC 5280 §4.1.2.7).
    package var publicKey: [UInt8]
    /// The texts of the subject's name by object identifier, as `2.5.4.6` for the country.
    package var subject: [String: [String]]
    /// Whether it says to be an authority's.
    package var isAuthority: Bool
    /// By object identifier, as `1.3.6.1.4.1.45724.1.1.4`.
    package var extensions: [String: Extension]

    package init(
        publicKey: [UInt8], subject: [String: [String]], isAuthority: Bool, extensions: [String: Extension]
    ) {
        self.publicKey = publicKey
        self.subject = subject
        self.isAuthority = isAuthority
        self.extensions = extensions
    }
}

/// Believes no chain.
package struct NoCertificateVerifier: CertificateVerifier {
    package init() {}

    package func certificates(pem: String) -> [[UInt8]]? { nil }

    package func verify(_ chain: [[UInt8]], roots: [[UInt8]], at now: Timestamp) -> VerifiedCertificate? { nil }
}
