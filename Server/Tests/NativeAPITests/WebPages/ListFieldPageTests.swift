import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// An application's own fields that hold lists and objects, on the hosted pages.
@Suite("Lists and objects on pages")
struct ListFieldPageTests {
    static let password = "correct horse battery"

    private static let rules = [
        FieldRule(name: "hobbies", kind: .array, isRequired: true, labels: ["ja": "趣味", "en": "Hobbies"]),
        FieldRule(name: "home", kind: .object, isRequired: true, labels: ["ja": "住所", "en": "Home"]),
        FieldRule(name: "pets", kind: .array, labels: ["en": "Pets"]),
        FieldRule(name: "badges", kind: .array, writer: .server, standard: ["new", 7], labels: ["en": "Badges"]),
        FieldRule(name: "state", kind: .object, writer: .server, standard: ["a": [1]], labels: ["en": "State"]),
    ]

    private func server(_ rules: [FieldRule] = Self.rules) async throws -> TestServer {
        var settings = ApplicationSettings()
        settings.fieldRules = FieldRules(rules)
        return try await TestServer(settings: ["public-url": TestServer.url], application: settings)
    }

    private func fields(in server: TestServer) async throws -> [String: JSONValue] {
        let user = try await server.store.read { transaction throws(DomainError) in
            try transaction.user(LogInIdentifier(.username, shown: "hana"), in: server.application.id)
        }
        return try #require(user).fields
    }

    /// Somebody with the fields, logged in on the pages.
    private func person(_ fields: String, on server: TestServer) async throws -> Browser {
        #expect(try await server.signUp("hana", #", "fields": \#(fields)"#).status == 201)
        let browser = Browser(server)
        let asked = try await browser.fill("log-in", ["identifier": "hana"])
        try await browser.post(
            browser.path("log-in"), ["identifier": "hana", "password": AccountTests.password], token: asked.token)
        return browser
    }

    private func save(_ browser: Browser, _ fields: [String: String]) async throws -> Page {
        let page = try await browser.get(browser.path("account"))
        return try await browser.post(
            browser.path("account/profile"), fields.merging(["displayName": "Hana"]) { $1 }, token: page.token)
    }

    @Test("are typed line by line at sign-up: an entry on each line, or a name and a value")
    func signUp() async throws {
        let server = try await server()
        let browser = Browser(server)
        let page = try await browser.get(browser.path("sign-up"))
        for part in [
            #"<label for="field-fields-hobbies">Hobbies</label>"#, #"<textarea id="field-fields-hobbies""#,
            "One entry on each line.", #"<textarea id="field-fields-home""#, "like “city: Tokyo”", "Pets (optional)",
        ] { #expect(page.html.contains(part), "\(part)") }
        #expect(!page.html.contains("fields.badges") && !page.html.contains("fields.state"))
        for (language, hint) in [("ja", "1行に1つずつ入力してください。"), ("ko", "한 줄에 하나씩 입력해 주세요.")] {
            #expect(try await Browser(server, language: language).get(browser.path("sign-up")).html.contains(hint))
        }
        let made = try await browser.fill(
            "sign-up",
            [
                "username": "hana", "password": Self.password, "fields.hobbies": " chess \r\n\r\n 水泳\r\n12\r\n",
                "fields.home": "city: Kyoto: Sakyo\r\n郵便番号：606-8501\r\nnote:",
            ])
        #expect(made.status == 303)
        let stored = try await fields(in: server)
        #expect(stored["hobbies"] == ["chess", "水泳", "12"])
        #expect(stored["home"] == ["city": "Kyoto: Sakyo", "郵便番号": "606-8501", "note": ""])
        #expect(stored["pets"] == nil)
        // What is the server's is read as words, and JSON not at all.
        let account = try await browser.get(browser.path("account"))
        #expect(account.html.contains("<dd>new, 7</dd>") && !account.html.contains("<dt>State</dt>"))
    }

    @Test(
        "take JSON for an object, which begins with a brace",
        arguments: [
            (
                #"{"city": "Kyoto", "tags": ["a", {"b": null}], "n": 1.5}"#,
                #"{"city":"Kyoto","n":1.5,"tags":["a",{"b":null}]}"#
            ),
            ("  {\n}\n", "{}"), (#"{"__proto__": {"admin": true}}"#, #"{"__proto__":{"admin":true}}"#),
        ])
    func json(typed: String, stored: String) async throws {
        let server = try await server()
        let made = try await Browser(server).fill(
            "sign-up",
            ["username": "hana", "password": Self.password, "fields.hobbies": "x", "fields.home": typed])
        #expect(made.status == 303)
        #expect(try await fields(in: server)["home"] == JSONValue(parsing: Array(stored.utf8)))
    }

    @Test(
        "are refused with the field's name and what is wrong, and what was typed stays",
        arguments: [
            ("", "Home: Please fill this in."), (" \r\n ", "Home: Please fill this in."),
            ("Kyoto", "Home: Write a name and a value on each line, like “city: Tokyo”."),
            (": Kyoto", "Home: Write a name and a value on each line"),
            ("city: Kyoto\r\ncity: Nara", "Home: Write a name and a value on each line"),
            ("[1, 2]", "Home: Write a name and a value on each line"),
            (#""text""#, "Home: Write a name and a value on each line"),
            ("{", "Home: This JSON cannot be read from line 1 on."),
            ("{\r\n\"a\": 1,\r\n}", "Home: This JSON cannot be read from line 3 on."),
            ("{\"a\": 1}\r\n\r\n{}", "Home: This JSON cannot be read from line 3 on."),
            (#"{"a": "\ud800"}"#, "Home: This JSON cannot be read from line 1 on."),
            (#"{"a": 1e999}"#, "Home: This JSON cannot be read from line 1 on."),
            (#"{“a”: 1}"#, "Home: This JSON cannot be read from line 1 on."),
            (#"{"a": 1, "a": 2}"#, "Home: Write a name and a value on each line"),
            (#"{"a": "\u0000"}"#, "Home: It holds a character that cannot be shown."),
            (#"{"\u0000": 1}"#, "Home: It holds a character that cannot be shown."),
            ("a\u{0}: b", "Home: It holds a character that cannot be shown."),
            (
                String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17),
                "Home: Too much stands within each other: at most 16 levels."
            ),
            (#"{"a":"# + String(repeating: "[", count: 20_000), "Home: Write a name and a value on each line"),
            (String(repeating: "{\"a\":", count: 5000), "Home: Write a name and a value on each line"),
        ])
    func hostileObjects(typed: String, words: String) async throws {
        let server = try await server()
        let browser = Browser(server)
        let sent = ["username": "hana", "password": Self.password, "fields.hobbies": "a\nb"]
        let page = try await browser.fill("sign-up", sent.merging(["fields.home": typed]) { $1 })
        #expect(page.status == 422)
        #expect(page.html.contains(##"<a href="#field-fields-home">\##(words)"##), "\(page.html)")
        #expect(page.error("fields-home") != nil && page.error("fields-hobbies") == nil)
        #expect(page.html.contains(">a\nb</textarea>"))
        let made = try await browser.fill("sign-up", sent.merging(["fields.home": "city: Kyoto"]) { $1 })
        #expect(made.status == 303)
        // In the account it is the same.
        let changed = try await save(browser, ["fields.home": typed])
        #expect(changed.status == 422 && changed.html.contains(words))
        #expect(try await fields(in: server)["home"] == ["city": "Kyoto"])
    }

    @Test(
        "refuse lists that are too much, or no text, without making anything",
        arguments: [
            ("\r\n\r\n", 422), ("a\r\nb\u{0}c", 422), (String(repeating: "aa\n", count: 10_000), 422),
            (String(repeating: "\n", count: 70_000), 413),
        ])
    func hostileLists(typed: String, status: Int) async throws {
        let server = try await server()
        let browser = Browser(server)
        let sent = ["username": "hana", "password": Self.password, "fields.home": "city: Kyoto"]
        let page = try await browser.fill("sign-up", sent.merging(["fields.hobbies": typed]) { $1 })
        #expect(page.status == status && (page.error("fields-hobbies") != nil) == (status == 422))
        let made = try await browser.fill("sign-up", sent.merging(["fields.hobbies": "chess"]) { $1 })
        #expect(made.status == 303)
        #expect(try await save(browser, ["fields.hobbies": typed]).status == status)
        #expect(try await fields(in: server)["hobbies"] == ["chess"])
    }

    @Test("hold XSS strings as the text that they are, as entry, name and value", arguments: HostilePageTests.attacks)
    func crossSite(attack: String) async throws {
        let server = try await server()
        let browser = Browser(server)
        let sent = [
            "username": "hana", "password": Self.password, "fields.hobbies": attack, "fields.home": "a: \(attack)",
        ]
        let wrong = try await browser.fill("sign-up", sent.merging(["fields.home": "{\(attack)"]) { $1 })
        #expect(wrong.status == 422)
        #expect(try await browser.fill("sign-up", sent).status == 303)
        #expect(try await fields(in: server)["hobbies"] == [.string(attack)])
        #expect(try await fields(in: server)["home"] == ["a": .string(attack)])
        let account = try await browser.get(browser.path("account"))
        for page in [wrong, account] {
            for element in ["<script>alert", "<img src=x", "<svg", "onerror=alert(1)>"] {
                #expect(!page.html.contains(element))
            }
            #expect(page.html.components(separatedBy: "<textarea").count == 4)
            #expect(page.html.components(separatedBy: "</textarea>").count == 4)
        }
        // What is sent back as it was shown stays as it was.
        let shown = ["fields.hobbies": attack, "fields.home": "a: \(attack)"]
        #expect(try await save(browser, shown).status == 303)
        #expect(try await fields(in: server)["home"] == ["a": .string(attack)])
    }

    @Test("are changed in the account, where what was left as it was stays as it was")
    func account() async throws {
        let server = try await server()
        let browser = try await person(
            #"{"hobbies": [3, 1.5], "home": {"city": "Kyoto", "floor": 2}, "pets": ["cat", {"name": "Pochi"}]}"#,
            on: server)
        let page = try await browser.get(browser.path("account"))
        #expect(page.html.contains(">3\n1.5</textarea>") && page.html.contains(">city: Kyoto\nfloor: 2</textarea>"))
        // What has more than lines in it is not for forms.
        #expect(!page.html.contains("fields.pets"))
        let before = try await fields(in: server)
        let shown = ["fields.hobbies": "3\r\n1.5\r\n", "fields.home": "city: Kyoto\r\nfloor: 2"]
        #expect(try await save(browser, shown).status == 303)
        #expect(try await fields(in: server) == before)
        let changed = ["fields.hobbies": "1.5\r\n４\r\nfive", "fields.home": "floor: 3\r\ncity: 5", "fields.pets": "x"]
        #expect(try await save(browser, changed).status == 303)
        let after = try await fields(in: server)
        #expect(after["hobbies"] == [1.5, 4, "five"] && after["home"] == ["floor": 3, "city": "5"])
        #expect(after["pets"] == before["pets"])
        // An object with more than lines in it is shown as JSON.
        #expect(try await save(browser, ["fields.home": #"{"rooms": [1], "a:b": 1}"#]).status == 303)
        let json = try await browser.get(browser.path("account"))
        #expect(json.html.contains("&quot;rooms&quot; : ["))
        let emptied = try await save(browser, ["fields.home": "", "fields.hobbies": " "])
        #expect(emptied.status == 422 && emptied.error("fields-home") != nil && emptied.error("fields-hobbies") != nil)
    }

    @Test("are asked of a guest who wants to stay")
    func upgrade() async throws {
        let server = try await server()
        let person = try await server.person()
        let browser = Browser(server)
        try await browser.open(accountOf: person)
        let page = try await browser.get(browser.path("account"))
        let path = browser.path("account/upgrade")
        var sent = ["username": "hana", "password": Self.password, "fields.home": "{"]
        let refused = try await browser.post(path, sent, token: page.token)
        #expect(refused.status == 422 && refused.error("upgrade-fields-hobbies") != nil)
        #expect(refused.error("upgrade-fields-home")?.contains("line 1") == true)
        sent.merge(["fields.home": "city: Kyoto", "fields.hobbies": "chess\ngo"]) { $1 }
        let done = try await browser.post(path, sent, token: page.token)
        #expect(done.location == browser.path("account") + "?done=upgraded")
        let stored = try await fields(in: server)
        #expect(stored["hobbies"] == ["chess", "go"] && stored["home"] == ["city": "Kyoto"])
    }
}
