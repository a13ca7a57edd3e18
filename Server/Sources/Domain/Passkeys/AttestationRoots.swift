import WebAuthn

/// Certificates of makers of authenticators, and the kinds that they stand for.
package struct AttestationRoots: Hashable, Sendable {
    package static let maximumEntries = 20
    package static let maximumBytes = 16 * 1024

    /// In PEM, one after the other.
    package var certificates: String
    /// The kinds whose chains may lead there, by AAGUID; all when empty.
    package var authenticators: [String]

    package init(certificates: String, authenticators: [String]) {
        self.certificates = certificates
        self.authenticators = authenticators
    }

    /// What stands in the place of kinds where the certificates are for all.
    static let everyKind = "*"

    func stands(for kind: AAGUID) -> Bool {
        authenticators.isEmpty || authenticators.contains { AAGUID($0) == kind }
    }
}

extension PasskeyRules {
    /// What is wrong with the roots.
    package func rootFaults(_ verifier: any CertificateVerifier) -> [ValidationError] {
        let field = "passkeys.attestationRoots"
        guard attestationRoots.count <= AttestationRoots.maximumEntries else {
            return [ValidationError(field: field, rule: .tooManyFields(maximum: AttestationRoots.maximumEntries))]
        }
        return attestationRoots.flatMap { roots -> [ValidationError] in
            guard roots.certificates.utf8.count <= AttestationRoots.maximumBytes else {
                return [ValidationError(field: field, rule: .tooManyBytes(maximum: AttestationRoots.maximumBytes))]
            }
            guard roots.authenticators.count <= Self.maximumAuthenticators else {
                return [ValidationError(field: field, rule: .tooManyFields(maximum: Self.maximumAuthenticators))]
            }
            guard roots.authenticators.allSatisfy({ AAGUID($0) != nil }) else {
                return [ValidationError(field: field, rule: .notAnAuthenticator)]
            }
            return verifier.certificates(pem: roots.certificates) == nil
                ? [ValidationError(field: field, rule: .notACertificate)] : []
        }
    }

    /// Who vouches for authenticators; `nil` while there are no roots.
    func authority(_ verifier: any CertificateVerifier, at now: Timestamp) -> AttestationAuthority? {
        guard !attestationRoots.isEmpty else { return nil }
        let all = attestationRoots
        return AttestationAuthority { chain, kind in
            let roots = all.filter { $0.stands(for: kind) }.flatMap {
                verifier.certificates(pem: $0.certificates) ?? []
            }
            return verifier.verify(chain, roots: roots, at: now).map { leaf in
                AttestationCertificate(
                    publicKey: leaf.publicKey, subject: leaf.subject, isAuthority: leaf.isAuthority,
                    aaguid: leaf.extensions[AttestationCertificate.aaguidExtension].map { ($0.value, $0.isCritical) })
            }
        }
    }
}

extension PasskeyRules {
    /// The roots as an operator writes them: a line with the AAGUIDs of the kinds, or `*` for all, then the certificates
    /// in PEM. Certificates before any such line are for all.
    package var attestationRootLines: [String] {
        get {
            attestationRoots.flatMap { roots in
                [
                    roots.authenticators.isEmpty
                        ? AttestationRoots.everyKind : roots.authenticators.joined(separator: " ")
                ]
                    + roots.certificates.pieces(at: "\n").map(String.init)
            }
        }
        set {
            attestationRoots = []
            var isInCertificate = false
            var takesKinds = false
            for written in newValue {
                let words = written.words
                guard !words.isEmpty else { continue }
                let line = words.joined(separator: " ")
                if line.hasPrefix("-----BEGIN ") { isInCertificate = true }
                if !isInCertificate {
                    if !takesKinds { attestationRoots.append(AttestationRoots(certificates: "", authenticators: [])) }
                    takesKinds = true
                    attestationRoots[attestationRoots.count - 1].authenticators += words.filter {
                        $0 != AttestationRoots.everyKind
                    }
                    continue
                }
                if attestationRoots.isEmpty {
                    attestationRoots.append(AttestationRoots(certificates: "", authenticators: []))
                }
                takesKinds = false
                attestationRoots[attestationRoots.count - 1].certificates += line + "\n"
                if line.hasPrefix("-----END ") { isInCertificate = false }
            }
        }
    }
}
