import Crypto
import Foundation

/// Checks DPoP proofs (RFC 9449 §4.3, requirement 21), all but their single use, which the database knows.
package struct ProofVerifier: Sendable {
    /// How far a proof's `iat` may be from the server's clock, in either direction.
    package static let window: Duration = .seconds(60)
    private static let maximumBytes = 4096
    private static let maximumIdentifierBytes = 256

    package init() {}

    /// - Parameters:
    ///   - presented: The proof and the request that it came with.
    ///   - token: The session token that came with it; the proof must then be bound to it (`ath`).
    ///   - now: The server's time.
    /// - Returns: whose key it is, and what the list of used proofs must remember.
    /// - Throws: `proofRefused` with what is wrong, or `clockSkew`.
    package func callAsFunction(
        _ presented: PresentedProof, token: Secret? = nil, at now: Timestamp
    ) throws(DomainError) -> DeviceProof {
        let proof: DecodedProof
        let publicKey: P256.Signing.PublicKey
        let thumbprint: String
        do {
            proof = try DecodedProof(presented.text, maximumBytes: Self.maximumBytes)
            (publicKey, thumbprint) = try proof.key()
            try proof.checkSignature(with: publicKey)
            try check(proof.claims, against: presented, token: token)
        } catch {
            throw .proofRefused(error)
        }
        let issuedAt = try issuedAt(of: proof.claims, now: now)
        return DeviceProof(
            thumbprint: thumbprint,
            replayDigest: SecretDigest(of: "\(thumbprint).\(proof.claims.jti ?? "")".utf8),
            replayEnd: issuedAt + Self.window + .seconds(1))
    }

    private func check(
        _ claims: DecodedProof.Claims, against presented: PresentedProof, token: Secret?
    ) throws(ProofFault) {
        guard claims.htm == presented.method else { throw .method }
        guard let htu = claims.htu, ProofTarget(htu) == presented.target else { throw .target }
        guard let jti = claims.jti, (1...Self.maximumIdentifierBytes).contains(jti.utf8.count) else {
            throw .identifier
        }
        if let token {
            let expected = Base64URL.text(of: token.digest.bytes)
            guard let ath = claims.ath, Secret(ath) == Secret(expected) else { throw .accessToken }
        }
    }

    private func issuedAt(of claims: DecodedProof.Claims, now: Timestamp) throws(DomainError) -> Timestamp {
        guard let seconds = claims.iat else { throw .proofRefused(.issuedAt) }
        // Past year 9999 the sum below could overflow; the clock is off by more than the window either way.
        guard seconds.isFinite, abs(seconds) < 253_402_300_800 else { throw .clockSkew(serverTime: now) }
        let issuedAt = Timestamp(milliseconds: Int64(seconds * 1000))
        // `iat` has whole seconds: within the second that it names, the proof counts as made now.
        guard issuedAt <= now + Self.window, now < issuedAt + Self.window + .seconds(1) else {
            throw .clockSkew(serverTime: now)
        }
        return issuedAt
    }
}

/// A proof taken apart, with nothing believed but its form, type and algorithm.
private struct DecodedProof {
    let claims: Claims
    private let jwk: Key
    private let signedPart: [UInt8]
    private let signature: [UInt8]

    struct Claims: Decodable {
        var jti: String?
        var htm: String?
        var htu: String?
        var iat: Double?
        var ath: String?
    }

    private struct Header: Decodable {
        var typ: String?
        var alg: String?
        var jwk: Key?
        var crit: [String]?
    }

    struct Key: Decodable {
        var kty: String?
        var crv: String?
        var x: String?
        var y: String?
        let hasPrivateMembers: Bool

        /// Members of private or symmetric keys of any type (RFC 7518 §6).
        private enum PrivateMember: String, CodingKey, CaseIterable { case d, p, q, dp, dq, qi, oth, k }
        private enum CodingKeys: String, CodingKey { case kty, crv, x, y }

        init(from decoder: any Decoder) throws {
            hasPrivateMembers = try !decoder.container(keyedBy: PrivateMember.self).allKeys.isEmpty
            let members = try decoder.container(keyedBy: CodingKeys.self)
            kty = try members.decodeIfPresent(String.self, forKey: .kty)
            crv = try members.decodeIfPresent(String.self, forKey: .crv)
            x = try members.decodeIfPresent(String.self, forKey: .x)
            y = try members.decodeIfPresent(String.self, forKey: .y)
        }
    }

    init(_ text: String, maximumBytes: Int) throws(ProofFault) {
        guard text.utf8.count <= maximumBytes else { throw .malformed }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.bytes(of: parts[0]),
            let claimBytes = Base64URL.bytes(of: parts[1]), let signature = Base64URL.bytes(of: parts[2])
        else { throw .malformed }
        let header: Header
        do {
            header = try JSONDecoder().decode(Header.self, from: Data(headerBytes))
            claims = try JSONDecoder().decode(Claims.self, from: Data(claimBytes))
        } catch {
            throw .malformed
        }
        guard header.typ?.lowercased() == "dpop+jwt" else { throw .type }
        guard header.alg == "ES256" else { throw .algorithm }
        guard header.crit == nil else { throw .criticalExtension }
        guard let jwk = header.jwk else { throw .key }
        self.jwk = jwk
        signedPart = Array(text.utf8[..<parts[1].endIndex])
        self.signature = signature
    }

    /// The public key and its thumbprint (RFC 7638 §3.2: required members in alphabetical order, no spaces).
    func key() throws(ProofFault) -> (P256.Signing.PublicKey, thumbprint: String) {
        guard !jwk.hasPrivateMembers else { throw .privateKey }
        guard jwk.kty == "EC", jwk.crv == "P-256", let xText = jwk.x, let yText = jwk.y,
            let x = Base64URL.bytes(of: xText.utf8), x.count == 32,
            let y = Base64URL.bytes(of: yText.utf8), y.count == 32
        else { throw .key }
        let publicKey: P256.Signing.PublicKey
        do {
            // Refuses points that are not on the curve.
            publicKey = try P256.Signing.PublicKey(x963Representation: [4] + x + y)
        } catch {
            throw .key
        }
        return (publicKey, PublicKeyThumbprint.text(x: xText, y: yText))
    }

    /// ES256 signatures are the two numbers in 64 bytes (RFC 7518 §3.4); the DER form of X.509 has another length.
    func checkSignature(with key: P256.Signing.PublicKey) throws(ProofFault) {
        let decoded: P256.Signing.ECDSASignature
        do {
            decoded = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        } catch {
            throw .signature
        }
        guard signature.count == 64, key.isValidSignature(decoded, for: signedPart) else { throw .signature }
    }
}

/// The thumbprint of a P-256 public key (RFC 7638).
package enum PublicKeyThumbprint {
    /// - Parameters:
    ///   - x: The x coordinate, base64url of 32 bytes.
    ///   - y: The y coordinate, base64url of 32 bytes.
    /// - Returns: base64url of 32 bytes.
    package static func text(x: String, y: String) -> String {
        Base64URL.text(of: SHA256.hash(data: Array(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8)).bytes)
    }
}

extension SHA256.Digest {
    fileprivate var bytes: [UInt8] { Array(self) }
}
