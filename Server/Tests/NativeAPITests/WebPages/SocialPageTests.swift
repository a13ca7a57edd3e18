import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import ParseAPI
import Testing

/// A server whose application knows Facebook and X, with this server's addresses to come back to.
private struct SocialWorld {
    let server: TestServer
    let facebook = FakeFacebook(app: "fb-app", secret: "fb-secret")
    let x: FakeX

    init(
        xSecret: String? = "x-secret", clients: [String] = ["x-consumer", "x-client"],
        secret: String = "consumer-secret x-secret", rules: [FieldRule] = []
    ) async throws {
        x = FakeX(client: clients.last ?? "", secret: xSecret)
        var addresses = ProviderAddresses()
        addresses.facebookGraph = await FakeHost.address(of: facebook)
        addresses.twitter = await FakeHost.address(of: x)
        var settings = ApplicationSettings(redirectAddresses: [WebLogInTests.redirect])
        settings.fieldRules = FieldRules(rules)
        server = try await TestServer(
            settings: ["public-url": TestServer.url], application: settings, providers: addresses,
            caller: FakeHost.caller)
        let base = "\(TestServer.url)/a/\(server.application.id)/provider"
        try await server.modules.providers.setProvider(
            ProviderSettings(
                provider: .facebook, audiences: ["fb-app"], redirectURIs: ["\(base)/facebook/callback"]),
            secret: Secret("fb-secret"), of: server.application.id, by: .local)
        try await server.modules.providers.setProvider(
            ProviderSettings(provider: .twitter, audiences: clients, redirectURIs: ["\(base)/twitter/callback"]),
            secret: Secret(secret), of: server.application.id, by: .local)
    }

    /// Presses a button: what the provider is asked.
    func leave(_ browser: Browser, _ provider: String, query: String = "") async throws -> [String: String] {
        let sent = try await browser.get(browser.path("provider/\(provider)") + query)
        #expect(sent.status == 303, "\(sent.html)")
        return Self.asked(sent.location)
    }

    static func asked(_ address: String?) -> [String: String] {
        let items = address.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    func code(_ provider: String, _ asked: [String: String], user: String) -> String {
        let (redirect, challenge) = (asked["redirect_uri"] ?? "", asked["code_challenge"] ?? "")
        return provider == "facebook"
            ? facebook.code(user: user, redirectURI: redirect, challenge: challenge)
            : x.code(user: user, redirectURI: redirect, challenge: challenge)
    }

    func comeBack(
        _ browser: Browser, _ provider: String, _ asked: [String: String], user: String = "77", code: String? = nil
    ) async throws -> Page {
        try await browser.get(
            browser.path("provider/\(provider)/callback")
                + "?code=\(code ?? self.code(provider, asked, user: user))"
                + "&state=\(Browser.escaped(asked["state"] ?? ""))")
    }

    func fail(_ provider: String, with answer: FakeResponse?) {
        if provider == "facebook" { facebook.fail(with: answer) } else { x.fail(with: answer) }
    }
}

@Suite("Facebook and X on the pages")
struct SocialPageTests {
    static let password = "correct horse battery"

    @Test("have their buttons, and send people to their dialogs with the exact address to come back to, state and PKCE")
    func departure() async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        for page in ["log-in", "sign-up"] {
            let html = try await browser.get(browser.path(page)).html
            #expect(html.contains("Continue with Facebook") && html.contains("Continue with X"))
        }
        for (provider, dialog, client, scope) in [
            ("facebook", "https://www.facebook.com/v21.0/dialog/oauth?", "fb-app", "public_profile"),
            ("twitter", "https://x.com/i/oauth2/authorize?", "x-client", "users.read tweet.read"),
        ] {
            let sent = try await browser.get(browser.path("provider/\(provider)"))
            let asked = SocialWorld.asked(sent.location)
            #expect(sent.location?.hasPrefix(dialog) == true)
            #expect(asked["response_type"] == "code" && asked["client_id"] == client && asked["scope"] == scope)
            #expect(
                asked["redirect_uri"]
                    == "\(TestServer.url)/a/\(world.server.application.id)/provider/\(provider)/callback")
            #expect(asked["code_challenge"]?.count == 43 && asked["code_challenge_method"] == "S256")
            #expect((asked["state"] ?? "").count >= 43 && asked["nonce"] == nil && asked["login_hint"] == nil)
            #expect(sent.location?.contains("secret") == false)
        }
    }

    @Test("log a person in, who is known the next time", arguments: ["facebook", "twitter"])
    func whole(provider: String) async throws {
        let world = try await SocialWorld()
        for _ in 0..<2 {
            let browser = Browser(world.server)
            let back = try await world.comeBack(browser, provider, try await world.leave(browser, provider))
            #expect(back.status == 303 && back.location == browser.path("account"), "\(back.html)")
        }
        let user = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.user(
                provider: .init(rawValue: provider), subject: "77", in: world.server.application.id)
        }
        #expect(user?.identities.map(\.provider.rawValue) == [provider])
        #expect(user?.displayName == (provider == "twitter" ? "花" : nil))
        // Secrets go in the body or the header, never in an address that logs keep.
        for call in world.facebook.calls + world.x.calls { #expect(call.query["client_secret"] == nil) }
    }

    @Test("find the users whom the apps' tokens made or an old backend left", arguments: ["facebook", "twitter"])
    func imported(provider: String) async throws {
        let world = try await SocialWorld()
        let id = Identifier<User>(rawValue: "imported00000001")
        let now = world.server.clock.now
        let old = User(
            id: id, application: world.server.application.id, displayName: "Old friend", createdAt: now, updatedAt: now)
        let outcome = try await world.server.modules.imports.importUsers(
            [ImportedUser(user: old, providerNames: [.init(rawValue: provider): "4711"])],
            into: world.server.application.id, of: .parse, isRehearsal: false)
        #expect(outcome == [.imported])
        let browser = Browser(world.server)
        let asked = try await world.leave(browser, provider)
        #expect(try await world.comeBack(browser, provider, asked, user: "4711").status == 303)
        #expect(try await browser.get(browser.path("account")).html.contains("Old friend"))
    }

    @Test("refuse what came back in another browser, with another state, or for another provider")
    func stateMismatch() async throws {
        let world = try await SocialWorld()
        for provider in ["facebook", "twitter"] {
            let thief = Browser(world.server)
            var theirs = try await world.leave(thief, provider)
            let person = Browser(world.server)
            try await person.get(person.path("log-in"))
            #expect(try await world.comeBack(person, provider, theirs).status == 403)
            let other = provider == "facebook" ? "twitter" : "facebook"
            #expect(try await world.comeBack(thief, other, theirs).status == 403)
            let state = theirs["state"] ?? ""
            theirs["state"] = String(state.dropLast()) + (state.hasSuffix("A") ? "B" : "A")
            #expect(try await world.comeBack(thief, provider, theirs).status == 403)
            #expect(thief.session?.hasPrefix("v.") == true)
        }
    }

    @Test("take a code once, and none that answers another request", arguments: ["facebook", "twitter"])
    func replay(provider: String) async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        let first = try await world.leave(browser, provider)
        let second = try await world.leave(browser, provider)
        // A code that was made for another challenge (code injection).
        let stolen = world.code(provider, first, user: "1")
        #expect(try await world.comeBack(browser, provider, second, code: stolen).status == 422)
        let code = world.code(provider, second, user: "77")
        #expect(try await world.comeBack(browser, provider, second, code: code).status == 303)
        #expect(try await world.comeBack(browser, provider, second, code: code).status == 403)
    }

    @Test("lead back to the log-in when the person refuses there", arguments: ["facebook", "twitter"])
    func refusedConsent(provider: String) async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        let asked = try await world.leave(browser, provider)
        let back = try await browser.get(
            browser.path("provider/\(provider)/callback")
                + "?error=access_denied&error_reason=user_denied&state=\(asked["state"] ?? "")")
        #expect(back.location == browser.path("log-in") && browser.session?.hasPrefix("v.") == true)
    }

    @Test(
        "say that the other service cannot be reached, or refused, and make nothing",
        arguments: [
            ("facebook", FakeResponse(503), 502), ("facebook", FakeResponse(200), 502),
            ("facebook", FakeResponse(400, ["error": ["code": 1]]), 502),
            ("facebook", FakeResponse(400, ["error": ["code": 100]]), 422), ("twitter", FakeX.outage, 502),
            ("twitter", FakeResponse(200), 502), ("twitter", FakeResponse(401, ["error": "unauthorized_client"]), 502),
            ("twitter", FakeResponse(400, ["error": "invalid_request"]), 422),
        ] as [(String, FakeResponse, Int)])
    func down(provider: String, answer: FakeResponse, status: Int) async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        let asked = try await world.leave(browser, provider)
        world.fail(provider, with: answer)
        #expect(try await world.comeBack(browser, provider, asked).status == status)
        #expect(browser.session?.hasPrefix("v.") == true)
        world.fail(provider, with: nil)
        #expect(try await world.comeBack(browser, provider, asked).status == 303)
    }

    @Test("refuse Facebook's token for another app", arguments: ["other-app"])
    func foreignToken(app: String) async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        let asked = try await world.leave(browser, "facebook")
        let code = world.facebook.code(
            user: "77", redirectURI: asked["redirect_uri"] ?? "", challenge: asked["code_challenge"] ?? "", app: app)
        #expect(try await world.comeBack(browser, "facebook", asked, code: code).status == 422)
    }

    @Test(
        "lead to the choice between two accounts when the identity belongs to another user",
        arguments: ["facebook", "twitter"])
    func taken(provider: String) async throws {
        let world = try await SocialWorld()
        let first = Browser(world.server)
        #expect(try await world.comeBack(first, provider, try await world.leave(first, provider)).status == 303)
        let browser = Browser(world.server)
        try await browser.fill("sign-up", ["username": "taro", "password": Self.password])
        let account = try await browser.get(browser.path("account"))
        let sent = try await browser.post(
            browser.path("account/link"), ["provider": provider], token: account.token)
        let link = sent.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1.description ?? ""
        let conflict = try await world.comeBack(
            browser, provider, SocialWorld.asked(link.replacing("&amp;", with: "&")))
        #expect(conflict.status == 409 && conflict.html.contains("There is such an account already"))
    }

    /// The own part of the name of the cookie with what is too long for a provider.
    private static let cookie = "state"

    @Test("keep what is too long for X in the browser, and bring the person back to the app that waits")
    func longState() async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        let request =
            "client_id=\(world.server.application.id)&redirect_uri=\(Browser.escaped(WebLogInTests.redirect))"
            + "&response_type=code&code_challenge=\(WebLogInTests.challenge)&code_challenge_method=S256"
            + "&state=\(String(repeating: "s", count: 600))"
        let asked = try await world.leave(browser, "twitter", query: "?continue=\(Browser.escaped(request))")
        #expect(asked["state"]?.count == 43)
        let cookie = Self.cookie
        #expect(browser.cookie("__Host-okaeri-\(cookie)") != nil)
        // Somebody else's cookie helps nobody: it is sealed with the digest of the own one.
        let thief = Browser(world.server)
        try await thief.get(thief.path("log-in"))
        thief.plant(browser.cookie("__Host-okaeri-\(cookie)") ?? "", name: cookie)
        #expect(try await world.comeBack(thief, "twitter", asked).status == 403)
        let back = try await world.comeBack(browser, "twitter", asked)
        #expect(back.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true, "\(back.html)")
        #expect(browser.cookie("__Host-okaeri-\(cookie)") == nil)
    }

    @Test("bring a person back to the app that waits with the longest request that pages take, in two cookies")
    func longestState() async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        let cookies = ["", "-2"].map { "__Host-okaeri-\(Self.cookie)\($0)" }
        let begin =
            "client_id=\(world.server.application.id)&redirect_uri=\(Browser.escaped(WebLogInTests.redirect))"
            + "&response_type=code&code_challenge=\(WebLogInTests.challenge)&code_challenge_method=S256&state=s&more="
        func leave(bytes: Int) async throws -> [String: String] {
            let request = begin + String(repeating: "/", count: bytes - begin.utf8.count)
            return try await world.leave(browser, "twitter", query: "?continue=\(Browser.escaped(request))")
        }
        let asked = try await leave(bytes: 4096)
        #expect(cookies.allSatisfy { (browser.cookie($0) ?? "").utf8.count > 1000 })
        // Browsers keep 4,096 bytes of name, value and attributes (RFC 6265 §6.1).
        #expect(cookies.allSatisfy { (browser.cookie($0) ?? "").utf8.count <= 3800 })
        let back = try await world.comeBack(browser, "twitter", asked)
        #expect(back.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true, "\(back.html)")
        #expect(cookies.allSatisfy { browser.cookie($0) == nil })
        // A shorter way after one that was left: nothing of that one is read along.
        _ = try await leave(bytes: 4096)
        let short = try await leave(bytes: 1000)
        #expect(browser.cookie(cookies[0]) != nil && browser.cookie(cookies[1]) == nil)
        let again = try await world.comeBack(browser, "twitter", short)
        #expect(again.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true, "\(again.html)")
    }

    @Test("give a browser no more cookies by addresses of several applications than by that of one")
    func severalApplications() async throws {
        let world = try await SocialWorld()
        let browser = Browser(world.server)
        let (modules, waiting) = (world.server.modules, String(repeating: "/", count: 4096))
        var asked = try await world.leave(browser, "twitter", query: "?continue=\(waiting)")
        for name in ["Second", "Third"] {
            let other = try await modules.applications.createApplication(
                name: name, settings: ApplicationSettings(), by: .local
            ).application
            let path = "/a/\(other.id)/provider/twitter"
            try await modules.providers.setProvider(
                ProviderSettings(
                    provider: .twitter, audiences: ["x-client"],
                    redirectURIs: ["\(TestServer.url)\(path)/callback"]),
                secret: Secret("x-secret"), of: other.id, by: .local)
            // Where another site sends the browser: with longer cookies the server reads no request of it any more.
            let sent = try await browser.get("\(path)?continue=\(waiting)")
            #expect(sent.status == 303, "\(sent.html)")
            #expect(browser.keptBytes < 8192)
        }
        // The way of before is left; the next one leads back as ever.
        #expect(try await world.comeBack(browser, "twitter", asked).status == 403)
        asked = try await world.leave(browser, "twitter")
        #expect(try await world.comeBack(browser, "twitter", asked).status == 303)
    }

    @Test("prove the application to X by its own pair, by its only one, or as a public client")
    func secrets() async throws {
        for (secret, clients, stored) in [
            ("x-secret", ["c", "x-client"], "consumer x-secret"), ("only", ["x-client"], "only"),
            (nil, ["c", "x-client"], "consumer"),
        ] as [(String?, [String], String)] {
            let world = try await SocialWorld(xSecret: secret, clients: clients, secret: stored)
            let browser = Browser(world.server)
            let asked = try await world.leave(browser, "twitter")
            #expect(try await world.comeBack(browser, "twitter", asked).status == 303)
        }
        let wrong = try await SocialWorld(xSecret: "another")
        let browser = Browser(wrong.server)
        #expect(try await wrong.comeBack(browser, "twitter", try await wrong.leave(browser, "twitter")).status == 502)
        let finding = try await wrong.server.modules.providers.checkProvider(.twitter, of: wrong.server.application.id)
        #expect(finding == .refused(answer: "invalid_client"))
    }

    @Test("ask somebody new for what the application wants to know, and nobody whom it knows")
    func registrationFields() async throws {
        let world = try await SocialWorld(rules: [
            FieldRule(name: "team", kind: .string, isRequired: true, labels: ["en": "Team"]),
            FieldRule(name: "age", kind: .integer, isRequired: true),
        ])
        let browser = Browser(world.server)
        let page = try await world.comeBack(browser, "facebook", try await world.leave(browser, "facebook"))
        #expect(page.status == 200 && page.html.contains("Facebook has told us who you are"))
        #expect(page.error("fields-team") == nil)
        // What came back counts once: another language begins there again.
        let path = browser.path("provider/facebook")
        #expect(page.html.firstMatch(of: /href="([^"]+)" lang="ja"/)?.output.1 == "\(path)?lang=ja")
        let wrong = try await browser.post(path, ["fields.team": "red", "fields.age": "old"], token: page.token)
        #expect(wrong.status == 422 && wrong.error("fields-age")?.contains("whole number") == true)
        let sent = try await browser.post(path, ["fields.team": "red", "fields.age": "9"], token: page.token)
        let link = sent.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1.description ?? ""
        let made = try await world.comeBack(
            browser, "facebook", SocialWorld.asked(link.replacing("&amp;", with: "&")))
        #expect(made.location == browser.path("account"), "\(made.html)")
        let user = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.user(provider: .facebook, subject: "77", in: world.server.application.id)
        }
        #expect(user?.fields == ["team": "red", "age": 9])
        let again = Browser(world.server)
        #expect(try await world.comeBack(again, "facebook", try await world.leave(again, "facebook")).status == 303)
        #expect(try await browser.post(path, ["fields.team": "red"], token: nil).status == 403)
    }
}
