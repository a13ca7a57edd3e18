import Storage
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// A hook that takes its time, asked by many at once.
@Suite("A hook that takes its time")
struct HookShareTests {
    /// Responds to nobody before its gate is opened.
    private struct SlowHook: HookCarrier {
        let gate = Gate()
        /// A value for each question that arrived.
        let arrivals: AsyncStream<Void>
        private let arrived: AsyncStream<Void>.Continuation

        init() { (arrivals, arrived) = AsyncStream<Void>.makeStream() }

        func mayAsk(_ url: String) -> Bool { true }

        func ask(_ request: HookRequest) async -> HookOutcome {
            arrived.yield()
            await gate.pass()
            return .allowed(fields: [:], claims: [:])
        }
    }

    /// Issue 24: with `allow`, slow calls from many networks let everybody else past the hook.
    @Test(
        "lets nobody past it when many together fill it, whatever happens while it is down",
        arguments: Hook.WhenDown.allCases)
    func full(whenDown: Hook.WhenDown) async throws {
        let slow = SlowHook()
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hooks: slow)
        let application = try await world.makeApplication()
        let hook = try await world.modules.hooks.manage.set(
            .signUp, to: .init(url: "https://app.example.com", whenDown: whenDown), in: application.id, by: .local
        ).hook
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let ask = world.modules.hooks.ask
        @Sendable func outcome(_ address: String) async -> DomainError? {
            var subject = HookSubject(user)
            subject.address = address
            do throws(DomainError) {
                return try await ask(hook, about: subject, in: application) { _, _ in nil } == nil
                    ? .applicationUnknown : nil
            } catch {
                return error
            }
        }
        await withTaskGroup { group in
            var arrivals = slow.arrivals.makeAsyncIterator()
            for number in 0..<HookBreaker.maximumUnderWay { group.addTask { await outcome("192.0.2.\(number)") } }
            for _ in 0..<HookBreaker.maximumUnderWay { _ = await arrivals.next() }
            #expect(await outcome("198.51.100.1") == .hookUnavailable)
            slow.gate.open()
            for await refusal in group { #expect(refusal == nil) }
        }
        #expect(await outcome("198.51.100.1") == nil)
    }

    @Test(
        "keeps half of its calls from the one client that asks for all, and lets nobody past it for asking too much",
        arguments: Hook.WhenDown.allCases)
    func share(whenDown: Hook.WhenDown) async throws {
        let slow = SlowHook()
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hooks: slow)
        let application = try await world.makeApplication()
        let hook = try await world.modules.hooks.manage.set(
            .signUp, to: .init(url: "https://app.example.com", whenDown: whenDown), in: application.id, by: .local
        ).hook
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let ask = world.modules.hooks.ask
        @Sendable func outcome(_ address: String) async -> DomainError? {
            var subject = HookSubject(user)
            subject.address = address
            do throws(DomainError) {
                _ = try await ask(hook, about: subject, in: application) { _, _ in nil }
                return nil
            } catch {
                return error
            }
        }
        await withTaskGroup { group in
            var arrivals = slow.arrivals.makeAsyncIterator()
            // The addresses of one IPv6 network are one client.
            for number in 0..<HookBreaker.freeForAll {
                group.addTask { await outcome("2001:db8::\(number + 1)") }
            }
            for _ in 0..<HookBreaker.freeForAll { _ = await arrivals.next() }
            #expect(await outcome("2001:db8::ffff") == .hookUnavailable)
            group.addTask { await outcome("192.0.2.7") }
            _ = await arrivals.next()
            slow.gate.open()
            for await refusal in group { #expect(refusal == nil) }
        }
        #expect(await outcome("2001:db8::1") == nil)
    }
}
