import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What old apps send as `authData`: several identities at once.
@Suite("Log-in with identities")
struct IdentitiesLogInTests {
    private let world: ProviderWorld
    private let application: Application
    private static let anonymousId = AnonymousId("01234567-89ab-cdef-0123-456789abcdef")

    init() async throws {
        world = try ProviderWorld()
        application = try await world.makeApplication()
    }

    private func person(_ subject: String, at provider: Identity.Provider = .google, token: String? = nil)
        -> ExternalIdentity
    {
        var person = ExternalIdentity(provider: provider, subject: subject, audience: "web")
        if let token {
            person.replay = UsedProof(
                .providerToken, SecretDigest(of: token.utf8), until: world.clock.now + .days(1))
        }
        return person
    }

    private func logIn(
        _ people: [ExternalIdentity], _ anonymousId: AnonymousId? = nil, caller: Identifier<User>? = nil,
        leavesDisabledBehind: Bool = false
    ) async throws(DomainError) -> LogIn {
        var request = LogInWithIdentities.Request(
            application: application, people: people, anonymousId: anonymousId,
            identifiers: NewIdentifiers(rules: .samples), caller: caller,
            client: LogInClient(.yearly, from: ProviderWorld.address, origin: .local))
        request.leavesDisabledBehind = leavesDisabledBehind
        return try await world.modules.logIns.logInWithIdentities(request)
    }

    @Test("makes a user to whom all of them lead, and finds it by each")
    func made() async throws {
        let id = try #require(Self.anonymousId)
        let made = try await logIn([person("hana"), person("h", at: .line)], id)
        #expect(made.isNew && made.user.identities.count == 3 && made.session.protocolName == .yearly)
        #expect(made.session.method.rawValue == "google" && made.session.methods == .provider)
        for found in [
            try await logIn([person("hana")]), try await logIn([person("h", at: .line)]), try await logIn([], id),
        ] {
            #expect(!found.isNew && found.user.id == made.user.id)
        }
    }

    @Test("joins what is new to the user that the others lead to, and refuses two users")
    func joined() async throws {
        let id = try #require(Self.anonymousId)
        let guest = try await logIn([], id)
        #expect(guest.user.isAnonymous && guest.session.method == .anonymous && guest.session.methods == [])
        let joined = try await logIn([person("hana")], id)
        #expect(joined.user.id == guest.user.id && !joined.user.isAnonymous)
        let mika = try await logIn([person("mika", at: .line)])
        #expect(mika.user.id != guest.user.id)
        for people in [[person("hana"), person("mika", at: .line)], [person("mika", at: .line)]] {
            let error = await world.refusal { _ = try await logIn(people, id) }
            #expect(error == .identityTaken)
        }
    }

    @Test("in a session is for its own user alone")
    func caller() async throws {
        let (hana, mika) = (try await logIn([person("hana")]).user, try await logIn([person("mika")]).user)
        #expect(try await logIn([person("hana")], caller: hana.id).user.id == hana.id)
        let error = await world.refusal { _ = try await logIn([person("hana")], caller: mika.id) }
        #expect(error == .identityTaken)
    }

    /// Responds to nobody before its gate is open.
    private struct HeldHook: HookCarrier {
        let gate = Gate()

        func mayAsk(_ url: String) -> Bool { true }

        func ask(_ request: HookRequest) async -> HookOutcome {
            await gate.pass()
            return .allowed(fields: [:], claims: [:])
        }
    }

    @Test(
        "registers no guest, made while the hook was asked about a new user, without asking about the upgrade",
        .timeLimit(.minutes(5)))
    func guestMeanwhile() async throws {
        let (held, id, hana) = (HeldHook(), try #require(Self.anonymousId), person("hana"))
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hooks: held)
        var asking = try await world.makeApplication()
        for point in [HookPoint.signUp, .upgrade] {
            let hook = try await world.modules.hooks.manage.set(
                point, to: .init(url: "https://app.example.com", whenDown: .refuse), in: asking.id, by: .local
            ).hook
            asking.settings.set(hook)
        }
        let application = asking
        @Sendable func refusal(_ people: [ExternalIdentity]) async -> DomainError? {
            let request = LogInWithIdentities.Request(
                application: application, people: people, anonymousId: id,
                identifiers: NewIdentifiers(rules: .samples), caller: nil,
                client: LogInClient(.yearly, from: TestWorld.address, origin: .local))
            do throws(DomainError) {
                _ = try await world.modules.logIns.logInWithIdentities(request)
                return nil
            } catch {
                return error
            }
        }
        async let first = refusal([hana])
        while held.gate.waiting == 0 { await Task.yield() }
        #expect(await refusal([]) == nil)
        held.gate.open()
        let refused = await first
        #expect(refused == .hookUnavailable)
        // Sent again it is asked about.
        #expect(await refusal([hana]) == nil)
    }

    @Test("takes each token once", arguments: [true, false])
    func tokens(isKnown: Bool) async throws {
        if isKnown { _ = try await logIn([person("hana")]) }
        _ = try await logIn([person("hana", token: "t")])
        let error = await world.refusal { _ = try await logIn([person("hana", token: "t")]) }
        #expect(error == .providerTokenReplayed)
    }

    @Test("takes from a disabled guest the id that was shown, and leaves it another one, as a merge has left it")
    func leftId() async throws {
        let id = try #require(Self.anonymousId)
        let other = try #require(AnonymousId("fedcba98-7654-3210-fedc-ba9876543210"))
        let guest = try await logIn([], id).user
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                Identity(provider: .anonymous, subject: other.subject, linkedAt: now), for: guest.id,
                in: guest.application)
        }
        _ = try await world.modules.accounts.setUserDisabled(guest.id, in: application, isDisabled: true, by: .local)
        let next = try await logIn([], id, leavesDisabledBehind: true)
        #expect(next.isNew && next.user.id != guest.id)
        let left = try await world.modules.directory.readUser(guest.id, in: application.id)
        #expect(left.identities.map(\.subject) == [other.subject])
        #expect(await world.refusal { _ = try await logIn([], other) } == .userDisabled)
    }

    @Test("leaves a disabled guest behind where the protocol has it so, and nobody else", arguments: [true, false])
    func disabled(leaves: Bool) async throws {
        let id = try #require(Self.anonymousId)
        let guest = try await logIn([], id).user
        _ = try await world.modules.accounts.setUserDisabled(guest.id, in: application, isDisabled: true, by: .local)
        guard leaves else {
            #expect(await world.refusal { _ = try await logIn([], id) } == .userDisabled)
            return
        }
        let next = try await logIn([], id, leavesDisabledBehind: true)
        #expect(next.isNew && next.user.id != guest.id)
        let left = try await world.modules.directory.readUser(guest.id, in: application.id)
        #expect(left.identities.isEmpty && left.isDisabled)
        // Of a person it is refused all the same.
        let hana = try await logIn([person("hana")]).user
        _ = try await world.modules.accounts.setUserDisabled(hana.id, in: application, isDisabled: true, by: .local)
        let error = await world.refusal { _ = try await logIn([person("hana")], leavesDisabledBehind: true) }
        #expect(error == .userDisabled)
    }
}
