import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// Budgets of first launches in the real store, compared with a model that counts in its head.
@Suite("A first launch that makes a user")
struct JudgeFirstLaunchTests {
    private static let hour: Duration = .seconds(3600)

    private let world: TestWorld
    private var judge: JudgeFirstLaunch { world.modules.logIns.judgeFirstLaunch }

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
    }

    private func application(
        _ mode: AttestationRules.Mode, bits: Int = 10, apps: [String] = []
    ) -> Application {
        var settings = ApplicationSettings()
        settings.attestation.mode = mode
        settings.attestation.unattested = .init(perAddress: 2, perApplication: 5)
        settings.attestation.refused = .init(perAddress: 2, perApplication: 3)
        settings.attestation.proofOfWorkBits = bits
        settings.attestation.appleApps = apps
        return Application(
            id: Identifier(rawValue: "app"), name: "Test", adminKeyDigest: SecretDigest(of: []), settings: settings,
            createdAt: world.clock.now)
    }

    private func launch(
        _ application: Application, _ number: Int, key: String = "key", isPage: Bool = false
    ) -> JudgeFirstLaunch.Launch {
        let address = "192.0.2.\(number)"
        return .init(
            application: application, key: key, address: ClientAddress(text: address, allowanceGroup: address),
            isPage: isPage)
    }

    /// What was done for a demand.
    private static func solved(_ work: FirstLaunchDemand.Work) throws -> PresentedWork {
        let solution = (0..<1_000_000).lazy.map { String($0) }.first { solution in
            PresentedWork(challenge: work.challenge, bits: work.bits, solution: solution).isDone
        }
        return PresentedWork(challenge: work.challenge, bits: work.bits, solution: try #require(solution))
    }

    private static func demand(_ error: DomainError?) -> FirstLaunchDemand? {
        if case .firstLaunch(let demand)? = error?.detail { demand } else { nil }
    }

    private func refusal(_ launch: JudgeFirstLaunch.Launch, _ evidence: FirstLaunchEvidence = .init()) async
        -> DomainError?
    {
        await world.refusal { _ = try await judge(launch, evidence) }
    }

    /// What was counted in the hour of each subject.
    private struct Model {
        var windows: [Int: (count: Int, start: Timestamp)] = [:]
        /// Stands for the whole application.
        static let everybody = -1

        func count(_ subject: Int, at now: Timestamp) -> Int {
            guard let window = windows[subject], now < window.start + hour else { return 0 }
            return window.count
        }

        mutating func add(_ address: Int, at now: Timestamp) {
            for subject in [address, Self.everybody] {
                let count = count(subject, at: now)
                windows[subject] = count == 0 ? (1, now) : (count + 1, windows[subject]?.start ?? now)
            }
        }

        /// How many budgets beyond the first are begun with one more.
        func steps(_ address: Int, at now: Timestamp) -> Int {
            func steps(_ count: Int, _ budget: Int) -> Int {
                count <= budget ? 0 : count <= 2 * budget ? 1 : count <= 4 * budget ? 2 : count <= 8 * budget ? 3 : 4
            }
            return max(
                steps(count(address, at: now) + 1, 2), steps(count(Self.everybody, at: now) + 1, 5))
        }
    }

    @Test("needs what the launches of the last hour have left of both budgets", arguments: UInt64(0)..<12)
    func model(seed: UInt64) async throws {
        var (draw, model) = (SeededGenerator(state: seed), Model())
        let application = application(.limited)
        for step in 0..<30 {
            world.clock.advance(by: .seconds(draw.isOne(in: 12) ? 3600 : draw.number(below: 120)))
            let (address, now) = (draw.number(below: 4), world.clock.now)
            let steps = model.steps(address, at: now)
            let launch = launch(application, address)
            let error = await refusal(launch)
            let asked = "\(seed), \(step): \(steps) beyond"
            switch steps {
            case 0:
                #expect(error == nil, "\(asked)")
                model.add(address, at: now)
            case 1...3:
                #expect(error?.code == .proofOfWorkRequired, "\(asked)")
                let work = try #require(Self.demand(error)?.work)
                #expect(work.bits == 10 + 2 * (steps - 1), "\(asked)")
                #expect(Self.demand(error)?.attestation == nil)
                #expect(Self.demand(error)?.expiresAt == now + .seconds(120))
                // Asking costs nothing: the next one is asked for the same.
                #expect(try await judge.work(of: launch)?.bits == work.bits)
                guard draw.isOne(in: 2), steps < 3 else { continue }
                let use = try await judge(launch, FirstLaunchEvidence(work: try Self.solved(work)))
                #expect(use?.end == now + .seconds(120), "\(asked)")
                model.add(address, at: now)
            default:
                #expect(error?.code == .rateLimited, "\(asked)")
                let wait = try #require(error?.retryAfter)
                #expect(wait >= .seconds(1) && wait <= Self.hour, "\(asked)")
            }
        }
    }

    @Test("works when an IPv6 site has had half of the application's budget, and leaves the rest to others")
    func sites() async throws {
        let application = application(.limited)
        func launch(_ site: Int, _ network: Int) -> JudgeFirstLaunch.Launch {
            .init(
                application: application, key: "key",
                address: ClientAddress(
                    text: "2001:db8:\(site):\(network)::1", allowanceGroup: "2001:db8:\(site):\(network)::/64"),
                isPage: false)
        }
        for network in 1...2 { #expect(await refusal(launch(1, network)) == nil) }
        for network in 3...9 {
            #expect(await refusal(launch(1, network))?.code == .proofOfWorkRequired, "\(network)")
            #expect(try await judge.work(of: launch(1, network))?.bits == 10)
        }
        for number in 1...2 { #expect(await refusal(launch(2, number)) == nil) }
        #expect(await refusal(self.launch(application, 1)) == nil)
        // Work counts too, and what is refused does not.
        let work = try #require(Self.demand(await refusal(launch(1, 3)))?.work)
        _ = try await judge(launch(1, 3), FirstLaunchEvidence(work: try Self.solved(work)))
        world.clock.advance(by: Self.hour)
        #expect(await refusal(launch(1, 9)) == nil)
    }

    @Test("is asked nothing where no budgets hold, unless it has to attest", arguments: AttestationRules.Mode.allCases)
    func withoutBudgets(mode: AttestationRules.Mode) async throws {
        let free = try TestWorld(try SQLiteStore(.memory, role: .server))
        let judge = free.modules.logIns.judgeFirstLaunch
        let launch = launch(application(mode, apps: ["TEAM123456.com.example.app"]), 1)
        for _ in 0..<20 {
            let error = await free.refusal { _ = try await judge(launch, .init()) }
            #expect(error?.code == (mode == .required ? .attestationRequired : nil))
        }
        #expect(try await judge.work(of: launch) == nil)
    }

    @Test("asks for no work where nothing is demanded")
    func off() async throws {
        let launch = launch(application(.off), 1)
        #expect(try await judge.work(of: launch) == nil)
    }

    @Test("needs an attestation where those are required, with the formats that count; a page works instead")
    func required() async throws {
        let application = application(.required, apps: ["TEAM123456.com.example.app"])
        let error = await refusal(launch(application, 1))
        #expect(error?.code == .attestationRequired)
        let demand = try #require(Self.demand(error))
        #expect(demand.work == nil && demand.attestation?.formats == ["apple-appattest"])
        #expect(demand.expiresAt == world.clock.now + .seconds(120))
        // Also the first sign-up of a page.
        let page = launch(application, 1, isPage: true)
        let asked = await refusal(page)
        #expect(asked?.code == .proofOfWorkRequired)
        let work = try #require(Self.demand(asked)?.work)
        #expect(work.bits == 10 && Self.demand(asked)?.attestation == nil)
        #expect(try await judge.work(of: page)?.bits == 10)
        #expect(try await judge(page, FirstLaunchEvidence(work: try Self.solved(work))) != nil)
    }

    @Test("beyond eight budgets needs an attestation where one can be had, and waits where none can")
    func refusals() async throws {
        for apps in [[], ["TEAM123456.com.example.app"]] {
            let application = application(.limited, bits: 0, apps: apps)
            let number = apps.isEmpty ? 1 : 2
            for _ in 0..<2 { #expect(await refusal(launch(application, number)) == nil) }
            let error = await refusal(launch(application, number))
            #expect(error?.code == (apps.isEmpty ? .rateLimited : .attestationRequired))
            #expect(apps.isEmpty == (error?.retryAfter == .seconds(3600)))
            let page = await refusal(launch(application, number, isPage: true))
            #expect(page?.code == .rateLimited)
        }
    }

    @Test("takes work that is two bits easier than what is asked now, and none that is easier or beyond all")
    func doubled() async throws {
        let application = application(.limited)
        let launch = launch(application, 1)
        for _ in 0..<2 { #expect(await refusal(launch) == nil) }
        let first = try #require(Self.demand(await refusal(launch))?.work)
        let again = try #require(Self.demand(await refusal(launch))?.work)
        #expect(first.bits == 10 && first.challenge != again.challenge)
        // Two more with work: then it is twice the budget.
        for _ in 0..<2 {
            let work = try #require(Self.demand(await refusal(launch))?.work)
            _ = try await judge(launch, FirstLaunchEvidence(work: try Self.solved(work)))
        }
        #expect(Self.demand(await refusal(launch))?.work?.bits == 12)
        #expect(try await judge(launch, FirstLaunchEvidence(work: try Self.solved(first))) != nil)
        // A challenge of eight bits was never asked for here, and more than any is refused unseen.
        let challenges = FirstLaunchChallenges(
            clock: world.clock, randomness: world.randomness, sealingKey: try .ofTests())
        for bits in [8, 9] {
            let easy = FirstLaunchDemand.Work(
                challenge: challenges.new(for: .work(bits: bits), key: "key", in: application.id), bits: bits)
            let error = await refusal(launch, FirstLaunchEvidence(work: try Self.solved(easy)))
            #expect(error?.code == .proofOfWorkRequired, "\(bits)")
        }
        let beyond = PresentedWork(
            challenge: again.challenge, bits: AttestationRules.maximumWorkBits + 1, solution: "x")
        #expect(await refusal(launch, FirstLaunchEvidence(work: beyond))?.code == .proofOfWorkRequired)
    }

    @Test("takes no work of another key, another number of bits, or too late")
    func otherWork() async throws {
        let application = application(.limited)
        for _ in 0..<2 { #expect(await refusal(launch(application, 1)) == nil) }
        let demanded = try #require(Self.demand(await refusal(launch(application, 1)))?.work)
        var work = try Self.solved(demanded)
        let stolen = await refusal(launch(application, 1, key: "another"), FirstLaunchEvidence(work: work))
        #expect(stolen?.code == .proofOfWorkRequired)
        let bits = work.bits
        work.bits += 1
        #expect(await refusal(launch(application, 1), FirstLaunchEvidence(work: work))?.code == .proofOfWorkRequired)
        work.bits = bits
        world.clock.advance(by: .seconds(120))
        #expect(await refusal(launch(application, 1), FirstLaunchEvidence(work: work))?.code == .proofOfWorkRequired)
    }

    @Test("with an attestation that is refused counts, and after so many none is looked at")
    func refusedAttestations() async throws {
        let application = application(.required, apps: ["TEAM123456.com.example.app"])
        func attempt(_ number: Int, _ format: String) async -> DomainError? {
            await refusal(
                launch(application, number),
                FirstLaunchEvidence(attestation: .init(format: format, challenge: "c", keyId: "", object: "")))
        }
        #expect(await attempt(1, "other") == .attestationRefused(.format))
        #expect(await attempt(1, "apple-appattest") == .attestationRefused(.challenge))
        // Two of an address, three of all.
        #expect(await attempt(1, "other") == .rateLimited(retryAfter: Self.hour))
        #expect(await attempt(2, "google-play-integrity") == .attestationRefused(.format))
        #expect(await attempt(3, "other") == .rateLimited(retryAfter: Self.hour))
        world.clock.advance(by: Self.hour)
        #expect(await attempt(1, "other") == .attestationRefused(.format))
    }

    @Test(
        "waits to the end of the hour, and a second at the least",
        arguments: [0, 1, 1_800_000, 3_598_999, 3_599_000, 3_599_001, 3_599_999])
    func rest(after: Int) async throws {
        let (limited, required) = (application(.limited, bits: 0), application(.required, apps: ["TEAM123456.com.a"]))
        let attestation = FirstLaunchEvidence(
            attestation: .init(format: "other", challenge: "c", keyId: "", object: ""))
        for _ in 0..<2 {
            #expect(await refusal(launch(limited, 1)) == nil)
            #expect(await refusal(launch(required, 1), attestation) == .attestationRefused(.format))
        }
        world.clock.advance(by: .milliseconds(after))
        let rest = DomainError.rateLimited(retryAfter: .milliseconds(max(1000, 3_600_000 - after)))
        #expect(await refusal(launch(limited, 1)) == rest)
        #expect(await refusal(launch(required, 1), attestation) == rest)
        // Work that nobody asked for helps nothing.
        let work = FirstLaunchEvidence(work: PresentedWork(challenge: "c", bits: 10, solution: "s"))
        #expect(await refusal(launch(limited, 1), work) == rest)
    }

    @Test("with an attestation that no one can read is refused by its name", arguments: ["", "!", "AA", "oWFhAQ"])
    func unreadable(object: String) async throws {
        let application = application(.required, apps: ["TEAM123456.com.example.app"])
        let challenge = try #require(Self.demand(await refusal(launch(application, 1)))?.attestation?.challenge)
        let error = await refusal(
            launch(application, 1),
            FirstLaunchEvidence(
                attestation: .init(format: "apple-appattest", challenge: challenge, keyId: "", object: object)))
        guard case .attestation(let fault)? = error?.detail else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.member == "object" && fault.rule == "attestation_malformed")
    }
}
