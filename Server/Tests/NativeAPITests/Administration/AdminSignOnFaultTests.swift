import Domain
import FakeProviders
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Single sign-on of admins that does not come to its end")
struct AdminSignOnFaultTests {
    /// Claims of a token that is not right, by what is wrong.
    static let altered: [(name: String, claims: [String: JSONValue])] = [
        ("issuer", ["iss": "https://evil.test"]), ("no issuer", ["iss": .null]),
        ("audience", ["aud": "another"]), ("no audience", ["aud": .null]),
        ("party", ["aud": ["okaeri-admins", "another"], "azp": "another"]),
        ("nonce", ["nonce": "another"]), ("no nonce", ["nonce": .null]), ("expired", ["exp": 1]),
        ("no end", ["exp": .null]), ("end as a text", ["exp": "tomorrow"]),
        ("made in the future", ["iat": 32_503_680_000]),
        ("no time", ["iat": .null]), ("not yet", ["nbf": 32_503_680_000]), ("extreme time", ["exp": .integer(.max)]),
        ("no subject", ["sub": .null]), ("empty subject", ["sub": ""]), ("number as subject", ["sub": 7]),
        ("control in the subject", ["sub": "ha\u{0}na"]),
        ("log-in in the future", ["auth_time": 32_503_680_000]),
    ]

    @Test("refuses every altered claim with one page, and opens nothing", arguments: altered.map { $0.name })
    func alteredClaims(name: String) async throws {
        let world = try await SignOnWorld()
        try await world.link(world.admins.browser(), subject: "hana")
        let claims = try #require(Self.altered.first { $0.name == name }).claims
        let browser = Browser(world.server)
        let page = try await world.logIn(browser, subject: "hana", more: claims)
        #expect(page.status == 422 && page.html.contains("answer did not count"), "\(page.status)")
        #expect(try await browser.get("/dashboard/admins").location == "/dashboard/log-in")
        #expect(try await world.entries(.adminLoggedIn, .refused).count == 1)
        // The same way with a right token is right.
        #expect(try await world.logIn(browser, subject: "hana").location == "/dashboard")
    }

    @Test(
        "says the same of an unknown person, of a disabled admin and of a foreign address",
        arguments: ["en", "ja", "ko"])
    func uniform(language: String) async throws {
        let world = try await SignOnWorld(
            ["admin-sign-on-domain": "example.com", "admin-sign-on-role": "support"], roles: [.operator])
        try await world.link(world.admins.browser("operator"), subject: "sora")
        let admin = try #require(try await world.rules.admins.list().first { $0.role == .operator })
        _ = try await world.rules.admins.change(admin.id, .init(isDisabled: true), version: nil, by: .local)
        var texts: Set<String> = []
        for (subject, email) in [("nobody", nil), ("sora", nil), ("nobody", "hana@example.net")] as [(String, String?)]
        {
            let browser = Browser(world.server, language: language)
            let more: [String: JSONValue] = email.map { ["email": .string($0), "email_verified": true] } ?? [:]
            let page = try await world.logIn(browser, subject: subject, more: more)
            #expect(page.status == 403)
            let summary = try #require(
                page.html.firstMatch(of: #/class="summary[\s\S]*?</ul>|role="alert"[\s\S]*?</div>/#))
            texts.insert(String(summary.output))
        }
        #expect(texts.count == 1)
    }

    @Test("tells of a provider that is down, on the way there and back")
    func outage() async throws {
        let world = try await SignOnWorld()
        try await world.link(world.admins.browser(), subject: "hana")
        let browser = Browser(world.server)
        let asked = try await world.leave(browser)
        let back = try world.back(asked, subject: "hana")
        world.provider.fail(with: FakeResponse(503))
        let page = try await browser.get(back)
        #expect(page.status == 503 && page.html.contains("okaeri admin reset"))
        let other = try await SignOnWorld()
        other.provider.fail(with: FakeResponse(503))
        #expect(try await Browser(other.server).get("/dashboard/log-in/sign-on").status == 503)
        // Passwords and passkeys are as they were.
        #expect(try await Browser(other.server).get("/dashboard/log-in").html.contains("name=\"password\""))
    }

    @Test("tells of a client secret that the provider does not take, and of a description of another issuer")
    func misconfigured() async throws {
        let world = try await SignOnWorld(["admin-sign-on-secret": "another"])
        #expect(try await world.logIn(Browser(world.server), subject: "hana").status == 503)
        let other = try await SignOnWorld()
        other.provider.listen(at: other.address, issuer: "http://127.0.0.1:1/other")
        #expect(try await Browser(other.server).get("/dashboard/log-in/sign-on").status == 503)
    }

    @Test("takes nothing back in another browser, too late, changed, cancelled, or twice")
    func state() async throws {
        let world = try await SignOnWorld()
        try await world.link(world.admins.browser(), subject: "hana")
        let browser = Browser(world.server)
        let asked = try await world.leave(browser)
        let back = try world.back(asked, subject: "hana")
        let calls = world.provider.calls.count
        let stranger = Browser(world.server)
        try await stranger.get("/dashboard/log-in")
        for (other, path) in [
            (stranger, back), (browser, back + "A"), (browser, SignOnWorld.callback),
            (browser, "\(SignOnWorld.callback)?code=code-1&state="),
            (browser, back.replacing("code=", with: "error=access_denied&code=")), (browser, "\(back)&error=x"),
            (world.admins.browser(), back),
        ] {
            let refused = try await other.get(path)
            #expect(refused.status == 422, "\(path)")
            #expect(refused.html.contains(#"action="/dashboard/log-in""#))
        }
        #expect(world.provider.calls.count == calls, "nothing of it reached the provider")
        #expect(try await browser.get(back).location == "/dashboard")
        #expect(try await browser.get(back).status == 422)
        let late = Browser(world.server)
        let begun = try await world.leave(late)
        world.server.clock.advance(by: StartAuthorization.life)
        #expect(try await late.get(try world.back(begun, subject: "hana")).status == 422)
    }

    @Test("of two callbacks with the same code at once, one counts")
    func race() async throws {
        let world = try await SignOnWorld()
        try await world.link(world.admins.browser(), subject: "hana")
        let browser = Browser(world.server)
        let back = try world.back(try await world.leave(browser), subject: "hana")
        let value = try #require(browser.cookie("__Host-okaeri-admin"))
        let cookie = "__Host-okaeri-admin=\(value)"
        async let first = world.server.send(.get, back, [("Cookie", cookie)], isNamed: false)
        async let second = world.server.send(.get, back, [("Cookie", cookie)], isNamed: false)
        #expect(try await [first.status, second.status].sorted() == [303, 422])
        #expect(try await world.entries(.adminLoggedIn, .done).count == 1)
    }

    @Test("ends with the link, with the admin, and while the admin is disabled")
    func ends() async throws {
        let world = try await SignOnWorld(roles: [.operator])
        let byPassword = world.admins.browser("operator")
        try await world.link(byPassword, subject: "sora")
        func session() async throws -> Browser {
            let browser = Browser(world.server)
            let entered = try await world.logIn(browser, subject: "sora", more: ["auth_time": .integer(world.now)])
            #expect(entered.location == "/dashboard", "\(entered.status)")
            return browser
        }
        func isOpen(_ browser: Browser) async throws -> Bool {
            try await browser.get("/dashboard/applications").status == 200
        }
        let first = try await session()
        let page = try await byPassword.get("/dashboard/sign-on")
        let unlinked = try await byPassword.post("/dashboard/sign-on/unlink", [:], token: page.token)
        #expect(unlinked.location == "/dashboard/sign-on?done=unlinked")
        #expect(try await world.entries(.adminSignOnUnlinked, .done).count == 1)
        #expect(try await !isOpen(first))
        #expect(try await isOpen(byPassword))
        #expect(try await world.logIn(Browser(world.server), subject: "sora").status == 403)
        try await world.link(byPassword, subject: "sora")
        let second = try await session()
        let admin = try #require(try await world.rules.admins.list().first { $0.role == .operator })
        _ = try await world.rules.admins.change(admin.id, .init(isDisabled: true), version: nil, by: .local)
        #expect(try await !isOpen(second))
        _ = try await world.rules.admins.change(admin.id, .init(isDisabled: false), version: nil, by: .local)
        let third = try await session()
        try await world.rules.admins.remove(admin.id, by: .local)
        #expect(try await !isOpen(third))
        #expect(try await world.logIn(Browser(world.server), subject: "sora").status == 403)
    }

    @Test("ends passwords by a setting once an owner is linked, and a link by the command line lets in again")
    func passwordsOff() async throws {
        let world = try await SignOnWorld(["admin-passwords": "off"], roles: [.operator])
        func logIn() async throws -> Answer {
            world.server.clock.advance(by: .seconds(30))
            return try await world.admins.send(
                nil, .post, "log-in",
                body:
                    #"{"name": "root", "password": "\#(AdminWorld.password)", "code": "\#(try world.admins.ownerCode)"}"#
            )
        }
        #expect(try await logIn().status == 200)
        // An operator's link ends nothing.
        try await world.link(world.admins.browser("operator"), subject: "sora")
        #expect(try await logIn().status == 200)
        let owner = world.admins.browser()
        try await world.link(owner, subject: "hana")
        expect(try await logIn(), 401, .credentialRefused)
        let page = try await Browser(world.server).get("/dashboard/log-in")
        #expect(!page.html.contains("name=\"password\"") && page.html.contains("/dashboard/log-in/sign-on"))
        world.server.clock.advance(by: AdminSession.freshness)
        let token = try await owner.get("/dashboard/keys").token
        let question = try await owner.post("/dashboard/keys", ["name": "CI"], token: token)
        #expect(question.status == 403 && !question.html.contains("proof.password"))
        let body = #"{"password": "\#(AdminWorld.password)", "code": "\#(try world.admins.ownerCode)"}"#
        expect(try await world.admins.send("owner", .post, "reauthenticate", body: body), 401, .credentialRefused)
        // As “okaeri admin reset” does; the provider is not asked.
        world.provider.fail(with: FakeResponse(503))
        let admin = try #require(try await world.rules.admins.list().first { $0.role == .owner })
        let link = try await world.rules.admins.makeLink(for: admin.id, by: .local).token
        let session = try await AdminWorld.setUp(link, name: nil, on: world.server)
        #expect(try await world.admins.send(session, .get, "admins").status == 200)
        #expect(try await Browser(world.server).get("/dashboard/log-in").html.contains("name=\"password\""))
    }

    @Test("keeps the last way in: an admin without a password that counts removes no link")
    func lastWayIn() async throws {
        let world = try await SignOnWorld(["admin-passwords": "off"], roles: [.operator])
        try await world.link(world.admins.browser(), subject: "hana")
        let browser = world.admins.browser("operator")
        try await world.link(browser, subject: "sora")
        let page = try await browser.get("/dashboard/sign-on")
        let refused = try await browser.post("/dashboard/sign-on/unlink", [:], token: page.token)
        #expect(refused.status == 422 && refused.html.contains("One way in must stay"))
        #expect(try await world.logIn(Browser(world.server), subject: "sora").location == "/dashboard")
    }

    @Test("asks the provider 60 times an hour for one address at most")
    func limit() async throws {
        let world = try await SignOnWorld()
        let browser = Browser(world.server)
        for _ in 0..<AdminSignOn.tries.maximum {
            #expect(try await world.logIn(browser, subject: "nobody").status == 403)
        }
        #expect(try await world.logIn(browser, subject: "nobody").status == 429)
    }

    @Test("is offered by no server that has no provider")
    func notOffered() async throws {
        let world = try await AdminWorld(roles: [])
        #expect(try await !Browser(world.server).get("/dashboard/log-in").html.contains("sign-on"))
        #expect(try await Browser(world.server).get("/dashboard/log-in/sign-on").status == 404)
        #expect(try await world.browser().get("/dashboard/sign-on").html.contains("name no provider"))
        let token = try await world.browser().get("/dashboard/keys").token
        #expect(try await world.browser().post("/dashboard/sign-on", [:], token: token).status == 404)
    }
}
