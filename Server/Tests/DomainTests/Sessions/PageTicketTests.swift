import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// By which a guest, who has nothing to type, opens the own account on the pages.
@Suite("A one-time token that opens the pages")
struct PageTicketTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func ticket(for who: Authenticated, isProven: Bool = false) throws -> String {
        let issue = IssueOneTimeLogInToken(
            clock: world.clock, sealingKey: try .ofTests(), pagesURL: "https://id.example.com")
        let issued = try #require(try issue(for: who, isProven: isProven))
        #expect(issued.expiresAt == world.clock.now + .seconds(60))
        let head = "https://id.example.com/a/\(who.application.id.rawValue)/open?ticket="
        #expect(issued.url.revealed.hasPrefix(head))
        return String(issued.url.revealed.dropFirst(head.count))
    }

    private func open(_ text: String, in application: Application? = nil) async throws -> LogIn? {
        try await world.modules.sessions.openPages(
            text, in: application ?? self.application, device: DeviceDescription(name: "Browser"),
            address: TestWorld.address, origin: .local)
    }

    private func guest() async throws -> Authenticated {
        try await world.authenticate(
            try await world.logIn(TestDevice(), to: application).token, in: application)
    }

    @Test("is not there while the server does not know its own address")
    func noAddress() async throws {
        let issue = IssueOneTimeLogInToken(clock: world.clock, sealingKey: try .ofTests(), pagesURL: nil)
        #expect(try issue(for: try await guest(), isProven: true) == nil)
    }

    @Test("opens one session of the pages, once")
    func once() async throws {
        let who = try await guest()
        let text = try ticket(for: who)
        let logIn = try #require(try await open(text))
        #expect(logIn.user.id == who.user.id && !logIn.isNew && logIn.session.protocolName == .pages)
        #expect(logIn.session.device.name == "Browser" && logIn.session.deviceKey == nil)
        for _ in 0..<2 { #expect(try await open(text) == nil) }
        // The session that it opened stays, unlike that of a code, which goes through other hands.
        let sessions = try await world.modules.sessions.listSessions(of: who.user.id, in: application)
        #expect(sessions.contains { $0.id == logIn.session.id })
    }

    @Test("is good for a minute, to the millisecond", arguments: [0, 59_999, 60_000])
    func end(after: Int) async throws {
        let text = try ticket(for: try await guest())
        world.clock.advance(by: .milliseconds(after))
        #expect((try await open(text) != nil) == (after < 60_000))
    }

    @Test("is good in its own application, unaltered, and not as a code")
    func bound() async throws {
        let other = try await world.makeApplication("Other")
        let text = try ticket(for: try await guest())
        #expect(try await open(text, in: other) == nil)
        let last = try #require(text.last)
        #expect(try await open(String(text.dropLast()) + (last == "A" ? "B" : "A")) == nil)
        for none in ["", "=", "ticket", String(repeating: "A", count: 4097)] { #expect(try await open(none) == nil) }
        let redeemed = try await world.modules.sessions.redeemAuthorizationCode(
            .init(
                application: application, code: text, redirect: "", verifier: "", proof: nil,
                address: TestWorld.address, origin: .local),
            issuer: "i")
        #expect(redeemed == nil)
        #expect(try await open(text) != nil)
    }

    @Test("proves what the app's session proved, while that was fresh", arguments: [true, false])
    func freshness(isFresh: Bool) async throws {
        let logIn = try await world.signUp("hana", to: application)
        world.clock.advance(by: isFresh ? .milliseconds(599_999) : .seconds(600))
        let who = try await world.authenticate(logIn.token, in: application)
        let opened = try #require(try await open(try ticket(for: who)))
        #expect(opened.session.method == (isFresh ? .pages : .keptPages))
        #expect(opened.session.methods == (isFresh ? .password : []))
        // The time is that of the proof, and not that of the ticket.
        #expect(opened.session.authenticatedAt == who.session.createdAt)
        #expect(opened.session.isFresh(at: world.clock.now) == isFresh)
        #expect(opened.session.origin == who.session.id.rawValue)
    }

    @Test("shows the guest whose own key signed the request for it, at that time", arguments: [true, false])
    func proof(isProven: Bool) async throws {
        let who = try await guest()
        world.clock.advance(by: .seconds(3600))
        let asked = world.clock.now
        let text = try ticket(for: who, isProven: isProven)
        world.clock.advance(by: .seconds(10))
        let session = try #require(try await open(text)).session
        #expect(session.authenticatedAt == (isProven ? asked : who.session.createdAt))
        #expect(session.isFresh(at: world.clock.now) == isProven)
        #expect(session.method == (isProven ? .pages : .keptPages))
    }

    @Test("is no proof of somebody registered, whose key signed the request for it")
    func registered() async throws {
        let who = try await guest()
        world.clock.advance(by: .seconds(3600))
        var user = who.user
        user.username = "hana"
        let registered = Authenticated(
            application: application, session: who.session, user: user, tokenDigest: who.tokenDigest)
        let session = try #require(try await open(try ticket(for: registered, isProven: true))).session
        #expect(session.authenticatedAt == who.session.createdAt && !session.isFresh(at: world.clock.now))
    }

    @Test("opens a session that proves nothing later than it is there, by a clock that is behind")
    func clockBehind() async throws {
        let who = try await world.authenticate(
            try await world.signUp("hana", to: application).token, in: application)
        let text = try ticket(for: who)
        world.clock.advance(by: .seconds(-5))
        let session = try #require(try await open(text)).session
        #expect(session.createdAt == world.clock.now && session.authenticatedAt == session.createdAt)
    }

    @Test("is void once the app's session has ended")
    func endedSession() async throws {
        let who = try await guest()
        let text = try ticket(for: who)
        try await world.modules.sessions.logOut(who)
        #expect(try await open(text) == nil)
    }

    @Test("is void once the user's ways in were ended, and refused of somebody kept out")
    func evicted() async throws {
        let who = try await world.authenticate(
            try await world.signUp("hana", to: application).token, in: application)
        let (first, second) = (try ticket(for: who), try ticket(for: who))
        var user = who.user
        user.disabledAt = world.clock.now
        let disabled = user
        try await world.engine.write { transaction throws(DomainError) in try transaction.updateStanding(of: disabled) }
        #expect(await world.refusal { _ = try await open(first) } == .userDisabled)
        user.disabledAt = nil
        let enabled = user
        try await world.engine.write { transaction throws(DomainError) in try transaction.updateStanding(of: enabled) }
        _ = try await world.modules.administration.users.endAllSessions(of: who.user.id, in: application, by: .local)
        #expect(try await open(second) == nil)
    }
}
