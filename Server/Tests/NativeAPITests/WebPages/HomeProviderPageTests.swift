import Domain
import FakeProviders
import Foundation
import OkaeriWire
import Testing

@Suite("LINE, Kakao, Naver and Yahoo! JAPAN ID on the pages")
struct HomeProviderPageTests {
    @Test("have their buttons with their names, colours and signs")
    func buttons() async throws {
        let world = try await HomeWorld()
        let browser = Browser(world.server)
        let html = try await browser.get(browser.path("log-in")).html
        for (name, label) in [
            ("line", "LINE"), ("kakao", "Kakao"), ("naver", "NAVER"), ("yahoojapan", "Yahoo! JAPAN ID"),
        ] {
            #expect(html.contains("Continue with \(label)"))
            #expect(
                html.contains(#"<a class="button provider-\#(name)" href="\#(browser.path("provider/\(name)"))"><svg"#))
        }
        // Game Center has no browser.
        #expect(!html.contains("Game Center") && !html.contains("gamecenter"))
    }

    @Test("send people away with what each of them asks for, and nothing else", arguments: HomeWorld.browsers)
    func departure(name: String) async throws {
        let world = try await HomeWorld()
        let address = try await world.leave(Browser(world.server), name)
        let asked = FakeRequest.fields(address.percentEncodedQuery ?? "")
        #expect(asked["response_type"] == "code" && asked["client_id"] == HomeWorld.client)
        #expect(asked["redirect_uri"] == world.callback(name) && asked["login_hint"] == nil)
        #expect((43...500).contains((asked["state"] ?? "").count))
        let scopes = ["line": "openid profile", "kakao": "openid", "yahoojapan": "openid"]
        #expect(asked["scope"] == scopes[name] && asked["bail"] == (name == "yahoojapan" ? "1" : nil))
        let hasPKCE = name != "naver"
        #expect((asked["nonce"]?.count == 43) == hasPKCE && (asked["code_challenge"]?.count == 43) == hasPKCE)
        #expect(asked["code_challenge_method"] == (hasPKCE ? "S256" : nil))
        #expect(!(address.string ?? "").contains(HomeWorld.secret))
    }

    @Test("log a person in by consent there, who is known the next time", arguments: HomeWorld.browsers)
    func whole(name: String) async throws {
        let world = try await HomeWorld()
        for _ in 0..<2 {
            let browser = Browser(world.server)
            let way = try await world.consent(name, try await world.leave(browser, name))
            let back = try await browser.get(way)
            #expect(back.status == 303 && back.location == browser.path("account"), "\(back.html)")
        }
        let user = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.user(
                provider: .init(rawValue: name), subject: "hana", in: world.server.application.id)
        }
        #expect(user?.identities.map(\.provider.rawValue) == [name] && user?.email == nil)
    }

    @Test(
        "count for an app that demands a log-in, also by a session there of before, whose time nobody has asked for",
        arguments: ["kakao", "yahoojapan"], ["&prompt=login", "&max_age=60"])
    func demanded(name: String, demand: String) async throws {
        let world = try await HomeWorld()
        let browser = Browser(world.server)
        let query = AuthorizationStateTests.waiting(world.server, at: WebLogInTests.redirect, demand)
        let sent = try await browser.get(browser.path("provider/\(name)") + query)
        let address = try #require(sent.location.flatMap { URLComponents(string: $0) })
        let asked = FakeRequest.fields(address.percentEncodedQuery ?? "")
        #expect(asked["prompt"] == nil && asked["max_age"] == nil)
        let began = world.server.clock.now.milliseconds / 1000 - 3600
        let claims = try world.claims(name, nonce: asked["nonce"], more: ["auth_time": .integer(began)])
        let code = try world.fake(name).code(
            claims, client: HomeWorld.client, redirectURI: asked["redirect_uri"] ?? "",
            challenge: asked["code_challenge"] ?? "")
        let state = Browser.escaped(asked["state"] ?? "")
        let back = try await browser.get(browser.path("provider/\(name)/callback") + "?code=\(code)&state=\(state)")
        #expect(back.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true, "\(back.location ?? "")")
    }

    @Test("lead back to the log-in when the person refuses there", arguments: HomeWorld.browsers)
    func refused(name: String) async throws {
        let world = try await HomeWorld()
        let browser = Browser(world.server)
        let way = try await world.consent(name, try await world.leave(browser, name), agrees: false)
        #expect(try await browser.get(way).location == browser.path("log-in"))
        #expect(browser.session?.hasPrefix("v.") == true)
    }

    @Test("take a code once, in the browser that was sent, and none that has expired", arguments: HomeWorld.browsers)
    func codes(name: String) async throws {
        let world = try await HomeWorld()
        let browser = Browser(world.server)
        let way = try await world.consent(name, try await world.leave(browser, name))
        let thief = Browser(world.server)
        try await thief.get(thief.path("log-in"))
        #expect(try await thief.get(way).status == 403)
        let late = try await world.consent(name, try await world.leave(browser, name))
        if name == "naver" { world.naver.dialog.expireCodes() } else { try world.fake(name).dialog.expireCodes() }
        #expect(try await browser.get(late).status == 422)
        let right = try await world.consent(name, try await world.leave(browser, name))
        #expect(try await browser.get(right).status == 303)
        #expect(try await browser.get(right).status == 403)
    }

    @Test("say that the operator must look when the secret is wrong", arguments: HomeWorld.browsers)
    func wrongSecret(name: String) async throws {
        let world = try await HomeWorld(secret: "another secret that has 32 bytes")
        let browser = Browser(world.server)
        let way = try await world.consent(name, try await world.leave(browser, name))
        #expect(try await browser.get(way).status == 502)
        let finding = try await world.server.modules.providers.checkProvider(
            .init(rawValue: name), of: world.server.application.id)
        #expect(finding == .refused(answer: "invalid_client"))
    }

    @Test("are found right by the check of their settings", arguments: HomeWorld.browsers + ["gamecenter"])
    func check(name: String) async throws {
        let world = try await HomeWorld()
        let finding = try await world.server.modules.providers.checkProvider(
            .init(rawValue: name), of: world.server.application.id)
        #expect(finding == .accepted)
    }

    @Test("are linked from the account page", arguments: HomeWorld.browsers)
    func link(name: String) async throws {
        let world = try await HomeWorld()
        let browser = Browser(world.server)
        try await browser.fill("sign-up", ["username": "taro", "password": "correct horse battery"])
        let account = try await browser.get(browser.path("account"))
        let sent = try await browser.post(browser.path("account/link"), ["provider": name], token: account.token)
        #expect(sent.html.contains(#"<a href="\#(browser.path("account"))">Cancel</a>"#), "\(sent.html)")
        let link = sent.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1.description ?? ""
        let address = try #require(URLComponents(string: link.replacing("&amp;", with: "&")))
        let back = try await browser.get(try await world.consent(name, address))
        #expect(back.status == 303, "\(back.html)")
        let html = try await browser.get(browser.path("account")).html
        #expect(html.contains(#"name="provider" value="\#(name)""#))
    }
}
