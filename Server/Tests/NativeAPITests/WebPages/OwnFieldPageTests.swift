import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// An application's own fields on the hosted pages: asked for at sign-up and upgrade, shown and changed in the account.
@Suite("Own fields on pages")
struct OwnFieldPageTests {
    static let password = "correct horse battery"

    private func server(_ rules: [FieldRule]) async throws -> TestServer {
        var settings = ApplicationSettings()
        settings.fieldRules = FieldRules(rules)
        return try await TestServer(settings: ["public-url": TestServer.url], application: settings)
    }

    private static let rules = [
        FieldRule(name: "birthday", kind: .date, isRequired: true, labels: ["ja": "誕生日", "en": "Birthday"]),
        FieldRule(name: "level", kind: .integer, writer: .server, standard: 7, labels: ["en": "Level"]),
        FieldRule(name: "news", kind: .boolean, labels: ["en": "Send me news"]),
        FieldRule(name: "height", kind: .number, labels: ["en": "Height"]),
        FieldRule(name: "team", kind: .string, isRequired: true),
        FieldRule(name: "secret", reader: .server, writer: .server, standard: "watched", labels: ["en": "Hidden"]),
        FieldRule(name: "score", kind: .integer),
    ]

    private func fields(_ name: String, in server: TestServer) async throws -> [String: JSONValue] {
        let user = try await server.store.read { transaction throws(DomainError) in
            try transaction.user(LogInIdentifier(.username, shown: name), in: server.application.id)
        }
        return try #require(user).fields
    }

    @Test("are asked for at sign-up, typed and labelled in the page's language, and stored as what they are")
    func signUp() async throws {
        let server = try await server(Self.rules)
        let browser = Browser(server)
        let page = try await browser.get(browser.path("sign-up"))
        for part in [
            #"<label for="field-fields-birthday">Birthday</label>"#, #"name="fields.birthday" type="date""#,
            #"<label for="field-fields-height">Height (optional)</label>"#, #"inputmode="decimal""#,
            #"<label for="field-fields-team">team</label>"#, #"name="fields.news" type="checkbox""#,
        ] { #expect(page.html.contains(part), "\(part)") }
        for hidden in ["fields.level", "fields.secret", "fields.score"] { #expect(!page.html.contains(hidden)) }
        let japanese = Browser(server, language: "ja")
        #expect(try await japanese.get(browser.path("sign-up")).html.contains(">誕生日</label>"))
        let made = try await browser.fill(
            "sign-up",
            [
                "username": "hana", "password": Self.password, "fields.birthday": "2001-02-28",
                "fields.height": "１６０.5", "fields.team": " red ", "fields.level": "99", "fields.score": "5",
            ])
        #expect(made.status == 303)
        #expect(
            try await fields("hana", in: server) == [
                "birthday": "2001-02-28", "height": 160.5, "team": "red", "news": false, "level": 7,
                "secret": "watched",
            ])
    }

    @Test("are distinguished when something is wrong: each error at its field and in the summary, beside all others")
    func errors() async throws {
        let server = try await server(
            Self.rules + [
                FieldRule(name: "誕生日", kind: .date, labels: ["en": "Day one"]),
                FieldRule(name: "番号", kind: .integer, isRequired: true, labels: ["en": "Number"]),
            ])
        let browser = Browser(server)
        let page = try await browser.fill(
            "sign-up",
            [
                "username": "a@b", "password": "short", "fields.birthday": "2001-02-30", "fields.height": "tall",
                "fields.番号": "1.5", "fields.誕生日": "yesterday",
            ])
        #expect(page.status == 422)
        #expect(
            page.error("username")?.contains("no @") == true && page.error("password")?.contains("At least") == true)
        #expect(page.error("fields-birthday")?.contains("no day") == true)
        #expect(page.error("fields-height")?.contains("no number") == true)
        #expect(page.error("fields-team")?.contains("fill this in") == true)
        let number = "fields-" + "番号".utf8.map { "_\(String($0, radix: 16))" }.joined()
        let day = "fields-" + "誕生日".utf8.map { "_\(String($0, radix: 16))" }.joined()
        #expect(page.error(number)?.contains("whole number") == true && page.error(day)?.contains("no day") == true)
        for field in ["fields-team", "fields-birthday", number, day] {
            #expect(page.html.contains(##"<a href="#field-\##(field)">"##), "\(field)")
        }
        // In the order of the form.
        let links = page.html.matches(of: /<a href="#field-([^"]+)">/).map { String($0.output.1) }
        let shown = page.html.matches(of: /<input id="field-([^"]+)"/).map { String($0.output.1) }
        #expect(links == shown.filter { links.contains($0) } && links.count == 7)
        // What was typed stays.
        #expect(page.value(of: "fields.height") == "tall" && page.value(of: "fields.birthday") == "2001-02-30")
    }

    @Test("hold XSS strings as the text that they are: as name, label, value and answer")
    func crossSite() async throws {
        let hostile = #""><script>alert(1)</script><img src=x onerror='alert(2)'>"#
        let server = try await server([
            FieldRule(name: "bio", kind: .string, labels: ["en": hostile]),
            FieldRule(name: hostile, kind: .string, isRequired: true),
            FieldRule(name: "rank", kind: .string, writer: .server, standard: .string(hostile), labels: ["en": "Rank"]),
        ])
        let browser = Browser(server)
        let wrong = try await browser.fill(
            "sign-up", ["username": hostile, "email": hostile, "password": "x", "fields.bio": hostile])
        #expect(wrong.status == 422)
        let made = try await browser.fill(
            "sign-up",
            ["username": "hana", "password": Self.password, "fields.bio": hostile, "fields.\(hostile)": hostile])
        #expect(made.status == 303)
        let account = try await browser.get(browser.path("account"))
        for page in [wrong, account] {
            #expect(page.html.contains("&lt;script&gt;alert(1)"))
            #expect(!page.html.contains("<script>alert") && !page.html.contains("<img src=x"))
            #expect(!page.html.contains("onerror='"))
        }
        #expect(try await fields("hana", in: server)["bio"] == .string(hostile))
        #expect(account.html.contains("<dt>Rank</dt>"))
    }

    @Test(
        "refuse what is too much, and what is no text, without making anything",
        arguments: [
            (String(repeating: "a", count: 40_000), 422), (String(repeating: "a", count: 70_000), 413),
            ("a\u{0}b", 422),
        ])
    func oversized(value: String, status: Int) async throws {
        let server = try await server(Self.rules)
        let browser = Browser(server)
        let sent = ["username": "hana", "password": Self.password, "fields.birthday": "2001-02-28"]
        let page = try await browser.fill("sign-up", sent.merging(["fields.team": value]) { $1 })
        #expect(page.status == status)
        #expect((page.error("fields-team") != nil) == (status == 422))
        let made = try await browser.fill("sign-up", sent.merging(["fields.team": "red"]) { $1 })
        #expect(made.status == 303)
        // In the account it is the same.
        let account = try await browser.get(browser.path("account"))
        let changed = try await browser.post(
            browser.path("account/profile"), ["displayName": "Hana", "fields.team": value], token: account.token)
        #expect(changed.status == status)
        #expect(try await fields("hana", in: server)["team"] == "red")
    }

    @Test("are shown and changed in the account, and what was left as it was stays as it was")
    func account() async throws {
        let server = try await server(Self.rules)
        let made = try await server.signUp(
            "hana",
            #", "fields": {"birthday": {"__type": "Date", "iso": "2001-02-28T09:30:00.000Z"}, "team": "red\nblue", "#
                + #""height": 160, "news": true, "score": 3}"#)
        #expect(made.status == 201)
        let browser = Browser(server)
        let asked = try await browser.fill("log-in", ["identifier": "hana"])
        try await browser.post(
            browser.path("log-in"), ["identifier": "hana", "password": AccountTests.password], token: asked.token)
        let page = try await browser.get(browser.path("account"))
        #expect(page.value(of: "fields.birthday") == "2001-02-28" && page.value(of: "fields.height") == "160")
        #expect(page.html.contains("<dt>Level</dt><dd>7</dd>") && page.html.contains(">red\nblue</textarea>"))
        for hidden in ["watched", "Hidden", "fields.score"] { #expect(!page.html.contains(hidden)) }
        let before = try await fields("hana", in: server)
        func save(_ changed: [String: String], without box: Bool = false) async throws -> Page {
            var sent = [
                "displayName": "Hana", "fields.birthday": "2001-02-28", "fields.height": "160", "box.news": "yes",
                "fields.news": "yes", "fields.team": "red\r\nblue",
            ]
            sent.merge(changed) { $1 }
            if box { sent["fields.news"] = nil }
            return try await browser.post(browser.path("account/profile"), sent, token: page.token)
        }
        #expect(try await save([:]).location == browser.path("account") + "?done=saved")
        #expect(try await fields("hana", in: server) == before)
        #expect(try await save(["fields.team": "green", "fields.height": ""], without: true).status == 303)
        let after = try await fields("hana", in: server)
        #expect(after["team"] == "green" && after["height"] == nil && after["news"] == false)
        #expect(after["birthday"] == before["birthday"] && after["score"] == 3)
        #expect(try await save(["fields.birthday": "2002-03-01"]).status == 303)
        #expect(
            try await fields("hana", in: server)["birthday"]
                == ["__type": "Date", "iso": "2002-03-01T00:00:00.000Z"])
        let wrong = try await save(["fields.height": "tall", "fields.team": " ", "displayName": "New"])
        #expect(wrong.status == 422 && wrong.error("fields-height") != nil && wrong.error("fields-team") != nil)
        #expect(wrong.value(of: "displayName") == "New" && wrong.value(of: "fields.height") == "tall")
        // A form without the fields, as an older page has it, leaves them.
        #expect(
            try await browser.post(browser.path("account/profile"), ["displayName": "花"], token: page.token).status
                == 303)
        #expect(try await fields("hana", in: server)["news"] == true)
        // What is the server's cannot be smuggled in.
        #expect(try await save(["fields.level": "99", "fields.secret": "x", "fields.score": "9"]).status == 303)
        let last = try await fields("hana", in: server)
        #expect(last["level"] == 7 && last["secret"] == "watched" && last["score"] == 3)
    }

    @Test("are asked of a guest who wants to stay, and of nobody before")
    func upgrade() async throws {
        let server = try await server(Self.rules)
        let person = try await server.person()
        let browser = Browser(server)
        try await browser.open(accountOf: person)
        let page = try await browser.get(browser.path("account"))
        #expect(page.html.contains(#"id="field-upgrade-fields-team" name="fields.team""#))
        #expect(!page.html.contains(#"id="field-fields-team""#))
        let path = browser.path("account/upgrade")
        var sent = ["username": "hana", "password": Self.password, "fields.birthday": "never"]
        let refused = try await browser.post(path, sent, token: page.token)
        #expect(refused.status == 422 && refused.error("upgrade-fields-team") != nil)
        #expect(refused.error("upgrade-fields-birthday")?.contains("no day") == true)
        sent.merge(["fields.birthday": "2001-02-28", "fields.team": "red", "fields.news": "yes"]) { $1 }
        let done = try await browser.post(path, sent, token: page.token)
        #expect(done.location == browser.path("account") + "?done=upgraded")
        let user = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.username == "hana" && user.fields["team"] == "red" && user.fields["news"] == true)
        let account = try await browser.get(browser.path("account"))
        #expect(account.value(of: "fields.team") == "red")
    }
}
