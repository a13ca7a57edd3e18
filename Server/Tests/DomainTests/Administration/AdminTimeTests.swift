import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// When what lets an admin in counts no more, to the millisecond.
@Suite("The end of an admin's access")
struct AdminTimeTests {
    private static let hour = 3_600_000
    private let world: TestWorld

    init() throws { world = try TestWorld(try SQLiteStore(.memory, role: .server)) }

    private func admin(_ name: String, _ role: AdminRole = .owner, in applications: Set<Identifier<Application>>? = nil)
        async throws -> Admin
    {
        let admin = Admin(
            id: world.randomness.newIdentifier(at: world.clock.now), name: name, role: role, applications: applications,
            createdAt: world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(admin) }
        return admin
    }

    @Test(
        "is the first of one hour without use and twelve hours",
        arguments: [
            (0, hour - 1, false), (0, hour, true), (11 * hour, 12 * hour - 1, false), (11 * hour, 12 * hour, true),
            (12 * hour - 1, 12 * hour - 1, false), (13 * hour, 12 * hour, true), (5 * hour, 6 * hour - 1, false),
            (5 * hour, 6 * hour, true), (0, 0, false), (0, -1, false),
        ])
    func session(lastUsed: Int, after: Int, isOver: Bool) {
        let now = world.clock.now
        var session = AdminSession(
            digest: SecretDigest(of: [1]), admin: Identifier(rawValue: "a"), createdAt: now)
        session.lastUsedAt = now + .milliseconds(lastUsed)
        #expect(session.isOver(at: now + .milliseconds(after)) == isOver)
    }

    @Test("begins with the proof: now, or when the provider asked, which is never later")
    func proof() {
        let (begun, now) = (world.clock.now, world.clock.now + .seconds(60))
        func session(_ credential: AdminSession.Credential) -> AdminSession {
            AdminSession(
                digest: SecretDigest(of: [1]), admin: Identifier(rawValue: "a"), createdAt: begun, by: credential,
                at: now)
        }
        let password = session(.password)
        #expect(password.createdAt == begun && password.lastUsedAt == now && password.authenticatedAt == now)
        #expect(password.passkey == nil && password.identity == nil)
        let passkey = session(.passkey("key"))
        #expect(passkey.passkey == "key" && passkey.identity == nil && passkey.authenticatedAt == now)
        let identity = AdminIdentity(
            issuer: "https://sso.example.com", subject: "s", admin: Identifier(rawValue: "a"), linkedAt: begun)
        for (time, counted) in [(begun, begun), (now, now), (now + .seconds(1), now)] {
            let session = session(.identity(identity, authenticatedAt: time))
            #expect(session.authenticatedAt == counted && session.identity == identity.id && session.passkey == nil)
        }
    }

    @Test("is written down no more than once a minute", arguments: [(59_999, false), (60_000, true), (60_001, true)])
    func use(after: Int, isWritten: Bool) async throws {
        let admin = try await admin("Hana")
        let (token, begun) = (AdminSession.newToken(world.randomness), world.clock.now)
        let session = AdminSession(digest: token.digest, admin: admin.id, createdAt: begun)
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(session) }
        world.clock.advance(by: .milliseconds(after))
        let access = try await world.modules.administration.logIns.findAdmin(token, at: nil, from: .local)
        #expect(access.admin?.id == admin.id && access.authenticatedAt == begun && access.name == "Hana")
        #expect(access.actor == .admin(admin.id))
        let stored = try await world.engine.read { transaction throws(DomainError) in
            try transaction.adminSession(token.digest)
        }
        #expect(stored?.lastUsedAt == (isWritten ? world.clock.now : begun))
    }

    private func key(
        _ scopes: Set<AdminPermission> = [.readUsers], of maker: Admin,
        in applications: Set<Identifier<Application>>? = nil, name: String = "CI", networks: [String] = [],
        life: Duration = .days(1)
    ) async throws -> (key: AdminKey, secret: Secret) {
        try await world.modules.administration.keys.create(
            .init(name: name, scopes: scopes, applications: applications, networks: networks, life: life),
            of: AdminAccess(maker, authenticatedAt: nil), by: .local)
    }

    private func refusal(_ body: () async throws -> Void) async -> DomainError? { await world.refusal(body) }

    @Test("is that of a key, to the millisecond", arguments: [(999, true), (1000, false), (1001, false)])
    func keyEnd(after: Int, isGood: Bool) async throws {
        let made = try await key(of: try await admin("Hana"), life: .seconds(1))
        #expect(made.key.expiresAt == made.key.createdAt + .seconds(1) && made.secret.revealed.hasPrefix("oka_"))
        world.clock.advance(by: .milliseconds(after))
        let refused = await refusal {
            _ = try await world.modules.administration.logIns.findAdmin(made.secret, at: nil, from: .local)
        }
        #expect(refused == (isGood ? nil : .administration(.adminRequired)))
    }

    @Test(
        "of a key is between the next millisecond and 400 days",
        arguments: [
            (.zero, [.inThePast]), (.milliseconds(-1), [.inThePast]), (.milliseconds(1), []), (.days(400), []),
            (.days(400) + .milliseconds(1), [.notOffered]),
        ] as [(Duration, [ValidationError.Rule])])
    func life(life: Duration, rules: [ValidationError.Rule]) async throws {
        let maker = try await admin("Hana")
        let refused = await refusal { _ = try await key(of: maker, life: life) }
        #expect(
            refused
                == (rules.isEmpty ? nil : .fieldsRefused(rules.map { ValidationError(field: "expiresAt", rule: $0) })))
    }

    @Test("has a name, permissions, and applications or all of them")
    func members() async throws {
        let maker = try await admin("Hana")
        #expect(
            await refusal { _ = try await key([], of: maker, in: [], name: "", life: .zero) }
                == .fieldsRefused([
                    ValidationError(field: "name", rule: .empty), ValidationError(field: "scopes", rule: .empty),
                    ValidationError(field: "applications", rule: .empty),
                    ValidationError(field: "expiresAt", rule: .inThePast),
                ]))
        let long = String(repeating: "n", count: 100)
        #expect(await refusal { _ = try await key(of: maker, name: long) } == nil)
        #expect(
            await refusal { _ = try await key(of: maker, name: long + "n") }
                == .fieldsRefused([ValidationError(field: "name", rule: .tooLong(maximumCharacters: 100))]))
        #expect(
            await refusal { _ = try await key(of: maker, in: [Identifier(rawValue: "unknown")]) }
                == .administration(.notFound))
    }

    @Test("of a key is given by an admin who may do as much, and never to make admins")
    func scopes() async throws {
        let (owner, support) = (try await admin("Hana"), try await admin("Mika", .support))
        #expect(
            await refusal { _ = try await key([.readUsers, .manageAdmins], of: owner) }
                == .fieldsRefused([ValidationError(field: "scopes", rule: .notOffered)]))
        #expect(
            await refusal { _ = try await key([.readUsers, .readAudit, .changeUsers], of: support) }
                == .administration(.notAllowed(.readAudit)))
        #expect(await refusal { _ = try await key([.readUsers, .readStatistics], of: support) } == nil)
        let byKey = AdminAccess(
            holder: .key(Identifier(rawValue: "k")), name: "CI", permissions: [.readUsers], applications: nil)
        #expect(
            await refusal {
                _ = try await world.modules.administration.keys.create(
                    .init(name: "CI", scopes: [.readUsers], applications: nil, networks: [], life: .days(1)),
                    of: byKey, by: .local)
            } == .administration(.notAllowed(.manageAdmins)))
        let unknown = Admin(
            id: Identifier(rawValue: "gone"), name: "Gone", role: .owner, applications: nil,
            createdAt: world.clock.now)
        #expect(await refusal { _ = try await key(of: unknown) } == .administration(.notFound))
    }

    @Test("of a key is never more than its maker's")
    func reach() async throws {
        let (first, second) = (try await world.makeApplication().id, try await world.makeApplication().id)
        let (all, some) = (try await admin("Hana"), try await admin("Mika", .operator, in: [first]))
        for (maker, applications, reached) in [
            (all, nil, nil), (all, [second], [second]), (some, nil, [first]), (some, [first, second], [first]),
            (some, [second], []),
        ] as [(Admin, Set<Identifier<Application>>?, Set<Identifier<Application>>?)] {
            let made = try await key([.readUsers, .changeUsers], of: maker, in: applications)
            let access = try await world.modules.administration.logIns.findAdmin(made.secret, at: nil, from: .local)
            #expect(access.applications == reached && access.permissions == [.readUsers, .changeUsers])
            #expect(access.actor.rawValue == "admin-key:\(made.key.id)" && access.admin == nil)
        }
        // What the maker may not do any more, the key does not do either.
        let made = try await key([.readUsers, .changeUsers], of: all)
        let changes = ChangeAdmin.Changes(role: .support)
        _ = try await world.modules.administration.admins.change(all.id, changes, version: nil, by: .local)
        let access = try await world.modules.administration.logIns.findAdmin(made.secret, at: nil, from: .local)
        #expect(access.permissions == [.readUsers])
    }

    @Test("of a key counts from up to 32 networks, each written once")
    func networks() async throws {
        let maker = try await admin("Hana")
        func networks(_ count: Int) -> [String] { (1...count).map { "10.0.\($0).0/24" } }
        #expect(await refusal { _ = try await key(of: maker, networks: networks(32)) } == nil)
        #expect(
            await refusal { _ = try await key(of: maker, networks: networks(33)) }
                == .fieldsRefused([ValidationError(field: "networks", rule: .tooManyFields(maximum: 32))]))
        #expect(
            await refusal { _ = try await key(of: maker, networks: ["10.0.0.0/8", "here"]) }
                == .fieldsRefused([ValidationError(field: "networks", rule: .notANetwork)]))
        let made = try await key(of: maker, networks: ["10.0.0.0/8", "10.0.0.0/8", "2001:db8::/32"])
        #expect(made.key.reach.networks.count == 2)
        for (address, isIn) in [
            ("10.255.255.255", true), ("11.0.0.0", false), ("9.255.255.255", false), ("2001:db8::1", true),
            ("2001:db9::", false),
        ] {
            #expect(made.key.reach.admits(IPAddress(address)) == isIn, "\(address)")
        }
        #expect(!made.key.reach.admits(nil))
        #expect(AdminKey.Reach(applications: nil, networks: []).admits(nil))
    }

    @Test("of a key is recorded with what it may do and from where, and what changes of it")
    func keyEntries() async throws {
        let maker = try await admin("Hana")
        let administration = world.modules.administration
        let made = try await key([.readUsers, .changeUsers], of: maker, networks: ["10.0.0.0/8", "2001:db8::/32"])
        world.clock.advance(by: .seconds(1))
        _ = try await administration.keys.change(made.key.id, networks: [], by: .local)
        world.clock.advance(by: .seconds(1))
        _ = try await administration.keys.change(made.key.id, networks: ["192.0.2.1"], by: .local)
        world.clock.advance(by: .seconds(1))
        try await administration.keys.remove(made.key.id, by: .local)
        world.clock.advance(by: .seconds(1))
        let everywhere = try await key(of: maker)
        let entries = try await administration.audit.list(in: AuditEntry.server)
        #expect(
            entries.reversed().map(\.action) == [
                .adminKeyCreated, .adminKeyChanged, .adminKeyChanged, .adminKeyRemoved, .adminKeyCreated,
            ])
        #expect(
            entries.reversed().map { $0.details.filter { $0.key != "expires" } } == [
                [
                    "scopes": "users:read users:write", "networks": "10.0.0.0/8 2001:db8::/32", "applications": "all",
                ],
                ["networks": "anywhere"], ["networks": "192.0.2.1/32"], [:],
                ["scopes": "users:read", "applications": "all"],
            ])
        // To the second.
        let expiry = WireTime(millisecondsSince1970: made.key.expiresAt.milliseconds).description
        #expect(entries.last?.details["expires"]?.prefix(19) == expiry.prefix(19))
        let application = try await world.makeApplication()
        _ = try await administration.keys.create(
            .init(name: "CI", scopes: [.readUsers], applications: [application.id], networks: [], life: .days(1)),
            of: AdminAccess(maker, authenticatedAt: nil), by: .local)
        let reaches = try await administration.audit.list(
            in: AuditEntry.server, matching: AuditFilter(action: .adminKeyCreated)
        ).compactMap { $0.details["applications"] }
        #expect(reaches.sorted() == [application.id.rawValue, "all", "all"].sorted())
        #expect(entries.last?.target == .adminKey(made.key.id) && entries.first?.target == .adminKey(everywhere.key.id))
        #expect(entries.allSatisfy { $0.actor == .operator && $0.result == .done })
        let gone = Identifier<AdminKey>(rawValue: "gone")
        #expect(await refusal { try await administration.keys.remove(gone, by: .local) } == .administration(.notFound))
        #expect(
            await refusal { _ = try await administration.keys.change(gone, networks: [], by: .local) }
                == .administration(.notFound))
    }
}

@Suite("The list of admins")
struct AdminListRuleTests {
    private let world: TestWorld

    init() throws { world = try TestWorld(try SQLiteStore(.memory, role: .server)) }

    private func refusal(_ body: () async throws -> Void) async -> DomainError? { await world.refusal(body) }

    private func create(
        _ name: String, _ role: AdminRole, _ applications: Set<Identifier<Application>>? = nil
    ) async throws -> Admin {
        try await world.modules.administration.admins.create(
            name: name, role: role, applications: applications, by: .local)
    }

    /// An owner who can log in.
    private func owner(_ name: String) async throws -> Admin {
        var admin = try await create(name, .owner)
        admin.usesPasskeysOnly = true
        let acting = admin
        try await world.engine.write { transaction throws(DomainError) in try transaction.update(acting) }
        return acting
    }

    @Test("limits no owner to applications, and nobody to none", arguments: AdminRole.allCases)
    func applications(role: AdminRole) async throws {
        let application = try await world.makeApplication().id
        #expect(await refusal { _ = try await create("one", role) } == nil)
        #expect(
            await refusal { _ = try await create("two", role, []) }
                == .fieldsRefused([ValidationError(field: "applications", rule: .empty)]))
        #expect(
            await refusal { _ = try await create("three", role, [application]) }
                == (role == .owner
                    ? .fieldsRefused([ValidationError(field: "applications", rule: .notOffered)]) : nil))
        if role != .owner {
            #expect(
                await refusal { _ = try await create("four", role, [application, Identifier(rawValue: "no")]) }
                    == .administration(.notFound))
        }
    }

    @Test("has each name once, however it is written")
    func names() async throws {
        _ = try await create("Hana", .support)
        for name in ["Hana", "hana", "ＨＡＮＡ"] {
            #expect(await refusal { _ = try await create(name, .support) } == .administration(.nameTaken), "\(name)")
        }
        #expect(
            await refusal { _ = try await create("", .support) }
                == .fieldsRefused([ValidationError(field: "name", rule: .empty)]))
        let long = String(repeating: "x", count: 101)
        #expect(
            await refusal { _ = try await create(long, .support) }
                == .fieldsRefused([ValidationError(field: "name", rule: .tooLong(maximumCharacters: 100))]))
        #expect(await refusal { _ = try await create(String(long.dropLast()), .support) } == nil)
    }

    @Test("keeps an owner who can log in: neither role, nor disabling, nor removal takes the last one")
    func lastOwner() async throws {
        let admins = world.modules.administration.admins
        let last = try await owner("Hana")
        _ = try await create("not yet set up", .owner)
        let changes: [ChangeAdmin.Changes] = [.init(role: .operator), .init(isDisabled: true)]
        for change in changes {
            #expect(
                await refusal { _ = try await admins.change(last.id, change, version: nil, by: .local) }
                    == .administration(.lastOwner))
        }
        #expect(
            await refusal { try await admins.remove(last.id, by: .local) } == .administration(.lastOwner))
        #expect(try await admins.list().count == 2)
        _ = try await owner("Mika")
        #expect(await refusal { try await admins.remove(last.id, by: .local) } == nil)
    }

    @Test("knows each change by its time, also two of one millisecond")
    func versions() async throws {
        let admins = world.modules.administration.admins
        let admin = try await create("Hana", .support)
        let first = try await admins.change(
            admin.id, .init(role: .auditor), version: admin.updatedAt, by: .local)
        #expect(first.role == .auditor && first.updatedAt == admin.updatedAt + .milliseconds(1))
        let late = await refusal {
            _ = try await admins.change(
                admin.id, .init(role: .support), version: admin.updatedAt, by: .local)
        }
        #expect(late == .administration(.changedMeanwhile))
        world.clock.advance(by: .seconds(1))
        let second = try await admins.change(admin.id, .init(), version: nil, by: .local)
        #expect(second.role == .auditor && second.updatedAt == world.clock.now)
    }

    @Test("says since when somebody is disabled, and forgets it")
    func disabled() async throws {
        let admins = world.modules.administration.admins
        let (admin, since) = (try await create("Hana", .support), world.clock.now)
        for _ in 0..<2 {
            let disabled = try await admins.change(admin.id, .init(isDisabled: true), version: nil, by: .local)
            #expect(disabled.disabledAt == since && disabled.isDisabled)
            world.clock.advance(by: .seconds(1))
        }
        let enabled = try await admins.change(admin.id, .init(isDisabled: false), version: nil, by: .local)
        #expect(enabled.disabledAt == nil && !enabled.isDisabled)
    }

    @Test("is recorded: who came, with which role, what changed, and how many keys went")
    func entries() async throws {
        let administration = world.modules.administration
        _ = try await owner("Owner")
        let admin = try await create("Hana", .operator)
        for _ in 0..<2 {
            _ = try await administration.keys.create(
                .init(name: "CI", scopes: [.readUsers], applications: nil, networks: [], life: .days(1)),
                of: AdminAccess(admin, authenticatedAt: nil), by: .local)
        }
        world.clock.advance(by: .seconds(1))
        _ = try await administration.admins.change(admin.id, .init(role: .support), version: nil, by: .local)
        world.clock.advance(by: .seconds(1))
        _ = try await administration.admins.change(admin.id, .init(isDisabled: true), version: nil, by: .local)
        world.clock.advance(by: .seconds(1))
        try await administration.admins.remove(admin.id, by: .local)
        let entries = try await administration.audit.list(
            in: AuditEntry.server, matching: AuditFilter(target: .admin(admin.id)))
        #expect(
            entries.reversed().map(\.action) == [.adminCreated, .adminChanged, .adminChanged, .adminRemoved])
        #expect(
            entries.reversed().map(\.details) == [
                ["role": "operator", "applications": "all"],
                ["role": "support", "role-before": "operator", "disabled": "false", "applications": "all"],
                ["role": "support", "disabled": "true", "keys-ended": "2", "applications": "all"],
                ["name": "Hana", "role": "support"],
            ])
        let (first, second) = (try await world.makeApplication().id, try await world.makeApplication().id)
        let confined = try await administration.admins.create(
            name: "Mika", role: .support, applications: [first], by: .local)
        _ = try await administration.admins.change(
            confined.id, .init(applications: .set([first, second])), version: nil, by: .local)
        _ = try await administration.admins.change(confined.id, .init(applications: .removed), version: nil, by: .local)
        let reaches = try await administration.audit.list(
            in: AuditEntry.server, matching: AuditFilter(target: .admin(confined.id))
        ).map { [$0.details["applications-before"], $0.details["applications"]] }
        let both = [first, second].map(\.rawValue).sorted().joined(separator: " ")
        #expect(Set(reaches) == [[nil, first.rawValue], [first.rawValue, both], [both, "all"]])
        #expect(try await administration.keys.list().isEmpty)
    }
}
