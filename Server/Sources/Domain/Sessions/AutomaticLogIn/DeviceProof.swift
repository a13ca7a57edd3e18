/// A DPoP proof (RFC 9449 §4) as it came with a request.
package struct PresentedProof: Sendable {
    package var text: String
    /// The request's method, as sent.
    package var method: String
    /// The request's address as the client knows it: scheme, host, port and path.
    package var target: ProofTarget

    package init(text: String, method: String, target: ProofTarget) {
        self.text = text
        self.method = method
        self.target = target
    }
}

/// What a proof that holds says: the device has the private key.
package struct DeviceProof: Hashable, Sendable {
    /// The key's thumbprint (RFC 7638), base64url: the subject of a `device` identity.
    package var thumbprint: String
    /// Stands for the proof's `jti` and key in the list of used proofs.
    package var replayDigest: SecretDigest
    /// When it says that it was made, `iat`.
    package var issuedAt: Timestamp
    /// The server's time when it was checked.
    package var checkedAt: Timestamp

    package init(thumbprint: String, replayDigest: SecretDigest, issuedAt: Timestamp, checkedAt: Timestamp) {
        self.thumbprint = thumbprint
        self.replayDigest = replayDigest
        self.issuedAt = issuedAt
        self.checkedAt = checkedAt
    }

    /// When the list of used proofs may forget it.
    package var replayEnd: Timestamp { UsedProof.end(ofIssuedAt: issuedAt) }

    /// Whether the device's clock is ahead of the server's.
    package var isFromFuture: Bool { issuedAt > checkedAt }

    /// How the list of used proofs has it.
    package var used: UsedProof { UsedProof(.device, replayDigest, until: replayEnd) }
}

/// What is wrong with a proof (RFC 9449 §4.3, requirement 21).
package enum ProofFault: Error, Hashable, Sendable {
    /// Not three parts of base64url with JSON in the first two.
    case malformed
    /// `typ` is not `dpop+jwt`.
    case type
    /// `alg` is not `ES256`.
    case algorithm
    /// `crit` names extensions; none is known here.
    case criticalExtension
    /// `jwk` is missing, or no P-256 public key.
    case key
    /// `jwk` holds private members.
    case privateKey
    /// The signature does not fit.
    case signature
    /// `htm` is not the request's method.
    case method
    /// `htu` is not the request's address.
    case target
    /// `iat` is missing or no number.
    case issuedAt
    /// `jti` is missing, empty or longer than 256 bytes.
    case identifier
    /// `ath` does not fit the session token, or is missing where one was sent.
    case accessToken
    /// The proof was signed by another key than the session is bound to.
    case otherKey
}
