import OkaeriTesting
import Testing

@testable import Okaeri

@Suite("Work in the background", .timeLimit(.minutes(5)))
struct BackgroundWorkTests {
    let world = World()

    @Test("that a hint finishes before its time leaves nothing behind that wakes beside later work")
    func hint() async throws {
        try await world.launch(inBackground: false).logInAutomatically()
        world.vault.isLocked = true
        let client = world.launch()
        #expect(await client.reaches { $0 != .unknown } == .storageLocked)
        await world.clock.waitForSleepers()
        world.vault.isLocked = false
        world.vault.giveHint()
        while await client.keeper.recovery != nil { await Task.yield() }
        #expect(world.clock.pendingSleeps.isEmpty)
    }
}
