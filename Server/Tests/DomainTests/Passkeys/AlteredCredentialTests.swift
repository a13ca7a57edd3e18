import Domain
import Foundation
import TestWorld
import Testing
import WebAuthn

/// What an authenticator made and somebody changed on its way, with no key to sign it again.
@Suite("A credential that was altered")
struct AlteredCredentialTests {
    typealias Ceremony = SoftwareAuthenticator.Ceremony
    private static let challenge: [UInt8] = Array(0..<32)
    private static let party = RelyingParty(
        id: SoftwareAuthenticator.domain, origins: [SoftwareAuthenticator.origin], requiresUserVerification: true)
    /// 37 bytes, AAGUID, length, id, and a key of P-256.
    private static let attestedBytes = 37 + 16 + 2 + 32 + 77

    private func register(_ clientData: [UInt8], _ object: [UInt8]) throws -> RelyingParty.NewCredential {
        try Self.party.verify(try ClientData(parsing: clientData), try AttestationObject(parsing: object)) {
            $0 == Self.challenge
        }
    }

    private func made(_ authenticator: SoftwareAuthenticator) throws -> (clientData: [UInt8], object: [UInt8]) {
        var ceremony = Ceremony("webauthn.create", challenge: Base64URL.text(of: Self.challenge))
        ceremony.format = "packed"
        let made = try authenticator.create(ceremony)
        return (made.clientData, made.attestationObject)
    }

    private func assert(
        _ clientData: [UInt8], _ data: [UInt8], _ signature: [UInt8], by key: CredentialPublicKey
    ) throws -> CredentialState {
        try Self.party.verify(
            try Assertion(clientData: clientData, authenticatorData: data, signature: signature), by: key
        ) { $0 == Self.challenge }
    }

    /// A field of authenticator data, a bit of it to turn, and the rules that may be broken by that.
    private struct Field {
        let name: String
        let bytes: Range<Int>
        var bit: UInt8 = 1
        let faults: Set<WebAuthnFault>
    }

    private static let ownFields = [
        Field(name: "hash of the domain", bytes: 0..<32, faults: [.relyingParty]),
        Field(name: "touched", bytes: 32..<33, bit: 0x01, faults: [.userPresence]),
        Field(name: "recognised", bytes: 32..<33, bit: 0x04, faults: [.userVerification]),
        Field(name: "can be backed up", bytes: 32..<33, bit: 0x08, faults: [.backupState]),
        Field(name: "has extensions", bytes: 32..<33, bit: 0x80, faults: [.authenticatorDataMalformed]),
        Field(name: "has a credential", bytes: 32..<33, bit: 0x40, faults: [.authenticatorDataMalformed]),
    ]

    private static func signedFields(_ fault: WebAuthnFault) -> [Field] {
        ownFields + [
            Field(name: "reserved", bytes: 32..<33, bit: 0x02, faults: [fault]),
            Field(name: "also reserved", bytes: 32..<33, bit: 0x20, faults: [fault]),
            Field(name: "is backed up", bytes: 32..<33, bit: 0x10, faults: [fault]),
            Field(name: "counter", bytes: 33..<37, faults: [fault]),
        ]
    }

    @Test("is refused by name for each field of an assertion")
    func assertion() throws {
        let authenticator = SoftwareAuthenticator()
        let registered = try made(authenticator)
        let key = try register(registered.clientData, registered.object).publicKey
        let get = try authenticator.get(Ceremony("webauthn.get", challenge: Base64URL.text(of: Self.challenge)))
        _ = try assert(get.clientData, get.authenticatorData, get.signature, by: key)
        for field in Self.signedFields(.signature) {
            for index in field.bytes {
                var data = get.authenticatorData
                data[index] ^= field.bit
                expect(field.faults, "\(field.name), \(index)") {
                    _ = try assert(get.clientData, data, get.signature, by: key)
                }
            }
        }
        for index in get.signature.indices {
            var signature = get.signature
            signature[index] ^= 1
            expect([.signature], "signature, \(index)") {
                _ = try assert(get.clientData, get.authenticatorData, signature, by: key)
            }
        }
        for data in [get.authenticatorData + [0], Array(get.authenticatorData.dropLast())] {
            expect([.authenticatorDataMalformed], "length") {
                _ = try assert(get.clientData, data, get.signature, by: key)
            }
        }
    }

    @Test("is refused by name for each field of an attestation")
    func attestation() throws {
        let (clientData, object) = try made(SoftwareAuthenticator())
        #expect(try register(clientData, object).attestation == .own)
        let start = object.count - Self.attestedBytes
        let fields =
            Self.signedFields(.attestationSignature) + [
                Field(name: "AAGUID", bytes: 37..<53, faults: [.attestationSignature]),
                Field(
                    name: "length of the id", bytes: 53..<55,
                    faults: [.authenticatorDataMalformed, .publicKeyMalformed, .credentialId]),
                Field(name: "id", bytes: 55..<87, faults: [.attestationSignature]),
                Field(
                    name: "key", bytes: 87..<164,
                    faults: [
                        .publicKeyMalformed, .algorithm, .attestationSignature, .authenticatorDataMalformed,
                    ]),
            ]
        for field in fields {
            for index in field.bytes {
                var altered = object
                altered[start + index] ^= field.bit
                expect(field.faults, "\(field.name), \(index)") { _ = try register(clientData, altered) }
            }
        }
        // The frame around it: names, format, algorithm, signature and lengths.
        for index in 0..<start {
            var altered = object
            altered[index] ^= 1
            expect(
                [.attestationMalformed, .attestationFormat, .attestationSignature, .authenticatorDataMalformed],
                "frame, \(index)"
            ) { _ = try register(clientData, altered) }
        }
    }

    private static let clientMembers: [(String, String, WebAuthnFault)] = [
        ("webauthn.get", "webauthn.create", .clientDataType),
        (Base64URL.text(of: challenge), Base64URL.text(of: Array(challenge.reversed())), .challenge),
        ("https://example.com", "https://example.org", .origin),
        (#""type""#, #""crossOrigin":true,"type""#, .crossOrigin),
        (#""type""#, #""crossOrigin":"no","type""#, .clientDataMalformed),
        (#""type""#, #""topOrigin":"https://example.com","type""#, .crossOrigin),
        (#""type""#, #""kind""#, .clientDataMalformed), (#""type""#, #""added":1,"type""#, .signature),
        (#""type""#, #" "type""#, .signature),
    ]

    @Test("is refused by name for each member of the client's data", arguments: clientMembers.indices)
    func clientData(index: Int) throws {
        let (before, after, fault) = Self.clientMembers[index]
        let authenticator = SoftwareAuthenticator()
        let registered = try made(authenticator)
        let key = try register(registered.clientData, registered.object).publicKey
        let get = try authenticator.get(Ceremony("webauthn.get", challenge: Base64URL.text(of: Self.challenge)))
        let altered = Array(String(decoding: get.clientData, as: UTF8.self).replacing(before, with: after).utf8)
        try #require(altered != get.clientData)
        expect([fault], after) { _ = try assert(altered, get.authenticatorData, get.signature, by: key) }
    }

    private func expect(_ faults: Set<WebAuthnFault>, _ what: String, _ work: () throws -> Void) {
        do {
            try work()
            Issue.record("\(what) was taken")
        } catch {
            let fault = error as? WebAuthnFault
            #expect(fault.map { faults.contains($0) } == true, "\(what): \(error)")
        }
    }
}

@Suite("The table of rules in docs/passkeys.md")
struct PasskeyFaultTableTests {
    @Test("has each rule once, with its member")
    func complete() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/passkeys.md").standardizedFileURL
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("` | `response.") || $0.contains("` | `id`") }
            .map { row in row.split(separator: "`", maxSplits: 4).map(String.init) }
        #expect(rows.map { $0[1] } == PasskeyFault.all.map(\.rule))
        #expect(rows.map { $0[3] } == PasskeyFault.all.map(\.member))
    }
}
