import Domain
import FakeProviders
import Foundation
import HTTPSupport
import HTTPTypes
import OkaeriServer
import OkaeriWire
import StorageSQLite
import Testing

@Suite("Numbers of events and hooks", .timeLimit(.minutes(5)))
struct EventMetricsTests {
    private func metrics(_ world: HookWorld) async throws -> String { try await world.server.metrics().text }

    /// Sets the hook of sign-ups that is there to another address.
    private func move(_ world: HookWorld, to url: String) async throws {
        let answer = try await world.world.send(
            "owner", .put, world.world.path("/hooks/sign-up"),
            body: #"{"url": "\#(url)", "whenDown": "refuse", "timeoutMilliseconds": 5000}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("tell what became of each call of a hook, and how long it took")
    func hooks() async throws {
        let world = try await HookWorld()
        #expect(try await world.server.signUp("nobody-asks").status == 201)
        #expect(try await !metrics(world).contains("okaeri_hook_calls_total{"))
        try await world.set(.signUp)
        for (number, response) in [FakeResponse(204), FakeResponse(200, ["decision": "refuse"]), FakeResponse(500)]
            .enumerated()
        {
            world.hook.decide(response)
            _ = try await world.server.signUp("hana\(number)")
        }
        try await move(world, to: HookWorld.nowhere)
        // The sixth finds the hook at rest.
        for _ in 1...6 { expect(try await world.server.signUp("yuki"), 503, .hookUnavailable) }
        let text = try await metrics(world)
        for (result, count) in [
            ("allowed", 1), ("refused", 1), ("malformed", 1), ("silent", 5), ("skipped", 1), ("over_share", 0),
        ] {
            let line = #"okaeri_hook_calls_total{point="sign-up",result="\#(result)"} \#(count)"# + "\n"
            #expect(text.contains(line), "\(line)")
        }
        #expect(text.contains("okaeri_hook_duration_seconds_count{point=\"sign-up\"} 8\n"))
        #expect(!text.contains(#"point="upgrade""#))
        // An operator's test is no request that asks.
        _ = try await world.world.send("owner", .post, world.world.path("/hooks/sign-up/test"))
        #expect(try await metrics(world).contains("okaeri_hook_duration_seconds_count{point=\"sign-up\"} 8\n"))
    }

    @Test("tell of a hook that knows whose a token is: a user, nobody, or silence")
    func adoption() async throws {
        let metrics = HookMetrics()
        for result in HookCall.Result.allCases { metrics.note(HookCall(.adoption, result, .milliseconds(3))) }
        let family = try #require(metrics.families.first)
        #expect(family.samples.count == HookCall.Result.allCases.count)
        #expect(family.samples.allSatisfy { $0.value == .count(1) })
    }

    @Test("tell what waits of events, how late their order is, and what was delivered, failed and was given up")
    func events() async throws {
        let world = try await HookWorld()
        let server = world.server
        let made = try await world.world.send(
            "owner", .post, world.world.path("/event-endpoints"), body: #"{"url": "\#(world.url)"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(try await server.signUp("hana").status == 201)
        let worker = try #require(server.composition.eventBacklogWorker(TestServer.silence))
        #expect(try await !metrics(world).contains("okaeri_event_ordering_lag_seconds"))
        await worker.round()
        server.clock.advance(by: .seconds(90))
        #expect(try await metrics(world).contains("\nokaeri_event_ordering_lag_seconds 90.0\n"))
        #expect(try await metrics(world).contains("okaeri_event_deliveries{state=\"waiting\"} 0\n"))

        world.hook.decide(FakeResponse(500))
        _ = try await server.modules.events.deliverEvents()
        await worker.round()
        let waiting = try await metrics(world)
        #expect(waiting.contains("\nokaeri_event_ordering_lag_seconds 0.0\n"))
        #expect(waiting.contains("okaeri_event_deliveries{state=\"waiting\"} 2\n"))
        #expect(waiting.contains("okaeri_event_deliveries_total{result=\"failed\"} 1\n"))
        #expect(waiting.contains("okaeri_event_deliveries_total{result=\"delivered\"} 0\n"))
        var rounds = 0
        while rounds < 200, try await !metrics(world).contains("{result=\"given_up\"} 1\n") {
            server.clock.advance(by: .seconds(3600))
            _ = try await server.modules.events.deliverEvents()
            rounds += 1
        }
        world.hook.decide(FakeResponse(204))
        server.clock.advance(by: .seconds(600))
        _ = try await server.modules.events.deliverEvents()
        await worker.round()
        let over = try await metrics(world)
        for line in [
            "okaeri_event_deliveries_total{result=\"failed\"} 9",
            "okaeri_event_deliveries_total{result=\"given_up\"} 1",
            "okaeri_event_deliveries_total{result=\"delivered\"} 1",
            "okaeri_event_deliveries{state=\"waiting\"} 0", "okaeri_event_deliveries{state=\"given_up\"} 1",
        ] {
            #expect(over.contains(line + "\n"), "\(line)")
        }
    }

    @Test("are counted while the server runs, where somebody reads them, and nowhere else")
    func worker() async throws {
        try await RunningServer.run(["metrics-listen": "127.0.0.1:0"]) { server in
            let port = try #require(server.listening.metricsURL.flatMap { URL(string: $0)?.port })
            var text = ""
            while !text.contains("\nokaeri_event_ordering_lag_seconds 0.0\n") {
                text = try await server.exchange([server.lastHead("GET /metrics")], port: port)
            }
        }
        let key = try #require(SealingKey(bytes: [UInt8](repeating: 7, count: SealingKey.byteCount)))
        let unread = Composition(
            try ServerSettings(commandLine: [:], environment: [:]), store: try SQLiteStore(.memory, role: .server),
            clock: StandingClock(), randomness: TestRandomness(), sealingKey: key, passwords: TestServer.passwords)
        #expect(unread.eventBacklogWorker(TestServer.silence) == nil)
        await unread.close()
    }
}
