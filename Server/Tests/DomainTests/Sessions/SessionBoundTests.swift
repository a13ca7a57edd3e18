import Foundation
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// When sessions, and what opens them, count no more.
@Suite("The end of a session's time")
struct SessionBoundTests {
    private static let now = StandingClock().now

    private static func session(
        endsAfter span: Duration, authenticated: Duration? = nil, by method: Session.LogInMethod = .password
    ) -> Session {
        Session(
            id: Identifier(rawValue: "s"), application: Identifier(rawValue: "app"), user: Identifier(rawValue: "u"),
            client: .init(address: nil), protocolName: .native, method: method,
            times: .init(
                createdAt: now, lastUsedAt: now, expiresAt: now + span, authenticatedAt: authenticated.map { now + $0 })
        )
    }

    @Test(
        "is the first of disuse and age, to the millisecond",
        arguments: [
            (1000, 2000, 999, false), (1000, 2000, 1000, true), (2000, 1000, 999, false), (2000, 1000, 1000, true),
            (1000, 1000, 999, false), (1000, 1000, 1000, true), (0, 1000, 0, true), (1000, 0, 0, true),
            (1000, 1000, -1, false),
        ])
    func end(idle: Int, life: Int, after: Int, isOver: Bool) {
        let session = Self.session(endsAfter: .milliseconds(life))
        let isExpired = session.isExpired(
            at: Self.now + .milliseconds(after), idleLifetime: .milliseconds(idle), lastUsedAt: Self.now)
        #expect(isExpired == isOver)
    }

    @Test(
        "to do what is not for everybody is ten minutes after the proof",
        arguments: [
            (nil, 0, false), (0, 0, true), (0, 599_999, true), (0, 600_000, false), (1, 600_000, true),
            (-600_000, 0, false), (-599_999, 0, true),
        ] as [(Int?, Int, Bool)])
    func freshness(proof: Int?, after: Int, isFresh: Bool) {
        let session = Self.session(endsAfter: .days(1), authenticated: proof.map { .milliseconds($0) })
        #expect(session.isFresh(at: Self.now + .milliseconds(after)) == isFresh)
    }

    private static let methods: [(Session.LogInMethod, ofGuest: Bool, ofRegistered: Bool)] = [
        (.automatic, true, false), (.password, true, true), (.signUp, true, true), (.code, true, true),
        (.merge, true, true), (.transferCode, true, false), (.importing, true, false), (.pages, true, true),
        (.keptPages, false, false), (.adoption, true, false),
    ]

    @Test("begins with a log-in that shows the owner, or the only thing that there is", arguments: methods.indices)
    func presence(index: Int) {
        let (method, ofGuest, ofRegistered) = Self.methods[index]
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), createdAt: Self.now,
            updatedAt: Self.now)
        #expect(method.provesPresence(of: user) == ofGuest, "\(method)")
        user.username = "hana"
        #expect(method.provesPresence(of: user) == ofRegistered, "\(method)")
    }

    private static let tickets: [(name: String, after: Int, version: Int64?, opens: Bool)] = [
        ("good for a millisecond more", 1, 0, true), ("at its end", 0, 0, false), ("after it", -1, 0, false),
        ("of before versions were written", 1000, nil, true), ("of another version", 1000, 1, false),
        ("of an earlier version", 1000, -1, false),
    ]

    @Test("of a one-time log-in is its own, and its user's next version", arguments: tickets.indices, [true, false])
    func ticket(index: Int, isFresh: Bool) async throws {
        let (name, after, version, opens) = Self.tickets[index]
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let (application, elsewhere) = (try await world.makeApplication(), try await world.makeApplication())
        let signedUp = try await world.signUp("hana", to: application)
        let user = signedUp.user
        if !isFresh { world.clock.advance(by: .seconds(600)) }
        let who = try await world.authenticate(signedUp.token, in: application)
        let ticket = OneTimeLogInToken(
            user: user.id.rawValue, expiresAt: (world.clock.now + .milliseconds(after)).milliseconds,
            source: SessionSource(who), version: version)
        let sealed = try SealingKey.ofTests().seal(
            Array(try JSONEncoder().encode(ticket)), purpose: OneTimeLogInToken.purpose(application.id))
        let text = Base64URL.text(of: sealed)
        func open(_ text: String, in application: Application) async throws -> LogIn? {
            try await world.modules.sessions.openPages(
                text, in: application, device: DeviceDescription(), address: TestWorld.address, origin: .local)
        }
        for wrong in ["", String(text.dropLast(4)), "AAAA" + text, String(repeating: "A", count: 10_000)] {
            #expect(try await open(wrong, in: application) == nil)
        }
        #expect(try await open(text, in: elsewhere) == nil)
        let logIn = try await open(text, in: application)
        #expect((logIn != nil) == opens, "\(name)")
        // Once.
        #expect(try await open(text, in: application) == nil)
        guard let session = logIn?.session else { return }
        #expect(session.user == user.id && session.protocolName == .pages)
        #expect(session.method == (isFresh ? .pages : .keptPages))
        #expect(session.isFresh(at: world.clock.now) == isFresh)
    }
}
