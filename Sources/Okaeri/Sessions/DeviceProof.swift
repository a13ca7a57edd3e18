import Foundation
@_spi(Base64URL) @_spi(TotalConversions) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A DPoP proof (RFC 9449 §4.2): a short signed note that this device makes this very request now.
struct DeviceProof {
    /// The HTTP method, in capitals.
    let method: String
    /// Where the request goes; query and fragment do not count.
    let url: URL
    /// When the request is made, by the server's clock.
    let issuedAt: Date
    /// A name that no other proof has, at least 128 random bits.
    let identifier: String
    /// The session token that goes with the request, which the proof is then bound to.
    let token: Secret?

    /// The proof in its wire form.
    ///
    /// - Parameter key: The key to sign with; its public half goes into the header.
    /// - Returns: A JWT that is signed by the key.
    /// - Throws: `VaultError.unreadableNow` when the key cannot be used at the moment.
    func signed(by key: any DeviceKey) throws(VaultError) -> String {
        let header = Header(
            jwk: Header.Key(x: Base64URL.text(of: key.publicKey.x), y: Base64URL.text(of: key.publicKey.y)))
        let claims = Claims(
            jti: identifier, htm: method, htu: Self.target(url),
            iat: Int64(clamping: issuedAt.timeIntervalSince1970.rounded(.down)),
            ath: token.map { Base64URL.text(of: SHA256.hash(data: Data($0.revealed.utf8))) })
        let message = "\(Self.part(header)).\(Self.part(claims))"
        let signature = try key.signature(for: Data(message.utf8))
        return "\(message).\(Base64URL.text(of: signature))"
    }

    /// The URL without user, query and fragment (RFC 9449 §4.2, `htu`).
    static func target(_ url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.absoluteString }
        parts.query = nil
        parts.fragment = nil
        parts.user = nil
        parts.password = nil
        if parts.path.isEmpty { parts.path = "/" }
        return parts.string ?? url.absoluteString
    }

    private static func part(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Base64URL.text(of: try encoder.encode(value))
        } catch {
            preconditionFailure("texts and whole numbers can always be written as JSON: \(error)")
        }
    }

    private struct Header: Encodable {
        struct Key: Encodable {
            let kty = "EC"
            let crv = "P-256"
            let x: String
            let y: String
        }

        let typ = "dpop+jwt"
        let alg = "ES256"
        let jwk: Key
    }

    private struct Claims: Encodable {
        let jti: String
        let htm: String
        let htu: String
        let iat: Int64
        let ath: String?
    }
}
