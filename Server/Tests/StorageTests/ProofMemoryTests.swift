import Domain
import Foundation
import Storage
import StorageSQLite
import TestWorld
import Testing

@Suite("Device proofs in memory")
struct ProofMemoryTests {
    private let folder = TemporaryFolder()
    private let clock = StandingClock()
    private let device = TestDevice()

    private func open() throws -> (TestWorld, SQLiteStore) {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        return (try TestWorld(store, clock: clock), store)
    }

    private func logIn(_ proof: PresentedProof, _ application: Application, _ world: TestWorld) async throws {
        _ = try await world.modules.logIns.logInAutomatically(
            .init(application: application, proof: proof, address: TestWorld.address))
    }

    private func refusal(_ proof: PresentedProof, _ application: Application, _ world: TestWorld) async -> DomainError?
    {
        do {
            try await logIn(proof, application, world)
            return nil
        } catch { return error as? DomainError }
    }

    private func rows(_ store: SQLiteStore) async throws -> Int {
        try await store.read { transaction throws(DomainError) in
            try (transaction as? SQLTransaction)?.usedProofs().count ?? -1
        }
    }

    @Test("count once, write no row, and are refused with a time that counts after a restart")
    func restart() async throws {
        var (world, store) = try open()
        let application = try await world.makeApplication()
        let proof = try device.presented(at: clock.now)
        try await logIn(proof, application, world)
        #expect(await refusal(proof, application, world) == .proofReplayed)
        let slow = try device.presented(at: clock.now - .seconds(50))
        #expect(try await rows(store) == 0)
        await store.close()

        (world, store) = try open()
        guard case .serverTime(let next)? = await refusal(proof, application, world)?.detail else {
            Issue.record("a proof counts again after a restart")
            return
        }
        // What the former process never saw is refused too: nobody knows that.
        #expect(await refusal(slow, application, world)?.code == .clockSkew)
        let again = try device.presented(at: next)
        try await logIn(again, application, world)
        #expect(await refusal(again, application, world) == .proofReplayed)
        await store.close()
    }

    @Test("of a device whose clock is ahead have rows, and count once over a restart")
    func ahead() async throws {
        var (world, store) = try open()
        let application = try await world.makeApplication()
        let proof = try device.presented(at: clock.now + .seconds(40))
        try await logIn(proof, application, world)
        #expect(try await rows(store) == 1)
        await store.close()
        (world, store) = try open()
        clock.advance(by: .seconds(45))
        #expect(await refusal(proof, application, world) == .proofReplayed)
        // Others are not held up by it.
        try await logIn(try device.presented(at: clock.now), application, world)
        await store.close()
    }

    @Test("are given back by a log-in that comes to nothing")
    func givenBack() async throws {
        let (world, store) = try open()
        let application = try await world.makeApplication()
        let user = try await world.logIn(device, to: application).user
        clock.advance(by: .seconds(1))
        _ = try await world.modules.accounts.setUserDisabled(
            user.id, in: application, isDisabled: true, by: .local)
        let proof = try device.presented(at: clock.now)
        #expect(await refusal(proof, application, world) == .userDisabled)
        _ = try await world.modules.accounts.setUserDisabled(
            user.id, in: application, isDisabled: false, by: .local)
        try await logIn(proof, application, world)
        await store.close()
    }

    @Test("are refused after a restart also when a slow clock's came behind one that came to nothing")
    func slowClockAfterRefusal() async throws {
        var (world, store) = try open()
        let application = try await world.makeApplication()
        let (disabled, slow) = (TestDevice(), TestDevice())
        let user = try await world.logIn(disabled, to: application).user
        _ = try await world.modules.accounts.setUserDisabled(user.id, in: application, isDisabled: true, by: .local)
        clock.advance(by: .seconds(2))
        let used = try device.presented(at: clock.now)
        try await logIn(used, application, world)
        #expect(await refusal(try disabled.presented(at: clock.now), application, world) == .userDisabled)
        try await logIn(try slow.presented(at: clock.now - .seconds(50)), application, world)
        await store.close()
        (world, store) = try open()
        #expect(await refusal(used, application, world)?.code == .clockSkew)
        await store.close()
    }

    @Test("hold nobody up when the clock was set back by more than ten minutes before a restart")
    func setBack() async throws {
        var (world, store) = try open()
        let application = try await world.makeApplication()
        try await logIn(try device.presented(at: clock.now), application, world)
        await store.close()
        clock.advance(by: .zero - .seconds(601))
        (world, store) = try open()
        let proof = try device.presented(at: clock.now)
        try await logIn(proof, application, world)
        await store.close()
        // The time that counts now is the one of this process.
        (world, store) = try open()
        #expect(await refusal(proof, application, world)?.code == .clockSkew)
        clock.advance(by: .seconds(1))
        try await logIn(try device.presented(at: clock.now), application, world)
        await store.close()
    }

    @Test("are forgotten from the oldest on when there are too many, and those that are forgotten are refused")
    func bounded() {
        let memory = ProofMemory(latest: nil, kept: [])
        let now = clock.now
        func proof(_ number: Int, at time: Timestamp) -> DeviceProof {
            DeviceProof(
                thumbprint: "t", replayDigest: SecretDigest(of: "\(number)".utf8), issuedAt: time, checkedAt: now)
        }
        let old = now - .seconds(300)
        for number in 0..<10 { _ = memory.take(proof(number, at: old)) }
        for number in 10..<20 { _ = memory.take(proof(number, at: now)) }
        memory.forget(endedBefore: now - .seconds(600))
        #expect(memory.take(proof(0, at: old)) == .used)
        memory.forget(endedBefore: now - .seconds(600), keeping: 15)
        #expect(memory.take(proof(0, at: old)) == .unknown(next: now))
        #expect(memory.take(proof(10, at: now)) == .used)
        // What could still count is kept, however much it is.
        memory.forget(endedBefore: now - .seconds(600), keeping: 5)
        #expect(memory.take(proof(10, at: now)) == .used)
    }
}
