import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("The name of an attempt")
struct AttemptNameTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func guest() async throws -> Authenticated {
        try await world.authenticate(try await world.logIn(TestDevice(), to: application).token, in: application)
    }

    private func refusal(_ name: String, _ request: [UInt8], by who: Authenticated) async -> DomainError? {
        await world.refusal {
            try await world.modules.accounts.rememberAttempt(
                Attempt(name: name, request: request), by: who, from: TestWorld.address)
        }
    }

    @Test("stands for one request of one user, however often it is sent")
    func one() async throws {
        let (hana, mika) = (try await guest(), try await guest())
        #expect(
            await world.refusal {
                try await world.modules.accounts.rememberAttempt(nil, by: hana, from: TestWorld.address)
            } == nil)
        #expect(await refusal("a", [1], by: hana) == nil)
        #expect(await refusal("a", [1], by: hana) == nil)
        #expect(await refusal("a", [2], by: hana) == .attemptReused)
        #expect(await refusal("a", [1], by: hana) == nil, "a refusal changes nothing")
        #expect(await refusal("b", [2], by: hana) == nil)
        #expect(await refusal("a", [2], by: mika) == nil)
        #expect(await refusal("a", [1], by: mika) == .attemptReused)
    }

    @Test("is forgotten a day and ten minutes later", arguments: [(86_400 + 599, false), (86_400 + 601, true)])
    func forgotten(after seconds: Int, isForgotten: Bool) async throws {
        let hana = try await guest()
        #expect(await refusal("a", [1], by: hana) == nil)
        world.clock.advance(by: .seconds(seconds))
        try await world.modules.sessions.purgeExpired()
        #expect(await refusal("a", [2], by: hana) == (isForgotten ? nil : .attemptReused))
    }
}

/// A guest fills the disk by what is remembered of each attempt (requirement 47).
@Suite("The names of a user's attempts")
struct AttemptLimitTests {
    @Test("are a hundred an hour from one address; a repetition and a refusal count for none")
    func limited() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let application = try await world.makeApplication()
        let who = try await world.authenticate(
            try await world.logIn(TestDevice(), to: application).token, in: application)
        func refusal(_ name: String, _ request: [UInt8] = [1], from address: ClientAddress = TestWorld.address) async
            -> DomainError?
        {
            await world.refusal {
                try await world.modules.accounts.rememberAttempt(
                    Attempt(name: name, request: request), by: who, from: address)
            }
        }
        for number in 0..<100 {
            #expect(await refusal("\(number)") == nil)
            #expect(await refusal("\(number)") == nil)
            #expect(await refusal("\(number)", [2]) == .attemptReused)
        }
        #expect(await refusal("another")?.code == .rateLimited)
        #expect(await refusal("0") == nil)
        let elsewhere = ClientAddress(text: "192.0.2.8", allowanceGroup: "192.0.2.8")
        #expect(await refusal("another", from: elsewhere) == nil)
        let rows = try await world.engine.read { transaction throws(DomainError) in
            try transaction.counters(startedBefore: Timestamp(milliseconds: .max), after: nil, count: 100)
                .filter { $0.kind == "attempt" }.count
        }
        #expect(rows == 2)
        // The networks of one IPv6 site are one client.
        for number in 0..<101 {
            let address = ClientAddress(
                text: "2001:db8:1:\(number)::1", allowanceGroup: "2001:db8:1:\(number)::/64")
            #expect(await refusal("site \(number)", from: address)?.code == (number < 100 ? nil : .rateLimited))
        }
        world.clock.advance(by: .seconds(3600))
        #expect(await refusal("one more") == nil)
    }

    @Test("are not remembered of an upgrade whose form is refused")
    func form() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let who = try await world.authenticate(
            try await world.logIn(TestDevice(), to: application).token, in: application)
        let registered = try await world.authenticate(
            try await world.signUp("mika", to: application).token, in: application)
        func isWellFormed(_ username: String?, _ password: String?, by asker: Authenticated? = nil) -> Bool {
            world.modules.accounts.upgradeUser.isWellFormed(
                UpgradeUser.Request(
                    identifiers: NewIdentifiers(username: username.map { .set($0) } ?? .unchanged, rules: .native),
                    password: password.map(Secret.init(_:))), by: asker ?? who)
        }
        #expect(isWellFormed("hana", "a long enough secret"))
        #expect(!isWellFormed(nil, nil))
        #expect(!isWellFormed("", "a long enough secret"))
        // A registered user asks for a repetition, which is compared with the upgrade that was made.
        #expect(isWellFormed("mika", "a long enough secret", by: registered))
        #expect(isWellFormed(nil, nil, by: registered) && isWellFormed("", "x", by: registered))
    }
}

@Suite("The keys of a user's devices")
struct DeviceKeyListTests {
    private static let now = StandingClock().now
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private static func session(_ key: String?, _ device: DeviceDescription, usedAfter seconds: Int) -> Session {
        Session(
            id: Identifier(rawValue: "s"), application: Identifier(rawValue: "a"), user: Identifier(rawValue: "u"),
            client: .init(deviceKey: key, device: device, address: nil), protocolName: .native, method: .automatic,
            times: .init(createdAt: now, lastUsedAt: now + .seconds(seconds), expiresAt: now + .days(1)))
    }

    @Test("say what their newest session says that has a name, and when any was used last")
    func described() {
        let user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "a"),
            identities: [
                Identity(provider: .device, subject: "one", linkedAt: Self.now),
                Identity(provider: .apple, subject: "one", linkedAt: Self.now),
                Identity(provider: .device, subject: "two", linkedAt: Self.now + .seconds(1)),
                Identity(provider: .device, subject: "three", linkedAt: Self.now + .seconds(2)),
            ], createdAt: Self.now, updatedAt: Self.now)
        let keys = DeviceKey.keys(
            of: user,
            sessions: [
                Self.session("one", DeviceDescription(), usedAfter: 5),
                Self.session("one", DeviceDescription(name: "new"), usedAfter: 9),
                Self.session("one", DeviceDescription(name: "older"), usedAfter: 7),
                Self.session(nil, DeviceDescription(name: "none"), usedAfter: 99),
                Self.session("two", DeviceDescription(model: "M1"), usedAfter: 3),
            ])
        #expect(
            keys == [
                DeviceKey(
                    thumbprint: "one", device: DeviceDescription(name: "new"), addedAt: Self.now,
                    lastUsedAt: Self.now + .seconds(9)),
                DeviceKey(
                    thumbprint: "two", device: DeviceDescription(model: "M1"), addedAt: Self.now + .seconds(1),
                    lastUsedAt: Self.now + .seconds(3)),
                DeviceKey(
                    thumbprint: "three", device: DeviceDescription(), addedAt: Self.now + .seconds(2), lastUsedAt: nil),
            ])
    }

    @Test("go all at once by an operator, which is a change of the user")
    func all() async throws {
        let (first, second) = (TestDevice(), TestDevice())
        let signUp = try await world.signUp("hana", to: application, with: first)
        _ = try await world.logIn("hana", to: application, with: second)
        let (id, remove) = (signUp.user.id, world.modules.accounts.removeDeviceKeys)
        world.clock.advance(by: .seconds(5))
        #expect(try await remove.others(of: id, in: application, by: .operator(.local)) == 2)
        let user = try await world.modules.directory.readUser(id, in: application.id)
        #expect(user.updatedAt == world.clock.now && user.identities.allSatisfy { $0.provider != .device })
        #expect(try await world.modules.accounts.listDeviceKeys(of: id, in: application.id).isEmpty)
        let unknown = await world.refusal {
            _ = try await remove.others(of: Identifier(rawValue: "nobody"), in: application, by: .operator(.local))
        }
        #expect(unknown == .userUnknown)
    }

    @Test("go one by one, with their sessions, but never the last way in")
    func removed() async throws {
        let (first, second) = (TestDevice(), TestDevice())
        let signUp = try await world.signUp("hana", to: application, with: first)
        _ = try await world.logIn("hana", to: application, with: second)
        _ = try await world.logIn(second, to: application)
        let (id, remove) = (signUp.user.id, world.modules.accounts.removeDeviceKeys)
        world.clock.advance(by: .seconds(5))
        try await remove(second.thumbprint, of: id, in: application, by: .operator(.local))
        let left = try await world.modules.accounts.listDeviceKeys(of: id, in: application.id)
        #expect(left.map(\.thumbprint) == [first.thumbprint])
        #expect(try await world.modules.directory.readUser(id, in: application.id).updatedAt == world.clock.now)
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: AccountChange.deviceKeyRemoved.policy.action))
        #expect(entries.map { $0.details["device-key"] } == [second.thumbprint])
        let ended = try #require(entries.first?.details["count"].flatMap { Int($0) })
        let sessions = try await world.modules.sessions.listSessions(of: id, in: application)
        #expect(sessions.map(\.id) == [signUp.session.id] && ended >= 1)
        #expect(
            await world.refusal {
                try await remove(second.thumbprint, of: id, in: application, by: .operator(.local))
            } == .identityUnknown)
        #expect(
            await world.refusal {
                try await remove("x", of: Identifier(rawValue: "nobody"), in: application, by: .operator(.local))
            } == .userUnknown)
        let guest = TestDevice()
        let alone = try await world.logIn(guest, to: application).user.id
        #expect(
            await world.refusal {
                try await remove(guest.thumbprint, of: alone, in: application, by: .operator(.local))
            } == .lastWayIn)
        #expect(
            await world.refusal {
                _ = try await world.modules.accounts.listDeviceKeys(
                    of: Identifier(rawValue: "nobody"), in: application.id)
            } == .userUnknown)
    }
}

@Suite("A list of users")
struct UserListRuleTests {
    private static let now = StandingClock().now

    private static func user(isAnonymous: Bool, isDisabled: Bool, isWeak: Bool) -> User {
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "a"), createdAt: now, updatedAt: now)
        if !isAnonymous { user.username = "hana" }
        if isDisabled { user.disabledAt = now }
        if isWeak { user.weakPasswordAt = now }
        return user
    }

    @Test("holds whom each of its conditions fits", arguments: [nil, true, false], [true, false])
    func filter(condition: Bool?, value: Bool) {
        let fits = condition == nil || condition == value
        for other in [true, false] {
            let anonymous = Self.user(isAnonymous: value, isDisabled: other, isWeak: !other)
            #expect(ListUsers.Filter(isAnonymous: condition).fits(anonymous) == fits)
            let disabled = Self.user(isAnonymous: other, isDisabled: value, isWeak: !other)
            #expect(ListUsers.Filter(isDisabled: condition).fits(disabled) == fits)
            let weak = Self.user(isAnonymous: other, isDisabled: !other, isWeak: value)
            #expect(ListUsers.Filter(hasWeakPassword: condition).fits(weak) == fits)
        }
    }

    @Test("begins behind an id, and has at least one user and at most as many as there are")
    func pages() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        var ids: [Identifier<User>] = []
        for number in 0..<5 {
            ids.append(try await world.signUp("user\(number)", to: application).user.id)
            world.clock.advance(by: .milliseconds(1))
        }
        func list(_ limit: Int, after id: Identifier<User>? = nil, _ filter: ListUsers.Filter = .init()) async throws
            -> [Identifier<User>]
        {
            try await world.modules.directory.listUsers(in: application.id, after: id, limit: limit, filter: filter)
                .map(\.id)
        }
        for (limit, count) in [(-1, 1), (0, 1), (1, 1), (4, 4), (5, 5), (6, 5), (.max, 5)] {
            #expect(try await list(limit) == Array(ids.prefix(count)), "\(limit)")
        }
        #expect(try await list(2, after: ids[1]) == [ids[2], ids[3]])
        #expect(try await list(2, after: ids[4]).isEmpty)
        let disable = world.modules.accounts.setUserDisabled
        for index in [1, 3] { try await disable(ids[index], in: application, isDisabled: true, by: .local) }
        #expect(try await list(9, .init(isDisabled: true)) == [ids[1], ids[3]])
        #expect(try await list(1, .init(isDisabled: true)) == [ids[1]])
        #expect(try await list(9, after: ids[1], .init(isDisabled: true)) == [ids[3]])
        #expect(try await list(9, .init(identifier: "USER3")) == [ids[3]])
        #expect(try await list(9, .init(isDisabled: false, identifier: "user3")).isEmpty)
        #expect(try await list(9, after: ids[2], .init(identifier: "user3")) == [ids[3]])
        #expect(try await list(9, after: ids[3], .init(identifier: "user3")).isEmpty)
    }
}
