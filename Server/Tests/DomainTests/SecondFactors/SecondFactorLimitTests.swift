import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("How often a second factor is shown")
struct SecondFactorLimitTests {
    @Test("is sixty times an hour from one address, for all users together, and others have their own")
    func limited() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        let application = try await world.makeApplication(settings: settings)
        func enrolled(_ name: String) async throws -> Authenticated {
            let token = try await world.signUp(name, to: application).token
            let who = try await world.authenticate(token, in: application)
            let (enrol, author) = (
                world.modules.secondFactors.enrolTOTP, AccountAuthor.owner(who, isProven: false, from: .local)
            )
            let offer = try enrol.offer(for: who, by: author)
            let code = try TestAuthenticator.code(for: offer.key.revealed, at: world.clock.now)
            _ = try await enrol(.init(ticket: offer.ticket.revealed, code: code, name: nil), for: who, by: author)
            return try await world.authenticate(token, in: application)
        }
        let (hana, mika) = (try await enrolled("hana"), try await enrolled("mika"))
        func show(_ who: Authenticated, from address: ClientAddress = TestWorld.address) async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.sessions.reauthenticate(
                    by: .totp("no code"), from: address, who, origin: .local)
            }
        }
        let full = DomainError.rateLimited(retryAfter: .seconds(3600))
        for number in 0..<60 {
            let refused = await show(number < 30 ? hana : mika)
            #expect(refused != nil && refused != full, "\(number)")
        }
        #expect(await show(hana) == full)
        #expect(await show(mika) == full)
        let elsewhere = ClientAddress(text: "192.0.2.8", allowanceGroup: "192.0.2.8")
        #expect(await show(hana, from: elsewhere) != full)
        world.clock.advance(by: .milliseconds(3_599_999))
        #expect(await show(hana) == .rateLimited(retryAfter: .milliseconds(1)))
        world.clock.advance(by: .milliseconds(1))
        #expect(await show(hana) == .credentialRefused)
    }
}
