import Domain
import HTTPSupport
import OkaeriServer
import OkaeriWire
import TestWorld
import Testing

/// Walks the table of account changes over every way to make one. Of each row, each surface has a request that is sent here,
/// or a stated reason why it has none.
@Suite("A change of an account by a route")
struct AccountChangeWalkTests {
    /// What is known of an account: the user, and what the audit log has of it.
    private struct State: Equatable {
        /// `nil` for a user who is not there yet, or no more.
        var user: User?
        var entries: [AuditEntry]
    }

    private func state(_ step: AccountChangeStep, _ asked: AccountChangeStep.Asked, in world: EvictionWorld)
        async throws -> State
    {
        let application = world.server.application.id
        let all = try await world.server.modules.administration.audit.list(in: application).filter {
            // A page of the dashboard shows the user after the change, which is recorded apart.
            $0.result == .done && $0.action != .usersRead && ($0.action != .loggedIn || step.row == .signedUp)
        }
        // Whose account it will be is not known before.
        guard !asked.makesUser else {
            return State(user: nil, entries: all.filter { $0.action == step.row.policy.action })
        }
        let target = Identifier<User>(rawValue: account(of: asked, in: world))
        var user = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.user(target, in: application)
        }
        // The app opens the pages for each request, which logs the user in there.
        user?.lastLogInAt = nil
        user?.previousLogInAt = nil
        return State(user: user, entries: all.filter { $0.target == .user(target) })
    }

    private func account(of asked: AccountChangeStep.Asked, in world: EvictionWorld) -> String {
        asked.user ?? world.owner.logIn.user.id
    }

    private func userCount(in world: EvictionWorld) async throws -> Int {
        let application = world.server.application.id
        return try await world.server.modules.applications.listApplications().first {
            $0.application.id == application
        }?.userCount ?? 0
    }

    @Test("is refused of everybody who may not, and without what has to be shown", arguments: AccountChangeStep.all)
    func refusal(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        let before = try await state(step, asked, in: world)
        if !asked.isOpen {
            for caller in [AccountChangeStep.Caller.nobody, .member] where caller == .nobody || !asked.isForAnyUser {
                _ = try await step.send(asked, as: caller, in: world)
                // Another user may make the same change of an account of their own.
                let after = try await state(step, asked, in: world)
                #expect(after == before, "\(caller)")
            }
        }
        if asked.wrong != nil || asked.wrongFields != nil {
            let count = try await userCount(in: world)
            let answer = try await step.send(asked, as: .wrong, in: world)
            // AuthService has one status for everything.
            #expect(answer.status >= 400 || answer.text.contains(#""success":false"#), "\(answer.text)")
            #expect(try await state(step, asked, in: world) == before)
            #expect(try await userCount(in: world) == count)
        }
    }

    @Test(
        "is refused of the owner where operators alone may make it",
        arguments: AccountChangeStep.all.filter { step in
            [.admin, .dashboard, .parse, .kii].contains(step.surface)
                && step.row.policy.who.isDisjoint(with: [.owner, .stranger])
                // Old protocols log no disabled user in.
                && !(step.row == .enabled && [.parse, .kii].contains(step.surface))
        })
    func ownerRefused(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        guard !asked.isOpen, asked.token == nil else { return }
        let before = try await state(step, asked, in: world).entries.filter { $0.action == step.row.policy.action }
        let answer = try await step.send(asked, as: .owner, in: world)
        let after = try await state(step, asked, in: world).entries.filter { $0.action == step.row.policy.action }
        #expect(after == before, "\(answer.status) \(answer.text)")
    }

    @Test(
        "needs a proof of the owner that is not old where its row says so and the protocol has one",
        arguments: AccountChangeStep.all.filter(\.surface.isOfUsers))
    func fresh(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        guard !asked.endsSoon else { return }
        let isShownByRequest = asked.wrong != nil || asked.wrongFields != nil
        let isRefused =
            step.surface.canReauthenticate && step.row.policy.fresh.contains(.recentLogIn) && !isShownByRequest
        let before = try await state(step, asked, in: world)
        // Pages are opened anew by the app, and are old then; see `AccountChangeStep.send`.
        if step.surface != .pages { world.server.clock.advance(by: .seconds(700)) }
        let answer = try await step.send(asked, as: .stale, in: world)
        if step.surface == .native, isRefused { expect(answer, 403, .reauthenticationRequired) }
        let after = try await state(step, asked, in: world)
        #expect((after == before) == isRefused, "\(answer.status) \(answer.text)")
    }

    @Test("leaves one entry with actor, address and request, and the mail of its row", arguments: AccountChangeStep.all)
    func trace(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        let before = try await state(step, asked, in: world)
        let (mailed, count) = (try await notices(in: world), try await userCount(in: world))
        world.server.clock.advance(by: .seconds(1))
        let answer = try await step.send(asked, as: .rightful, in: world)
        #expect(answer.status == asked.status, "\(answer.text)")
        let new = try await state(step, asked, in: world).entries.filter { !before.entries.contains($0) }
        let rows = [step.row] + asked.also
        #expect(new.count == rows.count && Set(new.map(\.action)) == Set(rows.map(\.policy.action)), "\(new)")
        let entry = try #require(new.first { $0.action == step.row.policy.action })
        switch step.surface {
        case .admin, .dashboard: #expect(entry.actor.rawValue.hasPrefix("admin:"), "\(entry.actor)")
        default: #expect(entry.actor == actor(of: asked, entry, in: world))
        }
        let isLocal = step.surface == .command || step.surface == .time
        let addresses: [String?] = isLocal ? [nil] : [asked.isOperator ? "127.0.0.1" : "192.0.2.1", "192.0.2.1"]
        #expect(addresses.contains(entry.origin.address), "\(entry.origin)")
        #expect(isLocal || entry.origin.requestId?.isEmpty == false)
        #expect(!String(reflecting: entry).contains("example.com"))
        #expect(try await notices(in: world) - mailed == (step.row.policy.mail == nil ? 0 : 1))
        if asked.makesUser { #expect(try await userCount(in: world) == count + 1) }
    }

    private func actor(
        of asked: AccountChangeStep.Asked, _ entry: AuditEntry, in world: EvictionWorld
    ) -> AuditEntry.Actor {
        if let actor = asked.actor { return actor }
        if asked.isOperator {
            let isParse = asked.path?.hasPrefix("/parse") == true
            return AuditEntry.Actor(rawValue: isParse ? "protocol-key:parse" : "protocol-key:kii")
        }
        guard asked.makesUser else {
            return .user(Identifier(rawValue: asked.person?.logIn.user.id ?? account(of: asked, in: world)))
        }
        // Both are “user:ID”.
        return AuditEntry.Actor(rawValue: entry.target?.rawValue ?? "")
    }

    private func notices(in world: EvictionWorld) async throws -> Int {
        try await world.mails().count {
            ["hana@example.com", "mika@example.com"].contains($0.recipient) && $0.code == nil && $0.token == nil
        }
    }

    /// The ways in that end with each kind of eviction. Ids of clients are looked at in what is stored.
    private static let ways: [Eviction: [EvictionTests.WayIn]] = [
        .sessions: [.session, .pagesSession], .deviceKeys: [.deviceKey],
        .mailedCodes: [.logInCode, .pendingAddress], .transferCodes: [.transferCode], .mergeTickets: [.mergeTicket],
        .tickets: [.authorizationCode, .oneTimeLogInToken], .newAddresses: [.pendingAddress, .orderedAddress],
        .anonymousIds: [],
        // See `PasskeyTests` and `EmailRecoveryTests`.
        .passkeys: [], .emailRecoveries: [],
    ]

    @Test(
        "ends the ways in that its row says, and no device is out without a word",
        arguments: AccountChangeStep.all.filter { !$0.row.policy.evicts.isEmpty })
    func evictions(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let evicts = step.row.policy.evicts
        try await world.give(.anonymous, "thief")
        var held: [(EvictionTests.WayIn, () async throws -> Bool)] = []
        for kind in Eviction.allCases where evicts.contains(kind) {
            // A message that is written later makes the code of one before void, also that of the step's own.
            for way in try #require(Self.ways[kind])
            where way != .orderedAddress || step.surface != .kii || step.row != .emailReplaced {
                held.append((way, try await world.hold(way)))
            }
        }
        let thief = try await world.thief()
        let asked = try await step.ask(world)
        let answer = try await step.send(asked, as: .rightful, in: world)
        #expect(answer.status == asked.status, "\(answer.text)")
        for (way, enter) in held { #expect(try await !enter(), "\(way)") }
        if evicts.contains(.anonymousIds) {
            let user = try await state(step, asked, in: world).user
            #expect(user?.identities.contains { $0.provider == .anonymous } == false)
        }
        guard evicts.contains(.deviceKeys) else { return }
        // The device learns why it is out.
        let refused = try await world.server.logIn(thief.device)
        guard step.row != .disabled else { return expect(refused, 403, .userDisabled) }
        expect(refused, 403, .deviceKeyRemoved)
        #expect(try refused.read(Problem.self).reason == step.row.rawValue)
    }

    @Test(
        "says to the device whose key it takes, or that was there before, what has happened",
        arguments: AccountChangeStep.all.filter { step in
            step.row.policy.tells.contains(.oldDevice) && !step.row.policy.evicts.contains(.deviceKeys)
        })
    func oldDevice(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        let noticed = try await world.owner.notices().count
        #expect(try await step.send(asked, as: .rightful, in: world).status == asked.status)
        guard let out = asked.out else {
            return #expect(try await world.owner.notices().count == noticed + 1)
        }
        let refused = try await world.server.logIn(out)
        expect(refused, 403, .deviceKeyRemoved)
        #expect(try refused.read(Problem.self).reason == step.row.rawValue)
    }

    @Test(
        "is sent for every row on every surface, or the surface has a reason",
        arguments: AccountChangeStep.Surface.allCases)
    func rows(surface: AccountChangeStep.Surface) {
        let sent = Set(AccountChangeStep.all.filter { $0.surface == surface }.map(\.row))
        let reasons = AccountChangeStep.absences(on: surface)
        let absent = reasons.flatMap { $0.rows }
        #expect(reasons.allSatisfy { !$0.reason.isEmpty } && Set(absent).count == absent.count)
        #expect(sent.isDisjoint(with: absent), "\(sent.intersection(absent))")
        #expect(sent.union(absent) == Set(AccountChange.allCases), "\(surface)")
    }

    @Test("is sent for every row by one surface at least")
    func everyRow() {
        // No request makes these rows by itself: MigrationTests, KiiUnprovedNumberTests and EmailRecoveryTests play them.
        let all = Set(AccountChange.allCases).subtracting([.passwordMigrated, .identifierYielded])
        #expect(Set(AccountChangeStep.all.map(\.row)) == all)
    }

    private func table() async throws -> [RouteDescription] {
        try await Composition.routeTable(try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:]))
    }

    @Test("knows every surface that the server has")
    func surfaces() async throws {
        let known = Set(AccountChangeStep.Surface.routed.map(\.rawValue))
        #expect(try await Set(table().map(\.surface)) == known)
    }

    @Test("is sent to every route that writes to an account", arguments: AccountChangeStep.Surface.routed)
    func routes(surface: AccountChangeStep.Surface) async throws {
        let all = try await table().filter { $0.surface == surface.rawValue }.map { "\($0.method) \($0.path)" }
        let sent = Set(AccountChangeStep.all.filter { $0.surface == surface }.map(\.route))
        #expect(sent.isSubset(of: all), "\(sent.subtracting(all))")
        let part = AccountChangeStep.accountPaths(on: surface)
        let written = all.filter { route in !route.hasPrefix("GET ") && part.contains { route.contains(" \($0)") } }
        let others = AccountChangeStep.otherRoutes(on: surface).flatMap(\.routes)
        #expect(sent.isDisjoint(with: others), "\(sent.intersection(others))")
        let missing = Set(written).subtracting(sent).subtracting(others)
        #expect(missing.isEmpty, "\(missing)")
        #expect(Set(others).isSubset(of: written), "\(Set(others).subtracting(written))")
    }
}
