import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard

@Suite("Forms of the dashboard")
struct DashboardFormTests {
    private let world: AdminWorld
    private let browser: Browser
    private let endpoint: EventEndpoint

    init() async throws {
        world = try await AdminWorld(roles: [])
        browser = world.browser()
        let id = world.server.application.id
        _ = try await world.server.modules.hooks.manage.set(
            .signUp, to: .init(url: "https://app.example.com/hooks", whenDown: .allow), in: id, by: .local)
        endpoint = try await world.server.modules.events.endpoints.create(
            .init(url: "https://app.example.com/events"), in: id, by: .local
        ).endpoint
    }

    /// The fields of a summary's links, as ids of the page.
    private func targets(_ page: Page) -> [String] {
        page.html.matches(of: /<li><a href="#([^"]+)"/).map { String($0.output.1) }
    }

    @Test("say what goes, whose it is, and that it is for good, before it goes, with a script and without")
    func question() async throws {
        let person = try await world.server.person(
            body: #"{"device": {"name": "Hana’s phone"}, "user": {"displayName": "Hana"}}"#)
        let (user, thumbprint) = ("users/\(person.logIn.user.id)", person.device.thumbprint)
        _ = try await world.key([.readUsers])
        let key = try #require(try await world.server.modules.administration.keys.list().first)
        let cases: [(page: String, action: String, about: String)] = [
            (user, "\(user)/device-keys/\(thumbprint)/remove", "\(thumbprint) · Hana’s phone"),
            ("hooks?hook=sign-up", "hooks/sign-up/remove", "a sign-up · https://app.example.com/hooks"),
            (
                "events?endpoint=\(endpoint.id)", "events/endpoints/\(endpoint.id)/remove",
                "https://app.example.com/events"
            ),
            ("/keys", "/keys/\(key.id)/remove", key.name),
        ]
        for (page, action, about) in cases {
            let shown = try await browser.get(world.page(page))
            // The script asks by the same fields of the form.
            let words = ["sure.about", "sure.note"].compactMap { name in shown.value(of: name).map { (name, $0) } }
            #expect(words.first?.1 == about, "\(page)")
            let fields = Dictionary(words) { first, _ in first }.merging(["sure.ask": "Go"]) { $1 }
            let asked = try await browser.post(world.page(action), fields, token: shown.token)
            #expect(asked.html.contains("<dt>Go</dt><dd>\(about)</dd>"), "\(asked.html)")
            #expect(asked.html.contains("This cannot be undone."), "\(page)")
            // The words of the question do not go on with the answer.
            #expect(asked.value(of: "sure.about") == nil && asked.value(of: "sure.note") == nil)
        }
    }

    @Test("name the users who are to be deleted together, also after a wrong answer")
    func names() async throws {
        let person = try await world.server.person(body: #"{"user": {"displayName": "Hana & Sora"}}"#)
        let (pick, bulk) = ("pick.\(person.logIn.user.id)", world.page("bulk"))
        let shown = try await browser.get(world.page("users"))
        #expect(shown.value(of: pick) == "Hana &amp; Sora")
        let fields = [pick: "Hana & Sora", "confirm": "2"]
        for action in ["confirm-deletion", "delete"] {
            let asked = try await browser.post("\(bulk)/\(action)", fields, token: shown.token)
            #expect(asked.html.contains("<strong><bdi>Hana &amp; Sora</bdi></strong>"), "\(asked.html)")
            #expect(asked.html.contains("\(person.logIn.user.id)") && asked.value(of: pick) == "Hana &amp; Sora")
        }
    }

    @Test(
        "name a user whose own name cannot be seen by another one, so that there is a link",
        arguments: ["   ", "\u{200B}", "\u{3164}", "\u{202E}"])
    func unseen(name: String) async throws {
        let guest = try await world.server.person(body: #"{"user": {"displayName": "\#(name)"}}"#).logIn.user.id
        let member = try await world.server.signUp("sora", #", "displayName": "\#(name)""#)
        #expect(member.status == 201, "\(member.text)")
        let shown = try await browser.get(world.page("users"))
        #expect(shown.html.contains("/users/\(guest)\">No name</a>"), "\(shown.html)")
        #expect(shown.html.contains("\">sora</a>"))
        #expect(try await browser.get(world.page("users/\(guest)")).html.contains("<h1><bdi>No name</bdi></h1>"))
    }

    @Test(
        "keep the order of what stands beside a stranger's words, whichever way those run",
        arguments: [
            ("\u{202E}evil", "\u{2068}evil\u{2069}"), ("\u{2066}a\u{2069}b", "\u{2068}ab\u{2069}"),
            ("טלפון", "\u{2068}טלפון\u{2069}"), ("花のiPhone", "花のiPhone"),
        ])
    func direction(name: String, shown: String) async throws {
        let person = try await world.server.person(
            body: #"{"device": {"name": "\#(name)", "model": "P1"}, "user": {"displayName": "\#(name)"}}"#)
        let user = try await browser.get(world.page("users/\(person.logIn.user.id)"))
        // An element isolates the name, so that who copies it gets the name alone.
        let copied = shown.replacing("\u{2068}", with: "").replacing("\u{2069}", with: "")
        #expect(user.html.contains("<h1><bdi>\(copied)</bdi></h1>"), "\(user.html)")
        let initial = copied.first?.uppercased() ?? ""
        #expect(user.html.contains("aria-hidden=\"true\">\(initial)</span>"))
        #expect(user.html.contains("<strong>\(shown) · P1</strong>"))
        #expect(try await browser.get(world.page("sessions")).html.contains("\(shown) · P1"))
        // What a form holds stays as it was typed.
        #expect(user.value(of: "displayName") == name)
    }

    @Test("let who copies a user's identifiers that run from right to left copy nothing else")
    func copiedIdentifiers() async throws {
        #expect(try await world.server.signUp("שרה").status == 201)
        let shown = try await browser.get(world.page("users?chosen=yes&column.identifiers=yes"))
        #expect(shown.html.contains("<bdi>שרה</bdi></td>"), "\(shown.html)")
    }

    @Test(
        "find a user by a name that was pasted with spaces around it",
        arguments: ["hana", "hana%20", "%E3%80%80hana%09"])
    func pastedSearch(text: String) async throws {
        let found = try await world.server.signUp("hana").read(LogInResponse.self).user.id
        let other = try await world.server.signUp("sora").read(LogInResponse.self).user.id
        let shown = try await browser.get(world.page("users?search=\(text)"))
        #expect(shown.html.contains("/users/\(found)") && !shown.html.contains("/users/\(other)"), "\(shown.html)")
    }

    @Test("find nobody by a sign that no name holds, and not everybody")
    func nullSearch() async throws {
        let user = try await world.server.signUp("hana").read(LogInResponse.self).user.id
        for sought in ["%00", "hana%00"] {
            #expect(try await !browser.get(world.page("users?search=\(sought)")).html.contains("/users/\(user)"))
        }
    }

    @Test("show as text what a stranger is called, also where its signs are joined with others")
    func joinedSigns() async throws {
        let name = "\u{0600}<meta http-equiv=refresh content=0\u{0600}>"
        let user = try await world.server.person(body: #"{"user": {"displayName": "\#(name)"}}"#).logIn.user.id
        for path in ["users", "users/\(user)"] {
            let html = Data(try await browser.get(world.page(path)).html.utf8)
            let text = "\u{0600}&lt;meta http-equiv=refresh content=0\u{0600}&gt;"
            #expect(html.range(of: Data(text.utf8)) != nil && html.range(of: Data(name.utf8)) == nil, "\(path)")
        }
    }

    @Test("show what is to go as text, whatever a stranger called it")
    func hostileQuestion() async throws {
        let token = try await browser.get(world.page("hooks?hook=sign-up")).token
        let evil = #""><script>alert(1)</script>"#
        let asked = try await browser.post(
            world.page("hooks/sign-up/remove"), ["sure.ask": evil, "sure.about": evil, "sure.note": evil], token: token)
        #expect(asked.status == 200 && asked.html.contains("&lt;script&gt;alert(1)"))
        #expect(!asked.html.contains("<script>"))
    }

    @Test("make one of what is sent twice, and say so")
    func twice() async throws {
        let (events, hooks) = ("events/endpoints", "hooks/sign-up/rotate")
        let cases: [(page: String, action: String, typed: [String: String])] = [
            ("/applications", "/applications", ["name": "Twice"]),
            ("/keys", "/keys", ["name": "Twice", "days": "1", "scope.users:read": "yes", "applications": "all"]),
            ("events", events, ["url": "https://app.example.com/twice"]),
            ("events?endpoint=\(endpoint.id)", "\(events)/\(endpoint.id)/rotate", ["overlapHours": "1"]),
            ("hooks?hook=sign-up", hooks, ["overlapHours": "1"]),
        ]
        for (page, action, typed) in cases {
            let shown = try await browser.get(world.page(page))
            let name = try #require(shown.value(of: "attempt"), "\(page)")
            let fields = typed.merging(["attempt": name]) { $1 }
            let first = try await browser.post(world.page(action), fields, token: shown.token)
            #expect([200, 303].contains(first.status), "\(page) \(first.html)")
            let again = try await browser.post(world.page(action), fields, token: shown.token)
            #expect(again.status == 409 && again.html.contains("This form was sent already"), "\(page) \(again.html)")
            #expect(try await browser.get(world.page(page)).value(of: "attempt") != name, "\(page)")
        }
        let modules = world.server.modules
        let id = world.server.application.id
        #expect(try await modules.applications.listApplications().count { $0.application.name == "Twice" } == 1)
        #expect(try await modules.administration.keys.list().count { $0.name == "Twice" } == 1)
        #expect(try await modules.events.endpoints.list(in: id).count == 2)
        let rotated = try await modules.events.endpoints.list(in: id).first { $0.id == endpoint.id }
        #expect(rotated?.sealedFormer == endpoint.sealedSecret)
    }

    @Test("lead from each fault to the field at which it stands")
    func links() async throws {
        for path in ["hooks/sign-up/rotate", "events/endpoints/\(endpoint.id)/rotate"] {
            let token = try await browser.get(world.page(path.hasPrefix("hooks") ? "hooks" : "events")).token
            var shown: Page?
            for _ in 1...8 where shown?.status != 422 {
                shown = try await browser.post(world.page(path), ["overlapHours": "24"], token: token)
            }
            let refused = try #require(shown)
            #expect(refused.error("overlapHours")?.hasPrefix("Five secrets sign already.") == true, "\(path)")
            #expect(targets(refused) == ["field-overlapHours"])
            // The form beside it shows what there is.
            #expect(refused.value(of: "url")?.hasPrefix("https://app.example.com/") == true)
        }
        let mail = "mail?kind=log-in-code&language=en"
        let cases: [(page: String, action: String, fields: [String: String])] = [
            ("/applications", "/applications", ["name": ""]),
            ("roles", "roles/role", ["role-name": "bad name", "role-gives": ""]),
            ("roles", "roles/group", ["group-name": "others", "group-gives": "unknown"]),
            ("roles", "roles/claims", ["claims": "nothing"]),
            (
                "fields", "fields/save",
                ["field": "", "type": "integer", "read": "owner", "write": "server", "default": ""]
            ),
            ("fields", "fields/limits", ["fields": "x", "fieldsBytes": "1", "userNameCharacters": "1"]),
            (
                mail, "mail/save",
                [
                    "kind": "log-in-code", "language": "en", "subject": "{{code}}", "text": "",
                    "html": "<p>none</p>",
                ]
            ),
        ]
        for (page, action, fields) in cases {
            let token = try await browser.get(world.page(page)).token
            let refused = try await browser.post(world.page(action), fields, token: token)
            #expect(refused.status == 422 && !targets(refused).isEmpty, "\(action) \(refused.html)")
            for target in targets(refused) {
                #expect(refused.html.contains("id=\"\(target)\""), "\(action) \(target)")
                #expect(refused.html.contains("id=\"\(target)-error\""), "\(action) \(target)")
            }
            if action == "fields/limits" {
                #expect(refused.html.contains(">Bytes of all fields together, as JSON: "), "\(refused.html)")
            }
            // All that is wrong with a mail is shown at once.
            if action == "mail/save" {
                #expect(Set(targets(refused)) == ["field-subject", "field-text", "field-html"])
            }
        }
    }

    @Test("are spoken of on the page that they lead to alone: not on the next one of a list, nor in another language")
    func notice() async throws {
        let (id, now) = (world.server.application.id, world.server.clock.now)
        try await world.server.store.write { transaction throws(DomainError) in
            for number in 100..<160 {
                try transaction.insert(
                    User(id: Identifier(rawValue: "user\(number)"), application: id, createdAt: now, updatedAt: now))
            }
        }
        let shown = try await browser.get(world.page("users?chosen=yes&column.name=yes&done=disable&count=2"))
        #expect(shown.html.contains("class=\"notice\""))
        let next = try #require(shown.html.firstMatch(of: /rel="next" href="([^"]+)"/)?.output.1)
        #expect(next.contains("chosen=yes") && next.contains("from=") && !next.contains("done="))
        let other = try #require(shown.html.firstMatch(of: /href="([^"]+lang=ja)"/)?.output.1)
        #expect(other.contains("chosen=yes") && !other.contains("done=") && !other.contains("count="))
    }

    @Test("take what a user’s fields and a mail’s own words may be, also in letters that have nine bytes in a form")
    func long() async throws {
        let text = String(repeating: "あ", count: 10_000)
        let json = #"{"story": "\#(text)"}"#
        let person = try await world.server.person(body: #"{"user": {"fields": \#(json)}}"#)
        let page = world.page("users/\(person.logIn.user.id)")
        let shown = try await browser.get(page)
        let fields = [
            "displayName": "Hana", "locale": "", "known": "story", "fields": json,
            "version": try #require(shown.value(of: "version")),
        ]
        #expect(try await browser.post("\(page)/save", fields, token: shown.token).status == 303)
        try await browser.get(world.page("mail?kind=log-in-code&language=ja"))
        let words = [
            "kind": "log-in-code", "language": "ja", "subject": "こんにちは", "text": "{{code}}",
            "html": "<p>\(text)\(text) {{code}} </p>",
        ]
        #expect(try await browser.post(world.page("mail/save"), words, token: shown.token).status == 303)
        let more = fields.merging(["fields": String(repeating: "あ", count: 120_000)]) { $1 }
        let refused = try await browser.post("\(page)/save", more, token: shown.token)
        #expect(refused.status == 413 && refused.html.contains("What was sent is too long."))
        #expect(!refused.html.contains("There is no such page"))
    }

    @Test(
        "and pages that count or choose by days say that these are of UTC",
        arguments: ["", "users", "hooks?hook=log-in"])
    func days(page: String) async throws {
        for language in ["en", "ja", "ko"] {
            let joint = page.contains("?") ? "&" : "?"
            let shown = try await browser.get(world.page(page) + "\(joint)lang=\(language)")
            #expect(shown.html.contains("UTC"), "\(page) \(language)")
        }
    }
}
