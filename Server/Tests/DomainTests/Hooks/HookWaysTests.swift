import Domain
import Storage
import StorageSQLite
import TestWorld
import Testing

/// Every way to register, while a hook does not respond.
@Suite("A hook that does not respond")
struct HookWaysTests {
    private let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
    }

    private func application(_ whenDown: Hook.WhenDown, asksGuests: Bool) async throws -> Application {
        var settings = ApplicationSettings()
        settings.set(
            Hook(
                .signUp, url: "https://app.example.com", whenDown: whenDown, asksGuests: asksGuests,
                createdAt: world.clock.now, sealedSecret: []))
        return try await world.makeApplication(settings: settings)
    }

    private func register(_ kind: RegistrationWaysTests.Kind, in application: Application) async -> DomainError? {
        await world.refusal {
            try await RegistrationWaysTests.register(kind, RegistrationWaysTests.Person(), in: application, world)
        }
    }

    private func userCount(in application: Application) async throws -> Int {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.userCount(in: application.id)
        }
    }

    /// The operator's own decisions.
    private static let unasked: Set<RegistrationWaysTests.Kind> = [.importing, .admin]

    @Test("lets nobody be made by any way but an import and an admin", arguments: RegistrationWaysTests.Kind.allCases)
    func refuses(kind: RegistrationWaysTests.Kind) async throws {
        let application = try await application(.refuse, asksGuests: true)
        let refusal = await register(kind, in: application)
        #expect(refusal == (Self.unasked.contains(kind) ? nil : .hookUnavailable))
        #expect(try await userCount(in: application) == (Self.unasked.contains(kind) ? 1 : 0))
    }

    @Test("lets everybody be made where the operator chose so", arguments: RegistrationWaysTests.Kind.allCases)
    func allows(kind: RegistrationWaysTests.Kind) async throws {
        let application = try await application(.allow, asksGuests: true)
        #expect(await register(kind, in: application) == nil)
        #expect(try await userCount(in: application) == 1)
    }

    @Test("is no matter to guests unless it is asked about them", arguments: RegistrationWaysTests.Kind.allCases)
    func guests(kind: RegistrationWaysTests.Kind) async throws {
        let application = try await application(.refuse, asksGuests: false)
        let isGuest = [.pseudoUser, .clientId, .device].contains(kind)
        let refusal = await register(kind, in: application)
        #expect(refusal == (isGuest || Self.unasked.contains(kind) ? nil : .hookUnavailable))
    }
}
