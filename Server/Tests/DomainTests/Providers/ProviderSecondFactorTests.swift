import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("A log-in with a provider")
struct ProviderSecondFactorTests {
    private let world: ProviderWorld

    init() throws {
        world = try ProviderWorld()
    }

    /// An application whose users must have a second factor.
    private func makeApplication() async throws -> Application {
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .required
        return try await world.makeApplication(settings: settings)
    }

    @Test(
        "that lacks the second factor is finished only while that very identity leads to the user",
        arguments: [(false, false), (true, false), (true, true)])
    func removedMeanwhile(isRemoved: Bool, isReplaced: Bool) async throws {
        let application = try await makeApplication()
        let tenant = application.id
        let user = try await world.logIn(ProviderWorld.token("hana#1"), to: application).user.id
        let other = Identity(provider: .line, subject: "hana", linkedAt: world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(other, for: user, in: tenant)
        }
        let error = await world.refusal { _ = try await world.logIn(ProviderWorld.token("hana#2"), to: application) }
        guard case .secondFactor(let challenge)? = error?.detail else {
            Issue.record("\(String(describing: error))")
            return
        }
        let finish = world.modules.secondFactors.logInWithSecondFactor
        let offer = try await finish.offer(challenge.ticket.revealed, in: application)
        let confirmation = EnrolTOTP.Confirmation(
            ticket: offer.ticket.revealed,
            code: try TestAuthenticator.code(for: offer.key.revealed, at: world.clock.now), name: nil)
        if isRemoved {
            _ = try await world.modules.accounts.editUser(
                UserEdit(unlinking: .google), of: user, in: application, by: .operator(.local))
            if isReplaced {
                let own = Identity(provider: .google, subject: "hana's own", linkedAt: world.clock.now)
                try await world.engine.write { transaction throws(DomainError) in
                    try transaction.insert(own, for: user, in: tenant)
                }
            }
            let again = await world.refusal {
                _ = try await finish.offer(challenge.ticket.revealed, in: application)
            }
            #expect(again == .secondFactorTicketRefused)
        }
        let client = try world.client()
        let refused = await world.refusal {
            _ = try await finish(
                .init(
                    application: application, ticket: challenge.ticket.revealed, shown: .enrolment(confirmation),
                    client: client, restoringFrom: nil))
        }
        #expect(refused == (isRemoved ? .secondFactorTicketRefused : nil))
        let after = try await world.modules.directory.readUser(user, in: tenant)
        #expect(after.hasSecondFactor != isRemoved)
    }

    @Test(
        "of now, which an app demands, is no log-in of last month that ends with a new second factor; one that is shown counts",
        arguments: [true, false])
    func demandedBeforeFactor(isEnrolment: Bool) async throws {
        let application = try await makeApplication()
        _ = try await world.logIn(ProviderWorld.token("hana#1"), to: application)
        let finish = world.modules.secondFactors.logInWithSecondFactor
        /// Logs in by a session at the provider of a month ago, as an app demands one of now.
        func challenge(_ token: String) async throws -> SecondFactorChallenge? {
            world.google.set(loggedInAt: world.clock.now - .days(30))
            var asked = LogInWithProvider.Request(
                application: application, provider: .google, credential: ProviderWorld.token(token),
                client: try world.client())
            asked.demandedAt = world.clock.now
            let request = asked
            let error = await world.refusal { _ = try await world.modules.logIns.logInWithProvider(request) }
            guard case .secondFactor(let challenge)? = error?.detail else { return nil }
            return challenge
        }
        func end(_ challenge: SecondFactorChallenge, _ shown: LogInWithSecondFactor.Shown) async throws -> Session {
            try await finish(
                .init(
                    application: application, ticket: challenge.ticket.revealed, shown: shown,
                    client: try world.client(), restoringFrom: nil)
            ).logIn.session
        }
        let first = try #require(try await challenge("hana#2"))
        let offer = try await finish.offer(first.ticket.revealed, in: application)
        let added = try await end(
            first,
            .enrolment(
                .init(
                    ticket: offer.ticket.revealed,
                    code: try TestAuthenticator.code(for: offer.key.revealed, at: world.clock.now), name: nil)))
        guard !isEnrolment else {
            #expect(added.authenticatedAt == world.clock.now - .days(30) && !added.isFresh(at: world.clock.now))
            return
        }
        world.clock.advance(by: .seconds(60))
        let second = try #require(try await challenge("hana#3"))
        let code = try TestAuthenticator.code(for: offer.key.revealed, at: world.clock.now)
        #expect(try await end(second, .totp(code)).authenticatedAt == world.clock.now)
    }
}
