import Crypto
import Domain
import Testing
import WebAuthn

/// Vectors of the W3C's (WebAuthn level 3, §16) whose ceremonies are refused here by name, and whose signatures hold.
@Suite("A published vector")
struct PublishedVectorTests {
    /// Hexadecimal digits, but for the client's data.
    struct Vector: Sendable {
        let key: String
        let created: String
        let attestation: String
        let shown: String
        let authenticatorData: String
        let signature: String
    }

    private static let framed = [
        // “ES256 Credential with "crossOrigin": true in clientDataJSON”
        Vector(
            key: "a501020326200121582022200a473f90b11078851550d03b4e44a2279f8c4eca27b3153dedfe03e4e97d2258"
                + "20cbd0be95e746ad6f5a8191be11756e4c0420e72f65b466d39bc56b8b123a9c6e",
            created: #"{"type":"webauthn.create","challenge":"O-WqzQNTcUJHI0CrWWnyQPHYdxbiC2gHrCMGVfpLO0k","#
                + #""origin":"https://example.org","crossOrigin":true,"extraData":"clientDataJSON may be"#
                + #" extended with additional fields in the future, such as this: zZquEtDR9DWqpW5tBWTFug"#
                + #""}"#,
            attestation: "a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461"
                + "c9c4735ae7f8edd46592a5e0f01452b2e4b54500000000883f4f6014f19c09d87aa38123be48d000206e1050"
                + "c0d2ca2f07c755cb2c66a74c64fa43065c18f938354d9915db2bd5ce57a501020326200121582022200a473f"
                + "90b11078851550d03b4e44a2279f8c4eca27b3153dedfe03e4e97d225820cbd0be95e746ad6f5a8191be1175"
                + "6e4c0420e72f65b466d39bc56b8b123a9c6e",
            shown: #"{"type":"webauthn.get","challenge":"h2qlF7qD_e5l_P_bykyE7q5dVPgEGh_IXJkeW7snMTc","or"#
                + #"igin":"https://example.org","crossOrigin":true,"extraData":"clientDataJSON may be ex"#
                + #"tended with additional fields in the future, such as this: 92pcTVD0Aby-q4dtmj6efg"}"#,
            authenticatorData: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50500000000",
            signature: "3046022100eb12fcf23b12764c0f122e22371fab92e283879fd798f38ee1841c951b6e40e7022100c76237ff"
                + "9db77b3c56f30837cda6a09acfa2e915544e609c0733b1184036d1cf"),
        // “ES256 Credential with "topOrigin" in clientDataJSON”
        Vector(
            key: "a5010203262001215820a1c47c1d82da4ebe82cd72207102b380670701993bc35398ae2e5726427fe01d2258"
                + "2086c1080d82987028c7f54ecb1b01185de243b359294a0ed210cd47480f0adc88",
            created: #"{"type":"webauthn.create","challenge":"Th9MYZhpnjPBTxkhU_Sdfg6ONXfVrEFsXzrckqQfJ-U","#
                + #""origin":"https://example.org","crossOrigin":true,"topOrigin":"https://example.com"}"#,
            attestation: "a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461"
                + "c9c4735ae7f8edd46592a5e0f01452b2e4b5410000000097586fd09799a76401c200455099ef2a0020b8ad59"
                + "b996047ab18e2ceb57206c362da57458793481f4a8ebf101c7ca7cc0f1a5010203262001215820a1c47c1d82"
                + "da4ebe82cd72207102b380670701993bc35398ae2e5726427fe01d22582086c1080d82987028c7f54ecb1b01"
                + "185de243b359294a0ed210cd47480f0adc88",
            shown: #"{"type":"webauthn.get","challenge":"1UpcjKS2Ko47syHjsrxzhW-FoQFQ2yk5rBlXOeseoGY","or"#
                + #"igin":"https://example.org","crossOrigin":true,"topOrigin":"https://example.com","ex"#
                + #"traData":"clientDataJSON may be extended with additional fields in the future, such "#
                + #"as this: UiFoJMVRQHDAFWFi4vxUpQ"}"#,
            authenticatorData: "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50500000000",
            signature: "3045022100b5a70c81780d5fcc9a4f2ae9caae99058f8accaf58b91fb59329646c28ac6ffc022012e101c165"
                + "db3c8e9957f0c54dd6ca9b56bc3bd2f280bd2faa6c1d02c6e5c171"),
    ]

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { start in
            UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    private static let party = RelyingParty(
        id: "example.org", origins: ["https://example.org"], requiresUserVerification: false)

    @Test("of a page within another origin's is refused for that, though its signature fits", arguments: framed.indices)
    func refused(index: Int) throws {
        let vector = Self.framed[index]
        let key = try CredentialPublicKey(cose: Self.bytes(vector.key))
        let (shown, data) = (Array(vector.shown.utf8), Self.bytes(vector.authenticatorData))
        let signature = Self.bytes(vector.signature)
        #expect(key.isValid(signature, over: data + Array(SHA256.hash(data: shown))))
        #expect(throws: WebAuthnFault.crossOrigin) {
            try Self.party.verify(
                try Assertion(clientData: shown, authenticatorData: data, signature: signature), by: key
            ) { _ in true }
        }
        #expect(throws: WebAuthnFault.crossOrigin) {
            try Self.party.verify(
                try ClientData(parsing: Array(vector.created.utf8)),
                try AttestationObject(parsing: Self.bytes(vector.attestation))
            ) { _ in true }
        }
    }

    @Test("of a credential that attests itself logs in")
    func ownCredential() throws {
        let key = try CredentialPublicKey(
            cose: Self.bytes(
                "a5010203262001215820" + "eb151c8176b225cc651559fecf07af450fd85802046656b34c18f6cf193843c5" + "225820"
                    + "927b8aa427a2be1b8834d233a2d34f61f13bfd44119c325d5896e183fee484f2"))
        let shown =
            #"{"type":"webauthn.get","challenge":"RHihCxNSNI3RYME1Ow1Gm12xnrkcJ_ffpv7Tn-Jq8gs","or"#
            + #"igin":"https://example.org","crossOrigin":false,"extraData":"clientDataJSON may be e"#
            + #"xtended with additional fields in the future, such as this: gTb53rz6EhSWomXGzimC1Q"}"#
        let assertion = try Assertion(
            clientData: Array(shown.utf8),
            authenticatorData: Self.bytes("bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50900000000"),
            signature: Self.bytes(
                "304402203310b9431903c401f1be2bdc8d23a4007682dbbddcf846994947b7f465daf84002204e94dd00047b"
                    + "316061b3b99772b7efd95994a83ef584b3b6b825ea3550251b66"))
        let state = try Self.party.verify(assertion, by: key) {
            $0 == Self.bytes("4478a10b1352348dd160c1353b0d469b5db19eb91c27f7dfa6fed39fe26af20b")
        }
        #expect(!state.isUserVerified && state.isBackupEligible && !state.isBackedUp)
    }
}
