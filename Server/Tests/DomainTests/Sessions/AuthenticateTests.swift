import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("A session token")
struct AuthenticateTests {
    let world: TestWorld
    let device = TestDevice()

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    @Test("leads to its user, from the database and from the cache")
    func leadsToUser() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        let first = try await world.authenticate(logIn.token, in: application)
        let second = try await world.authenticate(logIn.token, in: application)
        #expect(first.user == logIn.user)
        #expect(first === second)
    }

    @Test("is answered for by the cache at once, without a look into the database")
    func atOnce() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        let found = try await world.authenticate(logIn.token, in: application)
        let request = Authenticate.Request(
            application: application, token: Substring(logIn.token.revealed), proof: nil, protocolName: .native)
        let known = try world.modules.sessions.authenticate.atOnce(request, from: { TestWorld.address })
        #expect(known === found)
    }

    @Test("is required, and refused in one way whether malformed, unknown or of another application")
    func refused() async throws {
        let application = try await world.makeApplication()
        let foreign = try await world.makeApplication("Foreign")
        let logIn = try await world.logIn(device, to: application)
        await #expect(throws: DomainError.sessionRequired) { try await world.authenticate(nil, in: application) }
        let unknown = SessionToken.Draw(.named, CountingRandomness(seed: 5)).token(of: logIn.user.id)
        for token in [Secret(""), Secret("oks_short"), Secret(String(repeating: "x", count: 47)), unknown] {
            await #expect(throws: DomainError.sessionInvalid) {
                try await world.authenticate(token, in: application)
            }
        }
        await #expect(throws: DomainError.sessionInvalid) { try await world.authenticate(logIn.token, in: foreign) }
        _ = try await world.authenticate(logIn.token, in: application)
        await #expect(throws: DomainError.sessionInvalid) { try await world.authenticate(logIn.token, in: foreign) }
    }

    @Test("ends by disuse, but not while it is used")
    func idleEnd() async throws {
        let application = try await world.makeApplication(settings: .init(sessionIdleLifetime: .days(10)))
        let logIn = try await world.logIn(device, to: application)
        for _ in 0..<5 {
            world.clock.advance(by: .days(9))
            _ = try await world.authenticate(logIn.token, in: application)
        }
        world.clock.advance(by: .days(10))
        await #expect(throws: DomainError.sessionInvalid) {
            try await world.authenticate(logIn.token, in: application)
        }
    }

    @Test("ends by age, however much it is used")
    func absoluteEnd() async throws {
        let application = try await world.makeApplication(
            settings: .init(sessionIdleLifetime: .days(10), sessionLifetime: .days(12)))
        let logIn = try await world.logIn(device, to: application)
        world.clock.advance(by: .days(9))
        _ = try await world.authenticate(logIn.token, in: application)
        world.clock.advance(by: .days(3))
        await #expect(throws: DomainError.sessionInvalid) {
            try await world.authenticate(logIn.token, in: application)
        }
    }

    @Test("notes its use every five minutes at most, and the note reaches the database")
    func notedUse() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        world.clock.advance(by: .seconds(299))
        _ = try await world.authenticate(logIn.token, in: application)
        try await world.modules.sessions.writeSessionActivity()
        #expect(try await sessions(of: logIn, application).map(\.lastUsedAt) == [logIn.session.createdAt])
        world.clock.advance(by: .seconds(1))
        _ = try await world.authenticate(logIn.token, in: application)
        try await world.modules.sessions.writeSessionActivity()
        #expect(try await sessions(of: logIn, application).map(\.lastUsedAt) == [world.clock.now])
    }

    @Test(
        "lives on by a use that waits to be written, when its entry of the cache is gone and old sessions are cleared away",
        arguments: [false, true])
    func unwrittenUse(isBeingWritten: Bool) async throws {
        let application = try await world.makeApplication(settings: .init(sessionIdleLifetime: .days(10)))
        let logIn = try await world.logIn(device, to: application)
        world.clock.advance(by: .days(10) - .seconds(20))
        let who = try await world.authenticate(logIn.token, in: application)
        world.clock.advance(by: .seconds(40))
        if isBeingWritten { _ = world.modules.sessions.authenticate.activity.takeAll() }
        // A change of the user: their sessions are read anew.
        try await world.edit(logIn.user.id, in: application, UserEdit(displayName: .set("花")))
        #expect(try await world.authenticate(logIn.token, in: application).lastUsedAt == who.lastUsedAt)
        #expect(
            try await world.modules.sessions.listSessions(of: logIn.user.id, in: application).map(\.id)
                == [logIn.session.id])
        guard !isBeingWritten else { return }
        _ = try await world.modules.sessions.purgeExpired()
        #expect(try await sessions(of: logIn, application).map(\.lastUsedAt) == [who.lastUsedAt])
    }

    @Test(
        "lives on at a node that last saw it long ago, while it is used at another one", arguments: [false, true])
    func usedElsewhere(isAskedAbout: Bool) async throws {
        let application = try await world.makeApplication(settings: .init(sessionIdleLifetime: .days(10)))
        let logIn = try await world.logIn(device, to: application)
        let other = try TestWorld(world.engine, clock: world.clock)
        func session() async -> Identifier<Session>? {
            // A refusal is an answer here.
            guard isAskedAbout else { return try? await other.authenticate(logIn.token, in: application).session.id }
            let authenticate = other.modules.sessions.authenticate
            return try? await authenticate.session(of: Substring(logIn.token.revealed), in: application)?.session.id
        }
        #expect(await session() == logIn.session.id)
        world.clock.advance(by: .days(9))
        _ = try await world.authenticate(logIn.token, in: application)
        try await world.modules.sessions.writeSessionActivity()
        world.clock.advance(by: .days(9))
        #expect(await session() == logIn.session.id)
        world.clock.advance(by: .days(10))
        #expect(await session() == nil)
    }

    @Test("is not cleared away by one node while its last use waits at another one to be written")
    func unwrittenUseElsewhere() async throws {
        let application = try await world.makeApplication(settings: .init(sessionIdleLifetime: .days(10)))
        let logIn = try await world.logIn(device, to: application)
        let other = try TestWorld(world.engine, clock: world.clock)
        world.clock.advance(by: .days(10) - .seconds(20))
        let who = try await other.authenticate(logIn.token, in: application)
        world.clock.advance(by: .seconds(40))
        #expect(try await world.modules.sessions.purgeExpired() == 0)
        try await other.modules.sessions.writeSessionActivity()
        #expect(try await world.authenticate(logIn.token, in: application).lastUsedAt == who.lastUsedAt)
        world.clock.advance(by: PurgeExpired.useIsWritten)
        #expect(try await world.modules.sessions.purgeExpired() == 0)
    }

    @Test("shows a change of its user at the next request")
    func changedUser() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        _ = try await world.authenticate(logIn.token, in: application)
        try await world.edit(
            logIn.user.id, in: application, UserEdit(displayName: .set("花")))
        #expect(try await world.authenticate(logIn.token, in: application).user.displayName == "花")
    }

    @Test("is dead at the next request after log-out, and after being ended by another session")
    func ended() async throws {
        let application = try await world.makeApplication()
        let first = try await world.logIn(device, to: application)
        let second = try await world.logIn(device, to: application)
        let who = try await world.authenticate(first.token, in: application)
        _ = try await world.authenticate(second.token, in: application)
        try await world.modules.sessions.endSession(second.session.id, by: who, from: .local)
        await #expect(throws: DomainError.sessionInvalid) {
            try await world.authenticate(second.token, in: application)
        }
        await #expect(throws: DomainError.sessionUnknown) {
            try await world.modules.sessions.endSession(second.session.id, by: who, from: .local)
        }
        try await world.modules.sessions.logOut(who)
        await #expect(throws: DomainError.sessionInvalid) {
            try await world.authenticate(first.token, in: application)
        }
    }

    @Test("ends the sessions of no other user")
    func foreignSession() async throws {
        let application = try await world.makeApplication()
        let mine = try await world.logIn(device, to: application)
        let theirs = try await world.logIn(TestDevice(), to: application)
        let who = try await world.authenticate(mine.token, in: application)
        await #expect(throws: DomainError.sessionUnknown) {
            try await world.modules.sessions.endSession(theirs.session.id, by: who, from: .local)
        }
        #expect(try await world.modules.sessions.endOtherSessions(by: who, isProven: false, from: .local).sessions == 0)
        _ = try await world.authenticate(theirs.token, in: application)
    }

    @Test("needs a proof by its own key, bound to it and new, where the application wants proofs")
    func proofRequired() async throws {
        let application = try await world.makeApplication(settings: .init(proofRequired: true))
        let logIn = try await world.logIn(device, to: application)
        func ask(_ proof: PresentedProof?) async throws(DomainError) -> Authenticated {
            try await world.authenticate(logIn.token, in: application, proof: proof)
        }
        func proof(by device: TestDevice, token: Secret?) throws -> PresentedProof {
            try device.presented(
                method: "GET", target: "https://id.example.com/v1/user", at: world.clock.now, token: token)
        }
        await #expect(throws: DomainError.proofRequired) { try await ask(nil) }
        let right = try proof(by: device, token: logIn.token)
        #expect(try await ask(right).user.id == logIn.user.id)
        await #expect(throws: DomainError.proofReplayed) { try await ask(right) }
        await #expect(throws: DomainError.proofRefused(.otherKey)) {
            try await ask(try proof(by: TestDevice(), token: logIn.token))
        }
        await #expect(throws: DomainError.proofRefused(.accessToken)) {
            try await ask(try proof(by: device, token: nil))
        }
    }

    @Test("is swept away when its life is over, and no sooner")
    func swept() async throws {
        let application = try await world.makeApplication(settings: .init(sessionIdleLifetime: .days(10)))
        _ = try await world.logIn(device, to: application)
        world.clock.advance(by: .days(5))
        _ = try await world.logIn(TestDevice(), to: application)
        #expect(try await world.modules.sessions.purgeExpired() == 0)
        world.clock.advance(by: .days(5))
        #expect(try await world.modules.sessions.purgeExpired() == 0)
        world.clock.advance(by: PurgeExpired.useIsWritten)
        #expect(try await world.modules.sessions.purgeExpired() == 1)
        #expect(try await world.modules.sessions.purgeExpired() == 0)
    }

    private func sessions(of logIn: LogIn, _ application: Application) async throws -> [Session] {
        try await world.modules.sessions.listSessions(of: logIn.user.id, in: application)
    }
}
