public import Foundation

/// Verifies requests to your backend: the token in `Authorization`, and the proof beside it when the token is bound to a key.
public struct RequestVerifier: Sendable {
    private let tokens: TokenVerifier
    private let proofs: ProofVerifier

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - tokens: Verifies the tokens.
    ///   - proofs: Verifies the proofs of tokens that are bound to a key.
    public init(tokens: TokenVerifier, proofs: ProofVerifier) {
        self.tokens = tokens
        self.proofs = proofs
    }

    /// Verifies a request.
    ///
    /// A token that is bound to a key never counts with `Bearer`, and one that is not never with `DPoP` (RFC 9449 §7.2).
    ///
    /// - Parameters:
    ///   - authorization: The header `Authorization`.
    ///   - proof: The header `DPoP`; a request with two of them is to be refused before.
    ///   - method: The request's method, in capitals.
    ///   - url: The address of the request as the client knows it: with the public scheme and host, behind a proxy too.
    /// - Returns: What the token says.
    /// - Throws: `VerificationError`.
    public func verify(
        authorization: String?, proof: String?, method: String, url: URL
    ) async throws(VerificationError) -> AccessTokenClaims {
        guard let authorization, let space = authorization.utf8.firstIndex(of: UInt8(ascii: " ")) else {
            throw .tokenMissing
        }
        let scheme = authorization[..<space].lowercased()
        let token = String(authorization[space...].drop { $0 == " " })
        guard scheme == "bearer" || scheme == "dpop" else { throw .tokenMissing }
        let claims = try await tokens.verify(token)
        guard claims.isBound else {
            guard scheme == "bearer" else { throw .proofRefused }
            return claims
        }
        guard scheme == "dpop", let proof else { throw .proofRequired }
        // Bound by something else than a key that signs proofs.
        guard let thumbprint = claims.keyThumbprint else { throw .proofRefused }
        try await proofs.verify(proof, method: method, url: url, token: token, boundTo: thumbprint)
        return claims
    }
}
