import Domain
import HTTPSupport
import OkaeriServer
import OkaeriWire
import TestWorld
import Testing

/// Walks the table of account changes over the routes of Okaeri's own surfaces. `ForeignAPITests` walks it over those of the
/// mobile backends, `DomainTests` through the function that stores them all.
@Suite("A change of an account by a route")
struct AccountChangeWalkTests {
    /// What is known of an account: the user, and what the audit log has of it.
    private struct State: Equatable {
        var user: User
        var entries: [AuditEntry]
    }

    private func state(of id: String, in world: EvictionWorld) async throws -> State {
        let (target, application) = (Identifier<User>(rawValue: id), world.server.application.id)
        var user = try await world.server.modules.accounts.readUser(target, in: application)
        // The app opens the pages for each request, which logs the user in there.
        (user.lastLogInAt, user.previousLogInAt) = (nil, nil)
        return State(
            user: user,
            entries: try await world.server.modules.administration.listAudit(in: application).filter {
                $0.target == .user(target) && $0.result == .done && $0.action != .loggedIn
            })
    }

    private func account(of asked: AccountChangeStep.Asked, in world: EvictionWorld) -> String {
        asked.user ?? world.owner.logIn.user.id
    }

    @Test("is refused of everybody who may not, and without what has to be shown", arguments: AccountChangeStep.all)
    func refusal(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        let before = try await state(of: account(of: asked, in: world), in: world)
        if !asked.isOpen {
            for caller in [AccountChangeStep.Caller.nobody, .member] {
                _ = try await step.send(asked, as: caller, in: world)
                // Another user may make the same change of an account of their own.
                let after = try await state(of: account(of: asked, in: world), in: world)
                #expect(after == before, "\(caller)")
            }
        }
        if asked.wrong != nil || asked.wrongFields != nil {
            let answer = try await step.send(asked, as: .wrong, in: world)
            #expect(answer.status >= 400, "\(answer.text)")
            #expect(try await state(of: account(of: asked, in: world), in: world) == before)
        }
    }

    @Test(
        "needs a proof of the owner that is not old, where its row says so",
        arguments: AccountChangeStep.all.filter { $0.surface != .admin })
    func fresh(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        let isShownByRequest = asked.wrong != nil || asked.wrongFields != nil
        let isRefused = step.row.policy.fresh.contains(.recentLogIn) && !isShownByRequest
        let before = try await state(of: account(of: asked, in: world), in: world)
        // Pages are opened anew by the app, and are old then; see `AccountChangeStep.send`.
        if step.surface == .native { world.server.clock.advance(by: .seconds(700)) }
        let isExpired = [.mergeOffered, .mergeKept, .mergeSwitched, .merged].contains(step.row)
        guard !isExpired else { return }
        let answer = try await step.send(asked, as: .stale, in: world)
        if step.surface == .native, isRefused { expect(answer, 403, .reauthenticationRequired) }
        let after = try await state(of: account(of: asked, in: world), in: world)
        #expect((after == before) == isRefused, "\(answer.status) \(answer.text)")
    }

    @Test("leaves one entry with actor, address and request, and the mail of its row", arguments: AccountChangeStep.all)
    func trace(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let asked = try await step.ask(world)
        let id = account(of: asked, in: world)
        let before = try await state(of: id, in: world)
        let mailed = try await notices(in: world)
        world.server.clock.advance(by: .seconds(1))
        let answer = try await step.send(asked, as: .rightful, in: world)
        #expect(answer.status == asked.status, "\(answer.text)")
        let new = try await state(of: id, in: world).entries.filter { !before.entries.contains($0) }
        #expect(new.map(\.action) == [step.row.policy.action], "\(new.map(\.action))")
        let entry = try #require(new.first)
        if step.surface == .admin {
            #expect(entry.actor.rawValue.hasPrefix("admin:"), "\(entry.actor)")
        } else {
            #expect(entry.actor == .user(Identifier(rawValue: asked.person?.logIn.user.id ?? id)))
        }
        #expect(entry.origin.address == "192.0.2.1" && entry.origin.requestId?.isEmpty == false)
        #expect(!String(reflecting: entry).contains("example.com"))
        #expect(try await notices(in: world) - mailed == (step.row.policy.mail == nil ? 0 : 1))
    }

    private func notices(in world: EvictionWorld) async throws -> Int {
        try await world.mails().count {
            ["hana@example.com", "mika@example.com"].contains($0.recipient) && $0.code == nil && $0.token == nil
        }
    }

    @Test(
        "ends every other way in, and tells the device that is out, where its row says so",
        arguments: AccountChangeStep.all.filter { $0.row.policy.evicts.isSuperset(of: Eviction.everything) })
    func evictions(step: AccountChangeStep) async throws {
        let world = try await EvictionWorld()
        let ways: [EvictionTests.WayIn] = [
            .session, .pagesSession, .deviceKey, .logInCode, .transferCode, .mergeTicket, .authorizationCode,
        ]
        var held: [(EvictionTests.WayIn, () async throws -> Bool)] = []
        for way in ways { held.append((way, try await world.hold(way))) }
        let thief = try await world.thief()
        let asked = try await step.ask(world)
        let answer = try await step.send(asked, as: .rightful, in: world)
        #expect(answer.status == asked.status, "\(answer.text)")
        for (way, enter) in held { #expect(try await !enter(), "\(way)") }
        // The device learns why it is out.
        let refused = try await world.server.logIn(thief.device)
        guard step.row != .disabled else { return expect(refused, 403, .userDisabled) }
        expect(refused, 403, .deviceKeyRemoved)
        #expect(try refused.read(Problem.self).reason == step.row.rawValue)
    }

    /// Rows without a step here, and where each is walked.
    private static let elsewhere: [AccountChange: String] = [
        .created: "ForeignAPITests/AccountChangeTests", .signedUp: "NativeAPITests/AccountTests",
        .aclChanged: "ForeignAPITests/AccountChangeTests", .phoneVerified: "ForeignAPITests/Kii",
        .phoneReplaced: "ForeignAPITests/Kii", .weakPasswordRetired: "ForeignAPITests/WeakPasswordTests",
        .identityLinked: "NativeAPITests/Providers/AppleLinkTests",
        .consentRevoked: "NativeAPITests/Providers/AppleNotificationTests",
        .providerAccountDeleted: "NativeAPITests/Providers/AppleNotificationTests",
        .passkeyAdded: "NativeAPITests/PasskeyTests", .passkeyRenamed: "NativeAPITests/PasskeyTests",
        .passkeyRemoved: "NativeAPITests/PasskeyTests",
        .erased: "DomainTests/UserErasureTests", .erasedAtOnce: "ForeignAPITests/AccountChangeTests",
    ]

    @Test("is walked for every row")
    func rows() {
        let walked = Set(AccountChangeStep.all.map(\.row))
        #expect(walked.isDisjoint(with: Self.elsewhere.keys))
        #expect(walked.union(Self.elsewhere.keys) == Set(AccountChange.allCases))
    }

    /// Routes that write, and change no account or are walked elsewhere.
    private static let others: [AccountChangeStep.Surface: Set<String>] = [
        .native: [
            // Log-ins, and what is ordered.
            "POST /v1/log-in/automatic", "POST /v1/sign-up", "POST /v1/log-in/code/request", "POST /v1/log-in/code",
            "POST /v1/password-reset/request", "POST /v1/email/verify/request", "POST /v1/log-in/adopt",
            "POST /v1/log-in/{provider}", "POST /v1/log-out", "POST /v1/user/reauthenticate",
            "DELETE /v1/user/sessions/{id}", "POST /v1/user/merge/preview", "DELETE /v1/user/notices/{id}",
            "POST /v1/user/page", "POST /v1/token",
            // With passkeys; see `PasskeyTests`.
            "POST /v1/log-in/passkey/request", "POST /v1/log-in/passkey", "POST /v1/user/passkeys/request",
            "POST /v1/user/passkeys", "PATCH /v1/user/passkeys/{id}", "DELETE /v1/user/passkeys/{id}",
            "POST /v1/user/merge/passkey",
            // With a provider; see `AppleLinkTests` and `AppleNotificationTests`.
            "POST /v1/user/identities/{provider}", "POST /v1/providers/apple/notifications",
        ],
        .admin: [
            "DELETE \(user)/sessions/{session}", "POST \(user)/password-reset",
        ],
        .pages: [
            "POST /a/{application}/account/confirm", "POST /a/{application}/account/profile",
            "POST /a/{application}/account/email", "POST /a/{application}/account/link",
            "POST /a/{application}/account/export", "POST /a/{application}/account/merge",
        ],
    ]
    private static let user = "/v1/admin/applications/{application}/users/{user}"

    @Test("is walked for every route that writes to an account", arguments: AccountChangeStep.Surface.allCases)
    func routes(surface: AccountChangeStep.Surface) async throws {
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let part =
            switch surface {
            case .native: "/v1/"
            case .admin: "\(Self.user)"
            case .pages: "/a/{application}/account/"
            }
        let written = try await Composition.routeTable(settings).filter {
            $0.surface == surface.rawValue && $0.method != "GET" && $0.path.hasPrefix(part)
        }
        let walked = Set(AccountChangeStep.all.filter { $0.surface == surface }.map(\.route))
        let others = try #require(Self.others[surface])
        #expect(walked.isDisjoint(with: others))
        #expect(walked.union(others) == Set(written.map { "\($0.method) \($0.path)" }))
    }
}
