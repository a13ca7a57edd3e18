import Domain
import FakeProviders
import Foundation
import OkaeriWire
import Testing

@Suite("App Attest at first launches")
struct AppAttestTests {
    @Test("makes a user with an attestation and none without; the key then logs in by itself")
    func required() async throws {
        let (world, device) = (try await AttestationWorld(), ProofMaker())
        #expect(try await world.attested(device).status == 201)
        #expect(try await world.server.logIn(device).status == 200)
        let demand = try await world.demand(of: ProofMaker())
        #expect(demand.attestation?.formats == ["apple-appattest"] && demand.proofOfWork == nil)
        #expect(demand.expiresAt.millisecondsSince1970 == world.server.clock.now.milliseconds + 120_000)
    }

    @Test(
        "takes what iOS 27 says of the app's way to the device, any of it, and what says nothing, as older systems do",
        arguments: [nil, 1, 2, 3, 4, 5, 6, 10, 255] as [UInt8?])
    func category(_ category: UInt8?) async throws {
        let (world, device) = (try await AttestationWorld(), ProofMaker())
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let made = try world.attestation(device, challenge) { $0.category = category }
        let answer = try await world.logIn(device, with: made)
        #expect(answer.status == 201, "\(answer.text)")
    }

    @Test("passes over members that a later system adds to the statement and beside it")
    func more() async throws {
        let (world, device) = (try await AttestationWorld(), ProofMaker())
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let made = try world.attestation(device, challenge) {
            $0.hasMore = true
            $0.category = 4
        }
        #expect(try await world.logIn(device, with: made).status == 201)
    }

    /// What is wrong with an attestation that Apple itself would sign.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let rule: String
        var app = AttestationWorld.app
        let change: @Sendable (inout FakeAppAttest.Manner, Timestamp) -> Void

        var testDescription: String { "\(rule), \(app)" }
    }

    static let wrongs = [
        Wrong(rule: "attestation_app", app: "TEAM123456.com.example.other") { _, _ in },
        Wrong(rule: "attestation_app", app: "TEAM654321.com.example.app") { _, _ in },
        Wrong(rule: "attestation_format") { manner, _ in manner.format = "packed" },
        Wrong(rule: "attestation_counter") { manner, _ in manner.counter = 1 },
        Wrong(rule: "attestation_environment") { manner, _ in manner.isDevelopment = true },
        Wrong(rule: "attestation_environment") { manner, _ in manner.aaguid = [UInt8](repeating: 0, count: 16) },
        Wrong(rule: "attestation_credential_id") { manner, _ in manner.credentialId = [UInt8](repeating: 7, count: 32)
        },
        Wrong(rule: "attestation_nonce") { manner, _ in manner.nonce = [UInt8](repeating: 7, count: 32) },
        Wrong(rule: "attestation_certificates") { manner, _ in manner.nonce = [7] },
        Wrong(rule: "attestation_certificates") { manner, _ in manner.hasNonce = false },
        Wrong(rule: "attestation_certificates") { manner, _ in manner.isSelfSigned = true },
        Wrong(rule: "attestation_certificates") { manner, now in manner.end = now - .seconds(1) },
        Wrong(rule: "attestation_certificates") { manner, now in manner.authorityEnd = now - .seconds(1) },
        Wrong(rule: "attestation_malformed") { manner, _ in manner.receiptBytes = 16 * 1024 },
        Wrong(rule: "attestation_malformed") { manner, _ in manner.receiptBytes = 600_000 },
        Wrong(rule: "attestation_malformed") { manner, _ in manner.credentialId = [] },
    ]

    @Test("refuses each rule that is broken by its name", arguments: wrongs)
    func broken(wrong: Wrong) async throws {
        let (world, device) = (try await AttestationWorld(), ProofMaker())
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let now = world.server.clock.now
        let made = try world.attestation(device, challenge, app: wrong.app) { wrong.change(&$0, now) }
        let answer = try await world.logIn(device, with: made)
        expect(answer, 403, .attestationInvalid)
        let errors = try #require(try answer.read(Problem.self).errors)
        #expect(errors.map(\.code) == [wrong.rule])
        #expect(errors.map(\.field) == ["attestation.object"])
    }

    @Test("takes apps of development where the application says so")
    func development() async throws {
        let world = try await AttestationWorld { rules in
            rules.mode = .required
            rules.takesDevelopment = true
        }
        for isDevelopment in [true, false] {
            let device = ProofMaker()
            let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
            let made = try world.attestation(device, challenge) { $0.isDevelopment = isDevelopment }
            #expect(try await world.logIn(device, with: made).status == 201)
        }
    }

    @Test("refuses the chain of another root")
    func otherRoot() async throws {
        let (world, device) = (try await AttestationWorld(), ProofMaker())
        let other = try FakeAppAttest(clock: world.server.clock)
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        var made = try world.attestation(device, challenge)
        let hash = PresentedAttestation.clientDataHash(challenge: challenge, key: device.thumbprint)
        let theirs = try other.attest(hash, of: AttestationWorld.app)
        (made.keyId, made.object) = (Base64URL.text(of: theirs.keyId), Base64URL.text(of: theirs.object))
        try expectRule("attestation_certificates", "object", try await world.logIn(device, with: made))
    }

    @Test("refuses another member, an old challenge, another key's, another application's and one that was used")
    func members() async throws {
        let (world, device) = (
            try await AttestationWorld { rules in
                rules.mode = .required
                rules.refused = .init(perAddress: 1000, perApplication: 1000)
            }, ProofMaker()
        )
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let right = try world.attestation(device, challenge)
        var made = right
        made.format = "android-key"
        try expectRule("attestation_format", "format", try await world.logIn(device, with: made))
        made = right
        made.keyId = Base64URL.text(of: [UInt8](repeating: 1, count: 32))
        try expectRule("attestation_key_id", "keyId", try await world.logIn(device, with: made))
        made.keyId = "not base64url!"
        try expectRule("attestation_key_id", "keyId", try await world.logIn(device, with: made))
        for challenge in ["", "AA", challenge + "A", String(challenge.dropLast()), String(repeating: "A", count: 52)] {
            made = right
            made.challenge = challenge
            try expectRule("challenge", "challenge", try await world.logIn(device, with: made))
        }
        // Another device cannot use what was made for this one.
        try expectRule("challenge", "challenge", try await world.logIn(ProofMaker(), with: right))
        let elsewhere = try await AttestationWorld()
        try expectRule("challenge", "challenge", try await elsewhere.logIn(device, with: right))
        let thief = ProofMaker()
        let own = try #require(try await world.demand(of: thief).attestation?.challenge)
        made = right
        made.challenge = own
        try expectRule("attestation_nonce", "object", try await world.logIn(thief, with: made))
        world.server.clock.advance(by: .seconds(120))
        try expectRule("challenge", "challenge", try await world.logIn(device, with: right))
    }

    @Test("refuses an attestation of which any byte was changed")
    func everyByte() async throws {
        let world = try await AttestationWorld { rules in
            rules.mode = .required
            rules.refused = .init(perAddress: 100_000, perApplication: 100_000)
        }
        let device = ProofMaker()
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let right = try world.attestation(device, challenge) { $0.receiptBytes = 0 }
        let bytes = try #require(Base64URL.bytes(of: right.object.utf8))
        for index in stride(from: 0, to: bytes.count, by: 11) {
            var changed = bytes
            changed[index] ^= 0x01
            var made = right
            made.object = Base64URL.text(of: changed)
            expect(try await world.logIn(device, with: made), 403, .attestationInvalid)
        }
        for count in stride(from: 0, to: bytes.count, by: 97) {
            var made = right
            made.object = Base64URL.text(of: bytes.prefix(count))
            try expectRule("attestation_malformed", "object", try await world.logIn(device, with: made))
        }
        // What was refused so often made no user, and is good still.
        #expect(try await world.logIn(device, with: right).status == 201)
    }

    @Test("looks at no more attestations of an address after so many that it refused")
    func refusedBudget() async throws {
        let world = try await AttestationWorld { rules in
            rules.mode = .required
            rules.refused.perAddress = 2
        }
        let device = ProofMaker()
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let (right, wrong) = (
            try world.attestation(device, challenge), try world.attestation(device, challenge) { $0.counter = 1 }
        )
        for _ in 0..<2 { try expectRule("attestation_counter", "object", try await world.logIn(device, with: wrong)) }
        expect(try await world.logIn(device, with: right), 429, .rateLimited)
        #expect(try await world.logIn(device, with: right, peer: "192.0.2.2").status == 201)
    }

    @Test("looks at no more attestations of an IPv6 site after half of those that may be refused in all")
    func refusedBudgetOfSite() async throws {
        let world = try await AttestationWorld { rules in
            rules.mode = .required
            rules.refused = .init(perAddress: 1, perApplication: 4)
        }
        let device = ProofMaker()
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let (right, wrong) = (
            try world.attestation(device, challenge), try world.attestation(device, challenge) { $0.counter = 1 }
        )
        for network in 1...2 {
            let answer = try await world.logIn(device, with: wrong, peer: "2001:db8:1:\(network)::1")
            try expectRule("attestation_counter", "object", answer)
        }
        expect(try await world.logIn(device, with: right, peer: "2001:db8:1:3::1"), 429, .rateLimited)
        #expect(try await world.logIn(device, with: right, peer: "2001:db8:2:1::1").status == 201)
    }

    @Test("counts what is attested by address and in all, and a known device not at all")
    func attestedBudget() async throws {
        let world = try await AttestationWorld { rules in
            rules.mode = .required
            rules.attested = .init(perAddress: 1, perApplication: 2)
        }
        let first = ProofMaker()
        #expect(try await world.attested(first).status == 201)
        expect(try await world.attested(), 429, .rateLimited)
        #expect(try await world.attested(peer: "192.0.2.2").status == 201)
        expect(try await world.attested(peer: "192.0.2.3"), 429, .rateLimited)
        #expect(try await world.server.logIn(first).status == 200)
        world.server.clock.advance(by: .seconds(3600))
        #expect(try await world.attested().status == 201)
    }

    @Test("leaves half of what is attested to others than one IPv6 site")
    func attestedBudgetOfSite() async throws {
        let world = try await AttestationWorld { rules in
            rules.mode = .required
            rules.attested = .init(perAddress: 1, perApplication: 4)
        }
        for network in 1...2 { #expect(try await world.attested(peer: "2001:db8:1:\(network)::1").status == 201) }
        for network in 3...5 { expect(try await world.attested(peer: "2001:db8:1:\(network)::1"), 429, .rateLimited) }
        for network in 1...2 { #expect(try await world.attested(peer: "2001:db8:2:\(network)::1").status == 201) }
    }

    @Test("makes one user of twenty launches at once with one attestation")
    func crowd() async throws {
        let (world, device) = (try await AttestationWorld(), ProofMaker())
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let made = try world.attestation(device, challenge)
        let users = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await world.logIn(device, with: made).read(LogInResponse.self).user.id }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(users.count == 1)
    }

    private func expectRule(
        _ rule: String, _ member: String, _ answer: Answer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        expect(answer, 403, .attestationInvalid, sourceLocation: sourceLocation)
        let errors = try answer.read(Problem.self).errors ?? []
        #expect(errors.map(\.code) == [rule], sourceLocation: sourceLocation)
        #expect(errors.map(\.field) == ["attestation.\(member)"], sourceLocation: sourceLocation)
    }
}
