import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("The log-in of an admin")
struct AdminLogInRuleTests {
    private static let password = Secret("an admin's long secret")
    private static let key = [UInt8](repeating: 5, count: TOTP.keyBytes)

    private let world: TestWorld
    private let secrets: AdminSecrets

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        secrets = AdminSecrets(sealingKey: try .ofTests(), randomness: world.randomness)
    }

    @discardableResult
    private func admin(
        _ name: String = "Hana", hasAuthenticator: Bool = true, _ change: (inout Admin) -> Void = { _ in }
    ) async throws -> Admin {
        var admin = Admin(
            id: world.randomness.newIdentifier(at: world.clock.now), name: name, role: .owner, applications: nil,
            createdAt: world.clock.now)
        let password = try #require(Password(Self.password.revealed))
        admin.passwordHash = CountingPasswords.hash(password)
        if hasAuthenticator {
            admin.sealedTOTP = try SealingKey.ofTests().seal(Self.key, purpose: AdminSecrets.totpPurpose)
        }
        admin.recoveryDigests = ["abcde-fgh23", "abcde-fgh24"].map { secrets.recoveryDigest(of: $0) }
        change(&admin)
        let made = admin
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(made) }
        return made
    }

    private var step: Int64 { world.clock.now.milliseconds / 1000 / TOTP.step }
    private func code(_ offset: Int64 = 0) -> String { TOTP(key: Self.key).code(step: step + offset) }

    private func logIn(
        _ name: String, _ password: Secret, _ code: String, from address: String = "192.0.2.7"
    ) async throws(DomainError) -> LogInAdmin.Done {
        try await world.modules.administration.logIns.logIn(
            .init(name: name, password: password, code: code),
            from: ClientAddress(text: address, allowanceGroup: address), origin: .local)
    }

    private func logIn(_ code: String) async throws(DomainError) -> LogInAdmin.Done {
        try await logIn("Hana", Self.password, code)
    }

    private func entries() async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(
            in: AuditEntry.server, matching: AuditFilter(action: .adminLoggedIn))
    }

    @Test("needs name, password and the present code, and gives a session of twelve hours")
    func right() async throws {
        let admin = try await admin()
        let done = try await logIn(code())
        #expect(done.admin.id == admin.id && done.admin.lastLogInAt == world.clock.now && done.recoveryCodesLeft == nil)
        #expect(done.expiresAt == world.clock.now + .seconds(12 * 3600))
        let access = try await world.modules.administration.logIns.findAdmin(done.token, at: nil, from: .local)
        #expect(access.admin?.id == admin.id && access.authenticatedAt == world.clock.now)
        let entries = try await entries()
        #expect(entries.map(\.actor) == [.admin(admin.id)] && entries.first?.details["second-factor"] == "totp")
    }

    @Test(
        "is refused without saying what is wrong",
        arguments: [
            ("Hana", "another long secret", 0), ("Nobody", "an admin's long secret", 0),
            ("Hana", "an admin's long secret", -2),
            ("Hana", "an admin's long secret", 2), ("Hana", "", 0), ("", "an admin's long secret", 0),
        ] as [(String, String, Int64)])
    func wrong(name: String, password: String, offset: Int64) async throws {
        let admin = try await admin()
        let refused = await world.refusal { _ = try await logIn(name, Secret(password), code(offset)) }
        #expect(refused == .credentialRefused)
        let entries = try await entries()
        #expect(entries.map(\.result) == [.refused])
        #expect(entries.first?.target == (name == "Hana" ? .admin(admin.id) : nil))
    }

    @Test("compares one hash, whether or not there is such an admin", arguments: ["Hana", "Nobody"])
    func time(name: String) async throws {
        try await admin()
        _ = await world.refusal { _ = try await logIn(name, Secret("another long secret"), code()) }
        #expect(world.passwords.counted.comparisons == 1 && world.passwords.counted.hadHash == (name == "Hana"))
        // No application's log-ins are waited for.
        #expect(world.passwords.counted.share == .admins)
    }

    @Test(
        "takes the name however it is written, and no other name",
        arguments: [
            ("hana", true), ("HANA", true), ("Ｈａｎａ", true), ("Hana\0", false), ("Han", false), ("Hana2", false),
        ])
    func names(name: String, isKnown: Bool) async throws {
        try await admin()
        let refused = await world.refusal { _ = try await logIn(name, Self.password, code()) }
        #expect((refused == nil) == isKnown)
    }

    @Test("takes each step of time once, also the one before and after", arguments: [-1, 0, 1] as [Int64])
    func once(offset: Int64) async throws {
        try await admin()
        _ = try await logIn(code(offset))
        #expect(await world.refusal { _ = try await logIn(code(offset)) } == .credentialRefused)
        // An earlier step counts no more either.
        #expect(await world.refusal { _ = try await logIn(code(offset - 1)) } == .credentialRefused)
        world.clock.advance(by: .seconds(60))
        _ = try await logIn(code())
    }

    @Test("takes each recovery code once, and says how many are left")
    func recovery() async throws {
        try await admin()
        #expect(try await logIn("ABCDE FGH23").recoveryCodesLeft == 1)
        #expect(await world.refusal { _ = try await logIn("abcde-fgh23") } == .credentialRefused)
        #expect(try await logIn("abcdefgh24").recoveryCodesLeft == 0)
        let entries = try await entries()
        #expect(
            entries.filter { $0.result == .done }.map { $0.details["second-factor"] } == [
                "recovery-code", "recovery-code",
            ])
    }

    @Test(
        "is refused of who is disabled, has no password, or lacks the authenticator that everybody must have",
        arguments: 0..<3)
    func states(state: Int) async throws {
        let now = world.clock.now
        try await admin(hasAuthenticator: state != 2) { admin in
            if state == 0 { admin.disabledAt = now }
            if state == 1 { admin.passwordHash = nil }
        }
        #expect(await world.refusal { _ = try await logIn(code()) } == .credentialRefused)
    }

    @Test("stores a better hash, and keeps what it is otherwise")
    func better() async throws {
        let typed = try #require(Password(Self.password.revealed))
        let admin = try await admin { $0.passwordHash = CountingPasswords.weakHash(typed) }
        _ = try await logIn(code())
        let stored = try await world.engine.read { transaction throws(DomainError) in try transaction.admin(admin.id) }
        #expect(stored?.passwordHash == CountingPasswords.hash(typed) && stored?.lastTOTPStep == step)
    }

    @Test("waits after five wrong tries for a name, from any address, and forgets them with a right one")
    func delays() async throws {
        try await admin()
        for number in 0..<5 {
            let refused = await world.refusal {
                _ = try await logIn("Hana", Secret("wrong wrong wrong"), "0", from: "192.0.2.\(number)")
            }
            #expect(refused == .credentialRefused, "\(number)")
        }
        // Also spaces and invisible letters around it are the name.
        for name in ["Hana", " hana ", "hana\u{200B}"] {
            let refused = await world.refusal { _ = try await logIn(name, Self.password, code(), from: "198.51.100.1") }
            #expect(refused == .rateLimited(retryAfter: .seconds(1)), "\(name)")
        }
        world.clock.advance(by: .seconds(1))
        _ = try await logIn(code())
        world.clock.advance(by: .seconds(60))
        #expect(
            await world.refusal { _ = try await logIn("Hana", Secret("wrong wrong wrong"), "0") } == .credentialRefused)
        _ = try await logIn(code())
    }

    @Test("is refused to an address after thirty wrong tries in an hour, whatever the names")
    func addresses() async throws {
        try await admin()
        for number in 0..<30 {
            let refused = await world.refusal { _ = try await logIn("nobody\(number)", Self.password, "0") }
            #expect(refused == .credentialRefused, "\(number)")
        }
        world.clock.advance(by: .seconds(60))
        #expect(await world.refusal { _ = try await logIn(code()) } == .rateLimited(retryAfter: .seconds(3540)))
        _ = try await logIn("Hana", Self.password, code(), from: "198.51.100.1")
        world.clock.advance(by: .seconds(3540))
        _ = try await logIn(code())
    }

    @Test("is refused to an IPv6 site after a hundred times as many wrong tries, and to no other")
    func sites() async throws {
        try await admin()
        func address(_ site: Int, _ network: Int) -> ClientAddress {
            ClientAddress(
                text: "2001:db8:\(site):\(network)::1", allowanceGroup: "2001:db8:\(site):\(network)::/64")
        }
        func logIn(_ name: String, _ code: String, from address: ClientAddress) async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.administration.logIns.logIn(
                    .init(name: name, password: Self.password, code: code), from: address, origin: .local)
            }
        }
        for number in 1...30 { #expect(await logIn("nobody\(number)", "0", from: address(1, 1)) == .credentialRefused) }
        let (site, now) = (
            RateLimitKey(application: AuditEntry.server, kind: "admin-log-in", subject: "2001:db8:1::/48"),
            world.clock.now
        )
        try await world.engine.write { transaction throws(DomainError) in
            for _ in 31..<3000 { _ = try transaction.count(site, window: .seconds(3600), at: now) }
        }
        #expect(await logIn("nobody", "0", from: address(1, 2)) == .credentialRefused)
        #expect(await logIn("Hana", code(), from: address(1, 3)) == .rateLimited(retryAfter: .seconds(3600)))
        #expect(await logIn("Hana", code(), from: address(2, 1)) == nil)
    }

    @Test("again gives a new token within the same twelve hours, and the one before is over")
    func again() async throws {
        try await admin()
        let first = try await logIn(code())
        world.clock.advance(by: .seconds(1800))
        let find = world.modules.administration.logIns.findAdmin
        let access = try await find(first.token, at: nil, from: .local)
        let again = try await world.modules.administration.logIns.reauthenticate(
            password: Self.password, code: code(), token: first.token, by: access, from: TestWorld.address,
            origin: .local)
        #expect(again.expiresAt == first.expiresAt && again.freshUntil == world.clock.now + .seconds(600))
        #expect(again.access.authenticatedAt == world.clock.now)
        let fresh = try await find(again.token, at: nil, from: .local)
        #expect(fresh.authenticatedAt == world.clock.now)
        #expect(
            await world.refusal { _ = try await find(first.token, at: nil, from: .local) }
                == .administration(.adminRequired))
        // A wrong password ends nothing.
        let wrong = await world.refusal {
            _ = try await world.modules.administration.logIns.reauthenticate(
                password: Secret("wrong wrong wrong"), code: code(), token: again.token, by: fresh,
                from: TestWorld.address, origin: .local)
        }
        #expect(wrong == .credentialRefused)
        _ = try await find(again.token, at: nil, from: .local)
    }

    /// An export of users broke off when its own admin proved to be there again.
    @Test("goes on under its new token for a response that began under the one before, until a log-out")
    func renewed() async throws {
        try await admin()
        let first = try await logIn(code())
        world.clock.advance(by: .seconds(1800))
        let logIns = world.modules.administration.logIns
        let access = try await logIns.findAdmin(first.token, at: nil, from: .local)
        let again = try await logIns.reauthenticate(
            password: Self.password, code: code(), token: first.token, by: access, from: TestWorld.address,
            origin: .local)
        let renewed = try await logIns.findAdmin.again(access, by: first.token, at: nil, from: .local)
        #expect(renewed.authenticatedAt == world.clock.now && renewed.admin?.id == access.admin?.id)
        try await logIns.logOut(again.token, by: renewed, from: .local)
        #expect(
            await world.refusal { _ = try await logIns.findAdmin.again(access, by: first.token, at: nil, from: .local) }
                == .administration(.adminRequired))
    }

    @Test("ends with a log-out, which is recorded")
    func logOut() async throws {
        let admin = try await admin()
        let done = try await logIn(code())
        let find = world.modules.administration.logIns.findAdmin
        let access = try await find(done.token, at: nil, from: .local)
        try await world.modules.administration.logIns.logOut(done.token, by: access, from: .local)
        #expect(
            await world.refusal { _ = try await find(done.token, at: nil, from: .local) }
                == .administration(.adminRequired))
        let entries = try await world.modules.administration.audit.list(
            in: AuditEntry.server, matching: AuditFilter(action: .adminLoggedOut))
        #expect(entries.map(\.target) == [.admin(admin.id)])
    }

    @Test(
        "is nobody's by these tokens",
        arguments: ["", "okd_", "oka_", "okd_" + String(repeating: "A", count: 43), String(repeating: "A", count: 101)])
    func tokens(token: String) async throws {
        try await admin()
        let find = world.modules.administration.logIns.findAdmin
        #expect(
            await world.refusal { _ = try await find(Secret(token), at: nil, from: .local) }
                == .administration(.adminRequired))
        #expect(
            await world.refusal { _ = try await find(nil, at: nil, from: .local) } == .administration(.adminRequired))
    }
}
