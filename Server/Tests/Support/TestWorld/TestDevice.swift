package import Crypto
package import Domain
import Foundation

/// A device with a key, that makes proofs (RFC 9449 §4.2), right ones and wrong ones.
package struct TestDevice: Sendable {
    package static let logInTarget = "https://id.example.com/v1/log-in/automatic"

    package let key: P256.Signing.PrivateKey

    package init() {
        self.init(key: P256.Signing.PrivateKey())
    }

    /// A device whose key is known.
    package init(key: P256.Signing.PrivateKey) {
        self.key = key
    }

    package var x: String { Base64URL.text(of: Array(key.publicKey.rawRepresentation)[..<32]) }
    package var y: String { Base64URL.text(of: Array(key.publicKey.rawRepresentation)[32...]) }
    package var thumbprint: String { PublicKeyThumbprint.text(x: x, y: y) }

    /// The parts of a proof, each open to being spoilt.
    package struct Parts: Sendable {
        /// JSON of the header and the claims by member name; a member set to `nil` is left out.
        package var header: [String: String]
        package var claims: [String: String]
    }

    package func parts(
        method: String = "POST", target: String = logInTarget, at now: Timestamp, identifier: String? = nil,
        token: Secret? = nil
    ) -> Parts {
        var claims = [
            "jti": quoted(identifier ?? UUID().uuidString), "htm": quoted(method), "htu": quoted(target),
            "iat": String(now.milliseconds / 1000),
        ]
        if let token { claims["ath"] = quoted(Base64URL.text(of: token.digest.bytes)) }
        return Parts(
            header: [
                "typ": quoted("dpop+jwt"), "alg": quoted("ES256"),
                "jwk": #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#,
            ],
            claims: claims)
    }

    /// Signs the parts, whatever they say.
    package func sign(_ parts: Parts, derSignature: Bool = false) throws -> String {
        let signed = Self.encode(parts.header) + "." + Self.encode(parts.claims)
        let signature = try key.signature(for: Data(signed.utf8))
        let bytes = derSignature ? signature.derRepresentation : signature.rawRepresentation
        return signed + "." + Base64URL.text(of: bytes)
    }

    package func proof(
        method: String = "POST", target: String = logInTarget, at now: Timestamp, identifier: String? = nil,
        token: Secret? = nil
    ) throws -> String {
        try sign(parts(method: method, target: target, at: now, identifier: identifier, token: token))
    }

    /// A right proof as a protocol hands it to the rules.
    package func presented(
        method: String = "POST", target: String = logInTarget, at now: Timestamp, identifier: String? = nil,
        token: Secret? = nil
    ) throws -> PresentedProof {
        guard let proofTarget = ProofTarget(target) else { throw TestWorldFault(description: "no address: \(target)") }
        return PresentedProof(
            text: try proof(method: method, target: target, at: now, identifier: identifier, token: token),
            method: method, target: proofTarget)
    }

    package static func encode(_ members: [String: String]) -> String {
        let text = members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        return Base64URL.text(of: Array("{\(text)}".utf8))
    }

    private func quoted(_ text: String) -> String { #""\#(text)""# }
}

package struct TestWorldFault: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
        self.description = description
    }
}
