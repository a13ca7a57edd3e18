import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("Grants that are to be ended at the provider")
struct RevokeGrantsTests {
    private let world: ProviderWorld
    private let application: Application

    init() async throws {
        world = try ProviderWorld()
        application = try await world.makeApplication()
    }

    private func order(
        _ id: String = "r", in other: Application? = nil, sealedFor purpose: String? = nil
    ) async throws {
        let application = (other ?? application).id
        let sealed = try SealingKey.ofTests().seal(
            Array("grant".utf8), purpose: purpose ?? ProviderAccount.purpose(.google, in: application))
        let revocation = ProviderRevocation(
            application: application, id: Identifier(rawValue: id), provider: .google, audience: "web",
            sealedGrant: sealed, dueAt: world.clock.now, createdAt: world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(revocation) }
    }

    private func run() async throws -> RevokeGrants.Outcome { try await world.modules.providers.revokeGrants() }

    @Test("are ended once, twenty at a time", arguments: [0, 1, 19, 20, 21, 45])
    func ended(count: Int) async throws {
        for number in 0..<count { try await order("r\(number)") }
        var left = count
        for _ in 0..<4 {
            #expect(try await run() == .init(revoked: min(left, 20)))
            left -= min(left, 20)
        }
        #expect(left == 0)
    }

    /// Of all that wait, whether they are due or not.
    private func dueTimes() async throws -> [Timestamp] {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.providerRevocations(dueAt: .latest, limit: 99).map(\.dueAt)
        }
    }

    @Test(
        "are tried again after one, two, four … minutes, up to six hours, a quarter more or less, and given up after thirty days"
    )
    func postponed() async throws {
        try await order()
        world.google.set(isDown: true)
        let begun = world.clock.now
        var outcome = try await run()
        #expect(outcome == .init(postponed: 1))
        var tries = 1
        while outcome.givenUp == 0, tries < 500 {
            // Up to its time nothing is tried, and at its time it is.
            let middle = Duration.seconds(60 * (tries < 10 ? 1 << (tries - 1) : 360))
            let wait = try #require(try await dueTimes().first) - world.clock.now
            #expect(wait >= middle * 3 / 4 && wait < middle * 5 / 4, "\(tries): \(wait)")
            world.clock.advance(by: wait - .milliseconds(1))
            #expect(try await run() == .init(), "\(tries)")
            world.clock.advance(by: .milliseconds(1))
            outcome = try await run()
            #expect(outcome == .init(postponed: 1) || outcome == .init(givenUp: 1), "\(tries)")
            tries += 1
        }
        #expect(world.clock.now - begun >= .days(30) && world.clock.now - begun < .days(31))
        world.clock.advance(by: .days(1))
        #expect(try await run() == .init())
    }

    @Test("are not all tried again in the same moment after they failed together")
    func spread() async throws {
        for number in 0..<20 { try await order("r\(number)") }
        world.google.set(isDown: true)
        #expect(try await run() == .init(postponed: 20))
        #expect(Set(try await dueTimes()).count > 15)
    }

    @Test("are not asked for one by one where the provider says nothing: others' wait for one call")
    func silent() async throws {
        let other = try await world.makeApplication()
        for number in 0..<45 { try await order("r\(number)") }
        world.clock.advance(by: .milliseconds(1))
        try await order(in: other)
        world.google.set(isDown: true)
        #expect(try await run() == .init(postponed: 46))
        #expect(world.google.calls.revoked == 2)
        world.google.set(isDown: false)
        world.clock.advance(by: .seconds(75))
        for count in [20, 20, 6] { #expect(try await run() == .init(revoked: count)) }
    }

    @Test("are ended as soon as the provider answers again")
    func again() async throws {
        try await order()
        world.google.set(isDown: true)
        _ = try await run()
        world.google.set(isDown: false)
        #expect(try await run() == .init())
        world.clock.advance(by: .seconds(75))
        #expect(try await run() == .init(revoked: 1))
        #expect(try await run() == .init())
    }

    @Test(
        "are one node's while the provider is asked, for two minutes, and another's once it takes longer",
        .timeLimit(.minutes(5)))
    func lease() async throws {
        try await order()
        let (gate, revoke) = (Gate(), world.modules.providers.revokeGrants)
        world.google.set(gate: gate)
        try await withThrowingTaskGroup(of: RevokeGrants.Outcome.self) { group in
            group.addTask { try await revoke() }
            while gate.waiting == 0 { await Task.yield() }
            world.google.set(gate: nil)
            world.clock.advance(by: .seconds(120) - .milliseconds(1))
            #expect(try await run() == .init())
            world.clock.advance(by: .milliseconds(1))
            #expect(try await run() == .init(revoked: 1))
            gate.open()
            for try await outcome in group { #expect(outcome == .init(revoked: 1)) }
        }
        #expect(try await dueTimes() == [])
    }

    @Test("wait also while they cannot be opened, or the provider is off")
    func impossible() async throws {
        try await order("a", sealedFor: "another purpose")
        #expect(try await run() == .init(postponed: 1))
        try await order("b")
        try await world.modules.providers.removeProvider(.google, of: application.id, by: .local)
        #expect(try await run() == .init(postponed: 1))
    }

    @Test("are ordered when a user unlinks, or is erased")
    func ordered() async throws {
        let hana = try await world.logIn(ProviderWorld.code("hana"), to: application).user
        let before = try await run()
        #expect(before == .init())
        try await world.modules.deletion.eraseUser(hana.id, in: application.id, by: .local)
        #expect(try await run() == .init(revoked: 1))
    }
}
