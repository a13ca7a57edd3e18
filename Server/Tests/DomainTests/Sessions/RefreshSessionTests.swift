import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// Tokens with an end of their own, and what gives another one for them.
@Suite("A refresh token")
struct RefreshSessionTests {
    private static let life: Duration = .seconds(3600)

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await Self.application(in: world)
    }

    private static func application(in world: TestWorld) async throws -> Application {
        var settings = ApplicationSettings()
        settings.foreignOptions[.endless] = ForeignOptions(refreshedTokenLifetime: life)
        settings.foreignOptions[.single] = ForeignOptions(refreshedTokenLifetime: life)
        return try await world.makeApplication(settings: settings)
    }

    private var refresh: RefreshSession { world.modules.sessions.refreshSession }

    private func open(for user: User) async throws -> LogIn {
        try await world.modules.sessions.openSession(
            OpenSession.Request(
                user: user.id, application: application, protocolName: .endless, method: .adoption, actor: .operator,
                origin: .local))
    }

    /// Somebody with a session, and its refresh token.
    private func session() async throws -> (logIn: LogIn, refreshToken: Secret) {
        let logIn = try await open(for: try await world.signUp("hana", to: application).user)
        return (logIn, refresh.token(for: logIn.token, in: application.id))
    }

    private func use(_ token: Secret, expiresAt: Timestamp? = nil) async throws -> RefreshSession.Refreshed {
        try await refresh(token, in: application, of: .endless, expiresAt: expiresAt, from: .local)
    }

    @Test("stands beside a token that is over at its end and not before")
    func end() async throws {
        let (logIn, _) = try await session()
        #expect(logIn.tokenExpiresAt == world.clock.now + Self.life)
        world.clock.advance(by: Self.life - .milliseconds(1))
        #expect(!refresh.isOver(logIn.token.revealed))
        world.clock.advance(by: .milliseconds(1))
        #expect(refresh.isOver(logIn.token.revealed))
    }

    @Test("stands beside no token without an end", arguments: ["", "token", "--1", String(repeating: "a", count: 46)])
    func endless(token: String) {
        #expect(!refresh.isOver(token))
    }

    @Test("is not there for somebody whom nothing else leads to")
    func guest() async throws {
        let logIn = try await open(for: try await world.logIn(TestDevice(), to: application).user)
        #expect(logIn.tokenExpiresAt == nil)
        world.clock.advance(by: Self.life)
        #expect(!refresh.isOver(logIn.token.revealed))
    }

    private func leads(_ token: Secret) async throws -> Bool {
        try await world.modules.sessions.findSession(token.revealed[...], in: application, of: .endless) != nil
    }

    @Test(
        "gives another pair of the same session, before and after the token's end",
        arguments: [0, 3599, 3600, 86_400])
    func pair(seconds: Int) async throws {
        let (logIn, refreshToken) = try await session()
        world.clock.advance(by: .seconds(seconds))
        let refreshed = try await use(refreshToken)
        #expect(refreshed.user == logIn.user.id && refreshed.lifeInSeconds == 3600 && refreshed.token != logIn.token)
        let find = world.modules.sessions.findSession
        let found = try #require(try await find(refreshed.token.revealed[...], in: application, of: .endless))
        #expect(found.session.id == logIn.session.id)
        #expect(try await find(logIn.token.revealed[...], in: application, of: .endless) == nil)
        _ = try await use(refreshed.refreshToken)
        // The pair after it is in use: nobody waits for that one any more.
        await #expect(throws: DomainError.sessionInvalid) { try await use(refreshToken) }
    }

    @Test("gives the same pair again for ten minutes, whose token keeps its end", arguments: [0, 1, 599])
    func lostResponse(seconds: Int) async throws {
        let (_, refreshToken) = try await session()
        let lost = try await use(refreshToken, expiresAt: world.clock.now + .seconds(60))
        for _ in 0..<2 {
            world.clock.advance(by: .seconds(seconds) / 2)
            let again = try await use(refreshToken)
            #expect(again.token == lost.token && again.refreshToken == lost.refreshToken)
            #expect(again.user == lost.user && (0...60).contains(again.lifeInSeconds))
        }
        #expect(try await leads(lost.token))
        _ = try await use(lost.refreshToken)
        #expect(try await !leads(lost.token))
    }

    @Test("ends the session when it comes again later, and records that once")
    func reuse() async throws {
        let (logIn, refreshToken) = try await session()
        let refreshed = try await use(refreshToken)
        // Asking again makes the ten minutes no longer.
        world.clock.advance(by: RefreshSession.repetition - .milliseconds(1))
        _ = try await use(refreshToken)
        world.clock.advance(by: .milliseconds(1))
        for _ in 0..<2 { await #expect(throws: DomainError.sessionInvalid) { try await use(refreshToken) } }
        #expect(try await !leads(refreshed.token))
        await #expect(throws: DomainError.sessionInvalid) { try await use(refreshed.refreshToken) }
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .sessionEnded))
        #expect(entries.map(\.details) == [["session": logIn.session.id.rawValue, "refresh-token": "reused"]])
        #expect(entries.map(\.actor) == [.unknown])
    }

    @Test(
        "gives a token that ends when the client wishes, and an hour later at the latest",
        arguments: [
            (nil, 3600), (1, 1), (3599, 3599), (3600, 3600), (3601, 3600), (86_400, 3600), (0, nil), (-1, nil),
        ] as [(Int?, Int64?)])
    func wish(seconds: Int?, life: Int64?) async throws {
        let (_, refreshToken) = try await session()
        let wish = seconds.map { world.clock.now + .seconds($0) }
        guard let life else {
            let refused = await world.refusal { _ = try await use(refreshToken, expiresAt: wish) }
            #expect(refused == .fieldsRefused([ValidationError(field: "expiresAt", rule: .inThePast)]))
            return
        }
        let refreshed = try await use(refreshToken, expiresAt: wish)
        #expect(refreshed.lifeInSeconds == life)
        world.clock.advance(by: .seconds(life) - .milliseconds(1))
        #expect(!refresh.isOver(refreshed.token.revealed))
        world.clock.advance(by: .milliseconds(1))
        #expect(refresh.isOver(refreshed.token.revealed))
    }

    @Test("is nobody's when it was made up, or for another application or token")
    func forged() async throws {
        let (logIn, refreshToken) = try await session()
        let parts = refreshToken.revealed.split(separator: ".").map(String.init)
        try #require(parts.count == 2)
        let other = try await Self.application(in: world)
        let elsewhere = refresh.token(for: logIn.token, in: other.id).revealed
        let ofAnother = refresh.token(for: Secret("another"), in: application.id).revealed
        let foreignCode = ofAnother.split(separator: ".").map(String.init).last ?? ""
        for text in [
            "", ".", "..", parts[0], "\(parts[0]).", ".\(parts[1])", "\(parts[1]).\(parts[0])",
            "\(refreshToken.revealed).", ".\(refreshToken.revealed)", elsewhere, ofAnother,
            "\(parts[0]).\(foreignCode)",
            "\(parts[0]).\(parts[0])", "AAAA.\(parts[1])", logIn.token.revealed,
        ] {
            await #expect(throws: DomainError.sessionInvalid, "\(text)") { try await use(Secret(text)) }
        }
        await #expect(throws: DomainError.sessionInvalid) {
            try await refresh(refreshToken, in: other, of: .endless, expiresAt: nil, from: .local)
        }
        for name in [Session.ProtocolName.single, .yearly, .native] {
            await #expect(throws: DomainError.sessionInvalid, "\(name)") {
                try await refresh(refreshToken, in: application, of: name, expiresAt: nil, from: .local)
            }
        }
        _ = try await use(refreshToken)
    }

    @Test("is refused when the session has ended, and when the user is kept out or on the way out")
    func standing() async throws {
        let (logIn, refreshToken) = try await session()
        let (user, id) = (logIn.user, application.id)
        let now = world.clock.now
        for (disabledAt, leavingAt) in [(now, nil), (nil, now)] as [(Timestamp?, Timestamp?)] {
            try await world.engine.write { transaction throws(DomainError) in
                var changed = user
                (changed.disabledAt, changed.deletionRequestedAt) = (disabledAt, leavingAt)
                try transaction.updateStanding(of: changed)
            }
            let refused = await world.refusal { _ = try await use(refreshToken) }
            #expect(refused == (leavingAt == nil ? .userDisabled : .userDeleted(erasedAt: now + .days(7))))
        }
        try await world.engine.write { transaction throws(DomainError) in try transaction.updateStanding(of: user) }
        try await world.modules.sessions.endSession(logIn.session.id, of: nil, in: id, by: .local)
        await #expect(throws: DomainError.sessionInvalid) { try await use(refreshToken) }
    }

    @Test("gives nothing again when the session has ended since, or the user is kept out")
    func standingAfterwards() async throws {
        let (logIn, refreshToken) = try await session()
        _ = try await use(refreshToken)
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            var changed = logIn.user
            changed.disabledAt = now
            try transaction.updateStanding(of: changed)
        }
        let refused = await world.refusal { _ = try await use(refreshToken) }
        #expect(refused == .userDisabled)
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateStanding(of: logIn.user)
        }
        _ = try await use(refreshToken)
        try await world.modules.sessions.endSession(logIn.session.id, of: nil, in: application.id, by: .local)
        await #expect(throws: DomainError.sessionInvalid) { try await use(refreshToken) }
    }
}
