import Crypto
import enum OkaeriWire.JSONValue

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
            issuedAt: issuedAt, checkedAt: now)
    }

    private func check(
        _ claims: DecodedProof.Claims, against presented: PresentedProof, token: Secret?
    ) throws(ProofFault) {
        guard claims.htm == presented.method else { throw .method }
        guard let htu = claims.htu, presented.target.isNamed(by: htu) else { throw .target }
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
        // Beyond the years that there are, the clock is off by more than the window.
        guard let issuedAt = Timestamp(secondsSince1970: seconds) else { throw .clockSkew(serverTime: now) }
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
    private let signedPart: ArraySlice<UInt8>
    private let signature: [UInt8]

    struct Claims {
        let jti: String?
        let htm: String?
        let htu: String?
        let iat: Double?
        let ath: String?

        init(_ members: Members) throws(ProofFault) {
            jti = try members.text("jti")
            htm = try members.text("htm")
            htu = try members.text("htu")
            iat = try members.number("iat")
            ath = try members.text("ath")
        }
    }

    private struct Key {
        let kty: String?
        let crv: String?
        let x: String?
        let y: String?
        let hasPrivateMembers: Bool

        /// Members of private or symmetric keys of any type (RFC 7518 §6).
        private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

        init(_ members: Members) throws(ProofFault) {
            kty = try members.text("kty")
            crv = try members.text("crv")
            x = try members.text("x")
            y = try members.text("y")
            hasPrivateMembers = Self.privateMembers.contains { members.values[$0] != nil }
        }
    }

    init(_ text: String, maximumBytes: Int) throws(ProofFault) {
        guard text.utf8.count <= maximumBytes else { throw .malformed }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.bytes(of: parts[0]),
            let claimBytes = Base64URL.bytes(of: parts[1]), let signature = Base64URL.bytes(of: parts[2])
        else { throw .malformed }
        let header = try Members(parsing: headerBytes)
        claims = try Claims(try Members(parsing: claimBytes))
        guard try header.text("typ")?.lowercased() == "dpop+jwt" else { throw .type }
        guard try header.text("alg") == "ES256" else { throw .algorithm }
        guard header.values["crit"] == nil else { throw .criticalExtension }
        guard let jwk = header.values["jwk"] else { throw .key }
        guard case .object(let members) = jwk else { throw .malformed }
        self.jwk = try Key(Members(values: members))
        signedPart = bytes[..<parts[1].endIndex]
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

/// The members of a JSON object that a stranger wrote.
private struct Members {
    let values: [String: JSONValue]

    init(values: [String: JSONValue]) {
        self.values = values
    }

    init(parsing bytes: [UInt8]) throws(ProofFault) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, maximumDepth: 8)
        } catch {
            throw .malformed
        }
        guard case .object(let values) = value else { throw .malformed }
        self.values = values
    }

    /// - Returns: `nil` when there is no such member.
    func text(_ name: String) throws(ProofFault) -> String? {
        switch values[name] {
        case nil: nil
        case .string(let text): text
        default: throw .malformed
        }
    }

    /// - Returns: `nil` when there is no such member.
    func number(_ name: String) throws(ProofFault) -> Double? {
        guard let value = values[name] else { return nil }
        guard let number = value.double else { throw .malformed }
        return number
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
