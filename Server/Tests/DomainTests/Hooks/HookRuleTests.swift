import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("The rules of a hook")
struct HookRuleTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")

    /// Takes https addresses.
    private struct Carrier: HookCarrier {
        func mayAsk(_ url: String) -> Bool { url.hasPrefix("https://") }
        func ask(_ request: HookRequest) async -> HookOutcome { .silent(reason: "nobody is there") }
    }

    private static func hook(_ point: HookPoint, _ change: (inout Hook) -> Void = { _ in }) -> Hook {
        var hook = Hook(point, url: "https://a.example", whenDown: .refuse, createdAt: now, sealedSecret: [1])
        if point == .logIn { hook.window.until = now + .days(1) }
        change(&hook)
        return hook
    }

    @Test("hold for one of each kind as it begins", arguments: HookPoint.allCases)
    func standard(point: HookPoint) {
        #expect(Self.hook(point).faults(Carrier()).isEmpty)
        #expect(Self.hook(point).timeout == .milliseconds(500) && !Self.hook(point).isPaused)
    }

    @Test("bound the time of a response", arguments: [-1, 0, 49, 50, 51, 4999, 5000, 5001, .max] as [Int64])
    func timeouts(milliseconds: Int64) {
        let faults = Self.hook(.signUp) { $0.timeoutMilliseconds = milliseconds }.faults(Carrier())
        #expect(
            faults
                == ((50...5000).contains(milliseconds)
                    ? [] : [ValidationError(field: "timeoutMilliseconds", rule: .outOfRange(50...5000))]))
    }

    @Test(
        "want an address that may be asked",
        arguments: [
            ("https://a.example", nil), ("http://a.example", .notAnAddress), ("", .empty),
            ("https://a.example/\n", .controlCharacter), ("https://" + String(repeating: "x", count: 992), nil),
            ("https://" + String(repeating: "x", count: 993), .tooLong(maximumCharacters: 1000)),
        ] as [(String, ValidationError.Rule?)])
    func addresses(url: String, rule: ValidationError.Rule?) {
        let faults = Self.hook(.upgrade) { $0.url = url }.faults(Carrier())
        #expect(faults == (rule.map { [ValidationError(field: "url", rule: $0)] } ?? []))
    }

    @Test(
        "let guests be asked about at sign-up alone, and an old token never be taken unasked",
        arguments: HookPoint.allCases)
    func kinds(point: HookPoint) {
        let guests = Self.hook(point) { $0.asksGuests = true }.faults(Carrier())
        #expect(guests == (point == .signUp ? [] : [ValidationError(field: "asksGuests", rule: .notOffered)]))
        let allows = Self.hook(point) { $0.whenDown = .allow }.faults(Carrier())
        #expect(allows == (point == .adoption ? [ValidationError(field: "whenDown", rule: .notOffered)] : []))
    }

    private static let second: Duration = .seconds(1)
    private static let windows: [(from: Timestamp?, until: Timestamp?, ofLogIn: ValidationError.Rule?)] = [
        (nil, nil, .required), (now, nil, .required), (nil, now, nil), (now, now + second, nil),
        (now, now, .inThePast), (now + second, now, .inThePast), (now, now + .milliseconds(1), nil),
    ]

    @Test(
        "want the end of a hook at log-in to be known, and give the others no span", arguments: HookPoint.allCases,
        windows.indices)
    func spans(point: HookPoint, index: Int) {
        let row = Self.windows[index]
        let faults = Self.hook(point) { $0.window = .init(from: row.from, until: row.until) }.faults(Carrier())
        let rule: ValidationError.Rule? =
            point == .logIn ? row.ofLogIn : row.from == nil && row.until == nil ? nil : .notOffered
        #expect(faults == (rule.map { [ValidationError(field: "until", rule: $0)] } ?? []))
    }

    @Test(
        "count the beginning of a span and not its end", arguments: [-1, 0, 1, 999, 1000, 1001] as [Int64])
    func window(after: Int64) {
        let instant = Self.now + .milliseconds(after)
        let (isBegun, isOver) = (after >= 0, after >= 1000)
        #expect(Hook.Window().contains(instant))
        #expect(Hook.Window(from: Self.now).contains(instant) == isBegun)
        #expect(Hook.Window(until: Self.now + Self.second).contains(instant) == !isOver)
        #expect(Hook.Window(from: Self.now, until: Self.now + Self.second).contains(instant) == (isBegun && !isOver))
        var settings = ApplicationSettings()
        settings.set(
            Self.hook(.logIn) { $0.window = .init(from: Self.now, until: Self.now + Self.second) })
        #expect((Self.application(settings).hook(atLogInAt: instant) != nil) == (isBegun && !isOver))
    }

    private static func application(_ settings: ApplicationSettings) -> Application {
        Application(
            id: application, name: "Test", adminKeyDigest: SecretDigest(of: []), settings: settings, createdAt: now)
    }

    private static func user(isGuest: Bool) -> User {
        var user = User(id: Identifier(rawValue: "u"), application: application, createdAt: now, updatedAt: now)
        if !isGuest { user.username = "hana" }
        return user
    }

    @Test(
        "say who is asked about: at sign-up guests where it says so, at an upgrade who becomes registered",
        arguments: [true, false], [true, false])
    func subjects(asksGuests: Bool, isPaused: Bool) {
        var settings = ApplicationSettings()
        for point in HookPoint.allCases {
            settings.set(
                Self.hook(point) { hook in
                    hook.asksGuests = asksGuests && point == .signUp
                    hook.isPaused = isPaused
                })
        }
        let application = Self.application(settings)
        let (guest, hana) = (Self.user(isGuest: true), Self.user(isGuest: false))
        for point in HookPoint.allCases { #expect((application.activeHook(point) != nil) == !isPaused) }
        #expect((application.hook(beforeSignUpOf: guest) != nil) == (asksGuests && !isPaused))
        #expect((application.hook(beforeSignUpOf: hana) != nil) == !isPaused)
        #expect((application.hook(beforeUpgradeOf: guest, to: hana) != nil) == !isPaused)
        for (before, after) in [(guest, guest), (hana, hana), (hana, guest)] {
            #expect(application.hook(beforeUpgradeOf: before, to: after) == nil)
        }
        #expect((application.hook(atLogInAt: Self.now) != nil) == !isPaused)
        // What has to be asked about and was not is refused.
        let refused = { () -> Bool in
            do throws(DomainError) {
                try application.requireApproval(false, ofUpgrade: guest, to: hana)
                return false
            } catch {
                return error == .hookUnavailable
            }
        }()
        #expect(refused == !isPaused)
        #expect(throws: Never.self) { try application.requireApproval(true, ofUpgrade: guest, to: hana) }
        #expect(throws: Never.self) { try application.requireApproval(false, ofUpgrade: hana, to: hana) }
    }

    /// A guest, one whose fields are full, or somebody registered.
    enum Standing: CaseIterable, Sendable {
        case guest, full, registered
    }

    @Test(
        "let an edit register the guest that they were asked about, and nobody who has become a guest since",
        arguments: Standing.allCases, Standing.allCases)
    func edits(known: Standing, found: Standing) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.set(Self.hook(.upgrade) { $0.whenDown = .allow })
        let application = try await world.makeApplication(settings: settings)
        let stored = try await world.logIn(TestDevice(), to: application).user
        func user(_ standing: Standing) -> User {
            var user = stored
            switch standing {
            case .guest: break
            case .full:
                for number in 0..<ProfileLimits.standard.fields { user.fields["f\(number)"] = 1 }
            case .registered: user.username = "hana"
            }
            return user
        }
        let edit = UserEdit(
            compatible: .merged(["new": 1]), identifiers: NewIdentifiers(username: .set("mika"), rules: .native))
        let author = AccountAuthor(.owner(stored.id), of: stored.id, session: nil, from: .local)
        let ready = try await world.modules.accounts.editUser.ready(
            edit, of: user(known), in: application, by: author)
        let before = user(found)
        let refusal = await world.refusal {
            _ = try await world.engine.write { transaction throws(DomainError) in
                try ready.store(before, keeping: .nothing, in: transaction)
            }
        }
        let code: DomainError.Code? =
            switch (found, known) {
            case (.full, _): .fieldsRefused
            case (.guest, .full), (.guest, .registered): .hookUnavailable
            case (.guest, .guest), (.registered, _): nil
            }
        #expect(refusal?.code == code)
        let after = try await world.modules.directory.readUser(stored.id, in: application.id)
        #expect(after.username == (code == nil ? "mika" : nil))
    }

    @Test("are that nobody is asked where there is no hook")
    func none() {
        let application = Self.application(.init())
        for point in HookPoint.allCases { #expect(application.activeHook(point) == nil) }
        #expect(application.hook(beforeSignUpOf: Self.user(isGuest: false)) == nil)
        #expect(application.hook(atLogInAt: Self.now) == nil)
    }

    private static let claims: [(added: [String: JSONValue], own: [String: JSONValue], isTaken: Bool)] = [
        ([:], [:], true), (["plan": "gold"], [:], true), (["plan": "gold", "seats": 3], ["team": "red"], true),
        (["sub": "x"], [:], false), (["iss": "x"], [:], false), (["exp": 1], [:], false), (["": "x"], [:], false),
        (["tier": "x"], [:], false), (["plan": .string(String(repeating: "x", count: 10_000))], [:], false),
    ]

    @Test("take claims whose names are nobody's, and never those of the application's rules", arguments: claims.indices)
    func claimed(index: Int) {
        let row = Self.claims[index]
        var rules = AccessRules()
        rules.claims = [ClaimRule("tier", .constant("standard"))]
        #expect((rules.reason(against: row.added, beside: row.own) == nil) == row.isTaken)
    }

    @Test("take so many claims and no more")
    func manyClaims() {
        func claims(_ count: Int) -> [String: JSONValue] {
            var claims: [String: JSONValue] = [:]
            for number in 0..<count { claims["c\(number)"] = 1 }
            return claims
        }
        #expect(AccessRules().reason(against: claims(AskHook.maximumClaims), beside: [:]) == nil)
        #expect(
            AccessRules().reason(against: claims(AskHook.maximumClaims + 1), beside: [:])?.contains("more than") == true
        )
    }
}

/// The time line of a user shows what a hook refused, and nobody fills the log by asking again.
@Suite("What a hook refuses")
struct HookRefusalTests {
    private let world: TestWorld
    private let refusals: HookRefusals
    private let application = Identifier<Application>(rawValue: "app")

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        refusals = HookRefusals(
            store: world.engine,
            audit: AuditTrail(
                clock: world.clock, randomness: world.randomness, seals: AuditSeals(try .ofTests()), hasLimits: false))
    }

    private func note(_ user: String, _ point: HookPoint = .upgrade, in application: String = "app") async throws {
        try await refusals.note(
            .userUpgraded, by: point, to: Identifier(rawValue: user), from: .local,
            in: Identifier(rawValue: application))
    }

    private func count(in application: String = "app") async throws -> Int {
        try await world.modules.administration.audit.list(in: Identifier(rawValue: application)).count
    }

    @Test("is recorded once an hour for each user, hook and application")
    func hourly() async throws {
        for _ in 0..<3 { try await note("hana") }
        #expect(try await count() == 1)
        try await note("mika")
        try await note("hana", .accessToken)
        try await note("hana", in: "other")
        #expect(try await count() == 3)
        #expect(try await count(in: "other") == 1)
        world.clock.advance(by: .milliseconds(3_599_999))
        try await note("hana")
        #expect(try await count() == 3)
        world.clock.advance(by: .milliseconds(1))
        try await note("hana")
        #expect(try await count() == 4)
        let entries = try await world.modules.administration.audit.list(in: application)
        #expect(entries.allSatisfy { $0.result == .refused && $0.details["hook"] != nil })
        #expect(Set(entries.compactMap { $0.details["hook"] }) == ["upgrade", "access-token"])
    }

    @Test("is recorded again when the clock was set back")
    func forgotten() async throws {
        try await note("hana")
        world.clock.advance(by: .seconds(-1))
        try await note("hana")
        #expect(try await count() == 2)
    }
}
