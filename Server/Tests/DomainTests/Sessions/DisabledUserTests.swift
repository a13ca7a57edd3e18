import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("A disabled user")
struct DisabledUserTests {
    let world: TestWorld
    let device = TestDevice()

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    @Test("is refused at the next request and at log-in, and let in again later")
    func disabled() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        _ = try await world.authenticate(logIn.token, in: application)
        try await setDisabled(world.clock.now, logIn.user)
        await #expect(throws: DomainError.userDisabled) {
            try await world.authenticate(logIn.token, in: application)
        }
        await #expect(throws: DomainError.userDisabled) { try await world.logIn(device, to: application) }
        try await setDisabled(nil, logIn.user)
        _ = try await world.authenticate(logIn.token, in: application)
    }

    private func setDisabled(_ time: Timestamp?, _ user: User) async throws {
        var user = user
        user.disabledAt = time
        let changed = user
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateStanding(of: changed)
        }
    }
}
