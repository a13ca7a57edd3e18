import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What happened by hour, compared with a list of what happened.
@Suite("The statistics of an application")
struct StatisticsTests {
    private static let hour: Duration = .seconds(3600)

    private let world: TestWorld

    init() throws {
        // Begins at the full hour, and at the beginning of a day.
        let begin = Timestamp(milliseconds: StandingClock().now.day * 86_400_000)
        world = try TestWorld(try SQLiteStore(.memory, role: .server), clock: StandingClock(begin))
    }

    private func stored(_ application: Application) async throws -> [Statistic] {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.statistics(of: application.id, since: 0)
        }
    }

    private func write() async throws { try await world.modules.administration.statistics.write() }

    private func newUsers(_ statistics: [Statistic]) -> [Int64: Int64] {
        var counts: [Int64: Int64] = [:]
        for statistic in statistics where statistic.name == .newUsers { counts[statistic.hour] = statistic.value }
        return counts
    }

    @Test("are written of an hour a minute after it is over, and of each once", arguments: [0, 59_999, 60_000, 60_001])
    func settled(after: Int) async throws {
        let application = try await world.makeApplication()
        let begin = world.clock.now.hour
        _ = try await world.logIn(TestDevice(), to: application)
        world.clock.advance(by: Self.hour)
        world.clock.advance(by: .milliseconds(after))
        for _ in 0..<2 {
            try await write()
            let counts = newUsers(try await stored(application))
            #expect(counts == (after >= 60_000 ? [begin: 1] : [:]))
        }
    }

    @Test("have each hour and its new users, whenever they are written", arguments: UInt64(0)..<12)
    func model(seed: UInt64) async throws {
        var draw = SeededGenerator(state: seed)
        let application = try await world.makeApplication()
        var (made, begin): ([Int64: Int64], Int64) = ([:], world.clock.now.hour)
        for _ in 0..<25 {
            if draw.isOne(in: 2) {
                _ = try await world.logIn(TestDevice(), to: application)
                made[world.clock.now.hour, default: 0] += 1
            }
            world.clock.advance(by: .seconds(draw.number(below: 5000)))
            if draw.isOne(in: 3) { try await write() }
        }
        world.clock.advance(by: Self.hour + .seconds(60))
        try await write()
        let finished = (world.clock.now - .seconds(60)).hour - 1
        let counts = newUsers(try await stored(application))
        #expect(counts.keys.sorted() == Array(begin...finished), "\(seed)")
        for hour in begin...finished { #expect(counts[hour] == made[hour] ?? 0, "\(seed) \(hour - begin)") }
        // The overview has the same, and the hour that is not over yet.
        let overview = try await world.modules.administration.statistics.readOverview(of: application.id, days: 3)
        for (hour, value) in newUsers(overview.statistics) { #expect(value == made[hour] ?? 0, "\(seed)") }
        #expect(overview.userCount == Int(made.values.reduce(0, +)))
        begin = world.clock.now.hour
        #expect(overview.hours.upperBound == begin)
    }

    @Test(
        "are made up for two days at a time after a time without a server, a month back",
        arguments: [1, 47, 48, 49, 100, 800])
    func madeUp(hours: Int) async throws {
        let application = try await world.makeApplication()
        let begin = world.clock.now.hour
        world.clock.advance(by: .seconds(3600 * (hours + 1)))
        world.clock.advance(by: .seconds(60))
        let finished = begin + Int64(hours)
        let first = max(begin, finished - 24 * 31)
        var written = 0
        for _ in 0..<20 {
            try await write()
            let counts = newUsers(try await stored(application))
            let expected = min(written + 48, Int(finished - first) + 1)
            #expect(counts.count == expected)
            #expect(counts.keys.min() == first)
            written = counts.count
        }
        #expect(written == Int(finished - first) + 1)
    }

    @Test(
        "go on where the clock was ahead, wrote hours that are still to come, and was set right",
        arguments: [true, false])
    func clockSetBack(isMadeBefore: Bool) async throws {
        var application = try await world.makeApplication()
        world.clock.advance(by: .days(365))
        if !isMadeBefore { application = try await world.makeApplication() }
        try await write()
        world.clock.advance(by: .days(-365))
        let begin = world.clock.now.hour
        _ = try await world.logIn(TestDevice(), to: application)
        // An hour of its rounds shows that the clock is right now.
        for _ in 0..<7 {
            try await write()
            world.clock.advance(by: .seconds(600))
        }
        for _ in 0..<2 { try await write() }
        let counts = newUsers(try await stored(application))
        #expect(counts[begin] == 1 && counts.keys.max() == begin)
    }

    @Test("keep the hours that are written while a machine that has just started is behind")
    func clockBehind() async throws {
        let application = try await world.makeApplication()
        world.clock.advance(by: Self.hour * 3 + .seconds(60))
        try await write()
        let written = newUsers(try await stored(application))
        world.clock.advance(by: .days(-365))
        // Until it hears the right time.
        for _ in 0..<3 {
            try await write()
            world.clock.advance(by: .seconds(60))
        }
        #expect(written.count == 3)
        #expect(newUsers(try await stored(application)) == written)
    }

    @Test("count entries of the audit log by action and result")
    func audit() async throws {
        let application = try await world.makeApplication()
        let hour = world.clock.now.hour
        for number in 0..<3 {
            try await world.modules.applications.changeTheme(
                of: application.id, to: ["number": .integer(Int64(number))], by: .local)
        }
        _ = try await world.signUp("hana", to: application)
        _ = await world.refusal { _ = try await world.logIn("hana", Secret("wrong wrong wrong"), to: application) }
        world.clock.advance(by: Self.hour + .seconds(60))
        try await write()
        let statistics = try await stored(application).filter { $0.hour == hour }
        func value(_ action: AuditEntry.Action, _ result: AuditEntry.Result) -> Int64? {
            statistics.first { $0.name == .audit(action, result) }?.value
        }
        #expect(value(.applicationCreated, .done) == 1)
        #expect(value(.loggedIn, .done) == 1 && value(.loggedIn, .refused) == 1)
        #expect(value(.themeChanged, .done) == 3 && value(.themeChanged, .refused) == nil)
        #expect(statistics.first { $0.name == .newUsers }?.value == 1)
    }

    @Test("count who was there today, and within thirty days", arguments: [0, 1, 28, 29, 30, 31])
    func active(days: Int) async throws {
        let application = try await world.makeApplication()
        _ = try await world.logIn(TestDevice(), to: application)
        try await world.modules.sessions.writeSessionActivity()
        world.clock.advance(by: .days(Int64(days)))
        let overview = try await world.modules.administration.statistics.readOverview(of: application.id, days: 1)
        #expect(overview.activeToday == (days == 0 ? 1 : 0))
        #expect(overview.activeMonth == (days < 30 ? 1 : 0))
    }

    @Test("count nobody as there who was imported, before the first log-in here", arguments: [nil, 0, 1, 30] as [Int?])
    func imported(daysSinceLogIn: Int?) async throws {
        let application = try await world.makeApplication()
        let now = world.clock.now
        var user = User(
            id: Identifier(rawValue: "old-1"), application: application.id, createdAt: now, updatedAt: now)
        user.username = "hana"
        user.lastLogInAt = daysSinceLogIn.map { now - .days(Int64($0)) }
        let outcomes = try await world.modules.imports.importUsers(
            [ImportedUser(user: user)], into: application.id, of: .native, isRehearsal: false)
        #expect(outcomes == [.imported])
        let overview = try await world.modules.administration.statistics.readOverview(of: application.id, days: 1)
        #expect(overview.activeToday == (daysSinceLogIn == 0 ? 1 : 0))
        #expect(overview.activeMonth == (daysSinceLogIn.map { $0 < 30 } == true ? 1 : 0))
    }

    @Test("count as there who uses a session that was brought, on the very day too, and not by bringing it")
    func importedSession() async throws {
        let (application, token) = (try await world.makeApplication(), "a token of before")
        let (sessions, statistics) = (world.modules.sessions, world.modules.administration.statistics)
        let now = world.clock.now
        var user = User(
            id: Identifier(rawValue: "old-1"), application: application.id, createdAt: now - .days(400), updatedAt: now)
        user.username = "hana"
        let outcomes = try await world.modules.imports.importUsers(
            [ImportedUser(user: user, tokens: [Secret(token)])], into: application.id, of: .yearly, isRehearsal: false)
        #expect(outcomes == [.imported])
        try await sessions.writeSessionActivity()
        #expect(try await statistics.readOverview(of: application.id, days: 1).activeToday == 0)
        world.clock.advance(by: SessionActivity.resolution)
        _ = try await sessions.authenticate(
            .init(application: application, token: token[...], proof: nil, protocolName: .yearly),
            from: { TestWorld.address })
        try await sessions.writeSessionActivity()
        #expect(try await statistics.readOverview(of: application.id, days: 1).activeToday == 1)
    }

    @Test(
        "are looked at by day, from the beginning of the first one, and of one day by its last 24 hours",
        arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (30, 30), (90, 90), (91, 90), (.max, 90)])
    func spans(asked: Int, days: Int64) async throws {
        let application = try await world.makeApplication()
        world.clock.advance(by: .seconds(5 * 3600 + 1))
        let now = world.clock.now
        let overview = try await world.modules.administration.statistics.readOverview(of: application.id, days: asked)
        #expect(overview.hours.upperBound == now.hour)
        #expect(overview.hours.lowerBound == (days == 1 ? now.hour - 23 : (now.day - days + 1) * 24))
    }

    @Test(
        "have hours and days in UTC",
        arguments: [(0, 0, 0), (3_599_999, 0, 0), (3_600_000, 1, 0), (86_399_999, 23, 0), (86_400_000, 24, 1)]
            as [(Int64, Int64, Int64)])
    func times(milliseconds: Int64, hour: Int64, day: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(time.hour == hour && time.day == day)
        #expect(Timestamp(hour: hour).milliseconds == hour * 3_600_000)
    }
}
