package import Crypto
package import Foundation

/// A device's key, as an app would keep it, and the proofs that it signs (RFC 9449 §4.2).
package struct DeviceKey: Sendable {
    private let key: P256.Signing.PrivateKey
    private let header: String
    /// The name of the key (RFC 7638), base64url: the subject of a `device` identity.
    package let thumbprint: String

    package init(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.key = key
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Base64URL.text(of: point.prefix(32)), Base64URL.text(of: point.suffix(32)))
        let jwk = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        thumbprint = Base64URL.text(of: SHA256.hash(data: Data(jwk.utf8)))
        header = Base64URL.text(of: #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#.utf8)
    }

    /// The secret number, to be kept in a side file of a benchmark and nowhere else.
    package var secretNumber: Data { key.rawRepresentation }

    /// A proof for one request.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - address: The request's address, without query.
    ///   - seconds: The time of signing, in seconds since 1970.
    ///   - identifier: What makes the proof unique (`jti`).
    /// - Returns: The proof in its compact form.
    /// - Throws: When the signature cannot be made.
    package func proof(method: String, address: String, at seconds: Int, identifier: String) throws -> String {
        let claims = #"{"jti":"\#(identifier)","htm":"\#(method)","htu":"\#(address)","iat":\#(seconds)}"#
        let signed = header + "." + Base64URL.text(of: claims.utf8)
        let signature = try key.signature(for: Data(signed.utf8))
        return signed + "." + Base64URL.text(of: signature.rawRepresentation)
    }
}
