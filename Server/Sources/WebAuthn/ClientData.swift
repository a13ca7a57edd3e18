import Crypto
@_spi(Base64URL) import enum OkaeriWire.Base64URL
import enum OkaeriWire.JSONValue

/// What the client says of a ceremony (WebAuthn §5.8.1).
package struct ClientData: Sendable {
    package static let maximumBytes = 4096
    private static let maximumDepth = 8

    package enum Kind: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    package let challenge: [UInt8]
    let type: String
    let origin: String
    /// Whether a page of another origin is around the one that asks.
    let isCrossOrigin: Bool
    /// What the authenticator signs beside its own data.
    let hash: [UInt8]

    /// - Throws: `clientDataMalformed`.
    package init(parsing bytes: [UInt8]) throws(WebAuthnFault) {
        guard bytes.count <= Self.maximumBytes,
            let value = try? JSONValue(parsing: bytes, maximumDepth: Self.maximumDepth),
            case .object(let members) = value, case .string(let type)? = members["type"],
            case .string(let origin)? = members["origin"], case .string(let text)? = members["challenge"],
            let challenge = Base64URL.bytes(of: text.utf8)
        else { throw .clientDataMalformed }
        switch members["crossOrigin"] {
        case nil, .bool(false)?: isCrossOrigin = members["topOrigin"] != nil
        case .bool(true)?: isCrossOrigin = true
        default: throw .clientDataMalformed
        }
        self.challenge = challenge
        self.type = type
        self.origin = origin
        hash = Array(SHA256.hash(data: bytes))
    }
}
