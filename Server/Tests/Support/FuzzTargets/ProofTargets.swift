import Crypto
import Domain
import Foundation
import OutboundServices

@testable import WebAuthn

/// A key with which inputs are signed, so that parsers see what stands behind a good signature. The same in every run.
struct FuzzKey: Sendable {
    static let shared = FuzzKey()

    private let key: P256.Signing.PrivateKey?
    /// The public key (RFC 7517), without braces around it.
    let members: String
    /// Its thumbprint (RFC 7638).
    let thumbprint: String

    private init() {
        key = try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
        let point: [UInt8] = key.map { Array($0.publicKey.x963Representation.dropFirst()) } ?? []
        let (x, y) = (Base64URL.text(of: Array(point.prefix(32))), Base64URL.text(of: Array(point.suffix(32))))
        members = #""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#
        let named = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        thumbprint = Base64URL.text(of: Array(SHA256.hash(data: Array(named.utf8))))
    }

    /// A JWT (RFC 7519) with any bytes as its claims.
    func token(header: String, claims: [UInt8]) -> String {
        let signed = "\(Base64URL.text(of: Array(header.utf8))).\(Base64URL.text(of: claims))"
        let signature = try? key?.signature(for: Array(signed.utf8)).rawRepresentation
        return "\(signed).\(Base64URL.text(of: Array(signature ?? Data())))"
    }

    /// The same with 64 bytes of zero as its signature, which are refused at once. To sign and to verify takes longer than
    /// all else, and what is refused before signatures are looked at needs no good one.
    static func unsignedToken(header: String, claims: [UInt8]) -> String {
        "\(Base64URL.text(of: Array(header.utf8))).\(Base64URL.text(of: claims)).\(noSignature)"
    }

    /// Of proofs that are made with the key.
    static let proofHeader = #"{"typ":"dpop+jwt","alg":"ES256","jwk":{\#(shared.members)}}"#

    private static let noSignature = String(repeating: "A", count: 86)
}

/// Signs and encrypts anything as Google Play does its verdicts.
private struct FuzzPlay: Sendable {
    static let shared = FuzzPlay()

    private let key = SymmetricKey(size: .bits256)
    private let signer = P256.Signing.PrivateKey()
    private let decryptionKey: [UInt8]
    private let verificationKey: [UInt8]

    private init() {
        decryptionKey = key.withUnsafeBytes { Array($0) }
        verificationKey = Array(signer.publicKey.derRepresentation)
    }

    func open(_ text: String) throws(PlayIntegrityFault) -> PlayIntegrityToken {
        try PlayIntegrityToken(opening: text, decryptionKey: decryptionKey, verificationKey: verificationKey)
    }

    /// Empty, should the cryptographic library fail.
    func token(saying payload: [UInt8]) -> String {
        func text(_ bytes: some Sequence<UInt8>) -> String { Base64URL.text(of: Array(bytes)) }
        let signed = text(Array(#"{"alg":"ES256"}"#.utf8)) + "." + text(payload)
        let header = text(Array(#"{"alg":"A256KW","enc":"A256GCM"}"#.utf8))
        let contentKey = SymmetricKey(size: .bits256)
        guard let signature = try? signer.signature(for: Array(signed.utf8)).rawRepresentation,
            let wrapped = try? AES.KeyWrap.wrap(contentKey, using: key),
            let box = try? AES.GCM.seal(
                Array((signed + "." + text(signature)).utf8), using: contentKey, authenticating: Array(header.utf8))
        else { return "" }
        return [header, text(wrapped), text(box.nonce), text(box.ciphertext), text(box.tag)].joined(separator: ".")
    }
}

/// 2026-11-22T00:00:00Z.
struct FuzzClock: WallClock {
    var now: Timestamp { Timestamp(milliseconds: 1_795_305_600_000) }
}

extension FuzzTarget {
    /// What devices prove their keys with.
    static let proofs = [
        FuzzTarget("webauthn-attestation", maximumBytes: 4096) { input in
            if let attestation = try? AppAttestation(parsing: input) {
                let key = AppAttestCertificates().certified(attestation.certificates, at: FuzzClock().now)
                _ = try? attestation.verify(
                    publicKey: key?.publicKey ?? [], nonce: key?.nonce ?? [], keyId: [], clientDataHash: [],
                    apps: ["TEAM123456.com.example.app"], takesDevelopment: true)
            }
            guard let object = try? AttestationObject(parsing: input) else { return }
            let clientData = Array(#"{"type":"webauthn.create","challenge":"","origin":"https://example.org"}"#.utf8)
            let party = RelyingParty(
                id: "example.org", origins: ["https://example.org"], requiresUserVerification: false)
            guard let read = try? ClientData(parsing: clientData) else { return }
            _ = try? party.verify(read, object) { _ in true }
        },
        FuzzTarget("play-integrity", maximumBytes: 4096) { input in
            // As it came, and as what Google Play says. That stands behind a signature and encryption, which take fifty times
            // as long, and are the same whatever is in them: one of 32 is signed and encrypted.
            _ = try? FuzzPlay.shared.open(String(input: input))
            let fault = playFault { () throws(PlayIntegrityFault) in try PlayIntegrityToken(payload: input) }
            guard input.isOne(of: 32) else { return }
            let opened = playFault { () throws(PlayIntegrityFault) in
                try FuzzPlay.shared.open(FuzzPlay.shared.token(saying: input))
            }
            expect(opened == fault, "what is signed and encrypted is read as it was written")
        },
        FuzzTarget("webauthn-client-data", maximumBytes: 4096) { input in _ = try? ClientData(parsing: input) },
        FuzzTarget("proof") { input in _ = try? verify(String(input: input)) },
        FuzzTarget("proof-claims", maximumBytes: 2048) { input in
            do throws(DomainError) {
                _ = try verify(FuzzKey.unsignedToken(header: FuzzKey.proofHeader, claims: input))
                expect(false, "a proof without a signature is refused")
            } catch {
                guard error == .proofRefused(.signature) else { return }
                _ = try? verify(FuzzKey.shared.token(header: FuzzKey.proofHeader, claims: input))
            }
        },
        FuzzTarget("proof-header", maximumBytes: 2048) { input in
            _ = try? verify("\(Base64URL.text(of: input)).e30.AA")
        },
        FuzzTarget("base64url") { input in
            guard let bytes = Base64URL.bytes(of: input) else { return }
            expect(Base64URL.bytes(of: Base64URL.text(of: bytes).utf8) == bytes, "base64url is read as it was written")
        },
    ]

    /// Why a verdict of Google Play proves nothing; `nil` when it does.
    private static func playFault(
        of token: () throws(PlayIntegrityFault) -> PlayIntegrityToken
    ) -> PlayIntegrityFault? {
        do throws(PlayIntegrityFault) {
            try token().verify(
                nonce: [7], times: 0...FuzzClock().now.milliseconds,
                app: .init(package: "com.example.app", certificates: [[7]], level: .device))
            return nil
        } catch {
            return error
        }
    }

    private static func verify(_ text: String) throws(DomainError) -> DeviceProof {
        let target = ProofTarget(scheme: "https", authority: "okaeri.test", path: "/v1/log-in/automatic")
        let presented = PresentedProof(text: text, method: "POST", target: target)
        return try ProofVerifier()(presented, at: FuzzClock().now)
    }
}
