import Foundation
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// From the pages into an app, and from an app onto the pages.
@Suite("A code of the pages")
struct AuthorizationCodeTests {
    private static let redirect = "https://app.example/back"
    private static let verifier = String(repeating: "v", count: 43)

    private let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    /// A person who is logged in, as the pages know them.
    private func person(
        in application: Application, authenticatedAt: Timestamp? = nil, methods: AuthenticationMethods = .password,
        secondFactorAt: Timestamp? = nil
    ) async throws -> Authenticated {
        let user = try await world.signUp("hana", to: application).user
        var session = Session(
            id: Identifier(rawValue: "pages"), application: application.id, user: user.id,
            client: .init(address: nil), protocolName: .pages, method: .password,
            times: .init(
                createdAt: world.clock.now - .days(1), lastUsedAt: world.clock.now,
                expiresAt: world.clock.now + .days(1), authenticatedAt: authenticatedAt ?? world.clock.now))
        (session.methods, session.secondFactorAt) = (methods, secondFactorAt)
        try await store(session)
        return Authenticated(
            application: application, session: session, user: user, tokenDigest: SecretDigest(of: []))
    }

    private func store(_ session: Session) async throws {
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                session, token: SessionToken.Reference(SecretDigest(of: [1])), attempt: nil, replacing: nil)
        }
    }

    private func code(
        for who: Authenticated, verifier: String = verifier, scopes: [String] = ["openid"], nonce: String? = "n",
        isNew: Bool = false
    ) throws -> Secret {
        try world.modules.sessions.issueAuthorizationCode(
            AuthorizationRequest(
                redirect: Self.redirect, challenge: PKCE.s256(of: verifier), nonce: nonce, scopes: scopes),
            for: who, isNew: isNew)
    }

    private func redeem(
        _ code: String, in application: Application, redirect: String = redirect, verifier: String = verifier,
        device: TestDevice? = nil, name: String? = nil
    ) async throws -> RedeemAuthorizationCode.Redeemed? {
        try await world.modules.sessions.redeemAuthorizationCode(
            .init(
                application: application, code: code, redirect: redirect, verifier: verifier,
                proof: try device?.presented(at: world.clock.now), device: DeviceDescription(name: name),
                address: TestWorld.address, origin: .local),
            issuer: "https://id.example.com")
    }

    @Test("is good for a minute, to the millisecond", arguments: [0, 59_999, 60_000, 60_001])
    func end(after: Int) async throws {
        let application = try await world.makeApplication()
        let code = try code(for: try await person(in: application))
        world.clock.advance(by: .milliseconds(after))
        let redeemed = try await redeem(code.revealed, in: application)
        #expect((redeemed != nil) == (after < 60_000))
    }

    @Test("is good for one app, one address and the one that asked, and is not used up by others")
    func bound() async throws {
        let (application, other) = (try await world.makeApplication(), try await world.makeApplication("Other"))
        let code = try code(for: try await person(in: application)).revealed
        #expect(try await redeem(code, in: other) == nil)
        for redirect in ["", "https://app.example/back/", "https://app.example/Back", "https://app.example/back?"] {
            #expect(try await redeem(code, in: application, redirect: redirect) == nil)
        }
        for verifier in [
            "", String(repeating: "v", count: 42), String(repeating: "v", count: 44), Self.verifier.uppercased(),
        ] {
            #expect(try await redeem(code, in: application, verifier: verifier) == nil)
        }
        #expect(try await redeem(code, in: application) != nil)
    }

    @Test("is for a verifier of 43 to 128 bytes (RFC 7636 §4.1)", arguments: [0, 42, 43, 44, 127, 128, 129, 1000])
    func verifiers(count: Int) async throws {
        let application = try await world.makeApplication()
        let verifier = String(repeating: "a", count: count)
        let code = try code(for: try await person(in: application), verifier: verifier)
        let redeemed = try await redeem(code.revealed, in: application, verifier: verifier)
        #expect((redeemed != nil) == (43...128).contains(count))
    }

    @Test("that comes twice was stolen: the session that it opened is over, and what came from that; it opens no other")
    func twice() async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        let code = try code(for: who).revealed
        let redeemed = try #require(try await redeem(code, in: application))
        let app = try await world.authenticate(redeemed.logIn.token, in: application)
        let next = try #require(try await redeem(try self.code(for: app).revealed, in: application))
        #expect(next.logIn.session.origin == who.session.id.rawValue && next.logIn.session.parent == app.session.id)
        for _ in 0..<2 { #expect(try await redeem(code, in: application) == nil) }
        for token in [redeemed.logIn.token, next.logIn.token] {
            let refused = await world.refusal { _ = try await world.authenticate(token, in: application) }
            #expect(refused == .sessionInvalid)
        }
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .loggedIn))
        #expect(entries.count { $0.result == .refused } == 1)
        #expect(entries.filter { $0.result == .refused }.allSatisfy { $0.target == .user(who.user.id) })
    }

    @Test(
        "that comes twice leaves no key: who has sent it first does not come back by the device, also after a log-out",
        arguments: [false, true], [false, true])
    func twiceWithKey(hasKeyBefore: Bool, isLoggedOut: Bool) async throws {
        let application = try await world.makeApplication()
        let (who, device) = (try await person(in: application), TestDevice())
        if hasKeyBefore { _ = try await redeem(try self.code(for: who).revealed, in: application, device: device) }
        let code = try self.code(for: who, nonce: "second").revealed
        let redeemed = try #require(try await redeem(code, in: application, device: device))
        #expect(try await world.logIn(device, to: application).user.id == who.user.id)
        if isLoggedOut {
            try await world.modules.sessions.logOut(
                try await world.authenticate(redeemed.logIn.token, in: application))
        }
        for _ in 0..<2 { #expect(try await redeem(code, in: application) == nil) }
        let refused = await world.refusal { _ = try await world.logIn(device, to: application) }
        // A key that was the user's before did not join by the code.
        #expect(refused?.code == (hasKeyBefore ? nil : .deviceKeyRemoved))
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: AccountChange.deviceKeyRemoved.policy.action))
        #expect(entries.count == (hasKeyBefore ? 0 : 1))
    }

    @Test("opens a session that proves what the pages knew, while that was fresh", arguments: [true, false])
    func freshness(isFresh: Bool) async throws {
        let application = try await world.makeApplication()
        let authenticatedAt = isFresh ? world.clock.now - .milliseconds(599_999) : world.clock.now - .seconds(600)
        let who = try await person(
            in: application, authenticatedAt: authenticatedAt, methods: [.password, .timeBasedCode],
            secondFactorAt: authenticatedAt)
        let redeemed = try #require(try await redeem(try code(for: who).revealed, in: application))
        let session = redeemed.logIn.session
        #expect(session.method == (isFresh ? .pages : .keptPages) && session.protocolName == .native)
        #expect(session.methods == (isFresh ? [.password, .timeBasedCode] : []))
        #expect(session.authenticatedAt == authenticatedAt && session.secondFactorAt == authenticatedAt)
        #expect(session.origin == who.session.id.rawValue && session.parent == who.session.id)
    }

    @Test("says nothing of a second factor that the pages have not seen, nor of a device that was remembered elsewhere")
    func remembered() async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application, methods: [.password, .rememberedDevice])
        let redeemed = try #require(try await redeem(try code(for: who).revealed, in: application))
        #expect(redeemed.logIn.session.methods == .password && redeemed.logIn.session.secondFactorAt == nil)
    }

    @Test("lets the device's key join the user, so that the next launch is automatic")
    func device() async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        let device = TestDevice()
        let redeemed = try #require(
            try await redeem(try code(for: who).revealed, in: application, device: device, name: "Phone"))
        #expect(redeemed.logIn.session.deviceKey == device.thumbprint && redeemed.logIn.session.device.name == "Phone")
        #expect(try await world.logIn(device, to: application).user.id == who.user.id)
    }

    @Test(
        "lets the key join by the passkey that the person has shown on the pages, whatever opened their session",
        arguments: [
            (.password, .password), ([.password, .passkey], .passkey), ([.passkey, .userVerification], .passkey),
        ] as [(AuthenticationMethods, Session.LogInMethod)])
    func wayOfKey(methods: AuthenticationMethods, way: Session.LogInMethod) async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application, methods: methods)
        let device = TestDevice()
        let redeemed = try #require(
            try await redeem(try code(for: who).revealed, in: application, device: device))
        let key = redeemed.logIn.user.identities.first { $0.provider == .device }
        #expect(key?.subject == device.thumbprint && key?.joinedBy == way)
    }

    @Test("lets no key join when the person was there ten minutes ago: a stolen session makes no way in of its own")
    func deviceOfKeptPages() async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application, authenticatedAt: world.clock.now - .seconds(600))
        let device = TestDevice()
        let redeemed = try #require(
            try await redeem(try code(for: who).revealed, in: application, device: device))
        #expect(redeemed.logIn.session.deviceKey == device.thumbprint)
        #expect(!redeemed.logIn.user.identities.contains { $0.provider == .device })
        #expect(try await world.logIn(device, to: application).user.id != who.user.id)
    }

    @Test("shows of a guest nothing by a key that does not lead to the guest")
    func keyOfGuest() async throws {
        let application = try await world.makeApplication()
        let (own, other) = (TestDevice(), TestDevice())
        let guest = try await world.logIn(own, to: application).user
        for (device, isShown) in [(own, true), (other, false)] {
            let session = Session(
                id: Identifier(rawValue: "s"), application: application.id, user: guest.id,
                client: .init(deviceKey: device.thumbprint, address: nil), protocolName: .native, method: .keptPages,
                times: .init(
                    createdAt: world.clock.now, lastUsedAt: world.clock.now, expiresAt: world.clock.now + .days(1)))
            let who = Authenticated(
                application: application, session: session, user: guest, tokenDigest: SecretDigest(of: []))
            let author = AccountAuthor.owner(who, isProven: true, from: .local)
            let refused = await world.refusal { try author.requireProof(of: .upgraded, at: world.clock.now) }
            #expect(refused == (isShown ? nil : .reauthenticationRequired))
        }
    }

    @Test("needs a proof where the application wants one of every request")
    func proofRequired() async throws {
        var settings = ApplicationSettings()
        settings.proofRequired = true
        let application = try await world.makeApplication(settings: settings)
        let user = User(
            id: Identifier(rawValue: "u"), application: application.id, createdAt: world.clock.now,
            updatedAt: world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(user) }
        let refused = await world.refusal { _ = try await redeem("code", in: application) }
        #expect(refused == .proofRequired)
        #expect(try await redeem("code", in: application, device: TestDevice()) == nil)
    }

    @Test("is void once the user's ways in were ended, or the user is kept out or on the way out")
    func evicted() async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        let ended = try code(for: who).revealed
        _ = try await world.modules.administration.users.endAllSessions(of: who.user.id, in: application, by: .local)
        #expect(try await redeem(ended, in: application) == nil)
        try await store(who.session)
        let user = try await world.modules.directory.readUser(who.user.id, in: application.id)
        let later = Authenticated(
            application: application, session: who.session, user: user, tokenDigest: who.tokenDigest)
        let good = try code(for: later).revealed
        for (disabled, deleted) in [(world.clock.now, nil), (nil, world.clock.now)] as [(Timestamp?, Timestamp?)] {
            var kept = user
            (kept.disabledAt, kept.deletionRequestedAt) = (disabled, deleted)
            let changed = kept
            try await world.engine.write { transaction throws(DomainError) in
                try transaction.updateStanding(of: changed)
            }
            #expect(try await redeem(try code(for: later).revealed, in: application) == nil)
        }
        try await world.engine.write { transaction throws(DomainError) in try transaction.updateStanding(of: user) }
        #expect(try await redeem(good, in: application) != nil)
    }

    @Test("is void once the session of the pages has ended")
    func endedSession() async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        let code = try code(for: who).revealed
        try await world.modules.sessions.logOut(who)
        #expect(try await redeem(code, in: application) == nil)
    }

    @Test("of somebody who has just registered on the pages is their first log-in")
    func registered() async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        let redeemed = try #require(try await redeem(try code(for: who, isNew: true).revealed, in: application))
        #expect(redeemed.logIn.isNew)
        let again = try #require(try await redeem(try code(for: who).revealed, in: application))
        #expect(!again.logIn.isNew)
    }

    @Test("that was altered anywhere is none", arguments: UInt64(0)..<20)
    func altered(seed: UInt64) async throws {
        var draw = SeededGenerator(state: seed)
        let application = try await world.makeApplication()
        let code = try code(for: try await person(in: application)).revealed
        var bytes = try #require(Base64URL.bytes(of: code.utf8))
        bytes[draw.number(below: bytes.count)] ^= 1 << UInt8(draw.number(below: 8))
        #expect(try await redeem(Base64URL.text(of: bytes), in: application) == nil)
        #expect(try await redeem(code + draw.text(of: 1, from: "Aa=-"), in: application) == nil)
    }

    @Test("is none of these texts", arguments: ["", "code", "=", "é", String(repeating: "A", count: 9000)])
    func other(text: String) async throws {
        let application = try await world.makeApplication()
        #expect(try await redeem(text, in: application) == nil)
    }

    private static func claims(_ token: Secret?) throws -> [String: Any] {
        let parts = try #require(token).revealed.split(separator: ".")
        let bytes = try #require(Base64URL.bytes(of: parts[1].utf8))
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    static let scopes: [[String]] = [
        [], ["profile"], ["openid"], ["openid", "profile"], ["openid", "email"], ["openid", "profile", "email"],
        ["profile", "email"],
    ]

    @Test("brings an identity token when it is asked for, and of the person what is asked for", arguments: scopes)
    func identity(scopes: [String]) async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        var user = who.user
        (user.displayName, user.email) = ("Hana", "hana@example.com")
        let named = user
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateProfile(of: named)
            try transaction.updateIdentifiers(of: named)
        }
        let redeemed = try #require(try await redeem(try code(for: who, scopes: scopes).revealed, in: application))
        #expect(redeemed.scopes == scopes)
        guard scopes.contains("openid") else {
            #expect(redeemed.identityToken == nil)
            return
        }
        let claims = try Self.claims(redeemed.identityToken)
        let now = Int(world.clock.now.milliseconds / 1000)
        #expect(
            claims["iss"] as? String == "https://id.example.com" && claims["aud"] as? String == application.id.rawValue)
        #expect(claims["sub"] as? String == who.user.id.rawValue && claims["nonce"] as? String == "n")
        #expect(claims["sid"] as? String == redeemed.logIn.session.id.rawValue)
        #expect(claims["iat"] as? Int == now && claims["auth_time"] as? Int == now)
        #expect((claims["exp"] as? Int).map { $0 > now } == true)
        #expect(claims["amr"] as? [String] == ["pwd"] && claims["acr"] as? String == "1")
        let (profile, email) = (scopes.contains("profile"), scopes.contains("email"))
        #expect(claims["name"] as? String == (profile ? "Hana" : nil))
        #expect(claims["preferred_username"] as? String == (profile ? "hana" : nil))
        #expect(claims["email"] as? String == (email ? "hana@example.com" : nil))
        #expect(claims["email_verified"] as? Bool == (email ? false : nil))
    }
}
