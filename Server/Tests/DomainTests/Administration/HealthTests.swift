import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("What the server sees of itself")
struct HealthTests {
    static let deliveries: [(MailDelivery, sends: Bool)] = [
        (.none, false), (.outbox, true), (.carrier(TestCarrier()), true),
    ]

    @Test("is whether mails can leave it", arguments: deliveries.indices)
    func mail(index: Int) async throws {
        let (delivery, sends) = Self.deliveries[index]
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: delivery)
        let findings = try await world.modules.administration.statistics.readHealth()
        #expect(findings.sendsMail == sends && findings.at == world.clock.now)
        #expect(findings.storage == .zero, "the clock stands still")
    }

    @Test("is how many applications and users there are, and what waits")
    func counts() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .carrier(TestCarrier()))
        var users = 0
        for number in 0..<3 {
            let findings = try await world.modules.administration.statistics.readHealth()
            #expect(findings.applications == number && findings.users == users)
            let application = try await world.makeApplication()
            for name in 0..<number { _ = try await world.signUp("user \(name)", to: application) }
            users += number
        }
        let application = try await world.makeApplication()
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let orderedAt = world.clock.now
        _ = try await world.modules.messaging.requestPasswordReset(
            email: "hana@example.com", in: application, languages: [], from: TestWorld.address)
        world.passwords.set(isBusy: false, waiting: 7)
        world.clock.advance(by: .seconds(60))
        let findings = try await world.modules.administration.statistics.readHealth()
        #expect(findings.applications == 4 && findings.users == users + 1 && findings.passwordsWaiting == 7)
        #expect(findings.mailWaiting == 1 && findings.mailGivenUp == 0 && findings.oldestMailAt == orderedAt)
        #expect(!findings.signingKeys.isEmpty)
        _ = try await world.modules.messaging.deliverMail()
        let after = try await world.modules.administration.statistics.readHealth()
        #expect(after.mailWaiting == 0 && after.oldestMailAt == nil)
    }
}
