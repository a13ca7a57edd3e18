import Crypto
import Domain
import Foundation

/// A device: a P-256 key that signs DPoP proofs, right ones and wrong ones.
struct ProofMaker: Sendable {
    let key: P256.Signing.PrivateKey

    init(key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.key = key
    }

    /// Everything that a proof says, to be changed by a test that wants it wrong.
    struct Parts {
        var header: [String: JSON]
        var claims: [String: JSON]
        /// Signs the first two parts; `nil` for ES256 with the device's key.
        var sign: (@Sendable ([UInt8]) throws -> [UInt8])?
    }

    /// A value of a proof.
    enum JSON: Encodable, Sendable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case list([JSON])
        case object([String: JSON])
        case null

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .flag(let value): try container.encode(value)
            case .list(let values): try container.encode(values)
            case .object(let members): try container.encode(members)
            case .null: try container.encodeNil()
            }
        }
    }

    /// The key's RFC 7638 thumbprint.
    var thumbprint: String {
        let (x, y) = coordinates
        return PublicKeyThumbprint.text(x: x, y: y)
    }

    var coordinates: (x: String, y: String) {
        let point = Array(key.publicKey.rawRepresentation)
        return (Base64URL.text(of: point[..<32]), Base64URL.text(of: point[32...]))
    }

    /// The right parts for a request.
    func parts(
        _ method: String, _ url: String, at time: Timestamp, token: String? = nil, id: String = UUID().uuidString
    ) -> Parts {
        let (x, y) = coordinates
        var claims: [String: JSON] = [
            "jti": .text(id), "htm": .text(method), "htu": .text(url),
            "iat": .number(Double(time.milliseconds / 1000)),
        ]
        if let token { claims["ath"] = .text(Base64URL.text(of: Secret(token).digest.bytes)) }
        return Parts(
            header: [
                "typ": .text("dpop+jwt"), "alg": .text("ES256"),
                "jwk": .object(["kty": .text("EC"), "crv": .text("P-256"), "x": .text(x), "y": .text(y)]),
            ],
            claims: claims)
    }

    /// A proof of these parts.
    func proof(_ parts: Parts) throws -> String {
        let encoder = JSONEncoder()
        let signed =
            Base64URL.text(of: try encoder.encode(parts.header)) + "."
            + Base64URL.text(of: try encoder.encode(parts.claims))
        let sign = parts.sign ?? { Array(try key.signature(for: $0).rawRepresentation) }
        return signed + "." + Base64URL.text(of: try sign(Array(signed.utf8)))
    }

    /// A right proof for a request.
    func proof(_ method: String, _ url: String, at time: Timestamp, token: String? = nil) throws -> String {
        try proof(parts(method, url, at: time, token: token))
    }
}
