import Storage
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// A hook that takes its time, asked by many at once.
@Suite("A hook that takes its time")
struct HookShareTests {
    private static let slowURL = "https://app.example.com"

    /// Responds to nobody before its gate is opened, but at once where it is another one.
    private struct SlowHook: HookCarrier {
        let gate = Gate()
        /// A value for each question that arrived.
        let arrivals: AsyncStream<Void>
        private let arrived: AsyncStream<Void>.Continuation

        init() { (arrivals, arrived) = AsyncStream<Void>.makeStream() }

        func mayAsk(_ url: String) -> Bool { true }

        func ask(_ request: HookRequest) async -> HookOutcome {
            await hold(request.hook)
            return .allowed(fields: [:], claims: [:])
        }

        func owner(_ question: OwnerQuestion) async -> OwnerOutcome {
            await hold(question.hook)
            return .refused(message: nil)
        }

        private func hold(_ hook: Hook) async {
            arrived.yield()
            if hook.url.hasPrefix(HookShareTests.slowURL) { await gate.pass() }
        }
    }

    /// An application whose hook is asked about sign-ups.
    private struct Asked: Sendable {
        let application: Application
        let hook: Hook
        private let user: User
        private let ask: AskHook

        init(_ world: TestWorld, _ url: String, _ whenDown: Hook.WhenDown) async throws {
            application = try await world.makeApplication()
            hook = try await world.modules.hooks.manage.set(
                .signUp, to: .init(url: url, whenDown: whenDown), in: application.id, by: .local
            ).hook
            user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
            ask = world.modules.hooks.ask
        }

        /// What a request from an address gets that goes past the hook for nobody.
        ///
        /// - Parameters:
        ///   - address: Of the client.
        ///   - path: Where the hook is by then.
        /// - Returns: `nil` when the hook allowed it.
        func callAsFunction(_ address: String, _ path: String = "") async -> DomainError? {
            var (subject, hook) = (HookSubject(user), hook)
            subject.address = address
            hook.url += path
            do throws(DomainError) {
                return try await ask(hook, about: subject, in: application) { _, _ in nil } == nil
                    ? .applicationUnknown : nil
            } catch {
                return error
            }
        }

        /// What a device gets that hands over a token.
        func owner(_ address: ClientAddress) async -> DomainError? {
            do throws(DomainError) {
                _ = try await ask.owner(of: Secret("token"), service: "old", hook, in: application, from: address)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Issue 24: with `allow`, slow calls from many networks let everybody else past the hook.
    @Test(
        "lets nobody past it when many together fill it, whatever happens while it is down",
        arguments: Hook.WhenDown.allCases)
    func full(whenDown: Hook.WhenDown) async throws {
        let slow = SlowHook()
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hooks: slow)
        let outcome = try await Asked(world, Self.slowURL, whenDown)
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
        let outcome = try await Asked(world, Self.slowURL, whenDown)
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

    /// Issue 24: an application whose hook moves while it hangs could take all calls of the server.
    @Test(
        "takes half of all calls of the server with all addresses that it ever had, and those of other applications go on",
        arguments: Hook.WhenDown.allCases)
    func application(whenDown: Hook.WhenDown) async throws {
        let slow = SlowHook()
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hooks: slow)
        let hostile = try await Asked(world, Self.slowURL, whenDown)
        let other = try await Asked(world, "https://other.example.com", whenDown)
        let half = AskHook.lanes / 2
        let client = ClientAddress(text: "198.51.100.1", allowanceGroup: "198.51.100.1")
        try await withThrowingTaskGroup(of: DomainError?.self) { group in
            var arrivals = slow.arrivals.makeAsyncIterator()
            for number in 0..<half {
                group.addTask {
                    await hostile("192.0.\(number / 256).\(number % 256)", "/\(number / HookBreaker.maximumUnderWay)")
                }
            }
            for _ in 0..<half { _ = await arrivals.next() }
            #expect(await hostile("198.51.100.1", "/next") == .hookUnavailable)
            #expect(await hostile.owner(client) == .hookUnavailable)
            let test = try await world.modules.hooks.test(.signUp, in: hostile.application.id, by: .local)
            #expect(test == .busy(reason: SharedLanes.full))
            #expect(await other("198.51.100.1") == nil)
            #expect(slow.gate.waiting <= half)
            slow.gate.open()
            for try await refusal in group { #expect(refusal == nil) }
        }
        #expect(await hostile("198.51.100.1", "/next") == nil)
        #expect(await hostile.owner(client) == .credentialRefused)
    }
}
