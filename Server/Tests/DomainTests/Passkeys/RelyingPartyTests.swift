import Crypto
import CryptoExtras
import Domain
import TestWorld
import Testing
import WebAuthn

@Suite("A registration or an assertion of a passkey")
struct RelyingPartyTests {
    typealias Ceremony = SoftwareAuthenticator.Ceremony
    private static let challenge: [UInt8] = Array(0..<32)
    private static var text: String { Base64URL.text(of: challenge) }

    private func party(policy: RelyingParty.AuthenticatorPolicy = .anything) -> RelyingParty {
        RelyingParty(
            id: SoftwareAuthenticator.domain, origins: [SoftwareAuthenticator.origin], requiresUserVerification: true,
            policy: policy)
    }

    private func register(
        _ authenticator: SoftwareAuthenticator, policy: RelyingParty.AuthenticatorPolicy = .anything,
        _ spoil: (inout Ceremony) -> Void = { _ in }
    ) throws -> RelyingParty.NewCredential {
        var ceremony = Ceremony("webauthn.create", challenge: Self.text)
        spoil(&ceremony)
        let made = try authenticator.create(ceremony)
        return try party(policy: policy).verify(
            try ClientData(parsing: made.clientData), try AttestationObject(parsing: made.attestationObject)
        ) { $0 == Self.challenge }
    }

    private func assert(
        _ authenticator: SoftwareAuthenticator, by key: CredentialPublicKey,
        _ spoil: (inout Ceremony) -> Void = { _ in }
    ) throws -> CredentialState {
        var ceremony = Ceremony("webauthn.get", challenge: Self.text)
        spoil(&ceremony)
        let made = try authenticator.get(ceremony)
        return try party().verify(
            try Assertion(
                clientData: made.clientData, authenticatorData: made.authenticatorData, signature: made.signature),
            by: key
        ) { $0 == Self.challenge }
    }

    /// A key of each algorithm.
    private static func keys() throws -> [SoftwareAuthenticator.Key] {
        [
            .es256(P256.Signing.PrivateKey()), .edDSA(Curve25519.Signing.PrivateKey()),
            .rs256(try _RSA.Signing.PrivateKey(keySize: .bits2048)),
        ]
    }

    @Test("holds for each algorithm and attestation", arguments: ["none", "packed"])
    func holds(format: String) throws {
        for key in try Self.keys() {
            let authenticator = SoftwareAuthenticator(key: key)
            let new = try register(authenticator) { $0.format = format }
            #expect(new.id == authenticator.credentialId && new.aaguid.isUnknown)
            #expect(new.attestation.rawValue == (format == "none" ? "none" : "self"))
            #expect(new.state.isBackupEligible && new.state.isBackedUp && new.state.isUserVerified)
            #expect(try assert(authenticator, by: new.publicKey) == new.state)
        }
    }

    private static let spoilt: [(WebAuthnFault, @Sendable (inout Ceremony) -> Void)] = [
        (.clientDataType, { $0.type = "webauthn.other" }), (.challenge, { $0.challenge = "AAAA" }),
        (.clientDataMalformed, { $0.challenge = "=" }), (.clientDataMalformed, { $0.crossOrigin = "1" }),
        (.origin, { $0.origin = "https://example.com.evil.test" }), (.origin, { $0.origin = "http://example.com" }),
        (.origin, { $0.origin = "https://example.com/" }), (.crossOrigin, { $0.crossOrigin = "true" }),
        (.relyingParty, { $0.domain = "evil.test" }), (.userPresence, { $0.flags = 0x1c }),
        (.userVerification, { $0.flags = 0x19 }), (.backupState, { $0.flags = 0x15 }),
        (.authenticatorDataMalformed, { $0.flags |= 0x80 }),
    ]

    @Test("is refused by the name of the rule that one wrong part breaks", arguments: spoilt.indices)
    func refused(index: Int) throws {
        let (fault, spoil) = Self.spoilt[index]
        let authenticator = SoftwareAuthenticator()
        let key = try register(authenticator).publicKey
        #expect(throws: fault) { try register(authenticator, spoil) }
        #expect(throws: fault) { try assert(authenticator, by: key, spoil) }
    }

    @Test("is refused with the signature of another key, or one byte of it changed")
    func signature() throws {
        let authenticator = SoftwareAuthenticator()
        let key = try register(authenticator).publicKey
        #expect(throws: WebAuthnFault.signature) { try assert(SoftwareAuthenticator(), by: key) }
        #expect(!key.isValid([], over: [1]) && !key.isValid([0x30, 0x00], over: [1]))
        #expect(throws: WebAuthnFault.attestationFormat) { try register(authenticator) { $0.format = "tpm" } }
    }

    @Test("follows what was known of the credential")
    func succession() {
        func state(_ count: Int64, eligible: Bool = true) -> CredentialState {
            CredentialState(signCount: count, isBackupEligible: eligible, isBackedUp: false, isUserVerified: true)
        }
        #expect(state(0).fault(after: state(0)) == nil && state(8).fault(after: state(7)) == nil)
        for (now, before): (Int64, Int64) in [(7, 7), (6, 7), (0, 7)] {
            #expect(state(now).fault(after: state(before)) == .signatureCounter)
        }
        #expect(state(1, eligible: false).fault(after: state(0)) == .backupEligibility)
    }

    @Test("is taken of the kinds of authenticators that the application takes")
    func policy() throws {
        var authenticator = SoftwareAuthenticator()
        authenticator.aaguid = Array(1...16)
        let kind = try #require(AAGUID("01020304-0506-0708-090A-0B0C0D0E0F10"))
        #expect(try register(authenticator, policy: .only([kind])).aaguid == kind)
        #expect(throws: WebAuthnFault.authenticator) { try register(authenticator, policy: .allBut([kind])) }
        #expect(throws: WebAuthnFault.authenticator) { try register(authenticator, policy: .only([])) }
        #expect(AAGUID("not-one") == nil && AAGUID(bytes: [1]) == nil)
    }

    // MARK: The W3C's test vectors (WebAuthn level 3, §16)

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { start in
            UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    private static let publishedParty = RelyingParty(
        id: "example.org", origins: ["https://example.org"], requiresUserVerification: false)

    private static let publishedClientData =
        "7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d507434557878475453746e63647134"
        + "313759447742466938767049612d7077386f4f755657345441222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f726722"
        + "2c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d61792062652065"
        + "7874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869"
        + "733a20426b5165446a646354427258426941774a544c453551227d"

    private static let publishedAttestation =
        "a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f0"
        + "1452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330"
        + "084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca6633"
        + "4b03458abf879717c12cc68ed73290af2e2664796b9220"

    @Test("of the published vector “ES256 Credential with No Attestation” holds")
    func published() throws {
        let new = try Self.publishedParty.verify(
            try ClientData(parsing: Self.bytes(Self.publishedClientData)),
            try AttestationObject(parsing: Self.bytes(Self.publishedAttestation))
        ) { _ in true }
        #expect(new.aaguid.text == "8446ccb9-ab1d-b374-750b-2367ff6f3a1f" && new.attestation == .none)
        #expect(new.id == Self.bytes("f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4"))
        let assertion = try Assertion(
            clientData: Self.bytes(
                "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a55"
                    + "58543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d70"
                    + "6c652e6f7267222c2263726f73734f726967696e223a66616c73657d"),
            authenticatorData: Self.bytes("bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000"),
            signature: Self.bytes(
                "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11"
                    + "a1dd5d78c6e486013f937295ea13653e331e87"))
        let state = try Self.publishedParty.verify(assertion, by: new.publicKey) {
            $0 == Self.bytes("39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408")
        }
        #expect(state.fault(after: new.state) == nil && !state.isUserVerified)
    }

    @Test("of the published vector “ES256 Self Attestation” holds, and not with another byte in its signature")
    func publishedSelfAttestation() throws {
        let clientData = Self.bytes(
            "7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a2265476e4374334c55745936366b336a506a"
                + "796e6962506b31716e666644616966715a774c33417032392d55222c226f726967696e223a2268747470733a2f2f6578616d706c65"
                + "2e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e"
                + "206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e2074686520667574757265"
                + "2c207375636820617320746869733a205539685458764b453255526b4d6e625f3078594856673d3d227d")
        let object = Self.bytes(
            "a363666d74667061636b65646761747453746d74a263616c67266373696758483046022100ae045923ded832b844cae4d5fc864277c0dc11"
                + "4ad713e271af0f0d371bd3ac540221009077a088ed51a673951ad3ba2673d5029bab65b64f4ea67b234321f86fcfac5d6861757468"
                + "4461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b55d00000000df850e09db6afbdfab51"
                + "697791506cfc0020455ef34e2043a87db3d4afeb39bbcb6cc32df9347c789a865ecdca129cbef58ca5010203262001215820eb151c"
                + "8176b225cc651559fecf07af450fd85802046656b34c18f6cf193843c5225820927b8aa427a2be1b8834d233a2d34f61f13bfd4411"
                + "9c325d5896e183fee484f2")
        let read = try ClientData(parsing: clientData)
        let new = try Self.publishedParty.verify(read, try AttestationObject(parsing: object)) { _ in true }
        #expect(new.attestation == .own)
        var spoilt = object
        spoilt[60] ^= 1
        let changed = try AttestationObject(parsing: spoilt)
        #expect(throws: WebAuthnFault.attestationSignature) {
            try Self.publishedParty.verify(read, changed) { _ in true }
        }
    }

    @Test("is refused before its format is compared, where that is a run of combining marks")
    func marks() {
        func registered(_ format: String) throws -> RelyingParty.NewCredential {
            try register(SoftwareAuthenticator()) { $0.format = format }
        }
        let marks = String(repeating: "\u{301}\u{316}", count: 16)
        #expect(throws: WebAuthnFault.attestationMalformed) { try registered(marks) }
        #expect(throws: WebAuthnFault.attestationFormat) { try registered(String(marks.unicodeScalars.prefix(30))) }
    }

    @Test("is refused with any part of it missing")
    func cut() throws {
        let object = Self.bytes(Self.publishedAttestation)
        for count in object.indices {
            #expect(throws: WebAuthnFault.self) { try AttestationObject(parsing: Array(object.prefix(count))) }
        }
        #expect(throws: WebAuthnFault.attestationMalformed) { try AttestationObject(parsing: object + [0]) }
    }
}
