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
        // By bytes: Swift's own comparison takes seconds for the first sign of a header that is marks without an end.
        guard let header = authorization?.utf8, let space = header.firstIndex(of: UInt8(ascii: " ")) else {
            throw .tokenMissing
        }
        let scheme = header[..<space].lazy.map { $0 | 0x20 }
        let isProved = scheme.elementsEqual("dpop".utf8)
        guard isProved || scheme.elementsEqual("bearer".utf8) else { throw .tokenMissing }
        let token = String(Substring(header[space...].drop { $0 == UInt8(ascii: " ") }))
        let claims = try await tokens.verify(token)
        guard claims.isBound else {
            guard !isProved else { throw .proofRefused }
            return claims
        }
        guard isProved, let proof else { throw .proofRequired }
        // Bound by something else than a key that signs proofs.
        guard let thumbprint = claims.keyThumbprint else { throw .proofRefused }
        try await proofs.verify(proof, method: method, url: url, token: token, boundTo: thumbprint)
        return claims
    }
}
