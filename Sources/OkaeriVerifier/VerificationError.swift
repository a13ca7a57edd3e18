/// Why a token, a proof or a webhook does not count.
public enum VerificationError: String, Error, Hashable, Sendable {
    /// It is not in the form that it must have.
    case malformed
    /// It is signed with another algorithm than ES256, or not at all.
    case algorithmRefused
    /// It is a JWT of another kind: an identity token is no access token.
    case typeRefused
    /// No key of the key set has the id that the token names.
    case keyUnknown
    /// The signature is not that of the key or the secret.
    case signatureRefused
    /// A claim that every access token has is missing.
    case claimMissing
    /// Another server issued it.
    case issuerRefused
    /// It is for somebody else.
    case audienceRefused
    /// Its time has ended.
    case expired
    /// Its time has not begun.
    case notYetValid
    /// The request brings no token.
    case tokenMissing
    /// The token is bound to a key, and the request has no proof of that key.
    case proofRequired
    /// The proof is not for this request, not for this token, or of another key.
    case proofRefused
    /// The proof was used before.
    case proofReplayed
    /// The clocks are too far apart, or what was signed is too old.
    case timeRefused
    /// A secret that is not `whsec_` and Base64.
    case secretMalformed
    /// The key set cannot be read, or what remembers proofs does not answer: nothing is known of the request.
    case unavailable

    /// Whether the same request can succeed a little later. The response to it is 503, to all others 401.
    public var isTemporary: Bool { self == .unavailable }
}
