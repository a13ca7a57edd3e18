import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Play Integrity at first launches")
struct PlayIntegrityTests {
    private let play = FakePlayIntegrity(package: "com.example.app")

    /// A server whose application demands attestations of an app of Google Play.
    private func world(
        level: AttestationRules.PlayApp.Level = .device, others: [FakePlayIntegrity] = []
    ) async throws -> AttestationWorld {
        let world = try await AttestationWorld { rules in
            rules.mode = .required
            rules.refused = .init(perAddress: 100_000, perApplication: 100_000)
        }
        let (applications, application) = (world.server.modules.applications, world.server.application.id)
        var apps: [AttestationRules.PlayApp] = []
        for app in others + [play] {
            let keys = try applications.sealPlayKeys(
                decryptionKey: Secret(app.decryptionKey), verificationKey: app.verificationKey, of: app.package,
                in: application)
            apps.append(
                .init(
                    .init(packageName: app.package, certificates: [app.fingerprint]), level: level, keys: keys))
        }
        let all = apps
        _ = try await applications.changeApplication(application, isCurrent: { _ in true }, by: .local) {
            $0.settings.attestation.set(all)
        }
        return world
    }

    private func attestation(
        _ world: AttestationWorld, _ device: ProofMaker, _ change: (inout FakePlayIntegrity.Manner) -> Void = { _ in }
    ) async throws -> DeviceAttestationBody {
        let demand = try await world.demand(of: device)
        #expect(demand.attestation?.formats == ["apple-appattest", "google-play-integrity"])
        let challenge = try #require(demand.attestation?.challenge)
        let hash = PresentedAttestation.clientDataHash(challenge: challenge, key: device.thumbprint)
        let token = try play.token(nonce: hash, at: world.server.clock.now.milliseconds, change)
        return DeviceAttestationBody(format: "google-play-integrity", challenge: challenge, keyId: "", object: token)
    }

    private func expectRule(_ rule: String, _ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        expect(answer, 403, .attestationInvalid, sourceLocation: sourceLocation)
        #expect(
            try answer.read(Problem.self).errors?.map(\.code) == [rule], "\(answer.text)",
            sourceLocation: sourceLocation)
    }

    @Test("makes a user with a token for this key and challenge, beside other apps; the key then logs in by itself")
    func right() async throws {
        let world = try await world(others: [FakePlayIntegrity(package: "com.example.other")])
        let device = ProofMaker()
        #expect(try await world.logIn(device, with: try await attestation(world, device)).status == 201)
        #expect(try await world.server.logIn(device).status == 200)
        // App Attest goes on beside it.
        #expect(try await world.attested().status == 201)
    }

    /// What is wrong with a token.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let rule: String
        let change: @Sendable (inout FakePlayIntegrity.Manner) -> Void

        init(_ rule: String, _ change: @escaping @Sendable (inout FakePlayIntegrity.Manner) -> Void) {
            self.rule = rule
            self.change = change
        }

        var testDescription: String { rule }
    }

    static let wrongs = [
        Wrong("attestation_malformed") { $0.wrapping = "dir" },
        Wrong("attestation_malformed") { $0.encryption = "A128GCM" },
        Wrong("attestation_malformed") { $0.signature = "none" },
        Wrong("attestation_malformed") { $0.missing = ["requestDetails"] },
        Wrong("attestation_malformed") { $0.missing = ["appIntegrity"] },
        Wrong("attestation_malformed") { $0.missing = ["deviceIntegrity"] },
        Wrong("attestation_key") { $0.isForSomebodyElse = true },
        Wrong("attestation_signature") { $0.isForged = true },
        Wrong("attestation_nonce") { $0.nonce = "AAAA" },
        Wrong("attestation_nonce") { $0.nonce = 7 },
        Wrong("attestation_nonce") { $0.nonce = .string(String(repeating: "A", count: 5000)) },
        Wrong("attestation_time") { $0.time = "1" },
        Wrong("attestation_time") { $0.time = .string(String(Int64.max)) },
        Wrong("attestation_time") { $0.time = .string(String(repeating: "9", count: 400)) },
        Wrong("attestation_time") { $0.time = .integer(.min) },
        Wrong("attestation_time") { $0.time = .null },
        Wrong("attestation_app") { $0.package = "com.example.other" },
        Wrong("attestation_app") { $0.requestPackage = "com.example.other" },
        Wrong("attestation_app") { $0.recognition = "UNRECOGNIZED_VERSION" },
        Wrong("attestation_app") { $0.recognition = .null },
        Wrong("attestation_app_certificate") { $0.certificates = [] },
        Wrong("attestation_app_certificate") { $0.certificates = ["AAAA"] },
        Wrong("attestation_app_certificate") { $0.certificates += ["AAAA"] },
        Wrong("attestation_app_certificate") { $0.certificates = [7] },
        Wrong("attestation_device") { $0.devices = ["MEETS_BASIC_INTEGRITY"] },
        Wrong("attestation_device") { $0.devices = [] },
        Wrong("attestation_device") { $0.devices = "MEETS_DEVICE_INTEGRITY" },
        Wrong("attestation_device") { $0.devices = ["MEETS_VIRTUAL_INTEGRITY"] },
    ]

    @Test("refuses each rule that is broken by its name", arguments: wrongs)
    func broken(wrong: Wrong) async throws {
        let (world, device) = (try await world(), ProofMaker())
        try expectRule(
            wrong.rule, try await world.logIn(device, with: try await attestation(world, device, wrong.change)))
    }

    @Test(
        "takes a token whose time is up to half a minute before that of the oldest challenge, or ahead of the server's",
        arguments: [
            (-150_001, false), (-150_000, true), (-120_000, true), (0, true), (30_000, true), (30_001, false),
        ] as [(Int64, Bool)])
    func time(milliseconds: Int64, isTaken: Bool) async throws {
        let (world, device) = (try await world(), ProofMaker())
        let time = world.server.clock.now.milliseconds + milliseconds
        let made = try await attestation(world, device) { $0.time = .string(String(time)) }
        let answer = try await world.logIn(device, with: made)
        guard !isTaken else {
            #expect(answer.status == 201, "\(answer.text)")
            return
        }
        try expectRule("attestation_time", answer)
    }

    @Test("asks for the level that the application wants", arguments: [("strong", 403), ("basic", 201)])
    func levels(level: String, status: Int) async throws {
        let world = try await world(level: try #require(.init(rawValue: level)))
        let device = ProofMaker()
        let answer = try await world.logIn(device, with: try await attestation(world, device))
        #expect(answer.status == status, "\(answer.text)")
    }

    @Test("takes a token once, for its own key, and no longer than its challenge")
    func once() async throws {
        let (world, device) = (try await world(), ProofMaker())
        let made = try await attestation(world, device)
        try expectRule("challenge", try await world.logIn(ProofMaker(), with: made))
        var other = try await attestation(world, device)
        other.object = made.object
        try expectRule("attestation_nonce", try await world.logIn(device, with: other))
        #expect(try await world.logIn(device, with: made).status == 201)
        let late = ProofMaker()
        let old = try await attestation(world, late)
        world.server.clock.advance(by: .seconds(120))
        try expectRule("challenge", try await world.logIn(late, with: old))
    }

    @Test("refuses a token of which any part was changed, and texts that are none")
    func hostile() async throws {
        let (world, device) = (try await world(), ProofMaker())
        let right = try await attestation(world, device)
        let parts = right.object.split(separator: ".").map(String.init)
        for index in parts.indices {
            var changed = parts
            var bytes = Array(changed[index].utf8)
            bytes[bytes.count / 2] = bytes[bytes.count / 2] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            changed[index] = String(decoding: bytes, as: UTF8.self)
            var made = right
            made.object = changed.joined(separator: ".")
            let answer = try await world.logIn(device, with: made)
            expect(answer, 403, .attestationInvalid)
        }
        for text in [
            "", "....", "a.b.c.d.e", String(repeating: ".", count: 16_000), String(repeating: "A", count: 17_000),
        ] {
            var made = right
            made.object = text
            try expectRule("attestation_malformed", try await world.logIn(device, with: made))
        }
        #expect(try await world.logIn(device, with: right).status == 201)
    }

    @Test("is set by the admin API, which never shows a decryption key, and keeps it when the app is sent without")
    func settings() async throws {
        let admin = try await AdminWorld(roles: [])
        func patch(_ apps: String) async throws -> Answer {
            let version = try await admin.send("owner", .get, admin.path()).headers[.eTag] ?? ""
            return try await admin.send(
                "owner", .patch, admin.path(), [("If-Match", version)],
                body: #"{"attestation":{"mode":"limited","playApps":\#(apps)}}"#)
        }
        func app(_ more: String = "") -> String {
            #"[{"package":"com.example.app","certificates":["\#(play.fingerprint)"]\#(more)}]"#
        }
        let keys = #","decryptionKey":"\#(play.decryptionKey)","verificationKey":"\#(play.verificationKey)""#
        let missing = try await patch(app())
        #expect(missing.status == 400 && missing.text.contains("attestation.playApps.decryptionKey"))
        for wrong in [
            #","decryptionKey":"AAAA","verificationKey":"\#(play.verificationKey)""#,
            #","decryptionKey":"\#(play.decryptionKey)","verificationKey":"AAAA""#,
            #","decryptionKey":"\#(play.decryptionKey)""#,
        ] {
            let refused = try await patch(app(wrong))
            #expect(refused.status == 400 && refused.text.contains("not_a_play_key"), "\(refused.text)")
        }
        let set = try await patch(app(keys))
        #expect(set.status == 200, "\(set.text)")
        #expect(!set.text.contains(play.decryptionKey) && set.text.contains(#""level":"device""#), "\(set.text)")
        #expect(try await patch(app(#","level":"strong""#)).status == 200)
        let stored = try await admin.server.modules.applications.findApplication(admin.server.application.id)
        let kept = try #require(stored.settings.attestation.playApps.first)
        #expect(kept.level == .strong && kept.keys != nil)
        let twice = String(app().dropLast()) + "," + String(app().dropFirst())
        #expect(try await patch(twice).status == 400)
        #expect(try await patch("[]").status == 200)
    }
}
