import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import ServiceLifecycle
import TestWorld
import Testing

/// What receivers do to the program as it is composed: its calls over HTTP, and its worker.
@Suite("Receivers of events over HTTP", .timeLimit(.minutes(5)))
struct EventReceiverTests {
    private func listen(_ world: AdminWorld, _ hook: FakeHook) async throws -> String {
        let url = await FakeHost.address(of: hook)
        let made = try await world.send("owner", .post, world.path("/event-endpoints"), body: #"{"url": "\#(url)"}"#)
        #expect(made.status == 201, "\(made.text)")
        return try #require(try made.json["id"]?.text)
    }

    @Test("that take their time hold up no other, with as many calls as they get at once")
    func slow() async throws {
        let world = try await AdminWorld(try await TestServer(caller: FakeHost.caller), roles: [])
        let (slow, quick, gate) = (FakeHook(), FakeHook(), Gate())
        let (taken, noted) = AsyncStream<Void>.makeStream()
        slow.work { await gate.pass() }
        quick.work { noted.yield() }
        let waiting = try await listen(world, slow)
        _ = try await listen(world, quick)
        let users = 10
        for number in 0..<users { #expect(try await world.server.signUp("user\(number)").status == 201) }
        let worker = world.server.composition.eventWorker(TestServer.silence)
        async let round: Void = worker.round()
        var quickly = taken.makeAsyncIterator()
        for _ in 0..<(2 * users) { _ = await quickly.next() }
        gate.open()
        await round
        // Not one call was given up meanwhile: the others had gone past it within its time.
        #expect(slow.requests.count == 2 * users && quick.requests.count == 2 * users)
        let left = try await world.send("owner", .get, world.path("/event-endpoints/\(waiting)/deliveries"))
        #expect(try left.json["deliveries"]?.list == [], "\(left.text)")
    }

    @Test("do not hold up a server that stops, however much waits for them")
    func shutdown() async throws {
        let world = try await AdminWorld(try await TestServer(caller: FakeHost.caller), roles: [])
        let hook = FakeHook()
        let endpoint = try await listen(world, hook)
        let users = 25
        for number in 0..<users { #expect(try await world.server.signUp("user\(number)").status == 201) }
        let stopping = StopNotice()
        let group = ServiceGroup(
            services: [world.server.composition.eventWorker(TestServer.silence), stopping], logger: TestServer.silence)
        hook.work {
            await group.triggerGracefulShutdown()
            await stopping.gate.pass()
        }
        try await group.run()
        let sent = hook.requests.count
        #expect(sent > 0 && sent < users, "\(sent)")
        // What was under way was noted as delivered, and nothing as failed.
        let left = try await world.send("owner", .get, world.path("/event-endpoints/\(endpoint)/deliveries?limit=500"))
        let faults = try left.json["deliveries"]?.list.compactMap { $0["lastFault"] }
        #expect(faults == [], "\(left.text)")
    }
}

/// Opens its gate when the server begins to stop. The last service is the first to know.
private struct StopNotice: Service {
    let gate = Gate()

    func run() async throws {
        try await gracefulShutdown()
        gate.open()
    }
}
