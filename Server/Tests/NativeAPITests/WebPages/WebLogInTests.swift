import Crypto
import Domain
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

/// Back to the app: OAuth 2.1 with PKCE, OpenID Connect, and what thieves try.
@Suite("Web log-in")
struct WebLogInTests {
    static let password = "correct horse battery"
    static let redirect = "https://app.example.com/back"
    static let verifier = "a-verifier-that-the-app-keeps-to-itself-43-or-more"
    static var challenge: String { Base64URL.text(of: Array(SHA256.hash(data: Array(verifier.utf8)))) }

    private func server(
        _ more: [String] = [], at address: String = "http://id.example.test"
    ) async throws -> TestServer {
        try await TestServer(
            settings: ["public-url": address],
            application: ApplicationSettings(redirectAddresses: [Self.redirect] + more))
    }

    private func request(_ server: TestServer, _ changes: [String: String?] = [:]) -> String {
        var fields: [String: String?] = [
            "client_id": server.application.id.rawValue, "redirect_uri": Self.redirect, "response_type": "code",
            "code_challenge": Self.challenge, "code_challenge_method": "S256", "scope": "openid profile email",
            "state": "a state", "nonce": "a nonce",
        ]
        fields.merge(changes) { $1 }
        return fields.compactMap { name, value in value.map { "\(name)=\(Browser.escaped($0))" } }.sorted()
            .joined(separator: "&")
    }

    /// Logs in through the pages, as an app's browser sheet would.
    private func code(_ server: TestServer, _ changes: [String: String?] = [:]) async throws -> (
        Browser, [String: String]
    ) {
        let browser = Browser(server)
        let sent = try await browser.get(browser.path("authorize") + "?" + request(server, changes))
        let page = try #require(sent.location)
        #expect(page.contains("/log-in?continue="))
        let signUp = page.replacing("/log-in?", with: "/sign-up?")
        let shown = try await browser.get(signUp)
        #expect(shown.policy.contains("form-action 'self' "))
        let entered = try await browser.post(
            signUp, ["username": "hana", "email": "hana@example.com", "password": Self.password], token: shown.token)
        return (browser, Self.query(entered.location))
    }

    private static func query(_ address: String?) -> [String: String] {
        let items = address.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    private func token(_ server: TestServer, _ code: String, _ changes: [String: String] = [:]) async throws -> Page {
        let fields = [
            "grant_type": "authorization_code", "client_id": server.application.id.rawValue, "code": code,
            "redirect_uri": Self.redirect, "code_verifier": Self.verifier,
        ].merging(changes) { $1 }
        let browser = Browser(server)
        return try await browser.post(browser.path("token"), fields)
    }

    @Test("brings a person back with a code, and the app to a session, an identity token and the user")
    func whole() async throws {
        let server = try await server()
        let (browser, back) = try await code(server)
        #expect(back["state"] == "a state")
        #expect(back["iss"] == "http://id.example.test/a/\(server.application.id)")
        let answer = try await token(server, try #require(back["code"]))
        #expect(answer.status == 200)
        #expect(answer.answer.headers[.cacheControl] == "no-store")
        let members = try answer.answer.read([String: JSONValue].self)
        guard case .string(let access)? = members["access_token"], case .string(let identity)? = members["id_token"]
        else {
            Issue.record("no tokens")
            return
        }
        let user = try await server.send(.get, "/v1/user", [("Authorization", "Bearer \(access)")])
        #expect(user.status == 200)
        let info = try await browser.get(browser.path("userinfo"), [("Authorization", "Bearer \(access)")])
        #expect(info.html.contains("hana@example.com"))
        let claims = String(decoding: Base64URL.bytes(of: identity.split(separator: ".")[1].utf8) ?? [], as: UTF8.self)
        #expect(claims.contains(#""nonce":"a nonce""#) && claims.contains(#""preferred_username":"hana""#))
        #expect(claims.contains(#""amr":["pwd"]"#) && claims.contains(#""acr":"1""#), "\(claims)")
        // The next time nobody types anything, but somebody presses a button.
        let again = try await browser.get(browser.path("authorize") + "?" + request(server))
        #expect(again.status == 200 && again.html.contains("Continue as hana?"))
        let pressed = try await browser.post(
            browser.path("authorize") + "?" + request(server), ["choice": "continue"], token: again.token)
        #expect(Self.query(pressed.location)["code"] != nil)
        let cancelled = try await browser.post(
            browser.path("authorize") + "?" + request(server), ["choice": "cancel"], token: again.token)
        #expect(Self.query(cancelled.location)["error"] == "access_denied")
    }

    @Test("tells the app that the person is new when the sign-up was on the way to it, and only then (issue 20)")
    func isNew() async throws {
        let server = try await server()
        let (browser, back) = try await code(server)
        func welcome(_ code: String?) async throws -> [String: JSONValue] {
            let answer = try await token(server, try #require(code))
            guard case .object(let logIn)? = try answer.answer.read([String: JSONValue].self)["log_in"] else {
                Issue.record("no log-in: \(answer.html)")
                return [:]
            }
            return logIn
        }
        server.clock.advance(by: .seconds(5))
        let first = try await welcome(back["code"])
        #expect(first["isNew"] == true && first["previousLogInAt"] ?? .null == .null)
        // The same browser, later, on the way to another session.
        let asked = try await browser.get(browser.path("authorize") + "?" + request(server))
        let pressed = try await browser.post(
            browser.path("authorize") + "?" + request(server), ["choice": "continue"], token: asked.token)
        let second = try await welcome(Self.query(pressed.location)["code"])
        #expect(second["isNew"] == false && second["previousLogInAt"] ?? .null != .null)
        // A sign-up that led nowhere, and a log-in that leads to the app.
        let other = Browser(server)
        let signedUp = try await other.fill("sign-up", ["username": "taro", "password": Self.password])
        #expect(signedUp.status == 303)
        let later = try await other.get(other.path("authorize") + "?" + request(server))
        let gone = try await other.post(
            other.path("authorize") + "?" + request(server), ["choice": "continue"], token: later.token)
        #expect(try await welcome(Self.query(gone.location)["code"])["isNew"] == false)
    }

    @Test("takes a code once: the second use ends what the first one opened")
    func replay() async throws {
        let server = try await server()
        let (_, back) = try await code(server)
        let code = try #require(back["code"])
        let first = try await token(server, code).answer.read([String: JSONValue].self)
        guard case .string(let access)? = first["access_token"] else {
            Issue.record("no token")
            return
        }
        let second = try await token(server, code)
        #expect(second.status == 400 && second.html.contains("invalid_grant"))
        let user = try await server.send(.get, "/v1/user", [("Authorization", "Bearer \(access)")])
        #expect(user.status == 401)
        // A guest filled the audit log and the disk with a code of its own.
        for _ in 0..<5 { #expect(try await token(server, code).status == 400) }
        let refused = try await server.modules.administration.audit.list(in: server.application.id, limit: 100)
            .filter { $0.result == .refused }
        #expect(refused.count == 1 && refused.first?.details["method"] == "pages")
    }

    @Test(
        "refuses a code with anything else",
        arguments: [
            ["code_verifier": "another-verifier-that-nobody-asked-with-43-or-more"], ["code_verifier": ""],
            ["redirect_uri": "https://app.example.com/back/"], ["redirect_uri": ""], ["code": "AAAA"],
        ])
    func wrongExchange(changes: [String: String]) async throws {
        let server = try await server()
        let (_, back) = try await code(server)
        let answer = try await token(server, try #require(back["code"]), changes)
        #expect(answer.status == 400 && answer.html.contains("invalid_grant"))
    }

    @Test("refuses a code after 60 seconds, and one of another application")
    func old() async throws {
        let server = try await server()
        let (_, back) = try await code(server)
        let code = try #require(back["code"])
        let other = try await server.modules.applications.createApplication(name: "Other", by: .local).application
        let browser = Browser(server)
        let foreign = try await browser.post(
            "/a/\(other.id)/token",
            [
                "grant_type": "authorization_code", "client_id": other.id.rawValue, "code": code,
                "redirect_uri": Self.redirect, "code_verifier": Self.verifier,
            ])
        #expect(foreign.html.contains("invalid_grant"))
        server.clock.advance(by: .seconds(60))
        #expect(try await token(server, code).html.contains("invalid_grant"))
    }

    @Test(
        "sends nobody to an address that is not registered",
        arguments: [
            "https://evil.example", "https://app.example.com/back/../x", "https://app.example.com.evil.example/back",
            "https://app.example.com/back?x", "javascript:alert(1)", "//evil.example", "",
            "HTTPS://app.example.com/back",
            "https://app.example.com/back#x", "https://user@app.example.com/back", "http://127.0.0.1:80/back",
        ])
    func openRedirect(address: String) async throws {
        let server = try await server()
        let browser = Browser(server)
        let page = try await browser.get(browser.path("authorize") + "?" + request(server, ["redirect_uri": address]))
        #expect(page.status == 400 && page.location == nil)
        // Nor by what waits for a log-in.
        let hidden = "?continue=" + Browser.escaped(request(server, ["redirect_uri": address]))
        let shown = try await browser.get(browser.path("sign-up") + hidden)
        #expect(!shown.policy.contains("evil"))
        let entered = try await browser.post(
            browser.path("sign-up") + hidden, ["username": "hana", "password": Self.password], token: shown.token)
        #expect(entered.location == nil)
    }

    @Test("gives an app that asks without a page a code for the person alone whom its identity token names")
    func identityTokenHint() async throws {
        let server = try await server()
        let (hana, back) = try await code(server)
        let members = try await token(server, try #require(back["code"])).answer.read([String: JSONValue].self)
        guard case .string(let hint)? = members["id_token"] else {
            Issue.record("no identity token")
            return
        }
        let mika = Browser(server)
        try #require(try await mika.fill("sign-up", ["username": "mika", "password": Self.password]).status == 303)
        func ask(_ browser: Browser, _ hint: String?) async throws -> [String: String] {
            let changes = ["prompt": "none", "id_token_hint": hint]
            let page = try await browser.get(browser.path("authorize") + "?" + request(server, changes))
            #expect(page.location?.hasPrefix(Self.redirect) == true)
            return Self.query(page.location)
        }
        // The token may be older than its own time.
        server.clock.advance(by: .seconds(3600))
        for browser in [hana, mika] { #expect(try await ask(browser, nil)["code"] != nil) }
        #expect(try await ask(hana, hint)["code"] != nil)
        let other = try await ask(mika, hint)
        #expect(other["error"] == "login_required" && other["code"] == nil && other["state"] == "a state")
        let claims = hint.split(separator: ".")[1]
        for text in ["", "x", "x.y.z", "\(claims)", "e30.e30.e30", "e30.\(claims)"] {
            let refused = try await ask(hana, text)
            #expect(refused["error"] == "login_required" && refused["code"] == nil, "\(text)")
        }
    }

    @Test("lets an app on this machine choose its port, and nothing else")
    func loopback() async throws {
        let server = try await server(["http://127.0.0.1/back", "com.example.app:/back"])
        let allowed = ["http://127.0.0.1:49152/back", "http://127.0.0.1/back", "com.example.app:/back"]
        let refused = [
            "http://127.0.0.1:49152/other", "http://127.0.0.1.evil.example/back", "http://localhost:49152/back",
            "http://127.0.0.1:0/back", "http://127.0.0.1:4x/back", "com.example.app:/back?x", "com.example.app:/other",
        ]
        for address in allowed { #expect(server.application.settings.allowsRedirect(to: address), "\(address)") }
        for address in refused { #expect(!server.application.settings.allowsRedirect(to: address), "\(address)") }
        for address in [
            "http://example.com/back", "app:/back", "https://*.example.com", "https://x/#a", "data:text/html.x,y",
        ] {
            #expect(address.hasPrefix("data") || RedirectAddress(address) == nil, "\(address)")
        }
    }

    @Test(
        "tells the app what is wrong with its request",
        arguments: [
            (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
            (["code_challenge": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["response_type": "token"], "unsupported_response_type"), (["prompt": "none"], "login_required"),
            (["request": "x.y.z"], "request_not_supported"), (["response_mode": "fragment"], "invalid_request"),
            // Too long for the pages to hand it on.
            (["login_hint": String(repeating: "x", count: 4096)], "invalid_request"),
        ] as [([String: String?], String)])
    func wrongRequest(changes: [String: String?], error: String) async throws {
        let server = try await server()
        let browser = Browser(server)
        let page = try await browser.get(browser.path("authorize") + "?" + request(server, changes))
        let back = Self.query(page.location)
        #expect(page.location?.hasPrefix(Self.redirect) == true)
        #expect(back["error"] == error && back["state"] == "a state" && back["iss"] != nil)
        #expect((back["error_description"] != nil) == (error == "invalid_request"), "which rule it was")
    }

    @Test("tells the app that its request is too long also where somebody is logged in, who may choose another account")
    func longRequest() async throws {
        let server = try await server()
        let (browser, _) = try await code(server)
        func page(_ hint: Int, _ prompt: String? = nil) async throws -> Page {
            let request = request(server, ["login_hint": String(repeating: "x", count: hint), "prompt": prompt])
            return try await browser.get(browser.path("authorize") + "?" + request)
        }
        #expect(try await page(3000).html.contains(browser.path("log-in") + "?continue="))
        #expect(Self.query(try await page(4096).location)["error"] == "invalid_request")
        // No page is shown, so that nothing has to wait.
        #expect(Self.query(try await page(4096, "none").location)["code"] != nil)
    }

    @Test(
        "describes itself, for every OpenID Connect library, also where the public address ends with a slash",
        arguments: ["http://id.example.test", "http://id.example.test/"])
    func discovery(address: String) async throws {
        let server = try await server(at: address)
        let browser = Browser(server)
        let issuer = "http://id.example.test/a/\(server.application.id)"
        for path in [
            browser.path(".well-known/openid-configuration"),
            "/.well-known/oauth-authorization-server" + browser.path("").dropLast(),
        ] {
            let answer = try await browser.get(path)
            #expect(answer.status == 200)
            #expect(answer.html.contains(#""issuer":"\#(issuer)""#))
            #expect(answer.html.contains(#""token_endpoint":"\#(issuer)/token""#))
            #expect(answer.html.contains(#""code_challenge_methods_supported":["S256"]"#))
        }
    }

    @Test("opens the own account for a guest of an app, once, and asks first")
    func oneTimeLogInToken() async throws {
        let server = try await server()
        let guest = try await server.send(
            .post, "/v1/log-in/automatic",
            [("DPoP", try ProofMaker().proof("POST", server.url("/v1/log-in/automatic"), at: server.clock.now))])
        let token = try guest.read(LogInResponse.self).session.token
        let answer = try await server.send(.post, "/v1/user/page", [("Authorization", "Bearer \(token)")])
        let address = try answer.read(PageAddressResponse.self).url.replacing("http://id.example.test", with: "")
        let browser = Browser(server)
        let asked = try await browser.get(address)
        let ticket = try #require(asked.value(of: "ticket"))
        #expect(browser.session?.hasPrefix("v.") == true)
        #expect(try await browser.post(browser.path("open"), ["ticket": ticket], token: asked.token).status == 303)
        let account = try await browser.get(browser.path("account"))
        #expect(account.html.contains("Keep this account"))
        let thief = Browser(server)
        let again = try await thief.get(address)
        #expect(try await thief.post(thief.path("open"), ["ticket": ticket], token: again.token).status == 410)
        // The guest chooses a name that somebody has, and knows that one's password too.
        try await Browser(server).fill("sign-up", ["username": "hana", "password": Self.password])
        let taken = try await browser.post(
            browser.path("account/upgrade"), ["username": "hana", "password": "not the password"], token: account.token)
        #expect(taken.error("username") != nil)
        let conflict = try await browser.post(
            browser.path("account/upgrade"), ["username": "hana", "password": Self.password], token: account.token)
        #expect(conflict.status == 409)
        let merge = try #require(conflict.value(of: "ticket"))
        let merged = try await browser.post(
            browser.path("account/merge"), ["ticket": merge, "choice": "merge"], token: conflict.token)
        #expect(merged.status == 303)
        #expect(try await browser.get(browser.path("account")).html.contains("<strong>hana</strong>"))
    }

    @Test("goes on behind a form that was open while somebody logged in in another tab")
    func staleForms() async throws {
        let server = try await server()
        let (browser, _) = try await code(server)
        let asked = request(server)
        let logIn = browser.path("log-in") + "?continue=" + Browser.escaped(asked)
        let consent = browser.path("authorize") + "?" + asked
        for (path, fields) in [
            (logIn, ["identifier": "hana", "password": Self.password]), (consent, ["choice": "continue"]),
        ] {
            let refused = try await browser.post(path, fields, token: "of the cookie before")
            #expect(refused.status == 403)
            let button = refused.html.firstMatch(of: #/class="button" href="([^"]*)"/#)
                .map { String($0.output.1).replacing("&amp;", with: "&") }
            let next = try #require(button)
            let again = try await browser.get(next)
            let entered = try await browser.post(next, fields, token: again.token)
            #expect(Self.query(entered.location)["code"] != nil, "\(next)")
        }
    }

    @Test("has JSON for apps and backends also while the storage is away", arguments: ["token", "introspect"])
    func storageGone(name: String) async throws {
        let server = try await server()
        let (browser, back) = try await code(server)
        let fields = [
            "grant_type": "authorization_code", "client_id": server.application.id.rawValue,
            "code": try #require(back["code"]), "redirect_uri": Self.redirect, "code_verifier": Self.verifier,
            "token": "unknown",
        ]
        await server.composition.close()
        let answer = try await server.send(
            .post, browser.path(name),
            [("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", "Bearer unknown")],
            body: fields.map { "\($0)=\(Browser.escaped($1))" }.joined(separator: "&"), isNamed: false)
        #expect(answer.status == 503, "\(answer.text)")
        #expect(answer.headers[.contentType] == "application/json")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(try answer.read([String: String].self) == ["error": "temporarily_unavailable"])
    }

    @Test("tells screens what they must know of the application")
    func profile() async throws {
        let server = try await server()
        let profile = try await server.send(.get, "/v1/application").read(ApplicationProfile.self)
        #expect(profile.pages?.issuer == "http://id.example.test/a/\(server.application.id)")
        #expect(profile.rules.password.minimumCharacters == 8)
    }
}
