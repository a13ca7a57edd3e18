import Domain
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@Suite("An application")
struct ApplicationTests {
    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    @Test("tells its admin key once and keeps a digest")
    func adminKey() async throws {
        let made = try await world.modules.applications.createApplication(name: "アプリ", by: .local)
        let (application, key) = (made.application, made.adminKey)
        #expect(key.revealed.hasPrefix("oka_") && key.revealed.count == 47)
        #expect(application.adminKeyDigest == key.digest)
        #expect(try await world.modules.applications.findApplication(application.id) == application)
    }

    @Test("leaves an audit entry for each change of its settings, and none where nothing changes")
    func settingsAudit() async throws {
        let modules = world.modules
        let application = try await world.makeApplication()
        let redirects = ["https://example.com/signed-in"]
        var made: [AuditEntry.Action] = []
        for _ in 0..<2 {
            try await modules.messaging.changeMailSettings(of: application.id, by: .local) { $0.senderName = "Hana" }
            try await modules.applications.changeRedirects(of: application.id, by: .local) { $0 = redirects }
            try await modules.applications.changeTheme(of: application.id, to: ["brand": "Hana"], by: .local)
            try await modules.applications.changeFieldRules(of: application.id, mayLoosen: true, by: .local) {
                $0.isClosed = true
            }
            made = try await modules.administration.audit.list(in: application.id).map(\.action)
        }
        let expected: Set<AuditEntry.Action> = [
            .applicationCreated, .mailSettingsChanged, .redirectsChanged, .themeChanged, .fieldRulesChanged,
        ]
        #expect(made.count == expected.count && Set(made) == expected)
    }

    @Test("is unknown until it is made, and known at once afterwards")
    func unknown() async throws {
        await #expect(throws: DomainError.applicationUnknown) {
            try await world.modules.applications.findApplication(Identifier(rawValue: "nobody"))
        }
        let application = try await world.makeApplication()
        #expect(try await world.modules.applications.findApplication(application.id) == application)
    }

    @Test("is listed with its number of users, oldest first")
    func listed() async throws {
        let first = try await world.makeApplication("First")
        world.clock.advance(by: .seconds(1))
        let second = try await world.makeApplication("Second")
        _ = try await world.logIn(TestDevice(), to: second)
        let entries = try await world.modules.applications.listApplications()
        #expect(entries.map(\.application) == [first, second])
        #expect(entries.map(\.userCount) == [0, 1])
    }

    @Test(
        "has a name that is neither empty nor long nor spoilt",
        arguments: ["", "a\nb", String(repeating: "n", count: 101)])
    func badName(name: String) async throws {
        await #expect(throws: DomainError.self) {
            try await world.modules.applications.createApplication(name: name, by: .local)
        }
        #expect(try await world.modules.applications.listApplications().isEmpty)
    }
}
