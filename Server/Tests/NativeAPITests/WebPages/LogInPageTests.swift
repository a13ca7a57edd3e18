import Domain
import Foundation
import HTTPTypes
import Testing

/// Log-in and sign-up in a browser, and what strangers try there.
@Suite("Log-in pages")
struct LogInPageTests {
    static let password = "correct horse battery"

    @Test("signs a person up, logs out by losing the cookie, and logs in again")
    func signUpAndLogIn() async throws {
        let browser = Browser(try await TestServer())
        let made = try await browser.fill(
            "sign-up", ["username": "hana", "email": "hana@example.com", "password": Self.password])
        #expect(made.status == 303)
        #expect(made.location == browser.path("account"))
        let other = Browser(browser.server)
        let asked = try await other.fill("log-in", ["identifier": "hana"])
        #expect(asked.status == 200)
        let entered = try await other.post(
            other.path("log-in"), ["identifier": "hana", "password": Self.password], token: asked.token)
        #expect(entered.status == 303)
        #expect(other.session != nil && other.session != browser.session)
    }

    @Test(
        "leads to where another mail is ordered when the code of one does not count",
        arguments: [("reset", "forgot"), ("verify", "account")])
    func refusedCodes(page: String, next: String) async throws {
        let browser = Browser(try await TestServer())
        let shown = try await browser.get(browser.path(page) + "?token=ABCD-EFGH")
        #expect(!shown.html.contains(#"<a href="\#(browser.path(next))">"#))
        let refused = try await browser.post(
            browser.path(page), ["token": "ABCD-EFGH", "password": Self.password], token: shown.token)
        #expect(refused.status == 422 && refused.html.contains(#"<a href="\#(browser.path(next))">"#))
    }

    @Test(
        "leads from the address of a form, which an ended browser opens, to the nearest page, with the app that waits",
        arguments: [
            ("code", "log-in"), ("code/enter", "log-in"), ("log-in/second-factor", "log-in"), ("log-out", "log-in"),
            ("log-in/recovery-codes", "log-in"), ("sign-up/work", "sign-up"), ("account/factors/add", "account"),
            ("account/transfer", "account"),
        ])
    func formAddresses(form: String, page: String) async throws {
        let browser = Browser(try await TestServer())
        let opened = try await browser.get(browser.path(form) + "?continue=x")
        #expect(opened.status == 303 && opened.location == browser.path(page) + "?continue=x")
    }

    @Test(
        "tells each error of a new account at its field",
        arguments: [
            (["username": "", "password": "correct horse battery"], "username", "Please fill this in."),
            (["username": "a@b", "password": "correct horse battery"], "username", "no @"),
            (["username": "hana", "email": "no", "password": "correct horse battery"], "email", "no mail address"),
            (["username": "hana", "password": "short"], "password", "At least 8 characters."),
            (["username": "hana", "password": "password123"], "password", "Everybody tries"),
            (["username": "hana.tanaka", "password": "hana.tanaka1"], "password", "too much like"),
        ])
    func validation(fields: [String: String], field: String, words: String) async throws {
        let browser = Browser(try await TestServer())
        let page = try await browser.fill("sign-up", fields)
        #expect(page.status == 422)
        #expect(page.error(field)?.contains(words) == true, "\(page.error(field) ?? "nothing")")
        #expect(page.html.contains(#"role="alert" tabindex="-1" autofocus"#))
        #expect(page.html.contains(##"href="#field-\##(field)""##))
        #expect(!page.html.contains(fields["password"] ?? "-"))
    }

    @Test("answers the same for a wrong password and for nobody")
    func unknownPeople() async throws {
        let server = try await TestServer()
        try await Browser(server).fill("sign-up", ["username": "hana", "password": Self.password])
        var pages: [String] = []
        for name in ["hana", "hobo"] {
            let browser = Browser(server)
            let asked = try await browser.fill("log-in", ["identifier": name])
            let refused = try await browser.post(
                browser.path("log-in"), ["identifier": name, "password": "something else"], token: asked.token)
            #expect(refused.status == 422)
            for page in [asked, refused] {
                pages.append(
                    page.html.replacing(name, with: "NAME")
                        .replacing(try Regex(#"(nonce|value)="[^"]*""#), with: ""))
            }
        }
        #expect(pages[0] == pages[2])
        #expect(pages[1] == pages[3])
    }

    @Test("refuses a form from elsewhere", arguments: ["nothing", "token", "cookie", "origin", "site"])
    func forgery(missing: String) async throws {
        let browser = Browser(try await TestServer())
        let shown = try await browser.get(browser.path("sign-up"))
        let fields = ["username": "hana", "password": Self.password]
        var headers: [(String, String)] = []
        var token = shown.token
        switch missing {
        case "token": token = (token?.first == "A" ? "B" : "A") + (token ?? "").dropFirst()
        case "cookie": browser.plant("v.somebody-elses-cookie")
        case "origin": headers = [("Origin", "https://evil.example")]
        case "site": headers = [("Sec-Fetch-Site", "cross-site")]
        default: break
        }
        let page = try await browser.post(browser.path("sign-up"), fields, token: token, headers)
        #expect(page.status == (missing == "nothing" ? 303 : 403))
    }

    @Test("gives a planted cookie up at the log-in")
    func fixation() async throws {
        let server = try await TestServer()
        let thief = Browser(server)
        try await thief.fill("sign-up", ["username": "thief", "password": Self.password])
        let stolen = try #require(thief.session)
        let browser = Browser(server)
        browser.plant(stolen)
        try await browser.fill("sign-up", ["username": "hana", "password": Self.password])
        #expect(browser.session != stolen)
        let asked = try await browser.fill("log-in", ["identifier": "hana"])
        let before = browser.session
        try await browser.post(
            browser.path("log-in"), ["identifier": "hana", "password": Self.password], token: asked.token)
        #expect(browser.session != before)
    }

    @Test(
        "shows hostile text as text",
        arguments: [#""><script>alert(1)</script>"#, "'onmouseover='x", "{{t}}", "</title>"])
    func crossSiteScripting(text: String) async throws {
        let browser = Browser(try await TestServer())
        let asked = try await browser.fill("log-in", ["identifier": text])
        let again = try await browser.fill("sign-up", ["username": text, "email": text, "password": "x"])
        for page in [asked, again] {
            #expect(!page.html.contains("<script>alert"))
            #expect(!page.html.contains(#"value="'onmouse"#))
            #expect(page.html.components(separatedBy: "</title>").count == 2)
            #expect(page.html.components(separatedBy: "<script").count == 2)
        }
    }

    @Test("keeps pages to themselves", arguments: ["log-in", "sign-up", "nothing"])
    func headers(page name: String) async throws {
        let browser = Browser(try await TestServer())
        let page = try await browser.get(browser.path(name))
        #expect(page.policy.contains("frame-ancestors 'none'"))
        #expect(page.policy.contains("default-src 'none'"))
        #expect(!page.policy.contains("unsafe"))
        guard name != "nothing" else {
            #expect(page.status == 404)
            return
        }
        #expect(page.answer.headers[.cacheControl] == "no-store")
        #expect(page.answer.headers[.setCookie]?.contains("__Host-") == true)
        #expect(page.answer.headers[.setCookie]?.contains("HttpOnly; SameSite=Lax; Secure") == true)
        #expect(page.html.utf8.count < 20_000)
        #expect(!page.html.contains("http://"))
        #expect(!page.html.contains("https://"))
    }

    @Test(
        "speaks the person's language",
        arguments: [
            ("", "ja-JP, en;q=0.5", "おかえりなさい"), ("", "ko", "다시 오신"), ("", "fr", "Welcome back"),
            ("?ui_locales=ko%20en", "ja", "다시 오신"), ("?lang=ja&ui_locales=ko", "en", "おかえりなさい"),
        ])
    func languages(query: String, header: String, words: String) async throws {
        let browser = Browser(try await TestServer(), language: header)
        let page = try await browser.get(browser.path("log-in") + query)
        #expect(page.html.contains(words))
        guard query.contains("lang=") else { return }
        // The choice stays.
        #expect(try await browser.get(browser.path("sign-up")).html.contains("アカウントを作成"))
    }

    @Test("bears a thousand log-ins a minute, and lets a slow person in afterwards")
    func flood() async throws {
        let server = try await TestServer()
        try await Browser(server).fill("sign-up", ["username": "hana", "password": Self.password])
        let attacker = Browser(server, peer: "198.51.100.7")
        let asked = try await attacker.fill("log-in", ["identifier": "hana"])
        var statuses: [Int: Int] = [:]
        for number in 0..<1000 {
            let page = try await attacker.post(
                attacker.path("log-in"), ["identifier": "hana", "password": "guess \(number)"], token: asked.token)
            statuses[page.status, default: 0] += 1
        }
        #expect(statuses[303] == nil)
        #expect((statuses[429] ?? 0) > 900, "\(statuses)")
        server.clock.advance(by: .seconds(3600))
        let person = Browser(server)
        let again = try await person.fill("log-in", ["identifier": "hana"])
        let entered = try await person.post(
            person.path("log-in"), ["identifier": "hana", "password": Self.password], token: again.token)
        #expect(entered.status == 303)
    }
}
