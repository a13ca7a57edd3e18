import Domain
import FakeProviders
import HTTPTypes
import OkaeriServer
import OutboundServices
import Testing

@Suite("Traces of workers")
struct RoundTracingTests {
    private func world(_ settings: [String: String]) async throws -> (TestServer, FakeHook) {
        let hook = FakeHook()
        let world = try await AdminWorld(
            try await TestServer(settings: settings, caller: FakeHost.caller), roles: [])
        let url = await FakeHost.address(of: hook)
        let made = try await world.send("owner", .post, world.path("/event-endpoints"), body: #"{"url": "\#(url)"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(try await world.server.signUp("hana").status == 201)
        return (world.server, hook)
    }

    private func spans(_ server: TestServer) throws -> [FinishedSpan] {
        try #require(server.composition.telemetry?.tracer).queue.take(10_000)
    }

    /// The spans of the one round that was made, with the round's own at the end.
    private func round(_ name: String, asksStorage: Bool = true, _ server: TestServer) throws -> [FinishedSpan] {
        let spans = try spans(server)
        let round = try #require(spans.last)
        #expect(round.name == name && round.parent == nil && round.kind == .internal)
        #expect(spans.allSatisfy { $0.context.trace == round.context.trace })
        #expect(
            spans.contains { $0.name.hasPrefix("transaction ") && $0.parent == round.context.span } == asksStorage,
            "\(name): \(spans.map(\.name))")
        return spans
    }

    @Test("show a round of each, with its transactions, statements and calls")
    func rounds() async throws {
        let (server, hook) = try await world(["otlp-endpoint": "http://127.0.0.1:9", "trace-ratio": "1"])
        _ = try spans(server)
        await server.composition.eventWorker(TestServer.silence).round()
        let events = try round("round of events", server)
        #expect(hook.requests.count == 2)
        let calls = events.filter { $0.name == "POST" && $0.kind == .client }
        #expect(calls.count == 2 && calls.allSatisfy { $0.parent == events.last?.context.span })
        let traces = hook.requests.map { $0.headers["traceparent"] }
        #expect(
            Set(traces.map { $0?.split(separator: "-").dropFirst().first.map(String.init) })
                == [events.last?.context.trace.text])
        #expect(events.contains { $0.name.hasPrefix("SELECT ") })

        _ = await server.composition.mailWorker(TestServer.silence).round()
        // No mail was ordered since the start.
        _ = try round("round of mails", asksStorage: false, server)
        await Housekeeping(
            modules: server.modules, tracing: server.composition.roundTracing, logger: TestServer.silence
        ).round()
        _ = try round("round of housekeeping", server)
    }

    @Test(
        "are not made where none of requests are",
        arguments: [[:], ["otlp-endpoint": "http://127.0.0.1:9", "otlp-signals": "metrics"]])
    func off(_ settings: [String: String]) async throws {
        let (server, hook) = try await world(settings)
        await server.composition.eventWorker(TestServer.silence).round()
        #expect(hook.requests.count == 2 && hook.requests.allSatisfy { $0.headers["traceparent"] == nil })
        await server.composition.roundTracing("round") { #expect(CurrentSpan.value == nil) }
    }
}

@Suite("Rounds of workers")
struct WorkerRoundTests {
    @Test("hear again and again that there may be more, while one of them takes its time", .timeLimit(.minutes(5)))
    func longRound() async {
        let signal = QueueSignal()
        let (heard, ring) = AsyncStream<Void>.makeStream()
        let work = Task {
            await signal.makeRounds(ringingEvery: .milliseconds(1)) {
                var rings = signal.listen().makeAsyncIterator()
                // The first one is there from the beginning; nobody has written anything.
                for _ in 0..<3 { _ = await rings.next() }
                ring.yield()
                return .days(1)
            }
        }
        var rounds = heard.makeAsyncIterator()
        #expect(await rounds.next() != nil)
        work.cancel()
        await work.value
    }
}
