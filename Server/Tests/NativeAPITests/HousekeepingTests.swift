import Domain
import Foundation
import HTTPTypes
import Logging
import OkaeriWire
import Storage
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import OkaeriServer

@Suite("What the server does every minute")
struct HousekeepingTests {
    @Test("writes down when sessions were used")
    func activity() async throws {
        let person = try await TestServer().person()
        let server = person.server
        server.clock.advance(by: .seconds(600))
        #expect(try await person.send(.get, APIPath.user).status == 200)
        await Housekeeping(
            modules: server.modules, tracing: RoundTracing(nil), logger: TestServer.silence
        ).round()
        let sessions = try await server.modules.sessions.listSessions(
            of: Identifier(rawValue: person.logIn.user.id), in: server.application)
        #expect(sessions.map(\.lastUsedAt) == [server.clock.now])
    }

    @Test("goes on after a round that failed")
    func failure() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        server.clock.advance(by: .seconds(600))
        #expect(try await person.send(.get, APIPath.user).status == 200)
        await server.composition.close()
        let housekeeping = Housekeeping(
            modules: server.modules, tracing: RoundTracing(nil), logger: TestServer.silence)
        await housekeeping.round()
        await housekeeping.round()
    }

    @Test("erases users whose grace is over, and idle guests, although what has expired cannot be removed")
    func erasures() async throws {
        let engine = try WithoutStatements()
        let world = try TestWorld(engine)
        var settings = ApplicationSettings()
        (settings.anonymousIdleLimit, settings.deletionGrace) = (.days(30), .days(3))
        let application = try await world.makeApplication(settings: settings)
        let idle = try await world.logIn(TestDevice(), to: application).user.id
        world.clock.advance(by: .days(31))
        let leaving = try await world.logIn(TestDevice(), to: application).user.id
        _ = try await world.modules.deletion.deleteUser(leaving, in: application, by: .local)
        world.clock.advance(by: .days(3))
        steadyClock(of: world)
        engine.isRefusing.withLock { $0 = true }
        await #expect(throws: DomainError.storageUnavailable) { try await world.modules.sessions.purgeExpired() }
        await Housekeeping(modules: world.modules, tracing: RoundTracing(nil), logger: TestServer.silence).round()
        for id in [idle, leaving] {
            await #expect(throws: DomainError.userUnknown) {
                try await world.modules.directory.readUser(id, in: application.id)
            }
        }
    }

    /// Lets the rounds of an hour see their times one after the other, but for the last one.
    private func steadyClock(of world: TestWorld) {
        for _ in 0..<6 {
            _ = world.modules.isClockSteady()
            world.clock.advance(by: .seconds(600))
        }
    }

    @Test("ends no user and no session for good where the clock was ahead at the start, and was set within an hour")
    func clockAhead() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        (settings.anonymousIdleLimit, settings.deletionGrace) = (.days(30), .days(3))
        let application = try await world.makeApplication(settings: settings)
        let guest = try await world.logIn(TestDevice(), to: application)
        let leaving = try await world.logIn(TestDevice(), to: application).user.id
        _ = try await world.modules.deletion.deleteUser(leaving, in: application, by: .local)
        let housekeeping = Housekeeping(
            modules: world.modules, tracing: RoundTracing(nil), logger: TestServer.silence)
        world.clock.advance(by: .days(3650))
        for _ in 0..<6 {
            await housekeeping.round()
            world.clock.advance(by: .seconds(600))
        }
        world.clock.advance(by: .days(-3650))
        await housekeeping.round()
        for id in [guest.user.id, leaving] {
            _ = try await world.modules.directory.readUser(id, in: application.id)
        }
        _ = try await world.authenticate(guest.token, in: application)
    }

    /// A world in which a guest who may be erased as idle has just used the session, and nobody has written that down.
    private func worldOfGuestWhoComesBack(_ engine: any Engine) async throws -> (world: TestWorld, guest: User) {
        let world = try TestWorld(engine)
        var settings = ApplicationSettings()
        settings.anonymousIdleLimit = .days(30)
        let application = try await world.makeApplication(settings: settings)
        let logIn = try await world.logIn(TestDevice(), to: application)
        world.clock.advance(by: .days(31))
        steadyClock(of: world)
        _ = try await world.authenticate(logIn.token, in: application)
        return (world, logIn.user)
    }

    @Test("erases no guest who has come back, although that could not be written down at first")
    func comeBack() async throws {
        let engine = try WithoutStatements()
        let (world, guest) = try await worldOfGuestWhoComesBack(engine)
        engine.isRefusing.withLock { $0 = true }
        engine.refusedWrites.withLock { $0 = 1 }
        engine.gate.open()
        await Housekeeping(modules: world.modules, tracing: RoundTracing(nil), logger: TestServer.silence).round()
        #expect(engine.refusedWrites.withLock { $0 } == 0)
        _ = try await world.modules.directory.readUser(guest.id, in: guest.application)
    }

    @Test("erases no guest who has come back while another round is still trying to write that down")
    func turns() async throws {
        let engine = try WithoutStatements()
        let (world, _) = try await worldOfGuestWhoComesBack(engine)
        engine.refusedWrites.withLock { $0 = 1 }
        let (write, ended) = (world.modules.sessions.writeSessionActivity, Tally())
        @Sendable func writeAgain() async throws(DomainError) {
            try await write()
            ended.next()
        }
        async let first = world.refusal { try await write() }
        while engine.gate.waiting == 0 { await Task.yield() }
        async let second: Void = writeAgain()
        for _ in 0..<1000 { await Task.yield() }
        #expect(ended.value == 0)
        engine.gate.open()
        let refused = await first
        #expect(refused == .storageUnavailable)
        try await second
        #expect(try await world.modules.deletion.removeIdleUsers() == 0)
    }
}

/// An engine that can refuse single statements, by which counters and marks are removed, and the next transactions, when
/// its gate is open.
private final class WithoutStatements: Engine {
    let isRefusing = Mutex(false)
    let refusedWrites = Mutex(0)
    let gate = Gate()
    private let engine: any Engine

    init() throws { engine = try SQLiteStore(.memory, role: .server) }

    var validity: any CacheValidity { engine.validity }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await engine.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let isRefused = refusedWrites.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
        guard !isRefused else {
            await gate.pass()
            throw .storageUnavailable
        }
        return try await engine.write(body)
    }

    func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        guard !isRefusing.withLock({ $0 }) else { throw .storageUnavailable }
        return try await engine.writeStatement(body)
    }

    func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        await engine.search(within: limit, body)
    }

    func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) { engine.observeChanges(observer) }
    func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { engine.observeFaults(observer) }
    func close() async { await engine.close() }
}

@Suite("The rest after work, in which memory is given back")
struct RestWatchTests {
    @Test(
        "is a quarter of an hour with next to no work, once after each work, and none before the first",
        arguments: [
            ([1, 1, 1, 1, 1], []), ([200, 1, 1, 1, 1, 1], [3]), ([200, 1, 1, 7, 1, 1, 1, 1], [6]),
            ([200, 6, 6, 6, 200, 0, 0, 0], [3, 7]), ([200, 200, 200], []),
        ] as [([Int], [Int])])
    func rests(seconds: [Int], found: [Int]) {
        var (watch, used) = (RestWatch(used: .seconds(10)), Duration.seconds(10))
        let looks = seconds.map { work in
            used += .seconds(work)
            return watch.rests(used: used, over: .seconds(300))
        }
        #expect(looks.indices.filter { looks[$0] } == found)
    }

    @Test("is seen by a clock that goes on while the process works")
    func clock() {
        let before = ProcessTime.used
        var (number, now) = (1.0, before)
        while now == before {
            for _ in 0..<1000 { number = (number * 1.5).truncatingRemainder(dividingBy: 7) }
            now = ProcessTime.used
        }
        #expect(now > before && number >= 0)
    }
}
