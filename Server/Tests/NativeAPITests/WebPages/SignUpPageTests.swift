import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

/// What sign-up tells and does not tell, and what an app can wish for.
@Suite("Sign-up page")
struct SignUpPageTests {
    static let password = "correct horse battery"

    @Test("tells nobody whether somebody has a mail address: it is the account's once its mail was answered")
    func takenAddress() async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url])
        var pages: [String] = []
        for (name, email) in [("taro", "hana@example.com"), ("tomo", "tomo@example.com")] {
            let browser = Browser(world.server)
            let made = try await browser.fill(
                "sign-up", ["username": name, "email": email, "password": Self.password])
            #expect(made.status == 303 && made.location == browser.path("account") + "?done=emailSent")
            let account = try await browser.get(made.location ?? "")
            #expect(account.html.contains("A mail is on its way"))
            pages.append(
                account.html.replacing(name, with: "NAME").replacing("value=\"", with: "")
                    .replacing(try Regex(#"[A-Za-z0-9_-]{16,}"#), with: ""))
        }
        #expect(pages[0] == pages[1])
        let mails = try await world.mails()
        // The owner of the address is notified by mail, and nobody else.
        #expect(Set(mails.map(\.recipient)) == ["tomo@example.com", "hana@example.com"])
        #expect(mails.first { $0.recipient.hasPrefix("hana") }?.token == nil)
        let token = try #require(mails.first { $0.recipient.hasPrefix("tomo") }?.token)
        let reader = Browser(world.server)
        let shown = try await reader.get(reader.path("verify") + "?token=\(token)")
        // Who asked may be a stranger, whose account the address would be.
        #expect(shown.html.contains("belongs to the account that asked") && shown.html.contains("close this page"))
        let done = try await reader.post(reader.path("verify"), ["token": token], token: shown.token)
        #expect(done.status == 200 && done.html.contains("The mail address now belongs to the account that asked"))
        let asked = try await reader.fill("log-in", ["identifier": "tomo@example.com"])
        let entered = try await reader.post(
            reader.path("log-in"), ["identifier": "tomo@example.com", "password": Self.password], token: asked.token)
        #expect(entered.status == 303)
    }

    @Test("makes nothing when the mail address is none")
    func wrongAddress() async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url])
        let browser = Browser(world.server)
        let sent = ["username": "taro", "email": "nowhere", "password": Self.password]
        let page = try await browser.fill("sign-up", sent)
        #expect(page.status == 422 && page.error("email")?.contains("no mail address") == true)
        #expect(try await browser.fill("sign-up", ["username": "taro", "password": Self.password]).status == 303)
    }

    @Test("is what an app asks for with prompt=create, filled with its hint, in its appearance")
    func wishes() async throws {
        let server = try await TestServer(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(redirectAddresses: [WebLogInTests.redirect]))
        let browser = Browser(server)
        func request(_ more: String) -> String {
            "client_id=\(server.application.id)&redirect_uri=\(Browser.escaped(WebLogInTests.redirect))"
                + "&response_type=code&code_challenge=\(WebLogInTests.challenge)&code_challenge_method=S256\(more)"
        }
        let create = try await browser.get(
            browser.path("authorize") + "?" + request("&prompt=create&login_hint=hana%40example.com&appearance=dark"))
        let page = try await browser.get(create.location ?? "")
        #expect(create.location?.contains("/sign-up?") == true)
        #expect(page.value(of: "email") == "hana@example.com" && page.value(of: "username") == "")
        #expect(page.html.contains(":root{color-scheme:dark}") && !page.html.contains("prefers-color-scheme"))
        let hostile = #""><script>alert(1)</script>"#
        let logIn = try await browser.get(
            browser.path("authorize") + "?" + request("&prompt=login&login_hint=\(Browser.escaped(hostile))"))
        let second = try await browser.get(logIn.location ?? "")
        #expect(logIn.location?.contains("/log-in?") == true)
        #expect(second.html.contains("&lt;script&gt;alert") && !second.html.contains("<script>alert"))
        let unknown = try await browser.get(browser.path("log-in") + "?appearance=%3C/style%3E")
        #expect(unknown.html.contains("prefers-color"))
    }

    @Test(
        "names every rule of a user name that is refused", arguments: ["en", "ja", "ko"], ["+hana", "ha@na", "ha  na"])
    func userName(language: String, name: String) async throws {
        let browser = Browser(try await TestServer(), language: language)
        let shown = try await browser.get(browser.path("sign-up"))
        let answer = try await browser.post(
            browser.path("sign-up"), ["username": name, "password": Self.password], token: shown.token)
        let rules = [
            "en": "no @, no + in front, no spaces at the ends or in a row", "ja": "@、先頭の+、前後の空白、連続した空白は使えません",
            "ko": "@, 맨 앞의 +, 앞뒤 공백, 연속된 공백은 사용할 수 없습니다",
        ]
        let rule = try #require(rules[language])
        #expect(answer.location == nil && answer.html.contains(rule), "\(name)")
    }

    @Test("reminds a guest of the account that there is, whose upgrade leads back to the app")
    func guest() async throws {
        let server = try await TestServer(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(redirectAddresses: [WebLogInTests.redirect]))
        let person = try await server.person()
        let browser = Browser(server)
        try await browser.open(accountOf: person)
        // What was shown before the request was not shown for it.
        server.clock.advance(by: .seconds(1))
        let request =
            "client_id=\(server.application.id)&redirect_uri=\(Browser.escaped(WebLogInTests.redirect))"
            + "&response_type=code&code_challenge=\(WebLogInTests.challenge)&code_challenge_method=S256&prompt=create"
        let sent = try await browser.get(browser.path("authorize") + "?" + request)
        let page = try await browser.get(sent.location ?? "")
        #expect(page.html.contains("You are here as a guest"))
        let waiting = "?continue=\(Browser.escaped(request))"
        let upgraded = try await browser.post(
            browser.path("account/upgrade") + waiting, ["username": "hana", "password": Self.password],
            token: page.token)
        #expect(upgraded.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true)
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self).username == "hana")
        // The answer got lost, and the app still waits.
        func again(_ name: String, _ password: String) async throws -> Page {
            try await browser.post(
                browser.path("account/upgrade") + waiting, ["username": name, "password": password], token: page.token)
        }
        #expect(try await again("hana", Self.password).location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true)
        for (name, password) in [("hanako", Self.password), ("hana", "another long password")] {
            #expect(try await again(name, password).location == nil)
        }
    }

    @Test(
        "leads into the account that it has made when it is sent again because its answer got lost, and nothing else does"
    )
    func lostAnswer() async throws {
        let browser = Browser(try await TestServer())
        let page = try await browser.get(browser.path("sign-up"))
        let (form, before) = (["username": "hana", "password": Self.password], try #require(browser.session))
        func send(_ change: [String: String] = [:]) async throws -> Page {
            browser.plant(before)
            return try await browser.post(
                browser.path("sign-up"), form.merging(change) { $1 }, token: page.token)
        }
        #expect(try await send().status == 303)
        let first = browser.session
        let again = try await send()
        #expect(again.status == 303 && again.location == browser.path("account"))
        #expect(browser.session != before && browser.session != first)
        #expect(try await browser.get(browser.path("account")).status == 200)
        for change in [["password": "another long password"], ["email": "taro@example.com"]] {
            #expect(try await send(change).error("username") == "Somebody else has this user name.")
        }
        let stranger = try await Browser(browser.server).fill("sign-up", form)
        #expect(stranger.error("username") == "Somebody else has this user name.")
    }

    @Test("mails the same link again where its button was pressed twice, and nothing once that was followed")
    func pressedTwice() async throws {
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url])
        let browser = Browser(world.server)
        let page = try await browser.get(browser.path("sign-up"))
        let (form, before) = (
            ["username": "hana", "email": "hana@example.org", "password": Self.password],
            try #require(browser.session)
        )
        func send() async throws -> Page {
            browser.plant(before)
            return try await browser.post(browser.path("sign-up"), form, token: page.token)
        }
        for _ in 0..<2 { #expect(try await send().location == browser.path("account") + "?done=emailSent") }
        let tokens = try await world.mails().filter { $0.recipient == "hana@example.org" }.compactMap(\.token)
        #expect(tokens.count == 2 && Set(tokens).count == 1)
        let reader = Browser(world.server)
        let shown = try await reader.get(reader.path("verify") + "?token=\(tokens[0])")
        let done = try await reader.post(reader.path("verify"), ["token": tokens[0]], token: shown.token)
        #expect(done.status == 200, "\(done.html)")
        let last = try await send()
        #expect(last.location == browser.path("account"), "\(last.status) \(last.location ?? "") \(last.html)")
        #expect(try await world.mails().count { $0.recipient == "hana@example.org" } == 2)
    }
}
