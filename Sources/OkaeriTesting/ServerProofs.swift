import Foundation
import Okaeri
@_spi(Base64URL) @_spi(TotalConversions) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

extension InMemoryServer {
    /// Finds the session of a request.
    func authenticate(
        _ request: TransportRequest, _ contents: inout ServerContents
    ) throws(Refusal) -> (token: String, session: ServerContents.StoredSession) {
        guard let header = request.headers["Authorization"], header.hasPrefix("Bearer ") else {
            throw Refusal(401, .sessionRequired)
        }
        let token = String(header.dropFirst("Bearer ".count))
        guard let session = contents.sessions[token], contents.users[session.user] != nil else {
            throw Refusal(401, .sessionInvalid)
        }
        // One of before proofs were required may have no key: none that it could bring would be right.
        guard session.thumbprint != nil || !contents.proofRequired else { throw Refusal(401, .sessionInvalid) }
        if request.headers[HeaderName.proof] != nil {
            let thumbprint = try checkProof(of: request, token: token, &contents)
            guard thumbprint == session.thumbprint else { throw Refusal(401, .proofInvalid, detail: "another key") }
        } else if contents.proofRequired {
            throw Refusal(401, .proofRequired)
        }
        return (token, session)
    }

    /// Checks a request's DPoP proof (RFC 9449 §4.3).
    ///
    /// - Returns: The thumbprint of the key that signed it.
    func checkProof(
        of request: TransportRequest, token: String?, _ contents: inout ServerContents
    ) throws(Refusal) -> String {
        guard let proof = request.headers[HeaderName.proof] else { throw Refusal(401, .proofRequired) }
        let parts = proof.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.bytes(of: parts[2].utf8) else { throw wrong("form") }
        let header: ProofHeader = try part(parts[0])
        let claims: ProofClaims = try part(parts[1])
        guard header.typ == "dpop+jwt", header.alg == "ES256", header.jwk.kty == "EC", header.jwk.crv == "P-256" else {
            throw wrong("header")
        }
        guard header.jwk.d == nil, let x = Base64URL.bytes(of: header.jwk.x.utf8),
            let y = Base64URL.bytes(of: header.jwk.y.utf8),
            let point = DevicePublicKey(rawRepresentation: Data(x + y)),
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
            let signed = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(signed, for: Data("\(parts[0]).\(parts[1])".utf8))
        else { throw wrong("key or signature") }
        guard claims.htm == request.method else { throw wrong("htm") }
        guard claims.htu == request.url.absoluteString else { throw wrong("htu") }
        guard claims.ath == token.map({ Base64URL.text(of: SHA256.hash(data: Data($0.utf8))) }) else {
            throw wrong("ath")
        }
        guard claims.jti.utf8.count >= 22 else { throw wrong("jti") }
        let now = time(contents)
        guard (now.millisecondsSince1970 / 1000).subtractingWithSaturation(claims.iat).magnitude <= 60 else {
            throw Refusal(401, .clockSkew, serverTime: now)
        }
        guard contents.usedProofs.insert(claims.jti).inserted else { throw Refusal(401, .proofReplayed) }
        return point.thumbprint
    }

    private func wrong(_ what: String) -> Refusal {
        Refusal(401, .proofInvalid, detail: what)
    }

    private func part<Part: Decodable>(_ text: Substring) throws(Refusal) -> Part {
        guard let bytes = Base64URL.bytes(of: text.utf8),
            let part = try? JSONDecoder().decode(Part.self, from: Data(bytes))
        else {
            throw wrong("form")
        }
        return part
    }
}

private struct ProofHeader: Decodable {
    struct Key: Decodable {
        let kty: String
        let crv: String
        let x: String
        let y: String
        let d: String?
    }

    let typ: String
    let alg: String
    let jwk: Key
}

private struct ProofClaims: Decodable {
    let jti: String
    let htm: String
    let htu: String
    let iat: Int64
    let ath: String?
}
