import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing

@testable import Dashboard

@Suite("The dashboard")
struct DashboardTests {
    static let pages = [
        "", "users", "sessions", "conflicts", "settings", "providers", "protocols", "mail", "theme", "fields", "audit",
        "hooks", "start",
        "/applications", "/admins", "/keys", "/passkeys", "/sign-on", "/health",
    ]

    @Test("lets nobody in without a log-in, whatever the page", arguments: pages)
    func closed(page: String) async throws {
        let world = try await AdminWorld(roles: [])
        let stranger = Browser(world.server)
        #expect(try await stranger.get(world.page(page)).location == "/dashboard/log-in")
        stranger.plant("okd_" + String(repeating: "A", count: 43), name: "admin")
        #expect(try await stranger.get(world.page(page)).location == "/dashboard/log-in")
    }

    @Test("draws every page in every language, under a policy that runs nothing but its own", arguments: pages)
    func draws(page: String) async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await world.server.person()
        let browser = world.browser()
        let texts = try PageTexts(Dashboard.tables).tables[.english] ?? [:]
        let groups = Set(texts.keys.map { $0.prefix { $0 != "." } }).joined(separator: "|")
        for language in PageLanguage.allCases {
            let shown = try await browser.get(world.page(page) + "?lang=\(language.rawValue)")
            #expect(shown.status == 200, "\(shown.html)")
            #expect(shown.html.contains("<html lang=\"\(language.rawValue)\""))
            #expect(shown.policy.contains("default-src 'none'") && shown.policy.contains("frame-ancestors 'none'"))
            // No text is missing: its name would stand there. The code to copy has names of its own.
            if page == "start" { continue }
            // Fields of forms have names of that form too.
            let html = shown.html.replacing(/(name|for)="[^"]*"/, with: "")
            #expect(try html.firstMatch(of: Regex("\\b(\(groups))\\.[a-z]+[A-Z<]")) == nil, "\(shown.html)")
        }
    }

    @Test(
        "says what is not there without a script or a sheet that its policy refuses, and leads back in each language",
        arguments: ["/dashboard/nothing", "/dashboard/app/nothing/else/here"])
    func unknownPath(path: String) async throws {
        let shown = try await Browser(try await TestServer()).get(path)
        #expect(shown.status == 404)
        #expect(!shown.html.contains("<script") && !shown.html.contains("<style"))
        // The icon of the document is one.
        #expect(shown.policy.contains("img-src data:"))
        #expect(shown.html.contains(#"href="/dashboard""#) && shown.html.contains("ダッシュボードへ戻る"))
    }

    @Test("names the application in the titles of its pages, so that tabs of two applications differ")
    func titles() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let name = world.server.application.name
        #expect(try await browser.get(world.page("users")).html.contains("<title>Users · \(name) · Okaeri</title>"))
        #expect(try await browser.get(world.page()).html.contains("<title>Overview · \(name) · Okaeri</title>"))
        #expect(try await browser.get(world.page("/keys")).html.contains("<title>API keys · Okaeri</title>"))
    }

    @Test("names a user in the page and not in its title, which browsers keep in their history")
    func titlesOfUsers() async throws {
        let world = try await AdminWorld(roles: [])
        let user = try await world.server.person(body: #"{"user": {"displayName": "Hanako"}}"#).logIn.user.id
        let html = try await world.browser().get(world.page("users/\(user)")).html
        #expect(html.contains("<h1><bdi>Hanako</bdi></h1>"))
        #expect(html.contains("<title>User \(user) · \(world.server.application.name) · Okaeri</title>"))
    }

    @Test("leads on from a list without rows: to the first launch, or to all rows when a filter hid them")
    func emptyLists() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let start = #"<a class="button button-small" href="\#(world.page("start"))">"#
        let whole = #"href="\#(world.page("users"))">Show all</a>"#
        let none = try await browser.get(world.page("users")).html
        #expect(none.contains("No users yet.") && none.contains(start) && !none.contains(whole))
        _ = try await world.server.person()
        let hidden = try await browser.get(world.page("users") + "?search=nobody-of-this-name").html
        #expect(hidden.contains("No user fits.") && hidden.contains(whole) && !hidden.contains(start))
        let shown = try await browser.get(world.page("users")).html
        #expect(!shown.contains(#"class="empty""#))
    }

    @Test("shows mails first in the language of who reads the page", arguments: PageLanguage.allCases)
    func mailLanguage(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let shown = try await browser.get(world.page("mail") + "?lang=\(language.rawValue)")
        #expect(shown.html.contains("<option value=\"\(language.rawValue)\" selected>\(language.ownName)</option>"))
        let chosen = try await browser.get(world.page("mail") + "?language=ko")
        #expect(chosen.html.contains("<option value=\"ko\" selected>"))
    }

    @Test("lists the names of events beside the field for them, and not in its hint, which is read out whole")
    func eventNames() async throws {
        let world = try await AdminWorld(roles: [])
        let html = try await world.browser().get(world.page("events")).html
        let hint = html.components(separatedBy: "id=\"field-types-hint\">").last?.components(separatedBy: "</p>").first
        #expect(hint?.contains("user.created") == false)
        #expect(html.contains("<li><code>user.created</code> User made</li>"))
    }

    @Test("shows apps an address that can be opened, where the server listens at all addresses of its machine")
    func startAddress() async throws {
        let world = try await AdminWorld(try await TestServer(settings: ["listen": "0.0.0.0:8080"]), roles: [])
        let shown = try await world.browser().get(world.page("start"))
        #expect(shown.html.contains("http://127.0.0.1:8080") && !shown.html.contains("0.0.0.0"))
    }

    @Test(
        "has a menu of two named groups: the application's pages, and those of the whole server",
        arguments: [("en", "This app", "The whole server"), ("ja", "このアプリ", "サーバー全体"), ("ko", "이 앱", "서버 전체")])
    func menu(language: String, application: String, whole: String) async throws {
        let world = try await AdminWorld(roles: [.support], restricted: true)
        func groups(_ page: String, _ role: String = "owner") async throws -> [String: [String]] {
            let html = try await world.browser(role).get(world.page(page) + "?lang=\(language)").html
            var groups: [String: [String]] = [:]
            for part in html.components(separatedBy: "class=\"dash-group\" role=\"group\"").dropFirst() {
                let menu = part.components(separatedBy: "</ul>")[0]
                // The name is what the group is labelled by.
                let id = try #require(menu.firstMatch(of: /aria-labelledby="([^"]+)"/)?.output.1)
                let name = try #require(menu.firstMatch(of: try Regex("id=\"\(id)\">([^<]+)<"))?.output[1].substring)
                groups[String(name)] = menu.matches(of: /href="([^"]+)"/).map { String($0.output.1) }
            }
            return groups
        }
        let all = try await groups("users")
        #expect(all.keys.sorted() == [application, whole].sorted())
        #expect(all[application]?.allSatisfy { $0.hasPrefix(world.page()) } == true)
        #expect(all[whole] == ["applications", "admins", "keys", "passkeys", "health"].map { "/dashboard/\($0)" })
        #expect(try await groups("/admins").keys.sorted() == [whole])
        #expect(try await groups("users", "support")[whole] == ["/dashboard/applications", "/dashboard/passkeys"])
    }

    @Test("says the same in all languages")
    func tables() throws {
        let texts = try PageTexts(Dashboard.tables)
        let english = try #require(texts.tables[.english])
        for (_, table) in texts.tables {
            #expect(table.keys.sorted() == english.keys.sorted())
            #expect(table.values.allSatisfy { !$0.isEmpty })
        }
    }

    @Test(
        "has the word that fits a number, in texts that have two",
        arguments: [("1", "1 user."), ("0", "0 users."), ("5", "5 users.")])
    func plurals(count: String, words: String) throws {
        let texts = try PageTexts(Dashboard.tables)
        #expect(texts.text("bulk.done", in: .english, ["count": count]) == "Done for \(words)")
        for language in PageLanguage.allCases {
            for name in try #require(texts.tables[language]).keys {
                let text = texts.text(name, in: language, ["count": count])
                #expect(!text.contains("{count") && !text.contains("(s)"), "\(name)")
            }
        }
        // What a value says is no form of a word.
        #expect(texts.text("bulk.pick", in: .english, ["name": "{count|a|b}", "count": "1"]).contains("{count|a|b}"))
        // Nor is it another parameter, in whatever order they are filled in.
        let swapped = texts.text("settings.badDays", in: .english, ["lowest": "{highest}", "highest": "{lowest}"])
        #expect(swapped == "{highest} to {lowest} days.")
        let half = texts.text("settings.badDays", in: .english, ["lowest": "{highest", "highest": "7"])
        #expect(half == "{highest to 7 days.")
        #expect(texts.text("mail.secretMissing", in: .english, ["a": "b"]).contains("{{code}} or {{link}}"))
    }

    @Test("logs an admin in by its form, out by another, and never by a planted cookie")
    func logIn() async throws {
        let world = try await AdminWorld(roles: [])
        let link = try await world.server.modules.administration.admins.makeLink(for: nil, by: .local).token.revealed
        let browser = Browser(world.server)
        let shown = try await browser.get("/dashboard/set-up?token=\(link)")
        let key = try #require(shown.html.firstMatch(of: /key">([A-Z2-7]+)</)?.output.1)
        let code = try AdminWorld.code(.string(String(key)), at: world.server.clock.now)
        let fields = ["token": link, "name": "mika", "password": AdminWorld.password, "code": code]
        let wrong = try await browser.post(
            "/dashboard/set-up", fields.merging(["code": "000000"]) { $1 }, token: shown.token)
        #expect(wrong.status == 422 && wrong.error("code") != nil)
        // Another language is chosen with the link's token, and not where that would take the codes away.
        #expect(wrong.html.contains("href=\"/dashboard/set-up?token=\(link)&amp;lang=ja\""))
        let done = try await browser.post("/dashboard/set-up", fields, token: shown.token)
        #expect(done.status == 200 && done.html.contains("data-once") && !done.html.contains("class=\"languages\""))
        #expect(
            try await browser.get("/dashboard").location == world.page() || world.server.application.id.rawValue != "")
        let applications = try await browser.get("/dashboard/applications")
        #expect(applications.status == 200)
        #expect(
            try await browser.post("/dashboard/log-out", [:], token: applications.token).location == "/dashboard/log-in"
        )
        #expect(try await browser.get("/dashboard/applications").location == "/dashboard/log-in")
        // The link is used up, and a forged one opens nothing.
        for token in [link, "okl_" + String(repeating: "A", count: 43), ""] {
            #expect(try await browser.get("/dashboard/set-up?token=\(token)").status == 403)
        }
        world.server.clock.advance(by: .seconds(60))
        let form = try await browser.get("/dashboard/log-in")
        let next = try AdminWorld.code(.string(String(key)), at: world.server.clock.now)
        let before = browser.cookie("__Host-okaeri-admin")
        let entered = try await browser.post(
            "/dashboard/log-in", ["name": "mika", "password": AdminWorld.password, "code": next], token: form.token)
        #expect(entered.location == "/dashboard")
        #expect(browser.cookie("__Host-okaeri-admin") != before)
    }

    @Test("slows guessing down, and tells nothing of names")
    func guessing() async throws {
        let world = try await AdminWorld(roles: [])
        for name in ["root", "nobody"] {
            let browser = Browser(world.server)
            let form = try await browser.get("/dashboard/log-in")
            var answers: Set<Int> = []
            for _ in 0..<5 {
                answers.insert(
                    try await browser.post(
                        "/dashboard/log-in", ["name": name, "password": "wrong password", "code": "000000"],
                        token: form.token
                    ).status)
            }
            #expect(answers == [422])
            let late = try await browser.post(
                "/dashboard/log-in", ["name": name, "password": AdminWorld.password, "code": "000000"],
                token: form.token)
            #expect(late.status == 429)
        }
    }

    @Test(
        "takes no form that another page made",
        arguments: [
            ("users", "disable"), ("settings", ""), ("conflicts", "undo"), ("providers", "google/remove"),
            ("protocols", "ncmb/enable"), ("mail", "save"), ("theme", "save"), ("fields", "save"), ("/admins", ""),
            ("/keys", ""), ("/applications", ""),
        ])
    func forged(page: String, action: String) async throws {
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person()
        let browser = world.browser()
        let address = world.page(page == "users" ? "users/\(person.logIn.user.id)" : page)
        let shown = try await browser.get(address)
        let fields = ["name": "Stolen"]
        let path =
            page == "conflicts"
            ? world.page("users/x/merges/y/undo") : action.isEmpty ? address : "\(address)/\(action)"
        #expect(try await browser.post(path, fields).status == 403)
        #expect(try await browser.post(path, fields, token: "forged").status == 403)
        let crossed = try await browser.post(path, fields, token: shown.token, [("Sec-Fetch-Site", "cross-site")])
        #expect(crossed.status == 403)
        let user = try await world.server.modules.directory.readUser(
            .init(rawValue: person.logIn.user.id), in: world.server.application.id)
        #expect(!user.isDisabled)
        #expect(try await world.server.modules.applications.findApplication(world.server.application.id).name == "Test")
    }

    @Test("says at which address forms count, when a page of it was opened at another", arguments: ["en", "ja", "ko"])
    func elsewhere(language: String) async throws {
        let server = try await TestServer(settings: ["public-url": "https://id.example.com"])
        let browser = Browser(server, language: language, origin: "http://127.0.0.1:8080")
        for (page, path) in [("/dashboard/log-in", "/dashboard"), (browser.path("log-in"), browser.path("log-in"))] {
            let shown = try await browser.get(page)
            let answer = try await browser.post(page, ["name": "rin"], token: shown.token)
            #expect(answer.status == 403 && answer.html.contains("https://id.example.com\(path)"), "\(page)")
            // A page of somebody else's learns nothing new.
            let crossed = try await browser.post(
                page, ["name": "rin"], token: shown.token,
                [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
            #expect(crossed.status == 403 && !crossed.html.contains("https://id.example.com\(path)<"), "\(page)")
        }
    }

    @Test("shows what users and devices call themselves as text, and runs none of it")
    func scripts() async throws {
        let world = try await AdminWorld(roles: [])
        let evil = #"\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{{me}}}"#
        let person = try await world.server.person(
            body: """
                {"device": {"name": "\(evil)", "model": "\(evil)"},
                "user": {"displayName": "\(evil)", "fields": {"\(evil)": "\(evil)"}}}
                """)
        let browser = world.browser()
        _ = try await browser.get(world.page("audit") + "?actor=%22%3E%3Cscript%3E")
        for page in [
            "", "users", "users?search=%22%3E%3Cscript%3E", "users?fields=%3Cscript%3Ealert(3)%3C%2Fscript%3E",
            "users/\(person.logIn.user.id)", "sessions", "audit",
        ] {
            let shown = try await browser.get(world.page(page))
            #expect(shown.status == 200)
            #expect(!shown.html.contains("<script>alert") && !shown.html.contains("<img src=x"), "\(page)")
        }
    }

    @Test("does to a user what its buttons say, and tells it", arguments: ["disable", "log-out", "transfer-code"])
    func actions(action: String) async throws {
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person()
        let browser = world.browser()
        let address = world.page("users/\(person.logIn.user.id)")
        let shown = try await browser.get(address)
        let done = try await browser.post("\(address)/\(action)", [:], token: shown.token)
        if action == "transfer-code" {
            #expect(done.html.contains("code-block"))
        } else {
            #expect(done.location?.hasPrefix(address) == true)
            #expect(try await browser.get(done.location ?? "").html.contains("class=\"notice\""))
            #expect(try await person.send(.get, APIPath.user).status >= 401)
        }
    }

    @Test("says of each card of a user that nothing is in it", arguments: [("en", "None"), ("ja", "なし"), ("ko", "없음")])
    func emptyCards(language: String, word: String) async throws {
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person()
        let address = world.page("users/\(person.logIn.user.id)")
        let line = "<li class=\"hint\">\(word)</li>"
        let html = try await world.browser().get("\(address)?lang=\(language)").html
        // Passkeys, second factors and roles are not there; identity, device key and session are.
        #expect(html.components(separatedBy: line).count - 1 == 3)
    }

    @Test("deletes only what was typed, and brings back")
    func deletion() async throws {
        let world = try await AdminWorld(roles: [])
        let id = try await world.server.person().logIn.user.id
        let (browser, address) = (world.browser(), world.page("users/\(id)"))
        let token = try await browser.get(address).token
        #expect(try await browser.post("\(address)/delete", ["confirm": "yes"], token: token).status == 422)
        #expect(try await browser.post("\(address)/delete", ["confirm": id], token: token).status == 303)
        #expect(try await browser.post("\(address)/restore", [:], token: token).status == 303)
    }

    @Test("edits a user's fields with their types, unless somebody came before")
    func edit() async throws {
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person(body: #"{"user": {"fields": {"level": 3, "old": true}}}"#)
        let (browser, address) = (world.browser(), world.page("users/\(person.logIn.user.id)"))
        let shown = try await browser.get(address)
        let version = try #require(shown.value(of: "version"))
        let fields = [
            "version": version, "known": "level\r\nold", "displayName": "Hana", "locale": "",
            "fields": #"{"level": 4}"#,
        ]
        #expect(try await browser.post("\(address)/save", fields, token: shown.token).status == 303)
        let user = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.fields == ["level": 4] && user.displayName == "Hana")
        #expect(try await browser.post("\(address)/save", fields, token: shown.token).status == 409)
    }

    @Test("shows support no names and offers no buttons, and refuses what it sends all the same")
    func support() async throws {
        let world = try await AdminWorld(roles: [.support])
        let person = try await world.server.person(body: #"{"user": {"displayName": "Hanako"}}"#)
        let (browser, address) = (world.browser("support"), world.page("users/\(person.logIn.user.id)"))
        let shown = try await browser.get(address)
        #expect(shown.status == 200 && !shown.html.contains("Hanako") && !shown.html.contains("\(address)/disable"))
        #expect(try await browser.post("\(address)/disable", [:], token: shown.token).status == 403)
        for page in ["settings", "audit", "export?form=csv"] {
            #expect(try await browser.get(world.page(page)).status == 403)
        }
        #expect(try await browser.get("/dashboard/app/\(world.foreign.id)/users").status == 200)
        #expect(try await browser.get("/dashboard/app/none/users").status == 404)
    }

    @Test("exports what a list shows, without formulas")
    func export() async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await world.server.person(body: #"{"user": {"displayName": "=HYPERLINK(\"http://evil\")"}}"#)
        let csv = try await world.browser().get(world.page("export") + "?form=csv")
        #expect(csv.status == 200 && csv.html.contains("\"'=HYPERLINK(\"\"http://evil\"\")\""))
        #expect(csv.answer.headers[.contentDisposition]?.hasPrefix("attachment") == true)
        let json = try await world.browser().get(world.page("export") + "?form=json&kind=registered")
        #expect(json.html.isEmpty)
    }
}
