import Foundation
import Testing
import WebAuthn

@testable import Domain
@testable import OutboundServices

/// The other vectors of the W3C's (WebAuthn level 3, §16), each with its attestation: what is taken is verified to the
/// published root, and what is not taken is refused by name.
@Suite("A published credential")
struct PublishedAttestationTests {
    private struct Vector: Decodable {
        let name: String
        let key: String
        let created: String
        let attestation: String
        let shown: String
        let authenticatorData: String
        let signature: String
    }

    private struct File: Decodable {
        let root: String
        let vectors: [Vector]
    }

    private static func file() throws -> File {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/webauthn-vectors.json")
        return try JSONDecoder().decode(File.self, from: try Data(contentsOf: path))
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { start in
            UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    private static let party = RelyingParty(
        id: "example.org", origins: ["https://example.org"], requiresUserVerification: false)

    /// Who vouches for authenticators: the published root, or one in its place.
    private static func authority(_ root: [UInt8]) -> AttestationAuthority? {
        var rules = PasskeyRules()
        let lines = Data(root).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        rules.attestationRoots = [
            AttestationRoots(
                certificates: "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n", authenticators: [])
        ]
        // In 2026; the certificates count from 2024 to 3024.
        return rules.authority(CertificateChains(), at: Timestamp(milliseconds: 1_790_000_000_000))
    }

    private func vector(_ name: String) throws -> Vector {
        try #require(try Self.file().vectors.first { $0.name == name })
    }

    private func register(
        _ vector: Vector, by authority: AttestationAuthority?, spoiling byte: Int? = nil
    ) throws -> RelyingParty.NewCredential {
        var attestation = Self.bytes(vector.attestation)
        if let byte { attestation[byte] ^= 1 }
        return try Self.party.verify(
            try ClientData(parsing: Array(vector.created.utf8)), try AttestationObject(parsing: attestation),
            attestedBy: authority
        ) { !$0.isEmpty }
    }

    private func logIn(_ vector: Vector, by key: CredentialPublicKey) throws -> CredentialState {
        try Self.party.verify(
            try Assertion(
                clientData: Array(vector.shown.utf8), authenticatorData: Self.bytes(vector.authenticatorData),
                signature: Self.bytes(vector.signature)), by: key
        ) { !$0.isEmpty }
    }

    @Test(
        "with a certificate is taken by the published root alone, and logs in", arguments: ["ES256", "RS256", "EdDSA"])
    func packed(algorithm: String) throws {
        let vector = try vector("packed.\(algorithm)")
        let root = Self.bytes(try Self.file().root)
        let credential = try register(vector, by: Self.authority(root))
        #expect(credential.attestation == .certified && credential.publicKey.cose == Self.bytes(vector.key))
        let state = try logIn(vector, by: credential.publicKey)
        #expect(state.signCount == 0 && state.isBackupEligible == credential.state.isBackupEligible)
        // Where nobody asks for a certificate, none is taken.
        #expect(throws: WebAuthnFault.attestationFormat) { try register(vector, by: nil) }
        #expect(throws: WebAuthnFault.attestationRoot) {
            try register(vector, by: Self.authority(AppAttestCertificates.appleRoot))
        }
        // Behind the name `sig` and the heads of its bytes, of the sequence and of its first number.
        let start = try #require(vector.attestation.firstRange(of: "63736967")).lowerBound
        let offset = vector.attestation.distance(from: vector.attestation.startIndex, to: start) / 2
        #expect(throws: WebAuthnFault.attestationSignature) {
            try register(vector, by: Self.authority(root), spoiling: offset + 4 + 2 + 4 + 8)
        }
    }

    @Test("with an id of 1023 bytes is taken, and logs in")
    func longId() throws {
        let vector = try vector("none.ES256.long-credential-id")
        let credential = try register(vector, by: nil)
        #expect(credential.attestation == .none && credential.id.count == 1023)
        #expect(Base64URL.text(of: credential.id).utf8.count == Passkey.maximumIdCharacters)
        _ = try logIn(vector, by: credential.publicKey)
        #expect(throws: WebAuthnFault.attestationFormat) {
            try register(vector, by: Self.authority(Self.bytes(try Self.file().root)))
        }
    }

    @Test("of an algorithm that is not offered is refused for that", arguments: ["ES384", "ES512", "Ed448"])
    func algorithms(algorithm: String) throws {
        let vector = try vector("packed.\(algorithm)")
        #expect(throws: WebAuthnFault.algorithm) { try CredentialPublicKey(cose: Self.bytes(vector.key)) }
        for authority in [nil, Self.authority(Self.bytes(try Self.file().root))] {
            #expect(throws: WebAuthnFault.algorithm) { try register(vector, by: authority) }
        }
    }

    @Test(
        "of a format that is not taken is refused for that, with a root and without, though its key would do",
        arguments: ["tpm", "android-key", "apple", "fido-u2f"])
    func formats(format: String) throws {
        let vector = try vector("\(format).ES256")
        for authority in [nil, Self.authority(Self.bytes(try Self.file().root))] {
            #expect(throws: WebAuthnFault.attestationFormat) { try register(vector, by: authority) }
        }
        _ = try logIn(vector, by: try CredentialPublicKey(cose: Self.bytes(vector.key)))
    }
}
