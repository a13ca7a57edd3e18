import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("First launches that need more")
struct FirstLaunchTests {
    let world = World()

    private func launch(_ attestor: TestAttestor?) -> OkaeriClient {
        OkaeriClient(
            server: world.server.url, application: world.server.application, vault: MemoryVault(),
            transport: world.server,
            configuration: OkaeriConfiguration(worksInBackground: false, attestor: attestor), clock: world.clock)
    }

    static let cases: [(FirstLaunchPolicy, TestAttestor?)] = [
        (.attestation, TestAttestor()), (.proofOfWork(bits: 8), TestAttestor()),
        (.proofOfWork(bits: 8), TestAttestor(isAvailable: false)), (.proofOfWork(bits: 8), nil), (.none, nil),
    ]

    @Test(
        "are attested where the app can, else worked for",
        arguments: cases)
    func met(policy: FirstLaunchPolicy, attestor: TestAttestor?) async throws {
        world.server.firstLaunchPolicy = policy
        let client = launch(attestor)
        let welcome = try await client.logInAutomatically()
        guard case .firstVisit(let user) = welcome else {
            Issue.record("not .firstVisit: \(welcome)")
            return
        }
        // The key leads to the user now, whatever first launches need.
        world.server.firstLaunchPolicy = .attestation
        #expect(try await client.logInAutomatically().user.id == user.id)
        #expect(world.server.users.count == 1)
    }

    @Test("end the log-in of a registered user whose key the server does not know, where it makes nobody")
    func refusedToMember() async throws {
        let client = launch(nil)
        let hana = try await client.signUp(username: "hana", password: "a long enough secret")
        world.server.erase(hana.id)
        world.server.firstLaunchPolicy = .attestation
        await #expect(throws: OkaeriError.sessionEnded) { try await client.reloadUser() }
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.ended))
        // The next one says why nobody is.
        await #expect(throws: OkaeriError.refused(code: .attestationRequired, status: 403, detail: nil)) {
            try await client.logInAutomatically()
        }
        #expect(world.server.users.isEmpty)
    }

    @Test("make nobody where the server wants an attestation and the app has none", arguments: [nil, false])
    func refused(isAvailable: Bool?) async throws {
        world.server.firstLaunchPolicy = .attestation
        let client = launch(isAvailable.map { TestAttestor(isAvailable: $0) })
        await #expect(throws: OkaeriError.refused(code: .attestationRequired, status: 403, detail: nil)) {
            try await client.logInAutomatically()
        }
        #expect(world.server.users.isEmpty)
    }

    @Test("do no work that takes longer than a challenge is good")
    func tooMuch() async {
        for bits in [25, 300, Int.max] {
            #expect(await ProofOfWork.solution(of: .init(challenge: "c", bits: bits)) == nil)
        }
        // Nothing is hashed of a challenge as long as a response may be.
        let long = String(repeating: "c", count: 1_000_000)
        #expect(await ProofOfWork.solution(of: .init(challenge: long, bits: 0)) == nil)
        #expect(await ProofOfWork.solution(of: .init(challenge: "c", bits: 0)) == "0")
        #expect(await ProofOfWork.solution(of: .init(challenge: "c", bits: -1)) == "0")
    }

    @Test("end their work when nobody waits for it")
    func cancelled() async {
        let search = Task { await ProofOfWork.solution(of: .init(challenge: "cancelled", bits: 24)) }
        search.cancel()
        // Found or given up: it ends, and at once when it had not begun.
        _ = await search.value
        #expect(search.isCancelled)
    }

    @Test("are answered three times at the most, and attested once")
    func bounded() async {
        var launch = FirstLaunch(AutomaticLogInBody())
        var problem = Problem(title: "", status: 403, code: .proofOfWorkRequired)
        problem.firstLaunch = FirstLaunchDemandBody(
            attestation: .init(challenge: "c", formats: ["test"]), proofOfWork: .init(challenge: "c", bits: 1),
            expiresAt: WireTime(Date(timeIntervalSince1970: 0)))
        let first = await launch.next(after: problem, key: "k", attestor: TestAttestor())
        #expect(first?.attestation != nil && first?.proofOfWork == nil)
        let second = await launch.next(after: problem, key: "k", attestor: TestAttestor())
        #expect(second?.attestation == nil && second?.proofOfWork != nil)
        let invalid = Problem(title: "", status: 403, code: .attestationInvalid)
        #expect(await launch.next(after: invalid, key: "k", attestor: TestAttestor()) == AutomaticLogInBody())
        #expect(await launch.next(after: problem, key: "k", attestor: TestAttestor()) == nil)
    }
}
