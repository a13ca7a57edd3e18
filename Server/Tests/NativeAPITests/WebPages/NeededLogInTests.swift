import Domain
import Foundation
import TestWorld
import Testing

/// `prompt` and `max_age` were looked at by the page alone: its form, and the page behind new recovery codes, led to a code without
/// a log-in.
@Suite("A request of an app that asks for a log-in")
struct NeededLogInTests {
    private static let password = "correct horse battery"

    private static func request(
        _ server: TestServer, _ demand: String, challenge: String = WebLogInTests.challenge
    ) -> String {
        "client_id=\(server.application.id)&redirect_uri=\(Browser.escaped(WebLogInTests.redirect))&scope=openid"
            + "&response_type=code&code_challenge=\(challenge)&code_challenge_method=S256&\(demand)"
    }

    /// Somebody who has logged in three seconds ago.
    private static func browser() async throws -> Browser {
        let server = try await TestServer(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(redirectAddresses: [WebLogInTests.redirect]))
        let browser = Browser(server)
        try #require(try await browser.fill("sign-up", ["username": "hana", "password": password]).status == 303)
        server.clock.advance(by: .seconds(3))
        return browser
    }

    private static func logIn(_ browser: Browser, _ path: String) async throws -> Page {
        let shown = try await browser.get(path)
        return try await browser.post(path, ["identifier": "hana", "password": password], token: shown.token)
    }

    private static func hasCode(_ page: Page) -> Bool {
        page.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true
    }

    @Test(
        "gets a code after it alone, by the page, by its form, and by the way back from a log-in",
        arguments: ["prompt=login", "prompt=create", "max_age=0", "max_age=2"])
    func ways(demand: String) async throws {
        let browser = try await Self.browser()
        let request = Self.request(browser.server, demand)
        let path = "\(browser.path("authorize"))?\(request)"
        #expect(try await browser.get(path).location?.contains("?continue=") == true)
        let token = try await browser.get(browser.path("account")).token
        let pressed = try await browser.post(path, ["choice": "continue"], token: token)
        let kept = try await browser.post(
            "\(browser.path("log-in/recovery-codes"))?continue=\(Browser.escaped(request))", ["kept": "yes"],
            token: token)
        for page in [pressed, kept] {
            let sent = try #require(page.location)
            #expect(sent.hasPrefix("\(browser.path("log-in"))?continue="), "\(sent)")
            browser.server.clock.advance(by: .seconds(3))
            let entered = try await Self.logIn(browser, sent)
            #expect(Self.hasCode(entered))
            browser.server.clock.advance(by: .seconds(3))
        }
        let entered = try await Self.logIn(
            browser, "\(browser.path("log-in"))?continue=\(Browser.escaped(request))")
        #expect(Self.hasCode(entered))
    }

    @Test(
        "is refused where nobody can read how old the log-in may be, and not taken for one that does not ask",
        arguments: ["-1", "1e3", "5 minutes", "99999999999999999999"])
    func unreadableAge(age: String) async throws {
        let browser = try await Self.browser()
        let request = Self.request(browser.server, "max_age=\(Browser.escaped(age))")
        let page = try await browser.get("\(browser.path("authorize"))?\(request)")
        #expect(page.location?.hasPrefix("\(WebLogInTests.redirect)?error=invalid_request") == true)
    }

    @Test("asks nobody who has logged in where any age will do", arguments: ["", "1000000001", "9223372036854775807"])
    func anyAge(age: String) async throws {
        let browser = try await Self.browser()
        let request = Self.request(browser.server, "max_age=\(age)")
        #expect(try await browser.get("\(browser.path("authorize"))?\(request)").status == 200)
    }

    @Test("goes on behind the page with recovery codes, which comes after the log-in")
    func enrolment() async throws {
        let world = try await SecondFactorBrowser.world { $0.mode = .required }
        _ = try await world.person()
        let pages = SecondFactorBrowser(world)
        let browser = pages.browser
        let request = Self.request(world.server, "prompt=login")
        let path = try #require(try await browser.get("\(browser.path("authorize"))?\(request)").location)
        world.server.clock.advance(by: .seconds(5))
        let shown = try await browser.get(path)
        let asked = try await browser.post(
            path, ["identifier": "hana", "password": SecondFactorWorld.password], token: shown.token)
        let (key, query) = (try #require(asked.shownKey), path.replacing(browser.path("log-in"), with: ""))
        let added = try await pages.answer(
            asked, ["totp": try world.nextCode(key), "name": "Phone"], to: "log-in/second-factor\(query)")
        world.server.clock.advance(by: .seconds(5))
        let gone = try await pages.answer(added, ["kept": "yes"], to: "log-in/recovery-codes\(query)")
        #expect(Self.hasCode(gone), "\(gone.html)")
    }

    @Test("began when this server says, for that request alone, and within the hour")
    func beginnings() async throws {
        let browser = try await Self.browser()
        let authorize = browser.path("authorize")
        func waiting(_ query: String) async throws -> String? {
            let sent = try await browser.get("\(authorize)?\(query)").location
            return sent.flatMap { URLComponents(string: $0) }?.queryItems?.first { $0.name == "continue" }?.value
        }
        let dated = try #require(try await waiting(Self.request(browser.server, "prompt=login")))
        browser.server.clock.advance(by: .seconds(3))
        let entered = try await Self.logIn(
            browser, "\(browser.path("log-in"))?continue=\(Browser.escaped(dated))")
        #expect(Self.hasCode(entered))
        browser.server.clock.advance(by: .seconds(3))
        #expect(try await browser.get("\(authorize)?\(dated)").html.contains("Continue as hana?"))
        let began = String(dated.prefix { $0 != "&" })
        let other = Self.request(browser.server, "prompt=login", challenge: String(repeating: "A", count: 43))
        #expect(try await waiting("\(began)&\(other)") != nil)
        let earlier = dated.replacing(try Regex("okaeri_began=[0-9]+"), with: "okaeri_began=1")
        #expect(try await waiting(earlier) != nil)
        browser.server.clock.advance(by: .seconds(3600))
        let again = try #require(try await waiting(dated))
        #expect(again.hasPrefix("okaeri_began=") && again.ranges(of: "okaeri_began=").count == 1)
    }
}
