import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("The deletion of an account")
struct DeletionUseTests {
    private static let day = 86_400_000
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.anonymousIdleLimit = .days(30)
        settings.deletionGrace = .days(3)
        application = try await world.makeApplication(settings: settings)
    }

    private var deletion: Deletion { world.modules.deletion }

    private func entries(_ change: AccountChange) async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: change.policy.action))
    }

    private func user(_ name: String = "hana") async throws -> Identifier<User> {
        try await world.signUp(name, to: application).user.id
    }

    @Test(
        "comes at the end of its grace, to the millisecond",
        arguments: [(3 * day - 1, 0), (3 * day, 1), (3 * day + 1, 1)])
    func grace(after: Int, count: Int) async throws {
        let id = try await user()
        let end = try await deletion.deleteUser(id, in: application, by: .local)
        #expect(end == world.clock.now + .days(3))
        world.clock.advance(by: .milliseconds(after))
        #expect(try await deletion.eraseDeletedUsers() == count)
        #expect(try await entries(.erased).map(\.details) == Array(repeating: ["reason": "deletion"], count: count))
        #expect(try await entries(.erased).allSatisfy { $0.actor == .server })
    }

    @Test("that is asked for twice keeps its first day")
    func twice() async throws {
        let id = try await user()
        let end = try await deletion.deleteUser(id, in: application, by: .local)
        world.clock.advance(by: .days(1))
        #expect(try await deletion.deleteUser(id, in: application, by: .local) == end)
        #expect(
            await world.refusal {
                _ = try await deletion.deleteUser(Identifier(rawValue: "x"), in: application, by: .local)
            } == .userUnknown)
    }

    @Test("is refused of somebody else alike, whether or not it was asked for before", arguments: [false, true])
    func bySomebodyElse(isLeaving: Bool) async throws {
        let (id, other) = (try await user(), try await user("mika"))
        if isLeaving { _ = try await deletion.deleteUser(id, in: application, by: .local) }
        let (tenant, now) = (application.id, world.clock.now)
        let before = try await world.modules.directory.readUser(id, in: tenant)
        let audit = AuditTrail(
            clock: world.clock, randomness: world.randomness, seals: AuditSeals(try SealingKey.ofTests()),
            hasLimits: false)
        let author = AccountAuthor(.owner(other), of: other, session: nil, from: .local).showing(.recentLogIn)
        let erasure = try UserErasure(.requested, in: tenant, by: author, audit: audit, now: now)
        let refusal = await world.refusal {
            _ = try await world.engine.write { transaction throws(DomainError) in
                try erasure.store(id, in: tenant, transaction)
            }
        }
        #expect(refusal == .accessRefused)
        #expect(try await world.modules.directory.readUser(id, in: tenant) == before)
    }

    @Test("can be taken back, which is recorded where there was something to take back")
    func restored() async throws {
        let id = try await user()
        #expect(try await deletion.restoreUser(id, in: application.id, by: .local).deletionRequestedAt == nil)
        #expect(try await entries(.restored).isEmpty)
        _ = try await deletion.deleteUser(id, in: application, by: .local)
        let back = try await deletion.restoreUser(id, in: application.id, by: .local)
        #expect(back.id == id && back.deletionRequestedAt == nil)
        #expect(try await entries(.restored).map(\.target) == [.user(id)])
        world.clock.advance(by: .days(30))
        #expect(try await deletion.eraseDeletedUsers() == 0)
        #expect(
            await world.refusal {
                _ = try await deletion.restoreUser(Identifier(rawValue: "x"), in: application.id, by: .local)
            } == .userUnknown)
    }

    @Test("at once says who did it, and is no deletion of a user that is not there")
    func atOnce() async throws {
        let id = try await user()
        try await deletion.eraseUser(id, in: application.id, by: .local)
        #expect(try await entries(.erased).map(\.details) == [["reason": "operator"]])
        #expect(try await entries(.erased).map(\.actor) == [.operator])
        #expect(
            await world.refusal { try await deletion.eraseUser(id, in: application.id, by: .local) } == .userUnknown)
        #expect(try await entries(.erased).count == 1)
    }

    @Test(
        "by an old protocol is of users who are there, and of those on the way out where the protocol sees them",
        arguments: [(false, false, true), (false, true, true), (true, false, false), (true, true, true)])
    func accessible(isLeaving: Bool, seesLeaving: Bool, isErased: Bool) async throws {
        let id = try await user()
        if isLeaving { _ = try await deletion.deleteUser(id, in: application, by: .local) }
        let refused = await world.refusal {
            try await deletion.eraseAccessibleUser(
                id, in: application, by: AccountAuthor(.operator, of: id, session: nil, from: .local),
                seesLeaving: seesLeaving)
        }
        #expect(refused == (isErased ? nil : .userUnknown))
        #expect(try await entries(.erasedAtOnce).map(\.details) == (isErased ? [["reason": "deletion"]] : []))
    }

    @Test(
        "of an idle guest comes after the last log-in and use, to the millisecond",
        arguments: [(30 * day, 0), (30 * day + 1, 1)])
    func idle(after: Int, count: Int) async throws {
        _ = try await world.logIn(TestDevice(), to: application)
        world.clock.advance(by: .milliseconds(after))
        #expect(try await deletion.removeIdleUsers() == count)
        #expect(try await entries(.erased).map(\.details) == Array(repeating: ["reason": "idle"], count: count))
    }

    private enum Reason: CaseIterable {
        case disabled, named, used
    }

    @Test("spares idle users whom an operator disabled, who have a name, or whose session was used")
    func spared() async throws {
        for reason in Reason.allCases {
            let device = TestDevice()
            let logIn = try await world.logIn(device, to: application)
            let (id, now) = (logIn.user.id, world.clock.now)
            switch reason {
            case .disabled:
                try await world.engine.write { transaction throws(DomainError) in
                    guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
                    user.disabledAt = now
                    try transaction.updateStanding(of: user)
                }
            case .named:
                try await world.engine.write { transaction throws(DomainError) in
                    guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
                    user.username = "hana"
                    try transaction.updateIdentifiers(of: user)
                }
            case .used:
                world.clock.advance(by: .days(20))
                _ = try await world.authenticate(logIn.token, in: application)
                try await world.modules.sessions.writeSessionActivity()
            }
        }
        world.clock.advance(by: .days(11))
        #expect(try await deletion.removeIdleUsers() == 0)
        #expect(try await world.modules.directory.listUsers(in: application.id).count == 3)
    }

    enum Departure: CaseIterable {
        case logOut, endedByOperator, deletion, merge
    }

    @Test(
        "spares a guest who was there yesterday and whose last log-in is long ago, though no session shows it any more",
        arguments: Departure.allCases)
    func departed(_ departure: Departure) async throws {
        let device = TestDevice()
        let logIn = try await world.logIn(device, to: application)
        world.clock.advance(by: .days(40))
        let who = try await world.authenticate(logIn.token, in: application)
        try await world.modules.sessions.writeSessionActivity()
        let id = who.user.id
        switch departure {
        case .logOut: try await world.modules.sessions.logOut(who)
        case .endedByOperator:
            _ = try await world.modules.administration.users.endAllSessions(of: id, in: application, by: .local)
        case .deletion: _ = try await deletion.requestDeletion(by: who, isProven: true, from: .local)
        case .merge:
            _ = try await world.modules.administration.users.merge(
                id, into: try await user(), in: application, by: .local)
        }
        world.clock.advance(by: .days(1))
        #expect(try await deletion.removeIdleUsers() == 0)
        #expect(try await world.modules.directory.readUser(id, in: application.id).id == id)
        guard departure == .logOut || departure == .endedByOperator else { return }
        world.clock.advance(by: .days(30))
        #expect(try await deletion.removeIdleUsers() == 1)
    }

    @Test("spares a guest who was there with a session that was brought that day and has ended since")
    func departedAfterImport() async throws {
        let (token, now) = ("a token of before", world.clock.now)
        let guest = User(
            id: Identifier(rawValue: "old-1"), application: application.id, createdAt: now - .days(400), updatedAt: now)
        _ = try await world.modules.imports.importUsers(
            [ImportedUser(user: guest, tokens: [Secret(token)])], into: application.id, of: .yearly, isRehearsal: false)
        world.clock.advance(by: SessionActivity.resolution)
        let who = try await world.modules.sessions.authenticate(
            .init(application: application, token: token[...], proof: nil, protocolName: .yearly),
            from: { TestWorld.address })
        try await world.modules.sessions.writeSessionActivity()
        try await world.modules.sessions.logOut(who)
        #expect(try await deletion.removeIdleUsers() == 0)
        world.clock.advance(by: .days(31))
        #expect(try await deletion.removeIdleUsers() == 1)
    }

    @Test("is counted from now on where it was asked for while the clock was ahead")
    func clockSetBack() async throws {
        let id = try await user()
        world.clock.advance(by: .days(365))
        _ = try await deletion.deleteUser(id, in: application, by: .local)
        world.clock.advance(by: .days(-365))
        // An hour of its rounds shows that the clock is right now.
        for _ in 0..<6 {
            #expect(try await deletion.eraseDeletedUsers() == 0)
            world.clock.advance(by: .seconds(600))
        }
        #expect(try await deletion.eraseDeletedUsers() == 0)
        world.clock.advance(by: .days(3) - .milliseconds(1))
        #expect(try await deletion.eraseDeletedUsers() == 0)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await deletion.eraseDeletedUsers() == 1)
    }

    @Test("keeps its grace where a machine that has just started is behind until it hears the right time")
    func clockBehind() async throws {
        let id = try await user()
        _ = try await deletion.deleteUser(id, in: application, by: .local)
        world.clock.advance(by: .days(-365))
        for _ in 0..<3 {
            #expect(try await deletion.eraseDeletedUsers() == 0)
            world.clock.advance(by: .seconds(60))
        }
        world.clock.advance(by: .days(365))
        #expect(try await deletion.eraseDeletedUsers() == 0)
        world.clock.advance(by: .days(3))
        #expect(try await deletion.eraseDeletedUsers() == 1)
    }

    @Test("spares a guest who has just come back: that is written at once, and does not wait for the next round")
    func back() async throws {
        let logIn = try await world.logIn(TestDevice(), to: application)
        let write = world.modules.sessions.writeSessionActivity
        var rings = write.signal.listen().makeAsyncIterator()
        #expect(await rings.next() != nil, "there may have been something before")
        world.clock.advance(by: .days(40))
        _ = try await world.authenticate(logIn.token, in: application)
        #expect(await rings.next() != nil)
        try await write()
        #expect(try await deletion.removeIdleUsers() == 0)
    }

    @Test("is nobody's where the application has no limit for idle users")
    func unlimited() async throws {
        let other = try await world.makeApplication()
        _ = try await world.logIn(TestDevice(), to: other)
        world.clock.advance(by: .days(3650))
        #expect(try await deletion.removeIdleUsers() == 0)
    }
}

/// More users than are erased in one transaction.
@Suite("The deletion of many accounts")
struct ManyDeletionTests {
    private let world: TestWorld

    init() throws { world = try TestWorld(try SQLiteStore(.memory, role: .server)) }

    private func guests(
        _ count: Int, in application: Application, leavingAt time: Timestamp? = nil
    ) async throws -> [Identifier<User>] {
        let now = world.clock.now
        let users = (0..<count).map { _ in
            var user = User(
                id: world.randomness.newIdentifier(at: now), application: application.id, createdAt: now,
                updatedAt: now)
            user.lastLogInAt = now
            return user
        }
        try await world.engine.write { transaction throws(DomainError) in
            for user in users {
                var leaving = user
                leaving.deletionRequestedAt = time
                try transaction.insert(user)
                try transaction.updateStanding(of: leaving)
            }
        }
        return users.map(\.id)
    }

    private func left(in application: Application) async throws -> Int {
        try await world.modules.directory.listUsers(in: application.id, limit: 1000).count
    }

    @Test(
        "is done in one call, in every application, each after its own grace",
        arguments: [0, 1, 49, 50, 51, 100, 101])
    func leaving(count: Int) async throws {
        let (day, week) = (try await application(grace: .days(1)), try await application(grace: .days(7)))
        for application in [day, week] {
            _ = try await guests(count, in: application, leavingAt: world.clock.now)
            _ = try await guests(2, in: application)
        }
        let erase = world.modules.deletion.eraseDeletedUsers
        world.clock.advance(by: .days(1) - .milliseconds(1))
        #expect(try await erase() == 0)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await erase() == count)
        #expect(try await left(in: day) == 2)
        #expect(try await left(in: week) == count + 2)
        world.clock.advance(by: .days(6))
        #expect(try await erase() == count)
        #expect(try await erase() == 0)
        #expect(try await left(in: week) == 2)
    }

    @Test("is done for two thousand of an application in one call, and goes on in the next")
    func callSize() async throws {
        let daily = try await application(grace: .days(1))
        _ = try await guests(EraseDeletedUsers.callSize + 51, in: daily, leavingAt: world.clock.now)
        world.clock.advance(by: .days(1))
        let erase = world.modules.deletion.eraseDeletedUsers
        for count in [2000, 51, 0] { #expect(try await erase() == count) }
    }

    @Test("of idle guests is done in one call, and counts who is erased", arguments: [0, 1, 49, 50, 51, 101])
    func idle(count: Int) async throws {
        let (monthly, never) = (try await application(idle: .days(30)), try await application())
        for application in [monthly, never] { _ = try await guests(count, in: application) }
        world.clock.advance(by: .days(30))
        let remove = world.modules.deletion.removeIdleUsers
        #expect(try await remove() == 0)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await remove() == count)
        #expect(try await remove() == 0)
        #expect(try await left(in: monthly) == 0)
        #expect(try await left(in: never) == count)
    }

    private func application(grace: Duration = .days(7), idle: Duration? = nil) async throws -> Application {
        var settings = ApplicationSettings()
        (settings.deletionGrace, settings.anonymousIdleLimit) = (grace, idle)
        return try await world.makeApplication(settings: settings)
    }
}

@Suite("The copy of an account for its owner")
struct ExportUseTests {
    @Test("is given five times an hour, to who has just logged in, and recorded")
    func limits() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let application = try await world.makeApplication()
        let logIn = try await world.signUp("hana", to: application)
        let who = try await world.authenticate(logIn.token, in: application)
        let export = world.modules.deletion.exportUser
        for number in 0..<5 {
            let copy = try await export(by: who, isProven: false, from: .local)
            #expect(copy.user.id == who.user.id && copy.exportedAt == world.clock.now, "\(number)")
            #expect(copy.application.id == application.id && copy.sessions.map(\.id) == [logIn.session.id])
            #expect(copy.audit.contains { $0.action == .userExported })
        }
        #expect(
            await world.refusal { _ = try await export(by: who, isProven: false, from: .local) }
                == .rateLimited(retryAfter: .seconds(3600)))
        world.clock.advance(by: .milliseconds(599_999))
        #expect(
            await world.refusal { _ = try await export(by: who, isProven: false, from: .local) }
                == .rateLimited(retryAfter: .milliseconds(3_000_001)))
        world.clock.advance(by: .milliseconds(1))
        #expect(
            await world.refusal { _ = try await export(by: who, isProven: false, from: .local) }
                == .reauthenticationRequired)
    }

    @Test("is there for another session of the user when one has used up its five, and 25 times for all together")
    func stolenSession() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let application = try await world.makeApplication()
        let stolen = try await world.signUp("hana", to: application).token
        let export = world.modules.deletion.exportUser
        func refusal(_ token: Secret) async throws -> DomainError? {
            let who = try await world.authenticate(token, in: application)
            return await world.refusal { _ = try await export(by: who, isProven: false, from: .local) }
        }
        let full = DomainError.rateLimited(retryAfter: .seconds(3600))
        for number in 0..<30 { #expect(try await refusal(stolen) == (number < 5 ? nil : full), "\(number)") }
        for session in 0..<4 {
            let own = try await world.logIn("hana", to: application).token
            for number in 0..<6 { #expect(try await refusal(own) == (number < 5 ? nil : full), "\(session) \(number)") }
        }
        #expect(try await refusal(try await world.logIn("hana", to: application).token) == full)
    }
}
