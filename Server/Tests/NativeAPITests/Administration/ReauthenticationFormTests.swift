import Domain
import HTTPTypes
import NCMBAPI
import OkaeriWire
import Testing

@testable import Dashboard

/// Requirement 18 for admins in the dashboard: the question for password and code, and that nothing typed is lost.
@Suite("The dashboard asks whether it is still the admin")
struct ReauthenticationFormTests {
    /// A form that a page sends, and what stands in the audit log when it was done.
    struct FormAction: Sendable, CustomTestStringConvertible {
        let page: String
        /// Where the form goes, below the page, or with a dot in front below the application; empty for the page itself.
        var path = ""
        let fields: [String: String]
        let action: AuditEntry.Action
        var testDescription: String { "\(page) \(path)" }
    }

    /// In a page or value: `{ID}` is a registered user, `{GUEST}` an anonymous one, `{ADMIN}` another admin, `{KEY}` a program's key.
    private static let actions: [FormAction] = [
        FormAction(
            page: "/admins", fields: ["name": "<b>mika</b>", "role": "owner", "applications": "all"],
            action: .adminCreated),
        FormAction(
            page: "/admins/{ADMIN}", path: "save", fields: ["role": "owner", "applications": "all"],
            action: .adminChanged),
        FormAction(page: "/admins/{ADMIN}", path: "disable", fields: [:], action: .adminChanged),
        FormAction(page: "/admins/{ADMIN}", path: "unlock", fields: [:], action: .adminUnlocked),
        FormAction(page: "/admins/{ADMIN}", path: "link", fields: [:], action: .adminLinked),
        FormAction(page: "/admins/{ADMIN}", path: "remove", fields: ["confirm": "operator"], action: .adminRemoved),
        FormAction(
            page: "/keys", fields: ["name": "CI", "days": "9", "scope.users:read": "yes", "applications": "all"],
            action: .adminKeyCreated),
        FormAction(
            page: "/keys", path: "{KEY}/networks", fields: ["networks": "10.0.0.0/8\r\n::1"], action: .adminKeyChanged),
        FormAction(page: "/keys", path: "{KEY}/remove", fields: [:], action: .adminKeyRemoved),
        FormAction(page: "settings", fields: settings, action: .settingsChanged),
        FormAction(
            page: "providers", path: "google/set", fields: ["google.audiences": "1.apps\r\n2.apps"],
            action: .providerSet),
        FormAction(page: "providers", path: "google/remove", fields: [:], action: .providerRemoved),
        FormAction(page: "protocols", path: "parse/enable", fields: [:], action: .protocolEnabled),
        FormAction(
            page: "protocols", path: "ncmb/disable", fields: ["ncmb.confirm": "ncmb"],
            action: .protocolDisabled),
        FormAction(
            page: "protocols", path: "ncmb/rules",
            fields: [
                "ncmb.idleSeconds": "86400", "ncmb.allowsAnonymous": "yes",
                "ncmb.allowsSignUpByMail": "yes", "ncmb.takesPasswordsInAddresses": "yes",
            ], action: .settingsChanged),
        FormAction(
            page: "users", path: ".bulk/delete", fields: ["pick.{ID}": "yes", "confirm": "1"],
            action: .deletionRequested),
        FormAction(page: "users/{ID}", path: "delete", fields: ["confirm": "{ID}"], action: .deletionRequested),
        FormAction(page: "users/{ID}", path: "transfer-code", fields: [:], action: .transferCodeIssued),
        FormAction(page: "users/{GUEST}", path: "merge", fields: ["into": "{ID}"], action: .usersMerged),
        FormAction(
            page: "users/{ID}", path: "save",
            fields: ["username": "hana", "email": "new@example.com", "fields": #"{"a": "<\"'&>"}"#],
            action: .identifiersChanged),
    ]

    private static let settings = [
        "name": "Renamed", "sessionIdleDays": "60", "sessionDays": "400", "deletionGraceDays": "7",
        "passwordMinimumCharacters": "8", "audiences": "",
    ]

    /// A world in which each action can be done, with the names that stand for others.
    private func world() async throws -> (world: AdminWorld, names: [String: String]) {
        let world = try await AdminWorld(roles: [.operator])
        let (server, rules) = (world.server, world.server.modules.administration)
        let user = try await server.signUp("hana").json["user"]?["id"]?.text
        let guest = try await server.person().logIn.user.id
        let admin = try #require(try await rules.admins.list().first { $0.role == .operator })
        _ = try await world.send("owner", .post, "keys", body: #"{"name": "a", "scopes": ["users:read"], "days": 9}"#)
        let key = try #require(try await rules.keys.list().first)
        try await server.modules.providers.setProvider(
            ProviderSettings(provider: .google, audiences: ["0.apps"]), secret: nil, of: server.application.id,
            by: .local)
        _ = try await server.modules.applications.enableProtocol(
            .ncmb, given: [:], of: server.application.id, by: .local)
        return (
            world,
            [
                "ID": try #require(user), "GUEST": guest, "ADMIN": admin.id.rawValue, "KEY": key.id.rawValue,
            ]
        )
    }

    private func count(_ action: AuditEntry.Action, in world: AdminWorld) async throws -> Int {
        var entries = try await world.server.modules.administration.audit.list(in: AuditEntry.server)
        entries += try await world.server.modules.administration.audit.list(in: world.server.application.id)
        return entries.count { $0.action == action }
    }

    /// The fields that the question keeps, as a browser reads them.
    private func kept(_ page: Page) -> [String: String] {
        let inputs = page.html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
        return Dictionary(inputs.map { (Self.text(String($0.output.1)), Self.text(String($0.output.2))) }) { $1 }
            .filter { $0.key != "form_token" }
    }

    private static func text(_ marked: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#039;", "'"), ("&amp;", "&")]
            .reduce(marked) { $0.replacing($1.0, with: $1.1) }
    }

    @Test("before each dangerous action, and then does it with what was entered", arguments: actions)
    func action(form: FormAction) async throws {
        let (world, names) = try await world()
        let browser = world.browser()
        func named(_ text: String) -> String {
            names.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
        let page = world.page(named(form.page))
        let below = named(form.path)
        let path =
            below.isEmpty ? page : below.hasPrefix(".") ? world.page(String(below.dropFirst())) : "\(page)/\(below)"
        let shown = try await browser.get(page)
        var fields = Dictionary(uniqueKeysWithValues: form.fields.map { (named($0.key), named($0.value)) })
        fields["version"] = shown.value(of: "version")
        let before = try await count(form.action, in: world)
        world.server.clock.advance(by: AdminSession.freshness)

        let asked = try await browser.post(path, fields, token: shown.token)
        #expect(asked.status == 403 && asked.html.contains("Is it still you?"), "\(asked.status)")
        #expect(kept(asked) == fields)
        #expect(!asked.html.contains("<b>mika"))
        #expect(try await count(form.action, in: world) == before)

        let wrong = try await browser.post(
            path, kept(asked).merging(["proof.password": "wrong", "proof.code": "1"]) { $1 }, token: asked.token)
        #expect(wrong.status == 422 && kept(wrong) == fields && !wrong.html.contains("value=\"wrong\""))
        #expect(wrong.html.contains("Password or code are wrong."))
        #expect(try await count(form.action, in: world) == before)

        let held = try #require(browser.cookie("__Host-okaeri-admin"))
        let answer = ["proof.password": AdminWorld.password, "proof.code": try world.ownerCode]
        let done = try await browser.post(path, kept(wrong).merging(answer) { $1 }, token: wrong.token)
        #expect([200, 303].contains(done.status), "\(done.status) \(done.html)")
        #expect(try await count(form.action, in: world) == before + 1)
        // Another token than before; what it is asked next goes without a question, from the page as it stands.
        let now = try #require(browser.cookie("__Host-okaeri-admin"))
        #expect(now != held)
        #expect(try await world.send(held, .get, "me").status == 401)
        let token = done.status == 200 ? done.token : try await browser.get("/dashboard/keys").token
        let next = try await browser.post("/dashboard/keys", ["name": "b", "days": "0"], token: token)
        #expect(next.status == 422)
    }

    @Test("before a file of all users, which then comes by itself")
    func export() async throws {
        let (world, _) = try await world()
        let browser = world.browser()
        let path = world.page("export") + "?form=csv&search=ha%26na"
        #expect(try await browser.get(path).status == 200)
        world.server.clock.advance(by: AdminSession.freshness)
        let asked = try await browser.get(path)
        #expect(asked.status == 403 && asked.html.contains("Is it still you?"))
        let action = try #require(asked.html.firstMatch(of: /<form class="form" method="post" action="([^"]*)"/))
        let answer = ["proof.password": AdminWorld.password, "proof.code": try world.ownerCode]
        let link = Self.text(String(action.output.1))
        #expect(link == world.page("export") + "?form=csv&search=ha%26na")
        let done = try await browser.post(link, answer, token: asked.token)
        #expect(done.status == 200 && done.html.contains(#"<meta http-equiv="refresh" content="0;url=/dashboard/app"#))
        let file = try await browser.get(link)
        #expect(file.status == 200 && file.answer.headers[.contentType]?.hasPrefix("text/csv") == true)
    }

    @Test("not before what can be taken back at once, or changes little")
    func harmless() async throws {
        let (world, names) = try await world()
        let browser = world.browser()
        let user = try #require(names["ID"])
        world.server.clock.advance(by: AdminSession.freshness)
        let forms: [(String, [String: String])] = [
            ("users/\(user)/disable", [:]), ("users/\(user)/log-out", [:]),
            ("bulk/enable", ["pick.\(user)": "yes"]),
            ("bulk/confirm-deletion", ["pick.\(user)": "yes"]),
        ]
        let token = try await browser.get(world.page("users/\(user)")).token
        for (page, fields) in forms {
            let sent = try await browser.post(world.page(page), fields, token: token)
            #expect(sent.status < 400 && !sent.html.contains("proof.password"), "\(page) \(sent.status)")
        }
        let shown = try await browser.get(world.page("users/\(user)"))
        let name = [
            "displayName": "Hana", "username": "hana", "email": "", "phone": "", "fields": "{}",
            "version": shown.value(of: "version") ?? "",
        ]
        #expect(try await browser.post(world.page("users/\(user)/save"), name, token: token).status == 303)
    }

    @Test("and takes no answer that another site, or another browser, sent")
    func forgery() async throws {
        let (world, _) = try await world()
        let browser = world.browser()
        let stranger = world.browser("operator")
        let theirs = try await stranger.get("/dashboard/applications").token
        let own = try await browser.get("/dashboard/keys").token
        world.server.clock.advance(by: AdminSession.freshness)
        let fields = [
            "name": "CI", "days": "9", "scope.users:read": "yes", "applications": "all",
            "proof.password": AdminWorld.password,
            "proof.code": try world.ownerCode,
        ]
        for (token, headers) in [(theirs, []), (nil, []), (own, [("Origin", "https://evil.example")])] {
            let sent = try await browser.post("/dashboard/keys", fields, token: token, headers)
            #expect(sent.status == 403 && !sent.html.contains("proof.password"))
        }
        #expect(try await count(.adminReauthenticated, in: world) == 0)
        // An operator's own password makes nobody an owner; it is not even looked at.
        let page = try await stranger.post("/dashboard/keys", fields, token: theirs)
        #expect(page.status == 403 && !page.html.contains("proof.password"))
        #expect(try await world.server.modules.administration.keys.list().count == 1)
    }
}
