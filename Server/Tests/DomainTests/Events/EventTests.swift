import Domain
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@Suite("Events")
struct EventTests {
    let world: TestWorld
    let device = TestDevice()

    init() async throws {
        world = try TestWorld(SQLiteStore(.memory, role: .server))
    }

    private func application(_ isStreamed: Bool) async throws -> Application {
        var settings = ApplicationSettings()
        settings.events.isStreamed = isStreamed
        return try await world.makeApplication(settings: settings)
    }

    private func events(_ application: Application) async throws -> [Event] {
        try await world.modules.events.readEvents(in: application.id, after: 0, limit: 500).events
    }

    @Test("are not written where nobody listens")
    func silent() async throws {
        let application = try await application(false)
        _ = try await world.logIn(device, to: application)
        _ = try await world.signUp("hana", to: application)
        #expect(try await events(application).isEmpty)
    }

    @Test("are written of a first launch, once, and of no automatic log-in after it")
    func automatic() async throws {
        let application = try await application(true)
        let user = try await world.logIn(device, to: application).user
        for _ in 0..<3 { _ = try await world.logIn(device, to: application) }
        let found = try await events(application)
        #expect(found.map(\.type.rawValue) == ["user.created"])
        #expect(found.first?.user == user.id && found.first?.details == ["anonymous": "yes"])
        #expect(found.first?.position == 1)
    }

    @Test("of one user come in order: created, logged in, upgraded, linked to nothing of another application")
    func order() async throws {
        let (application, foreign) = (try await application(true), try await application(true))
        let logIn = try await world.logIn(device, to: application)
        _ = try await world.upgrade(
            logIn, NewIdentifiers(username: .set("hana"), rules: .native), in: application)
        _ = try await world.logIn("hana", to: application)
        let found = try await events(application)
        #expect(found.map(\.type.rawValue) == ["user.created", "user.upgraded", "user.logged-in"])
        #expect(found.map(\.position) == [1, 2, 3])
        #expect(Set(found.map(\.user)) == [logIn.user.id])
        #expect(try await events(foreign).isEmpty)
    }

    /// Issue 24: only an operator's change was an event.
    @Test("are written of a user's own profile, with no value and no entry of the audit log, and not of what stays")
    func ownProfile() async throws {
        let (application, silent) = (try await application(true), try await application(false))
        let id = try await world.logIn(device, to: application).user.id
        let edits = [
            UserEdit(fields: .set(["score": 1])), UserEdit(fields: .set(["score": 1])),
            UserEdit(displayName: .set("Hana"), locale: .set("ja-JP")), UserEdit(displayName: .set("Hana")),
        ]
        for edit in edits { try await world.edit(id, in: application, edit) }
        let found = try await events(application)
        #expect(found.map(\.type.rawValue) == ["user.created", "user.changed", "user.changed"])
        #expect(found.allSatisfy { $0.user == id } && !"\(found)".contains("Hana"))
        let audited = try await world.modules.administration.audit.list(in: application.id).map(\.action.rawValue)
        #expect(!audited.contains("user.changed"))
        let other = try await world.logIn(device, to: silent).user.id
        try await world.edit(other, in: silent, UserEdit(fields: .set(["score": 1])))
        #expect(try await events(silent).isEmpty)
    }

    private static let parts: [(name: String, change: UserEdit, removal: UserEdit)] = [
        ("a name", UserEdit(displayName: .set("Hana")), UserEdit(displayName: .removed)),
        ("a language", UserEdit(locale: .set("ja-JP")), UserEdit(locale: .removed)),
        ("fields", UserEdit(fields: .set(["score": 1])), UserEdit(fields: .removed)),
    ]

    @Test("are written of each part of a profile by itself, when it comes and when it goes", arguments: parts.indices)
    func partOfProfile(index: Int) async throws {
        let application = try await application(true)
        let id = try await world.logIn(device, to: application).user.id
        let (name, change, removal) = Self.parts[index]
        for edit in [change, change, removal, removal] { try await world.edit(id, in: application, edit) }
        let found = try await events(application).map(\.type.rawValue)
        #expect(found == ["user.created", "user.changed", "user.changed"], "\(name)")
    }

    @Test("are written once of what an operator changes, whether a name alone or an address beside it")
    func operatorsProfile() async throws {
        let application = try await application(true)
        let id = try await world.signUp("hana", to: application).user.id
        let before = try await events(application).count
        let identifiers = NewIdentifiers(email: .set("hana@example.com"), rules: .native)
        for edit in [
            UserEdit(displayName: .set("Hana")), UserEdit(displayName: .set("Sora"), identifiers: identifiers),
        ] {
            try await world.modules.accounts.editUser(edit, of: id, in: application, by: .operator(.local))
        }
        #expect(
            try await events(application).dropFirst(before).map(\.type.rawValue)
                == ["user.changed", "identifiers.changed", "user.changed"])
    }

    @Test("hold no value of the user, and keep the id alone once the user is erased")
    func erasure() async throws {
        let application = try await application(true)
        let user = try await world.signUp("hana", to: application).user
        let text = "\(try await events(application))"
        #expect(!text.contains("\"hana\""))
        try await world.modules.deletion.eraseUser(user.id, in: application.id, by: .local)
        let found = try await events(application)
        #expect(found.last?.type == .erased && found.allSatisfy { $0.user == user.id })
        #expect(found.dropLast().allSatisfy { $0.details.isEmpty })
    }

    @Test("can be read on from any position, by type, and are removed when they are old")
    func stream() async throws {
        let application = try await application(true)
        for name in ["hana", "taro", "yuki"] { _ = try await world.signUp(name, to: application) }
        let read = world.modules.events.readEvents
        let all = try await events(application)
        let page = try await read(in: application.id, after: 2, limit: 2)
        #expect(page.events == Array(all[2..<4]) && page.next == 4)
        let created = try await read(in: application.id, after: 0, types: [.userCreated], limit: 500)
        #expect(created.events.count == 3 && created.next == all.last?.position)
        #expect(try await read.end(of: application.id) == all.last?.position)

        world.clock.advance(by: .days(31))
        try await world.modules.sessions.purgeExpired()
        #expect(try await events(application).isEmpty)
        _ = try await world.signUp("sora", to: application)
        // Positions go on where they were.
        #expect(try await events(application).first?.position == Int64(all.count + 1))
    }

    @Test(
        "are kept for as long as the application keeps them, to the millisecond",
        arguments: [(.zero, true), (.days(30), true), (.days(30) + .milliseconds(1), false)] as [(Duration, Bool)])
    func retention(after: Duration, isKept: Bool) async throws {
        let application = try await application(true)
        _ = try await world.logIn(device, to: application)
        let before = try await events(application)
        #expect(before.count == 1)
        world.clock.advance(by: after)
        try await world.modules.sessions.purgeExpired()
        #expect(try await events(application) == (isKept ? before : []))
    }

    @Test(
        "are all removed when they are old, whether or not they fill the last transaction, and younger ones stay",
        arguments: [999, 1000, 1001, 2000])
    func crowd(count: Int) async throws {
        let id = try await application(true).id
        func write(_ name: String, _ count: Int) async throws {
            let now = world.clock.now
            try await world.engine.write { transaction throws(DomainError) in
                for number in 0..<count {
                    try transaction.insert(
                        Event(
                            id: Identifier(rawValue: "\(name)\(10_000 + number)"), application: id, type: .loggedIn,
                            user: Identifier(rawValue: "hana"), at: now))
                }
            }
        }
        try await write("old", count)
        world.clock.advance(by: .days(31))
        try await write("young", 3)
        // Gives each its position.
        _ = try await world.modules.events.deliverEvents()
        try await world.modules.sessions.purgeExpired()
        let left = try await world.modules.events.readEvents(in: id, after: 0, limit: 500).events
        #expect(left.compactMap(\.position) == (1...3).map { Int64(count + $0) })
    }

    @Test("have a type in the table for every change but four")
    func table() {
        let silent = AccountChange.allCases.filter { $0.policy.event == nil }
        #expect(silent == [.created, .signedUp, .mergeOffered, .mergeKept])
        #expect(AccountChange.merged.policy.event == AccountChange.mergedByOperator.policy.event)
    }
}
