import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("Users whom operators make")
struct CreateUserTests {
    @Test("are three thousand an hour of one key in one application, and commands have no limit")
    func rate() async throws {
        let store = try SQLiteStore(.memory, role: .server)
        let world = try TestWorld(store, hasRateLimits: true)
        let (here, there) = (try await world.makeApplication(), try await world.makeApplication("other"))
        let key = Operator(actor: AuditEntry.Actor(rawValue: "admin-key:one"), origin: .local)
        let neighbour = Operator(actor: AuditEntry.Actor(rawValue: "admin-key:two"), origin: .local)
        func make(_ name: String, in application: Application, by who: Operator) async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.accounts.createUser(
                    NewIdentifiers(username: .set(name), rules: .native), .init(), in: application, by: who)
            }
        }
        let (limit, now) = (OperatorTrace.newUser.limit, world.clock.now)
        #expect(limit == .hourly(3000))
        let counter = RateLimitKey(
            application: here.id, kind: OperatorTrace.newUser.rawValue, subject: key.actor.rawValue)
        try await store.write { transaction throws(DomainError) in
            for _ in 1..<limit.maximum { _ = try transaction.count(counter, window: limit.window, at: now) }
        }
        #expect(await make("last", in: here, by: key) == nil)
        #expect(await make("more", in: here, by: key) == .rateLimited(retryAfter: .seconds(3600)))
        // Nothing is left of who was refused: the name is free.
        #expect(await make("more", in: here, by: neighbour) == nil)
        #expect(await make("more", in: there, by: key) == nil)
        #expect(await make("command", in: here, by: .local) == nil)
        world.clock.advance(by: .seconds(3600))
        #expect(await make("later", in: here, by: key) == nil)
    }
}
