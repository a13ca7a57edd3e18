import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What came over from an old app, once the identity goes by which its session came.
@Suite("A device that came by a session of an old app")
struct AdoptedWayTests {
    private static let provider = Identity.Provider(rawValue: "oidc:test")
    private static let token = Secret("what the old app holds")

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
        _ = try await world.modules.applications.enableProtocol(.endless, of: application.id, by: .local)
    }

    /// A user with a password and a provider's identity, and with a session of an old app by some way.
    private func user(by method: Session.LogInMethod) async throws -> Identifier<User> {
        let user = try await world.signUp("hana", to: application).user.id
        let (tenant, now) = (application.id, world.clock.now)
        let session = Session(
            id: Identifier(rawValue: "old"), application: tenant, user: user, client: .init(address: nil),
            protocolName: .endless, method: method,
            times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1), authenticatedAt: now))
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                Identity(provider: Self.provider, subject: "s", linkedAt: now), for: user, in: tenant)
            try transaction.insert(
                session, token: SessionToken.Reference(Self.token.digest), attempt: nil, replacing: nil)
        }
        return user
    }

    private func adopt(_ device: TestDevice, joins: Bool = true) async throws -> LogIn {
        try await world.modules.sessions.adoptSession(
            AdoptSession.Request(
                application: application, protocolName: .endless, token: Self.token,
                client: LogInClient(
                    .native, proof: try device.presented(at: world.clock.now), joinsDevice: joins,
                    from: TestWorld.address, origin: .local)))
    }

    private func unlink(from user: Identifier<User>) async throws {
        _ = try await world.modules.accounts.editUser(
            UserEdit(unlinking: Self.provider), of: user, in: application, by: .operator(.local))
    }

    @Test(
        "is out with the provider's identity by which that came, or may have come, and does not come over again",
        arguments: [Session.LogInMethod(rawValue: provider.rawValue), .creation, .upgrade])
    func unlinked(method: Session.LogInMethod) async throws {
        let user = try await user(by: method)
        let (device, other) = (TestDevice(), TestDevice())
        let adopted = try await adopt(device)
        let unbound = try await adopt(other, joins: false)
        #expect(try await world.logIn(device, to: application).user.id == user)
        try await unlink(from: user)
        let refused = await world.refusal { _ = try await world.logIn(device, to: application) }
        #expect(refused?.code == .deviceKeyRemoved)
        for token in [adopted.token, unbound.token] {
            let ended = await world.refusal { _ = try await world.authenticate(token, in: application) }
            #expect(ended == .sessionInvalid)
        }
        let again = await world.refusal { _ = try await adopt(device) }
        #expect(again == .credentialRefused)
    }

    @Test(
        "stays by its key where that came by anything else: a password, an import, or an id that the old app made",
        arguments: [Session.LogInMethod.password, .importing, .anonymous])
    func stays(method: Session.LogInMethod) async throws {
        let user = try await user(by: method)
        let device = TestDevice()
        _ = try await adopt(device)
        try await unlink(from: user)
        #expect(try await world.logIn(device, to: application).user.id == user)
    }

    @Test("is out when a merge is undone that has let the old app's id lead there, and stays where it came before")
    func undoneMerge() async throws {
        let (tenant, now) = (application.id, world.clock.now)
        let guest = try await world.logIn(TestDevice(), to: application).user.id
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                Identity(provider: .anonymous, subject: "client", linkedAt: now), for: guest, in: tenant)
        }
        let user = try await user(by: .anonymous)
        let (earlier, device, other) = (TestDevice(), TestDevice(), TestDevice())
        _ = try await adopt(earlier)
        world.clock.advance(by: .seconds(1))
        let merge = try await world.modules.administration.users.merge(guest, into: user, in: application, by: .local)
        _ = try await adopt(device)
        let unbound = try await adopt(other, joins: false)
        #expect(try await world.logIn(device, to: application).user.id == user)
        try await world.modules.transfers.undoMerge(merge, of: user, in: tenant, by: .local)
        let refused = await world.refusal { _ = try await world.logIn(device, to: application) }
        #expect(refused?.code == .deviceKeyRemoved)
        let ended = await world.refusal { _ = try await world.authenticate(unbound.token, in: application) }
        #expect(ended == .sessionInvalid)
        #expect(try await world.logIn(earlier, to: application).user.id == user)
        let back = try await world.modules.directory.readUser(guest, in: tenant).identities
        #expect(back.contains { $0.provider == .anonymous && $0.subject == "client" })
    }

    /// A thief's guest, of an old app and of the present one, has become one with the owner by the identity.
    @Test("is out with the identity that was shown for a merge, and so is the id that the old app logs in by")
    func mergedId() async throws {
        let (tenant, now, device) = (application.id, world.clock.now, TestDevice())
        let user = try await user(by: .password)
        let guest = try await world.logIn(device, to: application)
        let ticket = MergeTicket(
            application: tenant, digest: MergeTicket.digest(of: "ticket"), user: guest.user.id, other: user,
            expiresAt: now + MergeTicket.lifetime, shownBy: .init(rawValue: Self.provider.rawValue))
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                Identity(provider: .anonymous, subject: "client", linkedAt: now), for: guest.user.id, in: tenant)
            try transaction.insert(ticket)
        }
        _ = try await world.modules.transfers.resolveMerge(
            "ticket", .merge, by: try await world.authenticate(guest.token, in: application),
            address: TestWorld.address, from: .local)
        let open = OpenSession.Request(
            user: user, application: application, protocolName: .endless, method: .anonymous, actor: .operator,
            origin: .local)
        _ = try await world.modules.sessions.openSession(open)
        #expect(try await world.logIn(device, to: application).user.id == user)
        try await unlink(from: user)
        #expect(try await world.modules.directory.readUser(user, in: tenant).identities.isEmpty)
        let left = try await world.modules.sessions.listSessions(of: user, in: application)
        #expect(left.contains { $0.method == .password } && !left.contains { $0.method == .anonymous })
        let refused = await world.refusal { _ = try await world.logIn(device, to: application) }
        #expect(refused?.code == .deviceKeyRemoved)
    }

    @Test(
        "leaves no id to log in by that the old session has added, once the identity goes by which that came",
        arguments: [Session.LogInMethod(rawValue: provider.rawValue), .upgrade, .password])
    func addedId(method: Session.LogInMethod) async throws {
        let user = try await user(by: method)
        let who = try await world.modules.sessions.authenticate(
            Authenticate.Request(
                application: application, token: Self.token.revealed[...], proof: nil, protocolName: .endless),
            from: { TestWorld.address })
        var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .native))
        edit.anonymousId = AnonymousId("123e4567-e89b-12d3-a456-426614174000")
        let added = try await world.modules.accounts.editUser(
            edit, of: user, in: application, by: AccountAuthor(.owner(user), of: user, session: who, from: .local)
        ).user
        #expect(Set(added.identities.map(\.provider)) == [Self.provider, .anonymous])
        try await unlink(from: user)
        let left = try await world.modules.directory.readUser(user, in: application.id).identities
        #expect(left.map(\.provider) == (method == .password ? [.anonymous] : []))
    }

    /// To an operator, who sees the keys and can remove them, one of them is a way in.
    @Test(
        "stays where its owner in a browser takes the last way in away beside keys, which may be those of lost phones",
        arguments: [Session.LogInMethod.adoption, .creation, .upgrade], [false, true])
    func lostPhone(method: Session.LogInMethod, isOperator: Bool) async throws {
        let (tenant, now, id) = (application.id, world.clock.now, Identifier<User>(rawValue: "person"))
        let identities = [
            Identity(provider: .device, subject: "lost", linkedAt: now),
            Identity(provider: Self.provider, subject: "s", linkedAt: now),
        ]
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(User(id: id, application: tenant, createdAt: now, updatedAt: now))
            for identity in identities { try transaction.insert(identity, for: id, in: tenant) }
        }
        func open(_ name: Session.ProtocolName, by method: Session.LogInMethod) async throws -> LogIn {
            try await world.modules.sessions.openSession(
                OpenSession.Request(
                    user: id, application: application, protocolName: name, method: method, actor: .operator,
                    origin: .local))
        }
        let old = try await open(.endless, by: method)
        let browser = try await open(.native, by: Session.LogInMethod(rawValue: Self.provider.rawValue))
        let who = try await world.authenticate(browser.token, in: application)
        let author =
            isOperator ? AccountAuthor.operator(.local) : AccountAuthor.owner(who, isProven: false, from: .local)
        _ = try await world.modules.accounts.editUser(
            UserEdit(unlinking: Self.provider), of: id, in: application, by: author)
        let left = try await world.modules.sessions.listSessions(of: id, in: application)
        #expect(left.contains { $0.id == old.session.id } == !isOperator)
    }
}
