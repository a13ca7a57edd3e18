import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard

/// The last writer won on most pages, whatever it had seen.
@Suite("Forms of the dashboard that replace what an admin saw")
struct FormVersionTests {
    /// A form and what is typed into it; where it goes is below the page or, with a dot in front, below the application.
    typealias Sent = (path: String, fields: [String: String])

    /// Forms of a page that are sent by two admins who both saw it before.
    struct Forms: Sendable, CustomTestStringConvertible {
        let page: String
        /// What the first admin sends.
        let first: Sent
        /// What the other one sends after that, one after the other.
        let late: [Sent]
        var hasFiles = false

        var testDescription: String { "\(page) \(late.map(\.path))" }
    }

    private static func template(_ subject: String) -> [String: String] {
        ["kind": "password-reset", "language": "en", "subject": subject, "text": "{{code}}", "html": ""]
    }

    private static func hook(_ name: String) -> [String: String] {
        ["url": "https://app.example.com/\(name)", "whenDown": "allow", "timeoutMilliseconds": "500"]
    }

    private static func rule(_ type: String) -> [String: String] {
        ["field": "coins", "type": type, "read": "owner", "write": "server", "default": ""]
    }

    private static func settings(_ name: String) -> [String: String] {
        [
            "name": name, "sessionIdleDays": "60", "sessionDays": "400", "deletionGraceDays": "7",
            "passwordMinimumCharacters": "8",
        ]
    }

    /// `{ENDPOINT}` and `{KEY}` are there before, `{GRANT}` is the role that the first admin made.
    private static let forms: [Forms] = [
        Forms(
            page: "settings", first: ("", settings("One")), late: [("", settings("Two"))]),
        Forms(
            page: "mail?kind=password-reset&language=en", first: ("save", template("a")),
            late: [("save", template("b")), ("remove", template("a"))]),
        Forms(
            page: "theme", first: ("save", ["brand": "Hoshi"]), late: [("save", ["brand": "Hana"]), ("remove", [:])]),
        Forms(
            page: "theme", first: ("save", ["brand": "Hoshi"]), late: [("save", ["brand": "Hana"]), ("remove", [:])],
            hasFiles: true),
        Forms(
            page: "hooks?hook=sign-up", first: ("sign-up", hook("a")),
            late: [("sign-up", hook("b")), ("sign-up/remove", [:])]),
        Forms(
            page: "providers", first: ("google/set", ["google.audiences": "1.apps"]),
            late: [
                ("google/set", ["google.audiences": "2.apps"]), ("google/remove", [:]),
                ("new/set", ["new.name": "campus", "new.audiences": "app", "new.issuer": "https://id.example.edu"]),
            ]),
        Forms(
            page: "protocols", first: ("ncmb/enable", ["ncmb.clientKey": "old-client-one"]),
            late: [
                ("ncmb/enable", ["ncmb.clientKey": "old-client-two"]), ("ncmb/disable", ["ncmb.confirm": "ncmb"]),
            ]),
        Forms(
            page: "roles", first: ("role", ["role-name": "editor", "role-gives": "posts:write"]),
            late: [
                ("role", ["role-name": "editor", "role-gives": "posts:read"]),
                ("role", ["role-name": "reader", "role-gives": "posts:read"]),
                ("group", ["group-name": "staff", "group-gives": "editor"]), ("remove", ["removed": "{GRANT}"]),
                ("claims", ["claims": "tier = value 1"]),
            ]),
        Forms(
            page: "fields", first: ("save", rule("integer")),
            late: [
                ("save", rule("number")), ("policy", ["policy": "closed"]), ("remove", ["removed": "coins"]),
                ("limits", ["fields": "200", "fieldsBytes": "131072", "userNameCharacters": "400"]),
            ]),
        Forms(
            page: "users?kind=anonymous", first: (".views/save?kind=anonymous", ["view": "guests"]),
            late: [
                (".views/save?kind=registered", ["view": "guests"]), (".views/remove", ["view": "guests"]),
            ]),
        Forms(
            page: "events", first: ("settings", ["isStreamed": "yes", "retentionDays": "7"]),
            late: [("settings", ["retentionDays": "8"])]),
        Forms(
            page: "events?endpoint={ENDPOINT}",
            first: ("endpoints/{ENDPOINT}", ["url": "https://app.example.com/a", "isPaused": "yes"]),
            late: [
                ("endpoints/{ENDPOINT}", ["url": "https://app.example.com/b"]), ("endpoints/{ENDPOINT}/remove", [:]),
            ]),
        Forms(
            page: "old-services?service=firebase", first: ("firebase", ["audiences": "my-game"]),
            late: [("firebase", ["audiences": "my-other-game"]), ("firebase/remove", [:])]),
        Forms(
            page: "/keys", first: ("{KEY}/networks", ["networks": "10.0.0.0/8"]),
            late: [("{KEY}/networks", ["networks": ""])]),
    ]

    @Test("are refused once another admin has changed it, or without saying what was seen", arguments: forms)
    func late(forms: Forms) async throws {
        let world = try await AdminWorld(roles: [])
        let (server, id, browser) = (world.server, world.server.application.id, world.browser())
        let endpoint = try await server.modules.events.endpoints.create(
            .init(url: "https://app.example.com/events"), in: id, by: .local
        ).endpoint
        _ = try await world.key([.readUsers])
        let key = try #require(try await server.modules.administration.keys.list().first)
        var names = ["{ENDPOINT}": endpoint.id.rawValue, "{KEY}": key.id.rawValue]
        func named(_ text: String) -> String { names.reduce(text) { $0.replacing($1.key, with: $1.value) } }
        let page = world.page(named(forms.page))
        let shown = try await browser.get(page)
        let version = try #require(shown.value(of: "version"))
        func send(_ sent: Sent, _ version: String) async throws -> Page {
            let below = named(sent.path)
            let path =
                below.hasPrefix(".")
                ? world.page(String(below.dropFirst()))
                : String(page.prefix { $0 != "?" }) + (below.isEmpty ? "" : "/\(below)")
            let fields = sent.fields.mapValues(named).merging(["version": version]) { $1 }
            return forms.hasFiles
                ? try await browser.post(path, fields, files: [:], token: shown.token)
                : try await browser.post(path, fields, token: shown.token)
        }
        let first = try await send(forms.first, version)
        #expect([200, 303].contains(first.status), "\(first.html)")
        let application = try await server.modules.applications.findApplication(id)
        names["{GRANT}"] = application.settings.access.named("editor", .role)?.id.rawValue
        let present = try #require(try await browser.get(page).value(of: "version"))
        #expect(present != version)
        for sent in forms.late {
            for version in [version, ""] {
                let late = try await send(sent, version)
                #expect(late.status == 409 && late.html.contains("Somebody changed it meanwhile."), "\(sent.path)")
                let below = page.prefix { $0 != "?" }
                #expect(late.value(of: "version") == present || late.html.contains("href=\"\(below)\">Look again</a>"))
                #expect(try await browser.get(page).value(of: "version") == present, "\(sent.path)")
            }
        }
        // Who looks again may do it.
        if let sent = forms.late.first {
            let again = try await send(sent, present)
            #expect([200, 303].contains(again.status), "\(again.html)")
        }
    }

    @Test("show long words that come late once more, with the version of now: sent again, they hold")
    func kept() async throws {
        let (world, typed) = (try await AdminWorld(roles: []), "typed for half an hour")
        let browser = world.browser()
        let pages: [(page: String, path: String, first: [String: String], late: [String: String])] = [
            ("mail?kind=password-reset&language=en", "mail/save", Self.template("a"), Self.template(typed)),
            ("theme", "theme/save", ["brand": "Hoshi"], ["brand": "Hana", "texts.en": "logIn.lead = \(typed)"]),
        ]
        for (page, path, first, late) in pages {
            let shown = try await browser.get(world.page(page))
            var (early, sent) = (first, late)
            let before: String = try #require(shown.value(of: "version"))
            (early["version"], sent["version"]) = (before, before)
            #expect(try await browser.post(world.page(path), early, token: shown.token).status == 303, "\(page)")
            let refused = try await browser.post(world.page(path), sent, token: shown.token)
            #expect(refused.status == 409 && refused.html.contains(typed), "\(page)")
            let now: String = try #require(refused.value(of: "version"))
            #expect(now != before)
            sent["version"] = now
            #expect(try await browser.post(world.page(path), sent, token: shown.token).status == 303, "\(page)")
        }
    }

    @Test("keep the version that they came with while what was typed is wrong")
    func corrected() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, page) = (world.browser(), world.page("roles"))
        let shown = try await browser.get(page)
        let version = try #require(shown.value(of: "version"))
        let made = try await browser.post("\(page)/claims", ["claims": "tier = value 1"], token: shown.token)
        #expect(made.status == 303)
        let wrong = ["claims": "tier = nothing", "version": version]
        let refused = try await browser.post("\(page)/claims", wrong, token: shown.token)
        #expect(refused.status == 422 && refused.value(of: "version") == version)
    }
}
