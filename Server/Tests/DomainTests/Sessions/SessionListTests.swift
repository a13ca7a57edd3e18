import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("Sessions of a user")
struct SessionListTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication(
            settings: .init(sessionIdleLifetime: .days(2), sessionLifetime: .days(5)))
    }

    private func entries(_ action: AuditEntry.Action) async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(in: application.id, matching: AuditFilter(action: action))
    }

    private func who(_ logIn: LogIn) async throws -> Authenticated {
        try await world.authenticate(logIn.token, in: application)
    }

    private static let day = 86_400_000

    @Test("are shown until they end, to the millisecond", arguments: [(2 * day - 1, 1), (2 * day, 0)])
    func idle(after: Int, count: Int) async throws {
        let user = try await world.signUp("hana", to: application).user.id
        world.clock.advance(by: .milliseconds(after))
        #expect(try await world.modules.sessions.listSessions(of: user, in: application).count == count)
    }

    @Test("are listed a page at a time, by age in either direction, with their number")
    func pages() async throws {
        let user = try await world.signUp("hana", to: application).user
        var ids: [Identifier<Session>] = []
        for number in UInt8(0)..<4 {
            let now = world.clock.now
            let session = Session(
                id: world.randomness.newIdentifier(at: now), application: application.id, user: user.id,
                client: .init(address: nil), protocolName: .single, method: .password,
                times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1)))
            try await world.engine.write { transaction throws(DomainError) in
                try transaction.insert(session, token: SecretDigest(of: [number]), attempt: nil)
            }
            ids.append(session.id)
            world.clock.advance(by: .milliseconds(1))
        }
        func page(
            _ skip: Int, _ limit: Int, newestFirst: Bool = false, of name: Session.ProtocolName = .single
        ) async throws -> [Identifier<Session>] {
            let found = try await world.modules.sessions.listSessions.all(
                of: name, in: application, newestFirst: newestFirst, skip: skip, limit: limit)
            #expect(found.count == (name == .single ? 4 : 0))
            return found.sessions.map(\.id)
        }
        #expect(try await page(0, 10) == ids)
        #expect(try await page(0, 10, newestFirst: true) == ids.reversed())
        #expect(try await page(1, 2) == [ids[1], ids[2]])
        #expect(try await page(-5, 1) == [ids[0]])
        #expect(try await page(3, .max) == [ids[3]])
        for (skip, limit) in [(4, 1), (.max, 1), (0, 0), (0, -1)] {
            #expect(try await page(skip, limit).isEmpty, "\(skip) \(limit)")
        }
        // Okaeri's own sessions are no objects of an old protocol.
        for name in [Session.ProtocolName.yearly, .native] { #expect(try await page(0, 10, of: name).isEmpty) }
    }

    @Test("are found by their id in their own protocol and application alone, whichever others the user has")
    func byId() async throws {
        let user = try await world.signUp("hana", to: application).user.id
        func open(_ name: Session.ProtocolName) async throws -> Identifier<Session> {
            try await world.modules.sessions.openSession(
                OpenSession.Request(
                    user: user, application: application, protocolName: name, method: .adoption, actor: .operator,
                    origin: .local)
            ).session.id
        }
        let (first, second, other) = (try await open(.yearly), try await open(.yearly), try await open(.endless))
        let find = world.modules.sessions.findSession
        let elsewhere = try await world.makeApplication()
        for id in [first, second] {
            #expect(try await find(id, in: application, of: .yearly)?.id == id)
            #expect(try await find(id, in: application, of: .endless) == nil)
            #expect(try await find(id, in: elsewhere, of: .yearly) == nil)
        }
        #expect(try await find(other, in: application, of: .endless)?.id == other)
        #expect(try await find(other, in: application, of: .yearly) == nil)
        #expect(try await find(Identifier<Session>(rawValue: "none"), in: application, of: .yearly) == nil)
    }

    @Test("are ended by their user, one by one, which is recorded; a log-out is not")
    func ended() async throws {
        let (first, other) = (
            try await world.signUp("hana", to: application), try await world.signUp("mika", to: application)
        )
        let (owner, stranger) = (try await who(first), try await who(other))
        let sessions = world.modules.sessions
        #expect(
            await world.refusal { try await sessions.endSession(first.session.id, by: stranger, from: .local) }
                == .sessionUnknown)
        #expect(try await entries(.sessionEnded).isEmpty)
        let second = try await world.logIn("hana", to: application)
        try await sessions.endSession(second.session.id, by: owner, from: .local)
        #expect(try await entries(.sessionEnded).map(\.target) == [.user(first.user.id)])
        #expect(try await entries(.sessionEnded).map(\.details) == [["session": second.session.id.rawValue]])
        #expect(try await entries(.sessionEnded).map(\.actor) == [.user(first.user.id)])
        #expect(
            await world.refusal { try await sessions.endSession(second.session.id, by: owner, from: .local) }
                == .sessionUnknown)
        try await sessions.logOut(owner)
        #expect(await world.refusal { _ = try await who(first) } == .sessionInvalid)
        #expect(try await entries(.sessionEnded).count == 1)
        try await sessions.endSession(other.session.id, of: nil, in: application.id, by: .local)
        #expect(await world.refusal { _ = try await who(other) } == .sessionInvalid)
        #expect(try await entries(.sessionEnded).count == 2)
        #expect(
            await world.refusal {
                try await sessions.endSession(other.session.id, of: nil, in: application.id, by: .local)
            } == .sessionUnknown)
    }

    private func edit(
        _ session: Identifier<Session>, by author: EditSession.Author, of name: Session.ProtocolName = .native,
        _ change: (inout EditSession.Request) -> Void = { $0.operations = ["level": .set(3)] }
    ) async throws -> Session {
        var request = EditSession.Request(session, in: application, of: name, by: author)
        change(&request)
        return try await world.modules.sessions.editSession(request)
    }

    @Test("take fields from their user, and an end from an operator alone")
    func edited() async throws {
        let logIn = try await world.signUp("hana", to: application)
        let (owner, id) = (try await who(logIn), logIn.session.id)
        world.clock.advance(by: .seconds(1))
        let own = try await edit(id, by: .owner(owner))
        #expect(own.fields == ["level": 3] && own.updatedAt == world.clock.now)
        #expect(own.expiresAt == logIn.session.expiresAt)
        #expect(try await entries(.sessionChanged).isEmpty)
        let end = world.clock.now + .days(1)
        #expect(
            await world.refusal { _ = try await edit(id, by: .owner(owner)) { $0.expiresAt = end } } == .accessRefused)
        let changed = try await edit(id, by: .operator(.local)) { $0.expiresAt = end }
        #expect(changed.expiresAt == end && changed.fields == ["level": 3])
        #expect(try await entries(.sessionChanged).map(\.target) == [.session(id)])
        let stored = try await world.modules.sessions.listSessions(of: logIn.user.id, in: application)
        #expect(stored.map(\.expiresAt) == [end] && stored.map(\.fields) == [["level": 3]])
    }

    @Test("are changed by nobody else, by no other protocol, and to nothing that fields may not be")
    func notEdited() async throws {
        let (first, other) = (
            try await world.signUp("hana", to: application), try await world.signUp("mika", to: application)
        )
        let (owner, id) = (try await who(first), first.session.id)
        let stranger = try await who(other)
        #expect(await world.refusal { _ = try await edit(id, by: .owner(stranger)) } == .sessionUnknown)
        #expect(await world.refusal { _ = try await edit(id, by: .owner(owner), of: .single) } == .sessionUnknown)
        #expect(await world.refusal { _ = try await edit(id, by: .operator(.local), of: .single) } == .sessionUnknown)
        #expect(
            await world.refusal { _ = try await edit(Identifier(rawValue: "x"), by: .operator(.local)) }
                == .sessionUnknown)
        let refused = await world.refusal {
            _ = try await edit(id, by: .owner(owner)) { $0.operations = ["": .set(1)] }
        }
        #expect(refused?.code == .fieldsRefused)
        #expect(try await entries(.sessionChanged).isEmpty)
        let stored = try await world.modules.sessions.listSessions(of: first.user.id, in: application)
        #expect(stored.map(\.fields) == [[:]] && stored.map(\.updatedAt) == [nil])
    }
}
