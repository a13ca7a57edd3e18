import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard

@Suite("The dashboard's settings")
struct DashboardSettingsTests {
    @Test("are changed, and those that are not possible are named")
    func settings() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("settings"))
        let shown = try await browser.get(address)
        var fields = [
            "version": shown.value(of: "version") ?? "", "name": "New name", "sessionIdleDays": "30",
            "sessionDays": "100", "passwordMinimumCharacters": "10", "deletionGraceDays": "14",
            "anonymousIdleDays": "", "audiences": "", "transferLink": "", "senderName": "", "verificationURL": "",
            "resetURL": "",
        ]
        fields["passwordMinimumCharacters"] = "3"
        let refused = try await browser.post(address, fields, token: shown.token)
        #expect(refused.status == 422 && refused.error("passwordMinimumCharacters") != nil)
        let wrong = try await browser.post(
            address, fields.merging(["name": " ", "sessionDays": "0"]) { $1 }, token: shown.token)
        #expect(wrong.error("name") == "Choose a name of at most 100 characters.")
        #expect(wrong.error("sessionDays") == "1 to 3650 days.")
        fields["passwordMinimumCharacters"] = "10"
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        let application = try await world.server.modules.applications.findApplication(world.server.application.id)
        #expect(application.name == "New name" && application.settings.sessionIdleLifetime == .days(30))
        #expect(try await browser.post(address, fields, token: shown.token).status == 409)
    }

    @Test("switch providers on, check them and switch them off, and send no secret back")
    func providers() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let (browser, path) = (world.browser(), world.page("providers"))
        let token = try await browser.get(path).token
        let wrong = try await browser.post("\(path)/google/set", [:], token: token)
        #expect(wrong.status == 422 && wrong.error("google-audiences") == "This is needed.")
        #expect(wrong.html.contains("<a href=\"#field-google-audiences\">Client ids: This is needed.</a>"))
        let apple = ["apple.audiences": "com.example.app", "apple.teamId": "team", "apple.keyId": "KEY"]
        let refused = try await browser.post("\(path)/apple/set", apple, token: token)
        #expect(refused.status == 422 && refused.error("apple-teamId")?.contains("ten capitals") == true)
        #expect(refused.error("google-audiences") == nil && refused.value(of: "apple.teamId") == "team")
        let fields = [
            "google.audiences": "a.example\r\nb.example",
            "google.secret": "very-secret",
        ]
        #expect(try await browser.post("\(path)/google/set", fields, token: token).status == 303)
        let shown = try await browser.get(path)
        #expect(shown.html.contains("a.example\nb.example") && !shown.html.contains("very-secret"))
        let own = [
            "new.name": "campus", "new.audiences": "app",
            "new.issuer": "https://id.example.edu",
        ]
        #expect(try await browser.post("\(path)/new/set", own, token: token).status == 303)
        #expect(try await browser.get(path).html.contains("oidc:campus"))
        #expect(try await browser.post("\(path)/google/remove", [:], token: token).status == 303)
        #expect(try await browser.post("\(path)/google/check", [:], token: token).status == 422)
        let auditor = world.browser("auditor")
        let seen = try await auditor.get(path)
        #expect(seen.status == 200 && !seen.html.contains("<button class=\"button button-small\""))
        #expect(try await auditor.post("\(path)/google/set", fields, token: seen.token).status == 403)
    }

    @Test("say which rule a value breaks where no hint does")
    func rules() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let token = try await browser.get(world.page("providers")).token
        let line = ["line.audiences": "1234", "line.secret": "short"]
        let secret = try await browser.post(world.page("providers/line/set"), line, token: token)
        #expect(secret.status == 422 && secret.error("line-secret") == "At least 32 characters.")
        let keys = try await browser.post(
            world.page("protocols/ncmb/enable"), ["ncmb.applicationKey": "x y"],
            token: try await browser.get(world.page("protocols")).token)
        #expect(keys.status == 422 && keys.error("ncmb-applicationKey")?.hasPrefix("1 to 255 visible") == true)
        let settings = world.page("settings")
        let length = try await browser.post(
            settings, ["name": "Test", "passwordMinimumCharacters": "3"], token: try await browser.get(settings).token)
        #expect(length.status == 422 && length.error("passwordMinimumCharacters") == "A number from 8 to 64.")
        let (link, code) = ("An https address, or one of the app", "With {code} in the place of the code.")
        for (field, value, rule) in [
            ("transferLink", "http://app.example.com/{code}", link), ("resetURL", "http://app.example.com", link),
            ("transferLink", "https://app.example.com/transfer", code),
        ] {
            let refused = try await browser.post(
                settings, ["name": "Test", field: value], token: try await browser.get(settings).token)
            #expect(refused.error(field)?.hasPrefix(rule) == true, "\(field) \(value)")
        }
    }

    @Test("show the mails that wait, without saying to whom they go")
    func mailQueue() async throws {
        let server = try await TestServer(settings: ["dev": "on"])
        let world = try await AdminWorld(server, roles: [.auditor])
        let (browser, page) = (world.browser("auditor"), world.page("mail-queue"))
        #expect(try await browser.get(page).html.contains("No mail waits, and none was given up."))
        let test = #"{"kind": "log-in-code", "language": "en", "to": "me@example.com"}"#
        #expect(try await world.send("owner", .post, world.path("/mail/test"), body: test).status == 202)
        let shown = try await browser.get(page)
        #expect(shown.status == 200 && shown.html.contains("Code to log in"))
        #expect(!shown.html.contains("me@example.com"))
        _ = try await server.modules.messaging.deliverMail()
        #expect(try await browser.get(page).html.contains("No mail waits"))
    }

    @Test("ask a browser without scripts before something goes for good, and keep what its form said")
    func question() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, path) = (world.browser(), world.page("providers"))
        let token = try await browser.get(path).token
        let set = try await browser.post("\(path)/google/set", ["google.audiences": "a.example"], token: token)
        #expect(set.status == 303)
        #expect(try await browser.get(path).html.contains("name=\"sure.ask\""))
        let asked = try await browser.post("\(path)/google/remove", ["sure.ask": "Off <b>"], token: token)
        #expect(asked.status == 200 && asked.html.contains("<h1>Are you sure?</h1>"))
        #expect(asked.html.contains("name=\"sure\" value=\"yes\">Off &lt;b&gt;</button>"))
        let version = try #require(asked.value(of: "version"))
        #expect(try await browser.get(path).html.contains("a.example"))
        let answer = ["version": version, "sure": "yes"]
        #expect(try await browser.post("\(path)/google/remove", answer, token: asked.token).status == 303)
        let shown = try await browser.get(path)
        #expect(!shown.html.contains("a.example"))
    }

    @Test("keep own words for mails, show them in a frame that can run nothing, and send one")
    func mail() async throws {
        let world = try await AdminWorld(try await TestServer(settings: ["dev": "on"]), roles: [.auditor])
        let (browser, path) = (world.browser(), world.page("mail"))
        let shown = try await browser.get(path + "?kind=log-in-code&language=ja")
        #expect(shown.policy.contains("frame-src 'self'"))
        let words = [
            "kind": "log-in-code", "language": "ja", "subject": "こんにちは", "text": "{{code}}",
            "html": "<script>alert(1)</script><b>{{code}}</b>",
        ]
        let preview = try await browser.post("\(path)/preview", words, token: shown.token)
        #expect(preview.policy.hasPrefix("sandbox; default-src 'none'"))
        #expect(preview.html.contains("<b>1234 5678</b>"))
        #expect(try await browser.post("\(path)/preview", words).status == 403)
        let saved = try await browser.post("\(path)/save", words, token: shown.token)
        #expect(saved.status == 303)
        let bad = words.merging(["text": "nothing", "html": ""]) { $1 }
        let refused = try await browser.post("\(path)/save", bad, token: shown.token)
        #expect(refused.status == 422 && refused.html.contains("{{code}}"))
        let test = ["kind": "log-in-code", "language": "ja", "to": "me@example.com"]
        #expect(try await browser.post("\(path)/test", test, token: shown.token).status == 303)
        _ = try await world.server.modules.messaging.deliverMail()
        let outbox = try await world.server.modules.messaging.readOutbox(of: world.server.application.id)
        #expect(outbox.first?.subject == "こんにちは")
        let remove = ["kind": "log-in-code", "language": "ja"]
        #expect(try await browser.post("\(path)/remove", remove, token: shown.token).status == 303)
        #expect(
            try await world.browser("auditor").post("\(path)/test", test, token: shown.token).status == 403)
    }

    @Test("give pages another look, with a warning, and take nothing that is no colour")
    func look() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, path) = (world.browser(), world.page("theme"))
        let token = try await browser.get(path).token
        let fields = ["brand": "Hoshi & <b>Co</b>", "light.primary": "#FFFF00", "cornerRadius": "4"]
        let preview = try await browser.post("\(path)/preview", fields, token: token)
        #expect(preview.html.contains("#FFFF00") && preview.html.contains("class=warning"))
        #expect(preview.html.contains("Hoshi &amp; &lt;b&gt;") && !preview.html.contains("<b>Co"))
        #expect(try await browser.post("\(path)/save", fields, token: token).status == 303)
        #expect(try await browser.get(path).html.contains("notice-warn"))
        for wrong in [["light.primary": "red;}"], ["cornerRadius": "99"], ["cornerRadius": "x"]] {
            let answer = try await browser.post(
                "\(path)/save", wrong, token: token)
            #expect(answer.status == 422)
        }
        for radius in ["99", "x"] {
            let refused = try await browser.post("\(path)/save", ["cornerRadius": radius], token: token)
            #expect(refused.error("cornerRadius") == "0 to 40; empty: standard.")
            #expect(refused.html.contains(">Roundness of corners: 0 to 40; empty: standard.</a>"))
        }
        let brand = String(repeating: "x", count: 200 * 1024)
        let large = try await browser.post("\(path)/save", ["brand": brand], token: token)
        #expect(large.status == 422 && large.html.contains("A theme has at most 160 KB, with pictures and texts."))
        #expect(try await browser.post("\(path)/remove", [:], token: token).status == 303)
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        #expect(settings.theme == nil)
    }

    /// The smallest PNG that there is, and bytes behind it.
    private static func picture(_ count: Int) -> [UInt8] {
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + [UInt8](repeating: 7, count: count - 8)
    }

    @Test("give pages a logo and a picture behind them, shown before they are kept, and take them away")
    func pictures() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let (browser, path) = (world.browser(), world.page("theme"))
        let token = try await browser.get(path).token
        let files = ["logo": Self.picture(500), "backgroundImage": Self.picture(60 * 1024)]
        let preview = try await browser.post("\(path)/preview", [:], files: files, token: token)
        #expect(preview.html.contains("<img src=\"data:image/png;base64,iVBOR") && preview.html.contains("url(\"data:"))
        #expect(try await browser.get(path).html.contains("theme-picture") == false)
        #expect(try await browser.post("\(path)/save", [:], files: files, token: token).status == 303)
        func theme() async throws -> Theme {
            let stored = try await world.server.modules.applications.findApplication(world.server.application.id)
                .settings.theme
            return try #require(stored.flatMap { Theme(stored: $0) })
        }
        let kept = try await theme()
        #expect(kept.logo != nil && kept.backgroundImage != nil)
        #expect(try await browser.get(path).html.contains("theme-picture"))
        // Saved again without files, they stay; on the page they are shown.
        #expect(try await browser.post("\(path)/save", ["brand": "Hoshi"], token: token).status == 303)
        let renamed = try await theme()
        #expect(renamed.logo != nil && renamed.brand == "Hoshi")
        let page = try await browser.get("/a/\(world.server.application.id)/log-in")
        #expect(page.html.contains("<img"))
        let bad: [(String, [UInt8])] = [
            ("logo", Self.picture(16 * 1024 + 100)), ("backgroundImage", Self.picture(64 * 1024 + 100)),
            ("logo", Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)),
            ("logo", Array("GIF".utf8)),
        ]
        for (name, bytes) in bad {
            let refused = try await browser.post("\(path)/save", [:], files: [name: bytes], token: token)
            #expect(refused.status == 422 && refused.error(name) != nil, "\(name) \(bytes.count)")
        }
        #expect(try await browser.post("\(path)/save", [:], files: files).status == 403)
        let auditor = world.browser("auditor")
        let other = try await auditor.get(path).token
        #expect(try await auditor.post("\(path)/save", [:], files: files, token: other).status == 403)
        let removal = ["remove.logo": "yes"]
        #expect(try await browser.post("\(path)/save", removal, token: token).status == 303)
        let left = try await theme()
        #expect(left.logo == nil && left.backgroundImage != nil)
    }

    @Test("give pages own texts, line by line, as text and nothing else")
    func texts() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, path) = (world.browser(), world.page("theme"))
        let token = try await browser.get(path).token
        let evil = "<script>alert(1)</script> = \"'&"
        let fields = [
            "texts.en": "logIn.title = \(evil)\r\n\r\n logIn.lead=Hello\r\n", "texts.ja": "",
        ]
        let preview = try await browser.post("\(path)/preview", fields, token: token)
        #expect(preview.html.contains("&lt;script&gt;alert(1)") && !preview.html.contains("<script>"))
        #expect(try await browser.post("\(path)/save", fields, token: token).status == 303)
        let shown = try await browser.get(path)
        #expect(shown.html.contains("logIn.lead = Hello\nlogIn.title = &lt;script&gt;"))
        let page = try await browser.get("/a/\(world.server.application.id)/log-in?lang=en")
        #expect(page.html.contains("&lt;script&gt;alert(1)") && page.html.contains("Hello"))
        for wrong in [
            "nothing", "= text", "a b.c = text", "noPoint = text", "a.b =",
            "a.b = \(String(repeating: "x", count: 1001))",
        ] {
            let refused = try await browser.post("\(path)/save", ["texts.ko": wrong], token: token)
            #expect(refused.status == 422 && refused.error("texts-ko") != nil, "\(wrong.prefix(20))")
            #expect(refused.html.contains(">Texts, 한국어: Each line is a key"))
        }
        #expect(try await browser.post("\(path)/save", ["texts.en": " "], token: token).status == 303)
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        #expect(settings.theme.flatMap { Theme(stored: $0) }?.texts.isEmpty != false)
    }

    @Test("columns of the users' list are chosen in the address, the application's own fields too")
    func columns() async throws {
        let world = try await AdminWorld(roles: [.support])
        _ = try await world.server.person(body: #"{"user": {"fields": {"level": 42, "tag": "<i>"}}}"#)
        let list = world.page("users")
        let shown = try await world.browser().get(
            list + "?chosen=yes&column.name=yes&fields=level,tag,none&kind=anonymous")
        #expect(shown.html.contains(">42<") && shown.html.contains("&lt;i&gt;"))
        #expect(!shown.html.contains("<th scope=\"col\">First launch</th>"))
        #expect(shown.html.contains("form=csv") && shown.html.contains("kind=anonymous"))
        // Support sees that there is something, not what.
        let masked = try await world.browser("support").get(list + "?fields=level")
        #expect(masked.html.contains("•••") && !masked.html.contains(">42<"))
    }

    @Test("many users at once are disabled, enabled, logged out, and deleted after their number was typed")
    func bulk() async throws {
        let world = try await AdminWorld(roles: [.support])
        let people = [try await world.server.person(), try await world.server.person()]
        let ids = people.map(\.logIn.user.id)
        let (browser, list) = (world.browser(), world.page("users"))
        let token = try await browser.get(list).token
        let picks = ["pick.\(ids[0])": "yes", "pick.\(ids[1])": "yes"]
        func send(_ action: String, _ more: [String: String] = [:]) async throws -> Page {
            try await browser.post(
                world.page("bulk/\(action)") + "?kind=anonymous", picks.merging(more) { $1 }, token: token)
        }
        let done = try await send("disable", ["pick.nobody": "yes"])
        #expect(done.location == "\(list)?kind=anonymous&done=disable&count=2")
        for person in people { #expect(try await person.send(.get, APIPath.user).status >= 401) }
        #expect(try await send("enable").status == 303)
        let asked = try await send("confirm-deletion")
        #expect(asked.status == 200 && asked.html.contains(ids[0]))
        #expect(try await send("delete", ["confirm": "3"]).status == 422)
        #expect(try await send("delete", ["confirm": "2"]).status == 303)
        let user = try await world.server.modules.directory.readUser(
            .init(rawValue: ids[0]), in: world.server.application.id)
        #expect(user.deletionRequestedAt != nil)
        #expect(try await browser.post(world.page("bulk/disable"), [:], token: token).location == "\(list)?done=none")
        #expect(try await browser.post(world.page("bulk/burn"), picks, token: token).status == 404)
        #expect(try await browser.post(world.page("bulk/disable"), picks).status == 403)
        let support = world.browser("support")
        let shown = try await support.get(list)
        #expect(!shown.html.contains("type=\"checkbox\" form=\"bulk\""))
        let refused = try await support.post(
            world.page("bulk/enable"), picks, token: shown.token)
        #expect(refused.status == 403)
    }

    @Test(
        "of another application answer as if there were none",
        arguments: [
            ("providers", "providers/google/set"), ("mail", "mail/save"), ("theme", "theme/save"),
            ("users", "bulk/disable"),
        ])
    func foreign(page: String, action: String) async throws {
        let world = try await AdminWorld(roles: [.operator], restricted: true)
        let browser = world.browser("operator")
        let token = try await browser.get(world.page(page)).token
        let path = "/dashboard/app/\(world.foreign.id)/\(page)"
        #expect(try await browser.get(path).status == 404)
        #expect(try await browser.post("/dashboard/app/\(world.foreign.id)/\(action)", [:], token: token).status == 404)
    }

    @Test("show how the server is")
    func health() async throws {
        let world = try await AdminWorld(roles: [])
        let shown = try await world.browser().get("/dashboard/health")
        #expect(shown.status == 200 && shown.html.contains("can be reached, 0 ms"))
    }
}
