import Crypto
import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import Testing

/// From the log-in page to a provider and back, and what thieves try on that way.
@Suite("Providers on the log-in page")
struct AuthorizationStateTests {
    static let password = "correct horse battery"
    static let provider = "oidc:work"
    /// An address that another app may have taken.
    static let scheme = "com.example.app:/back"

    /// A server with public address whose application knows an OpenID Connect provider and Apple.
    private struct World {
        let server: TestServer
        let work: FakeOpenID
        let apple: FakeApple

        init(registered: Bool = true) async throws {
            let clock = StandingClock()
            work = FakeOpenID(clock: clock, key: try FakeHost.keys.get()[0])
            apple = try FakeApple(clock: clock, keys: [FakeHost.keys.get()[1]])
            let address = await FakeHost.address(of: work)
            work.listen(at: address)
            work.register(client: "client-one", secret: "the secret")
            let key = P256.Signing.PrivateKey()
            apple.register(team: AppleWorld.team, keyId: AppleWorld.keyId, publicKey: key.publicKey)
            var addresses = ProviderAddresses()
            addresses.apple = await FakeHost.address(of: apple)
            server = try await TestServer(
                settings: ["public-url": TestServer.url],
                application: ApplicationSettings(
                    redirectAddresses: [WebLogInTests.redirect, AuthorizationStateTests.scheme]), clock: clock,
                providers: addresses, caller: FakeHost.caller)
            let base = "\(TestServer.url)/a/\(server.application.id)/provider"
            try await server.modules.providers.setProvider(
                ProviderSettings(
                    provider: .init(rawValue: AuthorizationStateTests.provider), audiences: ["client-one"],
                    issuer: address,
                    redirectURIs: registered ? ["\(base)/\(AuthorizationStateTests.provider)/callback"] : []),
                secret: Secret("the secret"), of: server.application.id, by: .local)
            try await server.modules.providers.setProvider(
                ProviderSettings(
                    provider: .apple, audiences: [AppleWorld.bundle, AppleWorld.service], teamId: AppleWorld.team,
                    keyId: AppleWorld.keyId, redirectURIs: registered ? ["\(base)/apple/callback"] : []),
                secret: Secret(key.pemRepresentation), of: server.application.id, by: .local)
        }

        /// Presses the button on the log-in page: what the provider is asked.
        func leave(_ browser: Browser, _ provider: String = AuthorizationStateTests.provider, query: String = "")
            async throws -> [String: String]
        {
            let sent = try await browser.get(browser.path("provider/\(provider)") + query)
            #expect(sent.status == 303)
            return Self.asked(sent.location)
        }

        static func asked(_ address: String?) -> [String: String] {
            let items = address.flatMap { URLComponents(string: $0) }?.queryItems ?? []
            return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        }

        /// Presses the button on the account page that links the provider: what the provider is asked.
        func link(_ browser: Browser, query: String = "") async throws -> [String: String] {
            let account = try await browser.get(browser.path("account") + query)
            let sent = try await browser.post(
                browser.path("account/link") + query, ["provider": AuthorizationStateTests.provider],
                token: account.token)
            let link = sent.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1.description
            return Self.asked(link?.replacing("&amp;", with: "&"))
        }

        /// Comes back as a person whom the provider knows.
        func comeBack(
            _ browser: Browser, _ asked: [String: String], subject: String = "hana",
            more: [String: JSONValue] = ["name": "花"], nonce: String? = nil, state: String? = nil,
            loggedInBefore age: Int64? = nil
        ) async throws -> Page {
            var more = more
            if let age { more["auth_time"] = .integer(server.clock.now.milliseconds / 1000 - age) }
            let code = work.code(
                work.claims(
                    subject: subject, audience: "client-one", nonce: nonce ?? asked["nonce"], more: more),
                client: "client-one", redirectURI: asked["redirect_uri"] ?? "", challenge: asked["code_challenge"] ?? ""
            )
            return try await browser.get(
                browser.path("provider/\(AuthorizationStateTests.provider)/callback")
                    + "?code=\(code)&state=\(Browser.escaped(state ?? asked["state"] ?? ""))")
        }
    }

    @Test("stand on the page once they are set up with this server's address, and only then", arguments: [true, false])
    func buttons(registered: Bool) async throws {
        let world = try await World(registered: registered)
        let browser = Browser(world.server)
        let page = try await browser.get(browser.path("log-in"))
        for name in ["Apple", "Work"] { #expect(page.html.contains("Continue with \(name)") == registered) }
        #expect(!page.html.contains("Continue with Facebook"))
        guard !registered else { return }
        #expect(try await browser.get(browser.path("provider/apple")).status == 404)
    }

    @Test("log a person in, with state, nonce and PKCE, who is known the next time")
    func whole() async throws {
        let world = try await World()
        var ids: Set<String> = []
        for _ in 0..<2 {
            let browser = Browser(world.server)
            let asked = try await world.leave(browser)
            #expect(asked["code_challenge_method"] == "S256" && asked["response_type"] == "code")
            #expect(asked["client_id"] == "client-one" && asked["scope"]?.contains("openid") == true)
            let back = try await world.comeBack(browser, asked)
            #expect(back.status == 303 && back.location == browser.path("account"))
            let account = try await browser.get(browser.path("account"))
            #expect(account.html.contains("花") && account.html.contains("Work"))
            ids.insert(account.html.firstMatch(of: /<strong>([^<]+)</)?.output.1.description ?? "")
        }
        #expect(ids.count == 1)
    }

    @Test("bring a person back to the app that waits")
    func continuation() async throws {
        let world = try await World()
        let browser = Browser(world.server)
        let asked = try await world.leave(browser, query: Self.waiting(world.server, at: WebLogInTests.redirect))
        let back = try await world.comeBack(browser, asked)
        #expect(back.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true)
        #expect(back.location?.contains("state=s") == true)
    }

    @Test(
        "are asked for the log-in that an app demands, and one of before gets no code",
        arguments: [("&prompt=login", "login", "0"), ("&max_age=60", nil, "60")])
    func demanded(demand: String, prompt: String?, maximumAge: String) async throws {
        let world = try await World()
        let browser = Browser(world.server)
        let query = Self.waiting(world.server, at: WebLogInTests.redirect, demand)
        for (age, hasCode) in [(Int64(3600), false), (0, true)] {
            let asked = try await world.leave(browser, query: query)
            #expect(asked["prompt"] == prompt && asked["max_age"] == maximumAge)
            let back = try await world.comeBack(browser, asked, loggedInBefore: age)
            #expect(back.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == hasCode, "\(back.location ?? "")")
        }
        let asked = try await world.leave(browser, query: Self.waiting(world.server, at: WebLogInTests.redirect))
        #expect(asked["prompt"] == nil && asked["max_age"] == nil)
        let back = try await world.comeBack(browser, asked, loggedInBefore: 3600)
        #expect(back.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true)
    }

    @Test(
        "show no log-in of now by a time that cannot be understood",
        arguments: ["1795894488", "now", 1e308, .bool(true), .integer(-1)] as [JSONValue])
    func unreadableTime(time: JSONValue) async throws {
        let world = try await World()
        let browser = Browser(world.server)
        let query = Self.waiting(world.server, at: WebLogInTests.redirect, "&prompt=login")
        let asked = try await world.leave(browser, query: query)
        let back = try await world.comeBack(browser, asked, more: ["auth_time": time])
        #expect(back.location?.hasPrefix(browser.path("log-in")) == true, "\(back.location ?? back.html)")
    }

    /// The query of a page while an app waits.
    static func waiting(_ server: TestServer, at redirect: String, _ demand: String = "") -> String {
        let request =
            "client_id=\(server.application.id)&redirect_uri=\(Browser.escaped(redirect))"
            + "&response_type=code&code_challenge=\(WebLogInTests.challenge)&code_challenge_method=S256&state=s"
            + demand
        return "?continue=\(Browser.escaped(request))"
    }

    @Test("wait for somebody who presses a button of their own page, when another app may have taken the app's address")
    func uncertainApp() async throws {
        let world = try await World()
        let query = Self.waiting(world.server, at: Self.scheme)
        let (path, link) = ("provider/\(Self.provider)", /href="([^"]*provider\/oidc:work[^"]*)"/)
        func button(_ browser: Browser) async throws -> String {
            let page = try await browser.get(browser.path("log-in") + query)
            return String(try #require(page.html.firstMatch(of: link)?.output.1)).replacing("&amp;", with: "&")
        }
        // What a foreign app opens in the person's browser: the provider would send them back without a question.
        let browser = Browser(world.server)
        let theirs = try await button(Browser(world.server))
        for address in [browser.path(path) + query, browser.path(path) + query + "&button=x", theirs] {
            let opened = try await browser.get(address)
            #expect(opened.status == 200 && opened.html.contains("Continue with Work"), "\(address)")
        }
        let sent = try await browser.get(try await button(browser))
        #expect(sent.status == 303)
        let back = try await world.comeBack(browser, World.asked(sent.location))
        #expect(back.location?.hasPrefix("\(Self.scheme)?code=") == true, "\(back.html)")
    }

    @Test("bring an account back that is about to be deleted, when its owner asks for that")
    func restore() async throws {
        let world = try await World()
        let browser = Browser(world.server)
        #expect(try await world.comeBack(browser, try await world.leave(browser)).status == 303)
        let account = try await browser.get(browser.path("account"))
        let deleted = try await browser.post(browser.path("account/delete"), ["sure": "yes"], token: account.token)
        #expect(deleted.html.contains("will be deleted"))
        let offered = try await world.comeBack(browser, try await world.leave(browser))
        #expect(offered.html.contains("Do you want your account back?"), "\(offered.html)")
        let path = browser.path("provider/\(Self.provider)")
        #expect(try await browser.post(path, ["restore": "yes"], token: nil).status == 403)
        let sent = try await browser.post(path, ["restore": "yes"], token: offered.token)
        let link = sent.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1.description
        let back = try await world.comeBack(browser, World.asked(link?.replacing("&amp;", with: "&")))
        #expect(back.location == browser.path("account"), "\(back.html)")
        #expect(try await browser.get(browser.path("account")).html.contains("花"))
    }

    @Test("log in with Apple, whose service id is asked for and whose nonce is hashed")
    func apple() async throws {
        let world = try await World()
        let browser = Browser(world.server)
        let asked = try await world.leave(browser, "apple")
        #expect(asked["client_id"] == AppleWorld.service && asked["nonce"]?.utf8.count == 64)
        let credential = try world.apple.signIn(
            AppleWorld.hana, audience: AppleWorld.service, nonce: asked["nonce"])
        let back = try await browser.get(
            browser.path("provider/apple/callback") + "?code=\(credential.code)&state=\(asked["state"] ?? "")")
        #expect(back.status == 303, "\(back.html)")
        #expect(try await browser.get(browser.path("account")).html.contains("Apple"))
    }

    @Test("refuse what came back in another browser, changed, late, or for another provider")
    func forged() async throws {
        let world = try await World()
        let thief = Browser(world.server)
        let theirs = try await world.leave(thief)
        // Log-in CSRF: a person who is sent the thief's answer stays who they are.
        let person = Browser(world.server)
        try await person.get(person.path("log-in"))
        #expect(try await world.comeBack(person, theirs).status == 403)
        #expect(try await world.comeBack(Browser(world.server), theirs).status == 403)
        let state = theirs["state"] ?? ""
        let changed = state.prefix(40) + (state.dropFirst(40).first == "A" ? "B" : "A") + state.dropFirst(41)
        #expect(try await world.comeBack(thief, theirs, state: String(changed)).status == 403)
        #expect(try await world.comeBack(thief, theirs, state: "").status == 403)
        let other = try await thief.get(thief.path("provider/apple/callback") + "?code=x&state=\(state)")
        #expect(other.status == 403)
        world.server.clock.advance(by: .seconds(601))
        #expect(try await world.comeBack(thief, theirs).status == 403)
        #expect(thief.session?.hasPrefix("v.") == true)
    }

    @Test("refuse a token that answers another request, and a code that comes twice")
    func replay() async throws {
        let world = try await World()
        let browser = Browser(world.server)
        let asked = try await world.leave(browser)
        let wrong = try await world.comeBack(browser, asked, nonce: "another")
        #expect(wrong.status == 422 && browser.session?.hasPrefix("v.") == true)
        let good = try await world.comeBack(browser, asked)
        #expect(good.status == 303)
        // The cookie is another one now: what came back once is over (session fixation).
        #expect(try await world.comeBack(browser, asked).status == 403)
    }

    @Test("lead back to the log-in when the person does not go on there")
    func cancelled() async throws {
        let world = try await World()
        let browser = Browser(world.server)
        let asked = try await world.leave(browser)
        let back = try await browser.get(
            browser.path("provider/\(Self.provider)/callback") + "?error=access_denied&state=\(asked["state"] ?? "")")
        #expect(back.location == browser.path("log-in"))
    }

    @Test(
        "say so when the provider sends the person back because of a fault of its own, or of the settings",
        arguments: [
            ("server_error", 502, "The other service cannot be reached now."),
            ("temporarily_unavailable", 502, "The other service cannot be reached now."),
            ("invalid_scope", 422, "The other service did not confirm it."),
            ("<script>alert(1)</script>", 422, "The other service did not confirm it."),
        ])
    func providersFault(word: String, status: Int, words: String) async throws {
        let world = try await World()
        func back(_ browser: Browser, _ asked: [String: String]) async throws -> Page {
            try await browser.get(
                browser.path("provider/\(Self.provider)/callback")
                    + "?error=\(Browser.escaped(word))&state=\(asked["state"] ?? "")")
        }
        let browser = Browser(world.server)
        let refused = try await back(browser, try await world.leave(browser))
        #expect(refused.status == status && refused.html.contains(words), "\(refused.html)")
        #expect(!refused.html.contains("alert(1)"))
        let owner = Browser(world.server)
        try await owner.fill("sign-up", ["username": "taro", "password": Self.password])
        let linked = try await back(owner, try await world.link(owner))
        #expect(linked.status == status && linked.html.contains(words) && linked.html.contains("<strong>taro</strong>"))
    }

    @Test("lead on to the app that waits also when something went wrong there, or when it took more than ten minutes")
    func failed() async throws {
        let world = try await World()
        let browser = Browser(world.server)
        try await browser.fill("sign-up", ["username": "taro", "password": Self.password])
        for isLate in [false, true] {
            let asked = try await world.leave(browser, query: Self.waiting(world.server, at: WebLogInTests.redirect))
            if isLate { world.server.clock.advance(by: .seconds(3600)) }
            let wrong = try await world.comeBack(browser, asked, nonce: isLate ? nil : "another")
            #expect(wrong.status == (isLate ? 403 : 422))
            let thief = Browser(world.server)
            try await thief.get(thief.path("log-in"))
            #expect(try await !world.comeBack(thief, asked).html.contains("continue="))
            let button = wrong.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1.description
            let path = try #require(button).replacing("&amp;", with: "&")
            let shown = try await browser.get(path)
            let entered = try await browser.post(
                path, ["identifier": "taro", "password": Self.password], token: shown.token)
            #expect(entered.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true, "\(path)")
        }
    }

    @Test("keep the account of a guest whose app waits for that, and bring the guest back to it")
    func keptGuest() async throws {
        let world = try await World()
        let browser = Browser(world.server)
        try await browser.open(accountOf: try await world.server.person(), isProven: true)
        let query = Self.waiting(world.server, at: WebLogInTests.redirect, "&prompt=create")
        let back = try await world.comeBack(browser, try await world.link(browser, query: query))
        #expect(back.location?.hasPrefix("\(WebLogInTests.redirect)?code=") == true, "\(back.location ?? back.html)")
    }

    @Test("are linked from the account, and lead to the choice between two accounts where they belong to another user")
    func conflict() async throws {
        let world = try await World()
        let first = Browser(world.server)
        #expect(try await world.comeBack(first, try await world.leave(first)).status == 303)
        let browser = Browser(world.server)
        try await browser.fill("sign-up", ["username": "taro", "password": Self.password])
        let conflict = try await world.comeBack(browser, try await world.link(browser))
        #expect(conflict.status == 409 && conflict.html.contains("There is such an account already"))
        let linked = try await world.comeBack(browser, try await world.link(browser), subject: "taro-at-work")
        #expect(linked.location == browser.path("account") + "?done=identityLinked")
        let again = try await browser.get(browser.path("account"))
        #expect(again.html.contains(#"aria-label="Remove: Work""#) && !again.html.contains("Link Work"))
        // In a tab that was open before.
        let second = try await world.comeBack(browser, try await world.link(browser), subject: "taro-at-home")
        #expect(second.status == 409 && second.html.contains("Another account of that service is linked already"))
    }

    @Test("lead to a choice that tells an account without a name from a guest's, and offers what is possible alone")
    func namelessConflict() async throws {
        let world = try await World()
        let first = Browser(world.server)
        #expect(try await world.comeBack(first, try await world.leave(first), more: [:]).status == 303)
        let nameless = "<strong>Account with Work</strong>"
        #expect(try await first.get(first.path("account")).html.contains(nameless))
        let consent = try await first.get(
            first.path("authorize")
                + "?client_id=\(world.server.application.id)&redirect_uri=\(Browser.escaped(Self.scheme))"
                + "&response_type=code&code_challenge=\(WebLogInTests.challenge)&code_challenge_method=S256&state=s")
        #expect(consent.html.contains(nameless) && consent.html.contains("Continue with this account?"))
        let merge = #"value="merge""#
        let guest = Browser(world.server)
        try await guest.open(accountOf: try await world.server.person(), isProven: true)
        let ofGuest = try await world.comeBack(guest, try await world.link(guest), more: [:])
        #expect(ofGuest.status == 409 && ofGuest.html.contains(nameless), "\(ofGuest.html)")
        #expect(ofGuest.html.contains("<strong>Guest</strong>") && ofGuest.html.contains(merge))
        // What cannot be linked is no name that could be chosen anew.
        #expect(!ofGuest.html.contains("Then choose another name."))
        // A registered user's account is brought into no other: the button led to an error, and the choice was gone.
        let taro = Browser(world.server)
        try await taro.fill("sign-up", ["username": "taro", "password": Self.password])
        let conflict = try await world.comeBack(taro, try await world.link(taro), more: [:])
        #expect(conflict.status == 409 && !conflict.html.contains(merge), "\(conflict.html)")
        let ticket = try #require(conflict.value(of: "ticket"))
        let switched = try await taro.post(
            taro.path("account/merge"), ["ticket": ticket, "choice": "switch"], token: conflict.token)
        #expect(switched.status == 303)
        #expect(try await taro.get(taro.path("account")).html.contains(nameless))
    }
}
