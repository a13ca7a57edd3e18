import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What operators set one by one: lists of users, services that people have left, hooks.
@Suite("What operators set one by one")
struct SettingEntryTests {
    /// Asks nobody, and lets every address of HTTPS be asked.
    private struct Carrier: HookCarrier {
        func mayAsk(_ url: String) -> Bool { url.hasPrefix("https://") }
        func ask(_ request: HookRequest) async -> HookOutcome { .silent(reason: "nobody is there") }
    }

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), hooks: Carrier())
        application = try await world.makeApplication()
    }

    private func details(_ action: AuditEntry.Action = .settingsChanged) async throws -> [[String: String]] {
        try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: action)
        ).map(\.details).reversed()
    }

    private func found() async throws -> Application {
        try await world.modules.applications.findApplication(application.id)
    }

    private func later() { world.clock.advance(by: .seconds(1)) }

    @Test("lists of users are thirty, sorted by name, and recorded without what they search")
    func lists() async throws {
        let change = world.modules.administration.users.changeListViews
        let id = application.id
        for number in (10..<40).reversed() {
            let name = "v\(number)"
            try await change(name, to: UserListView(name: name), of: id, by: .local)
        }
        let names = (10..<40).map { "v\($0)" }
        #expect(try await found().settings.userListViews.map(\.name) == names)
        let full = await world.refusal {
            try await change("w", to: UserListView(name: "w"), of: id, by: .local)
        }
        #expect(full == .fieldsRefused([ValidationError(field: "name", rule: .tooManyFields(maximum: 30))]))
        let before = try await details(.userListViewsChanged).count
        later()
        // One that is there can be changed, and called otherwise, also when there are thirty.
        var view = UserListView(name: "a")
        view.search = "hana"
        try await change("v39", to: view, of: id, by: .local)
        #expect(try await found().settings.userListViews.map(\.name) == ["a"] + names.dropLast())
        later()
        #expect(try await change("a", to: nil, of: id, by: .local).map(\.name) == Array(names.dropLast()))
        let unknown = await world.refusal { try await change("a", to: nil, of: id, by: .local) }
        #expect(unknown == .administration(.notFound))
        let nameless = await world.refusal {
            try await change("v10", to: UserListView(name: ""), of: id, by: .local)
        }
        #expect(nameless == .fieldsRefused([ValidationError(field: "name", rule: .empty)]))
        #expect(
            try await details(.userListViewsChanged).dropFirst(before)
                == [["view": "v39", "kept": "true"], ["view": "a", "kept": "false"]])
    }

    private static let services: [(String, ManageOldServices.Draft, [ValidationError])] = [
        ("nothing said", .init(), []),
        ("twenty audiences", .init(audiences: (0..<20).map { "a\($0)" }), []),
        (
            "one more", .init(audiences: (0..<21).map { "a\($0)" }),
            [ValidationError(field: "audiences", rule: .tooManyFields(maximum: 20))]
        ),
        ("long texts", .init(issuer: long(255), audiences: [long(255)]), []),
        (
            "longer ones", .init(issuer: long(256), audiences: [long(256)]),
            [
                ValidationError(field: "issuer", rule: .tooLong(maximumCharacters: 255)),
                ValidationError(field: "audiences", rule: .tooLong(maximumCharacters: 255)),
            ]
        ),
        (
            "empty ones", .init(issuer: "", audiences: [""]),
            [ValidationError(field: "issuer", rule: .empty), ValidationError(field: "audiences", rule: .empty)]
        ),
    ]

    private static func long(_ count: Int) -> String { String(repeating: "n", count: count) }

    @Test("services that people have left are bounded", arguments: services.indices)
    func service(index: Int) async throws {
        let (name, draft, faults) = Self.services[index]
        let refused = await world.refusal {
            _ = try await world.modules.providers.manageOldServices.set(
                .firebase, to: draft, in: application.id, isCurrent: { _ in true }, by: .local)
        }
        #expect(refused == (faults.isEmpty ? nil : .fieldsRefused(faults)), "\(name)")
        #expect(try await found().oldServices.map(\.name) == (faults.isEmpty ? [.firebase] : []))
    }

    @Test("services that people have left keep their secret until there is a new one, and say which in the audit log")
    func serviceEntries() async throws {
        let (manage, id) = (world.modules.providers.manageOldServices, application.id)
        func set(_ issuer: String, _ secret: String? = nil) async throws -> OldService? {
            later()
            return try await manage.set(
                .supabase, to: .init(issuer: issuer, secret: secret.map { Secret($0) }), in: id,
                isCurrent: { _ in true }, by: .local
            ).settings.oldServices[.supabase]
        }
        #expect(try await set("a")?.sealedSecret == nil)
        let sealed = try #require(try await set("b", "secret")?.sealedSecret)
        #expect(try await set("c")?.sealedSecret == sealed)
        #expect(try await set("c")?.sealedSecret == sealed)
        let other = try #require(try await set("c", "another")?.sealedSecret)
        #expect(other != sealed)
        let late = await world.refusal {
            _ = try await manage.set(.supabase, to: .init(issuer: "d"), in: id, isCurrent: { _ in false }, by: .local)
        }
        #expect(late == .administration(.changedMeanwhile))
        later()
        try await manage.remove(.supabase, in: id, isCurrent: { _ in true }, by: .local)
        let gone = await world.refusal {
            try await manage.remove(.supabase, in: id, isCurrent: { _ in true }, by: .local)
        }
        #expect(gone == .administration(.notFound))
        let secrets = [("created", "none"), ("changed", "new"), ("changed", "kept"), ("changed", "new")]
        let expected =
            secrets.map { ["oldService": "supabase", "change": $0.0, "secret": $0.1] }
            + [["oldService": "supabase", "change": "removed"]]
        // The one that changed nothing left nothing.
        #expect(try await details() == expected)
    }

    @Test("a key changes them six hundred times an hour in one application, and commands have no limit")
    func rate() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let (id, other) = (try await world.makeApplication().id, try await world.makeApplication("other").id)
        let key = Operator(actor: AuditEntry.Actor(rawValue: "admin-key:one"), origin: .local)
        let neighbour = Operator(actor: AuditEntry.Actor(rawValue: "admin-key:two"), origin: .local)
        func set(_ number: Int, in id: Identifier<Application>, by who: Operator) async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.applications.changeTheme(
                    of: id, to: .object(["cornerRadius": .integer(Int64(number))]), by: who)
            }
        }
        var refusals: [DomainError] = []
        for number in 1...OperatorTrace.settings.limit.maximum {
            if let refusal = await set(number, in: id, by: key) { refusals.append(refusal) }
        }
        #expect(refusals.isEmpty)
        // What changes nothing leaves nothing.
        #expect(await set(600, in: id, by: key) == nil)
        #expect(await set(601, in: id, by: key) == .rateLimited(retryAfter: .seconds(3600)))
        #expect(await set(601, in: other, by: key) == nil)
        #expect(await set(601, in: id, by: neighbour) == nil)
        #expect(await set(602, in: id, by: .local) == nil)
        world.clock.advance(by: .seconds(3600))
        #expect(await set(603, in: id, by: key) == nil)
    }

    @Test("hooks keep their secret and their birth when they change, and are recorded")
    func hooks() async throws {
        let (manage, id) = (world.modules.hooks.manage, application.id)
        let draft = ManageHooks.Draft(url: "https://a.example", whenDown: .refuse)
        let (first, secret) = try await manage.set(.signUp, to: draft, in: id, by: .local)
        #expect(secret != nil && first.createdAt == world.clock.now && first.timeout == .milliseconds(500))
        #expect(!first.isPaused && !first.asksGuests && first.formerUntil == nil)
        later()
        var changed = draft
        (changed.timeoutMilliseconds, changed.isPaused, changed.asksGuests) = (50, true, true)
        (changed.url, changed.whenDown) = ("https://b.example", .allow)
        let (second, noSecret) = try await manage.set(.signUp, to: changed, in: id, by: .local)
        #expect(noSecret == nil && second.sealedSecret == first.sealedSecret && second.createdAt == first.createdAt)
        #expect(second.isPaused && second.asksGuests && second.timeout == .milliseconds(50))
        #expect(second.url == "https://b.example" && second.whenDown == .allow)
        later()
        let (third, rotated) = try await manage.rotate(
            .signUp, in: id, overlap: try SecretOverlap(hours: 2), by: .local)
        #expect(third.sealedFormer == second.sealedSecret && third.sealedSecret != second.sealedSecret)
        #expect(third.formerUntil == world.clock.now + .seconds(7200) && rotated != secret)
        #expect(try await manage.list(in: id) == [third])
        later()
        try await manage.remove(.signUp, in: id, by: .local)
        let changes = ["created", "changed", "secret-rotated", "removed"]
        #expect(try await details() == changes.map { ["hook": "sign-up", "change": $0] })
        #expect(try await manage.list(in: id).isEmpty)
    }

    @Test("hooks that there are not, or that have changed since, are not changed")
    func noHooks() async throws {
        let (manage, id) = (world.modules.hooks.manage, application.id)
        let gone = DomainError.administration(.notFound)
        #expect(await world.refusal { try await manage.remove(.upgrade, in: id, by: .local) } == gone)
        #expect(
            await world.refusal {
                _ = try await manage.rotate(.upgrade, in: id, overlap: .standard, by: .local)
            } == gone)
        #expect(
            await world.refusal { _ = try await world.modules.hooks.test(.upgrade, in: id, by: .local) } == gone)
        let draft = ManageHooks.Draft(url: "https://a.example", whenDown: .refuse)
        #expect(
            await world.refusal {
                _ = try await manage.set(.upgrade, to: draft, in: id, isCurrent: { _ in false }, by: .local)
            } == .administration(.changedMeanwhile))
        let nobody = Identifier<Application>(rawValue: "nobody")
        #expect(await world.refusal { _ = try await manage.list(in: nobody) } == .applicationUnknown)
        #expect(
            await world.refusal { _ = try await manage.set(.upgrade, to: draft, in: nobody, by: .local) }
                == .applicationUnknown)
        #expect(try await details().isEmpty)
        #expect(try await manage.list(in: id).isEmpty)
    }
}
