import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// What enemies of the hosted pages try, each by its name. Code injection, state and nonce at providers:
/// `AuthorizationStateTests`, `SocialPageTests`; an application's own fields: `OwnFieldPageTests`; a thousand log-ins a minute:
/// `LogInPageTests`.
@Suite("Hostile visitors of the pages")
struct HostilePageTests {
    static let password = "correct horse battery"
    static let attacks = [
        #""><script>alert(1)</script>"#, #"'><img src=x onerror=alert(1)>"#, "</textarea></title><svg onload=alert(1)>",
        "{{{form_token}}}{{#t}}{{/t}}", "javascript:alert(1)",
    ]

    private func server(_ theme: JSONValue? = nil) async throws -> TestServer {
        try await TestServer(
            settings: ["public-url": TestServer.url, "dev": "on"],
            application: ApplicationSettings(theme: theme, redirectAddresses: [WebLogInTests.redirect]))
    }

    /// Somebody who is logged in on the pages.
    private func person(_ server: TestServer, _ name: String = "hana") async throws -> Browser {
        let browser = Browser(server)
        let made = try await browser.fill("sign-up", ["username": name, "password": Self.password])
        #expect(made.status == 303)
        return browser
    }

    /// A page whose text is all text: no element of a stranger's, none of ours closed early.
    private func expectHarmless(_ page: Page, _ location: String) {
        for element in ["<script>alert", "<img src=x", "<svg", "onerror=alert(1)>", "href=\"javascript:"] {
            // As text each of them has its “<” escaped.
            #expect(!page.html.contains(element), "\(element) in \(location)")
        }
        #expect(page.html.components(separatedBy: "</title>").count <= 2, "\(location)")
        #expect(page.html.components(separatedBy: "<script").count <= 2, "\(location)")
        #expect(page.location.map { $0.hasPrefix("/a/") } ?? true, "\(location) leads to \(page.location ?? "")")
    }

    @Test("XSS: strings in every field of every form stay text", arguments: Self.attacks)
    func crossSiteFields(attack: String) async throws {
        let server = try await server()
        let guest = Browser(server)
        let token = try await guest.get(guest.path("log-in")).token
        for (path, fields) in [
            ("log-in", ["identifier"]), ("log-in", ["identifier", "password"]), ("sign-up", ["username"]),
            ("sign-up", ["username", "email", "password"]), ("forgot", ["email"]), ("reset", ["token", "password"]),
            ("register", ["token", "password"]),
            ("verify", ["token"]), ("recover", ["token"]), ("code", ["identifier"]),
            ("code/enter", ["ticket", "code"]), ("open", ["ticket"]),
        ] {
            let sent = Dictionary(uniqueKeysWithValues: fields.map { ($0, attack) })
            expectHarmless(try await guest.post(guest.path(path), sent, token: token), path)
        }
        let owner = try await person(server)
        let own = try await owner.get(owner.path("account")).token
        for (path, fields) in [
            ("profile", ["displayName"]), ("email", ["email"]), ("password", ["currentPassword", "newPassword"]),
            ("confirm", ["password"]), ("link", ["provider"]), ("identity", ["provider"]), ("sessions", ["session"]),
            ("merge", ["ticket", "choice"]), ("upgrade", ["username", "email", "password"]), ("delete", ["nothing"]),
        ] {
            let sent = Dictionary(uniqueKeysWithValues: fields.map { ($0, attack) })
            expectHarmless(try await owner.post(owner.path("account/\(path)"), sent, token: own), path)
        }
        expectHarmless(try await owner.get(owner.path("account")), "account")
    }

    @Test(
        "XSS: signs that are joined with others are escaped like those that stand alone",
        arguments: [
            "\u{0600}\"\u{0600}>\u{0600}<svg onload=alert(1)\u{0600}>", "\"\u{0301} autofocus \u{0600}'\u{0600}&lt;",
        ])
    func joinedSigns(attack: String) async throws {
        let owner = try await person(try await server())
        let own = try await owner.get(owner.path("account")).token
        let saved = try await owner.post(owner.path("account/profile"), ["displayName": attack], token: own)
        #expect(saved.status == 303)
        let signs: [Unicode.Scalar: String] = ["<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;", "&": "&amp;"]
        let text = attack.unicodeScalars.map { signs[$0] ?? String($0) }.joined()
        let guest = Browser(owner.server)
        for page in [
            try await owner.get(owner.path("account")),
            try await guest.get(guest.path("log-in") + "?login_hint=\(Browser.escaped(attack))"),
        ] {
            // Browsers read bytes; a sign that is joined with another one is none of Swift's characters.
            let html = Data(page.html.utf8)
            #expect(html.range(of: Data("value=\"\(text)\"".utf8)) != nil, "\(page.html)")
            #expect(html.range(of: Data(attack.utf8)) == nil)
        }
    }

    @Test("session fixation: another host's cookie plants none of this server's, and hides none of them")
    func foreignCookies() async throws {
        let server = try await server()
        let name = "__Host-okaeri-\(server.application.id.rawValue)"
        let own = "\(name)=v.\(String(repeating: "A", count: 22))"
        // The Greek question mark is the same character as a semicolon; U+0600 is one with the sign behind it, U+0301 with the one before.
        let headers = [
            (own, true), ("x=y; \(own)", true), ("x=y\u{0600}; \(own)", true), ("\(own);\u{0301}=y", true),
            ("x=\(String(repeating: "\u{0301}", count: 40)); \(own)", true),
            ("x=y\u{037E}\(own)", false), ("x=y\u{037E} \(own)", false),
        ]
        for (header, isRead) in headers {
            let guest = Browser(server)
            let page = try await guest.get(guest.path("log-in"), [("Cookie", header)])
            // Who brought none is given one.
            #expect(page.status == 200 && (guest.session == nil) == isRead, "\(header)")
        }
    }

    @Test("XSS: strings in every parameter of every page stay text", arguments: Self.attacks)
    func crossSiteParameters(attack: String) async throws {
        let server = try await server()
        let owner = try await person(server)
        let escaped = Browser.escaped(attack)
        for browser in [Browser(server), owner] {
            for page in ["log-in", "sign-up", "forgot", "reset", "verify", "recover", "account", "authorize", "open"] {
                for name in [
                    "token", "ticket", "done", "lang", "ui_locales", "login_hint", "continue", "appearance", "error",
                    "state",
                    attack,
                ] {
                    let answer = try await browser.get(
                        browser.path(page) + "?\(Browser.escaped(name))=\(escaped)")
                    expectHarmless(answer, "\(page)?\(name)")
                    #expect(answer.status < 500)
                }
            }
        }
    }

    @Test("XSS: strings in every text of a theme stay text, in every language", arguments: Self.attacks)
    func crossSiteTexts(attack: String) async throws {
        let texts = try PageTextsOfTheRepository.names.get()
        let words = JSONValue.object(Dictionary(uniqueKeysWithValues: texts.map { ($0, .string(attack)) }))
        let server = try await server([
            "brand": .string(String(attack.prefix(60))), "texts": ["en": words, "ja": words, "ko": words],
        ])
        for language in ["en", "ja", "ko"] {
            let browser = Browser(server, language: language)
            for path in ["log-in", "sign-up", "forgot", "reset", "verify", "recover", "open", "authorize?client_id=x"] {
                let page = try await browser.get(browser.path(path))
                expectHarmless(page, "\(path), \(language)")
                // It is there, as text.
                #expect(page.html.contains(attack.contains("alert(1)") ? "alert(1)" : "{{#t}}"), "\(path)")
            }
            expectHarmless(try await browser.fill("log-in", ["identifier": "hana"]), "password")
            expectHarmless(try await browser.fill("sign-up", ["username": "", "password": ""]), "errors")
            let owner = try await person(server, "hana-\(language)")
            expectHarmless(try await owner.get(owner.path("account") + "?lang=\(language)"), "account")
            expectHarmless(try await owner.get(owner.path("account") + "?done=saved"), "notice")
        }
    }

    @Test(
        "CSRF: no form is taken without the token of this browser, nor from another site",
        arguments: [
            "log-in", "sign-up", "forgot", "reset", "verify", "recover", "authorize", "open", "code", "code/enter",
            "log-out", "provider/apple", "account/confirm", "account/profile", "account/email", "account/password",
            "account/upgrade",
            "account/link", "account/identity", "account/sessions", "account/transfer", "account/withdraw",
            "account/notice",
            "account/export", "account/delete", "account/merge", "log-in/passkey", "passkey/options", "account/passkey",
            "account/passkey/options", "account/passkey/name", "account/passkey/remove", "account/passkey/other",
            "log-in/second-factor", "log-in/recovery-codes", "account/factors/offer", "account/factors/add",
            "account/factors/remove", "account/factors/codes", "account/factors/added", "account/factors/replaced",
        ])
    func forgery(path: String) async throws {
        let server = try await server()
        let browser = try await person(server)
        let stranger = try await person(server, "stranger")
        let theirs = try await stranger.get(stranger.path("account")).token
        let own = try await browser.get(browser.path("account")).token
        let fields = ["displayName": "Forged", "identifier": "hana", "sure": "yes", "email": "evil@example.com"]
        #expect(try await browser.post(browser.path(path), fields).status == 403)
        #expect(try await browser.post(browser.path(path), fields, token: theirs).status == 403)
        for headers in [
            [("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")],
        ] {
            #expect(try await browser.post(browser.path(path), fields, token: own, headers).status == 403)
        }
        let json = try await browser.post(
            browser.path(path), fields, token: own, [("Content-Type", "text/plain"), ("Origin", TestServer.url)])
        #expect((400..<500).contains(json.status))
        let account = try await browser.get(browser.path("account"))
        #expect(account.status == 200 && !account.html.contains("Forged") && !account.html.contains("evil@"))
    }

    @Test("clickjacking: no page and no error may stand in a frame")
    func clickjacking() async throws {
        let server = try await server()
        let browser = try await person(server)
        let token = try await browser.get(browser.path("account")).token
        var pages: [Page] = []
        for path in [
            "log-in", "sign-up", "forgot", "reset", "verify", "recover", "account", "authorize", "open",
            "account?done=saved",
            "authorize?\(Self.request(server))",
        ] { pages.append(try await browser.get(browser.path(path))) }
        for path in ["account/transfer", "account/export", "account/delete", "log-in", "reset"] {
            pages.append(try await browser.post(browser.path(path), [:], token: token))
        }
        pages.append(try await browser.post(browser.path("log-out"), [:]))
        for page in pages where page.answer.headers[.contentType]?.hasPrefix("text/html") == true {
            #expect(page.policy.contains("frame-ancestors 'none'"))
            #expect(page.answer.headers[try #require(HTTPField.Name("X-Frame-Options"))] == "DENY")
        }
        #expect(pages.count { $0.answer.headers[.contentType]?.hasPrefix("text/html") == true } >= 14)
        for path in ["/a/nothing/log-in", "/a/\(server.application.id)/nothing"] {
            #expect(try await browser.get(path).policy.contains("frame-ancestors 'none'"))
        }
    }

    @Test(
        "PKCE downgrade: there is no way without S256, and no code for what only looks like a verifier",
        arguments: [
            ["code_challenge": nil, "code_challenge_method": nil], ["code_challenge_method": "plain"],
            ["code_challenge_method": nil], ["code_challenge_method": "s256"], ["code_challenge_method": "none"],
            ["code_challenge": ""],
        ] as [[String: String?]])
    func downgrade(changes: [String: String?]) async throws {
        let server = try await server()
        let browser = try await person(server)
        let refused = try await browser.get(browser.path("authorize") + "?" + Self.request(server, changes))
        #expect(
            refused.location?.contains("error=invalid_request") == true && refused.location?.contains("code=") != true)
        // A code that was asked for with S256 is none for the challenge itself, as “plain” would have it.
        let asked = try await browser.get(browser.path("authorize") + "?" + Self.request(server))
        let path = browser.path("authorize") + "?" + Self.request(server)
        let back = try await browser.post(path, ["choice": "continue"], token: asked.token)
        let items = back.location.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        let code = try #require(items.first { $0.name == "code" }?.value)
        for verifier in [nil, "", WebLogInTests.challenge] {
            var fields = [
                "grant_type": "authorization_code", "client_id": server.application.id.rawValue, "code": code,
                "redirect_uri": WebLogInTests.redirect, "code_challenge_method": "plain",
            ]
            fields["code_verifier"] = verifier
            let answer = try await Browser(server).post(browser.path("token"), fields)
            #expect(answer.status == 400 && answer.html.contains("invalid_grant"))
        }
    }

    @Test(
        "session fixation: whatever the browser held before, a log-in gives it something new",
        arguments: ["v.planted", "own"])
    func fixation(kind: String) async throws {
        let server = try await server()
        let thief = try await person(server, "thief")
        let held = kind == "own" ? try #require(thief.session) : kind
        let browser = Browser(server)
        browser.plant(held)
        _ = try await person(server)
        let shown = try await browser.get(browser.path("log-in"))
        let entered = try await browser.post(
            browser.path("log-in"), ["identifier": "hana", "password": Self.password], token: shown.token)
        #expect(entered.status == 303 && browser.session != held)
        let spy = Browser(server)
        spy.plant(held)
        let account = try await spy.get(spy.path("account"))
        #expect(!account.html.contains("hana"))
    }

    private static func request(_ server: TestServer, _ changes: [String: String?] = [:]) -> String {
        var fields: [String: String?] = [
            "client_id": server.application.id.rawValue, "redirect_uri": WebLogInTests.redirect,
            "response_type": "code", "code_challenge": WebLogInTests.challenge, "code_challenge_method": "S256",
            "state": "s",
        ]
        fields.merge(changes) { $1 }
        return fields.compactMap { name, value in value.map { "\(name)=\(Browser.escaped($0))" } }.sorted()
            .joined(separator: "&")
    }
}

/// The names of all texts of the pages.
private enum PageTextsOfTheRepository {
    static let names: Result<[String], any Error> = Result {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/WebPages/Texts/en.json").standardizedFileURL
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file)).keys.sorted()
    }
}
