import Crypto

/// The proof that whoever redeems an authorization code is the one that asked for it (PKCE, RFC 7636).
package enum PKCE {
    /// The challenge of a verifier by the method S256 (§4.2).
    package static func s256(of verifier: String) -> String {
        Base64URL.text(of: Array(SHA256.hash(data: Array(verifier.utf8))))
    }
}
