import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Requests")
struct ExchangeTests {
    let world = World()

    @Test("are repeated with growing, spread pauses while the server is away, each with its own proof")
    func backOff() async throws {
        world.server.fail(.unreachable, times: 3)
        let client = world.launch()
        let caller = Task { try await client.logInAutomatically() }
        var pauses: [Duration] = []
        for _ in 0..<3 {
            await world.clock.waitForSleepers()
            pauses.append(try #require(world.clock.advanceToNextSleeper()))
        }
        _ = try await caller.value
        for (pause, longest) in zip(pauses, [0.5, 1, 2]) {
            #expect(pause >= .seconds(longest / 2) && pause <= .seconds(longest))
        }
        let requests = world.server.requests
        #expect(requests.count == 4)
        #expect(Set(requests.compactMap { $0.headers["DPoP"] }).count == 4)
        #expect(Set(requests.compactMap { $0.headers["Idempotency-Key"] }).count == 1)
    }

    /// The pauses of a device whose server is away three times.
    private func pauses(seed: UInt64) async throws -> [Duration] {
        let world = World()
        world.server.fail(.unreachable, times: 3)
        let client = OkaeriClient(
            server: world.server.url, application: world.server.application, vault: MemoryVault(),
            transport: world.server, clock: world.clock, randomness: TestRandomness(seed: seed))
        let caller = Task { try await client.logInAutomatically() }
        var pauses: [Duration] = []
        for _ in 0..<3 {
            await world.clock.waitForSleepers()
            pauses.append(try #require(world.clock.advanceToNextSleeper()))
        }
        _ = try await caller.value
        return pauses
    }

    @Test("are repeated at times that differ from device to device: not all come back in the same moment")
    func jitter() async throws {
        #expect(try await pauses(seed: 1) == pauses(seed: 1))
        var first: Set<Duration> = []
        for seed in UInt64(1)...20 { first.insert(try #require(try await pauses(seed: seed).first)) }
        #expect(first.count == 20)
        let (shortest, longest) = (try #require(first.min()), try #require(first.max()))
        #expect(shortest < .milliseconds(320) && longest > .milliseconds(430))
    }

    @Test("are given up after four tries")
    func givingUp() async throws {
        world.server.fail(.timeOut, times: 4)
        let client = world.launch()
        let caller = Task { try await client.logInAutomatically() }
        for _ in 0..<3 {
            await world.clock.waitForSleepers()
            world.clock.advanceToNextSleeper()
        }
        await #expect(throws: OkaeriError.offline) { try await caller.value }
        #expect(world.server.requests.count == 4)
    }

    @Test("wait as long as the server asks", arguments: [429, 503])
    func retryAfter(status: Int) async throws {
        let code: ErrorCode = status == 429 ? .rateLimited : .storageUnavailable
        world.server.fail(.problem(Problem(title: "wait", status: status, code: code), retryAfter: 7))
        let client = world.launch()
        let caller = Task { try await client.logInAutomatically() }
        await world.clock.waitForSleepers()
        let pause = try #require(world.clock.advanceToNextSleeper())
        #expect(pause >= .seconds(7) && pause <= .seconds(7.2))
        _ = try await caller.value
    }

    @Test("wait as long as the server asks in the background too, and not together with all other devices")
    func retryAfterInBackground() async throws {
        let user = try await world.launch().logInAutomatically().user
        world.server.fail(.problem(Problem(title: "wait", status: 429, code: .rateLimited), retryAfter: 3600))
        let client = world.launch()
        #expect(try await client.logInAutomatically().user.id == user.id)
        await world.clock.waitForSleepers()
        let pause = try #require(world.clock.advanceToNextSleeper())
        #expect(pause >= .seconds(3600) && pause <= .seconds(4500))
        #expect(await client.becomesFresh()?.user?.id == user.id)
    }

    @Test("with a page in place of an empty response have no success")
    func pageInsteadOfNothing() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        let page = TransportResponse(status: 200, body: Data("<html>".utf8))
        world.server.fail(.response(page), path: APIPath.transferCode)
        await #expect(throws: OkaeriError.unexpectedResponse(status: 200)) { try await client.withdrawTransferCode() }
        try await client.withdrawTransferCode()
    }

    @Test("fail at once when the server asks for more patience than a person has")
    func longRetryAfter() async throws {
        world.server.fail(.problem(Problem(title: "wait", status: 429, code: .rateLimited), retryAfter: 3600))
        await #expect(throws: OkaeriError.rateLimited(retryAfter: .seconds(3600))) {
            try await world.launch().logInAutomatically()
        }
    }

    @Test("are not repeated when waiting does not help")
    func noRepetition() async throws {
        let client = world.launch(application: "another")
        await #expect(throws: OkaeriError.applicationUnknown) { try await client.logInAutomatically() }
        #expect(world.server.requests.count == 1)
    }

    @Test("correct a clock that is wrong by hours, at once and for all later requests", arguments: [-7200.0, 7200])
    func clockSkew(offset: TimeInterval) async throws {
        world.server.clockOffset = offset
        world.server.proofRequired = true
        let client = world.launch()
        try await client.logInAutomatically()
        #expect(world.server.requests.count == 2)
        try await client.reloadUser()
        #expect(world.server.requests.filter { $0.headers["DPoP"] != nil }.count == 3)
        #expect(world.server.requests(to: APIPath.user).count == 2)
    }

    @Test("correct the clock by the header Date when the answer tells no time otherwise")
    func dateHeader() async throws {
        let problem = try JSONEncoder().encode(Problem(title: "skew", status: 401, code: .clockSkew))
        world.server.clockOffset = 3600
        let answer = TransportResponse(
            status: 401,
            headers: ["content-type": "application/problem+json", "Date": "Sat, 21 Nov 2026 01:15:42 GMT"],
            body: problem)
        world.server.fail(.response(answer))
        try await world.launch().logInAutomatically()
        #expect(world.logInCount == 2)
    }

    @Test("are not repeated for ever when the clock stays wrong")
    func hopelessClock() async throws {
        let problem = Problem(
            title: "skew", status: 401, code: .clockSkew, serverTime: WireTime("2026-11-21T09:15:42Z"))
        world.server.fail(.problem(problem), times: 5)
        await #expect(throws: OkaeriError.proofRefused(.clockSkew)) { try await world.launch().logInAutomatically() }
        #expect(world.logInCount == 2)
    }

    @Test("carry a proof bound to the token once the application asks for one, also after a restart")
    func proofRequired() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        try await client.reloadUser()
        #expect(world.server.requests.last?.headers["DPoP"] == nil)
        world.server.proofRequired = true
        try await client.reloadUser()
        #expect(world.server.requests(to: APIPath.user).count == 3)
        try await client.reloadUser()
        #expect(world.server.requests(to: APIPath.user).count == 4)
        try await world.launch().reloadUser()
        #expect(world.server.requests(to: APIPath.user).count == 5)
    }

    @Test("are repeated with a new proof when the network delivered one twice")
    func replayedProof() async throws {
        world.server.fail(.problem(Problem(title: "replay", status: 401, code: .proofReplayed)))
        try await world.launch().logInAutomatically()
        #expect(Set(world.server.requests.compactMap { $0.headers["DPoP"] }).count == 2)
    }

    @Test("name the application, and nothing that the server does not need")
    func headers() async throws {
        try await world.launch().logInAutomatically()
        let request = try #require(world.server.requests.first)
        #expect(
            Set(request.headers.all.keys)
                == ["Accept", "Content-Type", "DPoP", "Idempotency-Key", "Okaeri-Application"])
        #expect(request.headers["okaeri-application"] == "demo")
        #expect(request.url.absoluteString == "https://okaeri.test/v1/log-in/automatic")
        let body = try JSONDecoder().decode(AutomaticLogInBody.self, from: #require(request.body))
        #expect(body == AutomaticLogInBody(device: DeviceBody(name: "Hana's phone", system: "TestOS 1")))
    }

    @Test("keep a path that the server's address has")
    func serverPath() async throws {
        let url = try #require(URL(string: "https://example.com/login/"))
        let client = OkaeriClient(server: url, application: "demo", vault: MemoryVault(), transport: world.server)
        await #expect(throws: OkaeriError.refused(code: .pathUnknown, status: 404, detail: nil)) {
            try await client.logInAutomatically()
        }
        #expect(world.server.requests.first?.url.absoluteString == "https://example.com/login/v1/log-in/automatic")
    }
}
