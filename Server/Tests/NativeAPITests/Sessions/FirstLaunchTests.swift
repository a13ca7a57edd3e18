import Domain
import FakeProviders
import Foundation
import HTTPTypes
import Okaeri
import OkaeriWire
import Testing

@Suite("Budgets of first launches, and proof of work")
struct FirstLaunchTests {
    private static func world(
        perAddress: Int = 2, perApplication: Int = 1000, _ change: (inout AttestationRules) -> Void = { _ in }
    ) async throws -> AttestationWorld {
        try await AttestationWorld { rules in
            rules.mode = .limited
            rules.unattested = .init(perAddress: perAddress, perApplication: perApplication)
            change(&rules)
        }
    }

    @Test("ask nothing within the budget, then an attestation or work; either makes the user")
    func beyond() async throws {
        let world = try await Self.world()
        for _ in 0..<2 { #expect(try await world.server.logIn(ProofMaker()).status == 201) }
        let device = ProofMaker()
        let demand = try await world.demand(of: device, .proofOfWorkRequired)
        let work = try #require(demand.proofOfWork)
        #expect(work.bits == 10)
        #expect(try await world.logIn(device, work: work).status == 201)
        let attested = ProofMaker()
        let challenge = try #require(
            try await world.demand(of: attested, .proofOfWorkRequired).attestation?.challenge)
        #expect(try await world.logIn(attested, with: try world.attestation(attested, challenge)).status == 201)
        #expect(try await world.server.logIn(ProofMaker(), peer: "192.0.2.2").status == 201)
    }

    @Test("let a farm of scripts make eight times the budget at the most, at a price that rises")
    func farm() async throws {
        let world = try await Self.world { $0.appleApps = [] }
        var prices: [Int] = []
        var made = 2
        for _ in 0..<2 { #expect(try await world.server.logIn(ProofMaker()).status == 201) }
        while made < 100 {
            let device = ProofMaker()
            let answer = try await world.server.logIn(device)
            if answer.status == 429 { break }
            let work = try #require(try answer.read(Problem.self).firstLaunch?.proofOfWork)
            prices.append(work.bits)
            #expect(try await world.logIn(device, work: work).status == 201)
            made += 1
        }
        #expect(made == 16)
        #expect(prices == [10, 10] + [12, 12, 12, 12] + [Int](repeating: 14, count: 8))
        expect(try await world.server.logIn(ProofMaker()), 429, .rateLimited)
        world.server.clock.advance(by: .seconds(3600))
        #expect(try await world.server.logIn(ProofMaker()).status == 201)
    }

    @Test("hold against a farm with an address for each script, by the application's own budget")
    func manyAddresses() async throws {
        let world = try await Self.world(perAddress: 10, perApplication: 3) { rules in
            rules.appleApps = []
            rules.proofOfWorkBits = 0
        }
        for number in 1...3 {
            #expect(try await world.server.logIn(ProofMaker(), peer: "192.0.2.\(number)").status == 201)
        }
        for number in 4...9 {
            expect(try await world.server.logIn(ProofMaker(), peer: "192.0.2.\(number)"), 429, .rateLimited)
        }
    }

    @Test("take no work that is not done, not asked for, easier, another key's, too old or used")
    func wrongWork() async throws {
        let world = try await Self.world(perAddress: 1)
        #expect(try await world.server.logIn(ProofMaker()).status == 201)
        let device = ProofMaker()
        let work = try #require(try await world.demand(of: device, .proofOfWorkRequired).proofOfWork)
        func refused(
            _ device: ProofMaker, _ work: FirstLaunchDemandBody.Work, solution: String? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let answer = try await world.logIn(device, work: work, solution: solution)
            expect(answer, 403, .proofOfWorkRequired, sourceLocation: sourceLocation)
        }
        try await refused(device, work, solution: AttestationWorld.solution(of: work, isWrong: true))
        try await refused(device, work, solution: "")
        try await refused(device, work, solution: String(repeating: "1", count: 33))
        try await refused(device, .init(challenge: work.challenge, bits: 8))
        try await refused(device, .init(challenge: work.challenge, bits: 0))
        for bits in [11, 300, -1, Int.max, Int.min] {
            try await refused(device, .init(challenge: work.challenge, bits: bits), solution: "1")
        }
        try await refused(ProofMaker(), work)
        try await refused(device, .init(challenge: "", bits: 10))
        world.server.clock.advance(by: .seconds(120))
        try await refused(device, work)
        // What was refused was not counted: the next one costs what it cost before.
        let next = try #require(try await world.demand(of: device, .proofOfWorkRequired).proofOfWork)
        #expect(next.bits == 10)
        #expect(try await world.logIn(device, work: next).status == 201)
    }

    @Test("are not judged for a known device: it needs the same transactions and no more")
    func knownDevices() async throws {
        let engine = try CountingEngine()
        let world = try await AttestationWorld(store: engine) { $0.mode = .off }
        let device = ProofMaker()
        #expect(try await world.server.logIn(device).status == 201)
        func cost() async throws -> Int {
            let before = engine.transactions
            #expect(try await world.server.logIn(device).status == 200)
            return engine.transactions - before
        }
        _ = try await cost()
        let usual = try await cost()
        _ = try await world.server.modules.applications.changeApplication(
            world.server.application.id, isCurrent: { _ in true }, by: .local
        ) { $0.settings.attestation.mode = .required }
        _ = try await cost()
        #expect(try await cost() == usual)
        expect(try await world.server.logIn(ProofMaker()), 403, .attestationRequired)
    }

    @Test("answer a first launch again whose response was lost, also without what it was asked for")
    func lostResponse() async throws {
        let (world, device) = (try await AttestationWorld(), ProofMaker())
        let headers = [("Idempotency-Key", "attempt-1")]
        expect(try await world.server.logIn(device, headers), 403, .attestationRequired)
        let challenge = try #require(try await world.demand(of: device).attestation?.challenge)
        let made = try world.attestation(device, challenge)
        let body = """
            {"attestation": {"format": "\(made.format)", "challenge": "\(made.challenge)", "keyId": "\(made.keyId)", \
            "object": "\(made.object)"}}
            """
        let first = try await world.server.logIn(device, headers, body: body).read(LogInResponse.self)
        let again = try await world.server.logIn(device, headers, body: "{}").read(LogInResponse.self)
        #expect(first.user.id == again.user.id && first.isNew && again.isNew)
    }

    @Test("are met by the SDK with a proof of work when the app cannot attest")
    func bySDK() async throws {
        let world = try await Self.world(perAddress: 1)
        #expect(try await world.server.logIn(ProofMaker()).status == 201)
        let client = try SDKClient.make(world.server)
        let welcome = try await client.logInAutomatically()
        guard case .firstVisit = welcome else { throw Missing(description: "a new user") }
    }

    @Test("are set by the admin API, which refuses what cannot be")
    func settings() async throws {
        let world = try await AdminWorld()
        func version() async throws -> [(String, String)] {
            [("If-Match", try await world.send("owner", .get, world.path()).headers[.eTag] ?? "")]
        }
        let body = """
            {"attestation": {"mode": "limited", "appleApps": ["TEAM123456.com.example.app"], "takesDevelopment": true, \
            "unattested": {"perAddress": 5}, "proofOfWorkBits": 20}}
            """
        let answer = try await world.send("owner", .patch, world.path(), try await version(), body: body)
        #expect(answer.status == 200, "\(answer.text)")
        let rules = try await world.server.modules.applications.findApplication(world.server.application.id)
            .settings.attestation
        #expect(rules.mode == .limited && rules.takesDevelopment && rules.proofOfWorkBits == 20)
        #expect(rules.unattested == .init(perAddress: 5, perApplication: 1000))
        for wrong in [
            #"{"mode": "some"}"#, #"{"appleApps": ["com.example.app"]}"#, #"{"proofOfWorkBits": 9}"#,
            #"{"proofOfWorkBits": 21}"#, #"{"attested": {"perAddress": 0}}"#,
            #"{"refused": {"perApplication": 1000001}}"#, #"{"mode": "required", "appleApps": []}"#,
        ] {
            let refused = try await world.send(
                "owner", .patch, world.path(), try await version(), body: #"{"attestation": \#(wrong)}"#)
            #expect(refused.status == 400, "\(wrong): \(refused.text)")
        }
    }

    @Test("are set in the dashboard, and a form without that part leaves them")
    func dashboard() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("settings"))
        var shown = try await browser.get(address)
        var fields = [
            "version": shown.value(of: "version") ?? "", "name": "Demo", "sessionIdleDays": "30",
            "sessionDays": "100", "passwordMinimumCharacters": "10", "deletionGraceDays": "14",
            "attestation.mode": "required", "attestation.appleApps": "",
            "attestation.attested.perAddress": "10", "attestation.attested.perApplication": "100",
            "attestation.unattested.perAddress": "x", "attestation.unattested.perApplication": "100",
            "attestation.refused.perAddress": "10", "attestation.refused.perApplication": "100",
            "attestation.proofOfWorkBits": "0",
        ]
        let refused = try await browser.post(address, fields, token: shown.token)
        #expect(refused.status == 422 && refused.error("attestation.appleApps") != nil)
        #expect(refused.error("attestation.unattested.perAddress") != nil)
        fields["attestation.appleApps"] = "TEAM123456.com.example.app\r\nTEAM123456.com.example.b"
        fields["attestation.unattested.perAddress"] = "7"
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        func stored() async throws -> AttestationRules {
            try await world.server.modules.applications.findApplication(world.server.application.id).settings
                .attestation
        }
        let play = FakePlayIntegrity(package: "com.example.app")
        shown = try await browser.get(address)
        fields["version"] = shown.value(of: "version") ?? ""
        fields["attestation.playApps"] = "com.example.app strong \(play.fingerprint)\r\n"
        let keyless = try await browser.post(address, fields, token: shown.token)
        #expect(keyless.status == 422 && keyless.error("attestation.playApps.decryptionKey") != nil)
        fields["attestation.playApps.package"] = "com.example.app"
        fields["attestation.playApps.verificationKey"] = play.verificationKey
        fields["attestation.playApps.decryptionKey"] = play.decryptionKey
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        #expect(try await browser.get(address).value(of: "attestation.playApps.decryptionKey") ?? "" == "")
        let rules = try await stored()
        #expect(rules.playApps.map(\.level) == [.strong] && rules.playApps.first?.keys != nil)
        #expect(rules.mode == .required && rules.appleApps.count == 2 && rules.unattested.perAddress == 7)
        shown = try await browser.get(address)
        for name in fields.keys where name.hasPrefix("attestation.") { fields[name] = nil }
        fields["version"] = shown.value(of: "version") ?? ""
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        #expect(try await stored() == rules)
    }
}
