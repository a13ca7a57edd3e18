import Domain
import FakeProviders
import HTTPSupport
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing

@testable import Dashboard

@Suite("The dashboard's page of hooks")
struct HooksPageTests {
    private func hooks(_ world: AdminWorld) async throws -> [Hook] {
        try await world.server.modules.hooks.manage.list(in: world.server.application.id)
    }

    private static let fields = [
        "url": "https://app.example.com/hooks", "whenDown": "refuse", "timeoutMilliseconds": "500",
    ]

    @Test("is drawn in every language, with a hook and without", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await world.server.modules.hooks.manage.set(
            .signUp, to: .init(url: "https://app.example.com/hooks", whenDown: .allow, isPaused: true),
            in: world.server.application.id, by: .local)
        for query in [
            "", "&hook=sign-up", "&hook=upgrade", "&hook=access-token", "&hook=log-in", "&hook=adoption",
            "&hook=unheard",
        ] {
            let shown = try await world.browser().get(world.page("hooks") + "?lang=\(language.rawValue)\(query)")
            #expect(shown.status == 200 && shown.html.contains("https://app.example.com/hooks"))
            #expect(shown.html.firstMatch(of: /\bhooks\.[a-zA-Z]+/) == nil, "\(shown.html)")
            // Without a hook there is nothing to test, to rotate or to remove.
            #expect(shown.html.contains("/hooks/sign-up/test") == (query == "&hook=sign-up"))
            #expect(!shown.html.contains("/hooks/upgrade/test"))
        }
    }

    @Test("asks for the window of the hook at log-ins, and keeps it")
    func window() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("hooks"))
        let token = try await browser.get("\(address)?hook=log-in").token
        func post(_ fields: [String: String]) async throws -> Page {
            try await browser.post("\(address)/log-in", Self.fields.merging(fields) { $1 }, token: token)
        }
        for (field, fields) in [
            ("until", ["until": ""]), ("until", ["until": "soon"]),
            ("from", ["from": "2026-13-01", "until": "2030-01-01"]),
            ("until", ["from": "2030-01-02", "until": "2030-01-01"]),
        ] {
            let refused = try await post(fields)
            #expect(refused.status == 422 && refused.error(field) != nil, "\(fields)")
        }
        #expect(try await hooks(world).isEmpty)
        #expect(try await post(["from": "2026-12-01", "until": "2030-01-01T09:00:00Z"]).status == 200)
        let window = try #require(try await hooks(world).first).window
        #expect(window.from?.wire.description == "2026-12-01T00:00:00.000Z")
        #expect(window.until?.wire.description == "2030-01-01T09:00:00.000Z")
        let shown = try await browser.get("\(address)?hook=log-in").html
        #expect(shown.contains("2026-12-01T00:00:00.000Z") && shown.contains("2030-01-01T09:00:00.000Z"))
        // What the page shows is what it takes.
        let kept = ["from": "2026-12-01T00:00:00.000Z", "until": "2030-01-01T09:00:00.000Z"]
        #expect(try await post(kept).status == 303)
        #expect(try await hooks(world).first?.window == window)
    }

    @Test("tells all that is wrong with a hook at once", arguments: [HookPoint.signUp, .logIn])
    func allAtOnce(point: HookPoint) async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("hooks"))
        let token = try await browser.get("\(address)?hook=\(point.rawValue)").token
        let wrong = [
            "url": "http://127.0.0.1/", "whenDown": "", "timeoutMilliseconds": "soon", "from": "soon", "until": "",
        ]
        let refused = try await browser.post("\(address)/\(point.rawValue)", wrong, token: token)
        #expect(refused.status == 422)
        for field in ["url", "whenDown", "timeoutMilliseconds"] + (point == .logIn ? ["from", "until"] : []) {
            #expect(refused.error(field) != nil, "\(field)")
            #expect(refused.html.contains("<a href=\"#field-\(field)\">"), "\(field)")
        }
        #expect(refused.value(of: "timeoutMilliseconds") == "soon")
        #expect(try await hooks(world).isEmpty)
    }

    @Test(
        "sets a hook whose secret is shown once, changes, switches off, rotates and removes it, each in the audit log")
    func life() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("hooks"))
        let token = try await browser.get("\(address)?hook=sign-up").token
        func post(_ name: String, _ fields: [String: String]) async throws -> Page {
            try await browser.post("\(address)/\(name)", fields, token: token)
        }
        for (field, value) in [
            ("url", "http://app.example.com"), ("url", "https://127.0.0.1/"), ("url", ""), ("whenDown", ""),
            ("whenDown", "maybe"), ("timeoutMilliseconds", "49"), ("timeoutMilliseconds", "5001"),
            ("timeoutMilliseconds", "99999999999999999999"), ("timeoutMilliseconds", ""),
        ] {
            let refused = try await post("sign-up", Self.fields.merging([field: value]) { $1 })
            #expect(refused.status == 422 && refused.error(field) != nil, "\(field) \(value)")
        }
        #expect(try await hooks(world).isEmpty)
        let made = try await post("sign-up", Self.fields)
        #expect(made.status == 200 && made.html.contains("whsec_"))
        #expect(try await !browser.get("\(address)?hook=sign-up").html.contains("whsec_"))
        let first = try #require(try await hooks(world).first)
        #expect(first.whenDown == .refuse && !first.asksGuests && !first.isPaused)
        let off = Self.fields.merging(["whenDown": "allow", "asksGuests": "yes", "isPaused": "yes"]) { $1 }
        #expect(try await post("sign-up", off).status == 303)
        let changed = try #require(try await hooks(world).first)
        #expect(changed.isPaused && changed.asksGuests && changed.whenDown == .allow)
        #expect(changed.sealedSecret == first.sealedSecret)
        let rotated = try await post("sign-up/rotate", ["overlapHours": "1"])
        #expect(rotated.status == 200 && rotated.html.contains("whsec_"))
        let wrong = try await post("sign-up/rotate", ["overlapHours": "169"])
        // The form beside it shows the hook as it is.
        #expect(wrong.error("overlapHours") != nil && wrong.html.contains("https://app.example.com/hooks"))
        #expect(try await hooks(world).first?.sealedFormer == first.sealedSecret)
        #expect(try await post("sign-up/remove", [:]).status == 303)
        #expect(try await hooks(world).isEmpty)
        for gone in ["/rotate", "/remove", "/test"] {
            #expect(try await post("sign-up\(gone)", ["overlapHours": "1"]).status == 404, "\(gone)")
        }
        #expect(try await post("unheard", Self.fields).status == 404)
        let entries = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, limit: 100
        ).filter { $0.details["hook"] == "sign-up" }
        #expect(
            entries.map { $0.details["change"] ?? "" }.sorted() == ["changed", "created", "removed", "secret-rotated"])
    }

    @Test("asks a hook about nobody, and shows what it decides or why it does not")
    func test() async throws {
        let world = try await HookWorld()
        try await world.set(.signUp)
        let (browser, address) = (world.world.browser(), world.world.page("hooks"))
        let token = try await browser.get(address).token
        func test() async throws -> Page { try await browser.post("\(address)/sign-up/test", [:], token: token) }
        world.hook.decide(FakeResponse(200, ["decision": "refuse", "message": "Only <pupils>."]))
        let refused = try await test()
        #expect(refused.status == 200 && refused.html.contains("refused"))
        #expect(refused.html.contains("Only &lt;pupils&gt;.") && !refused.html.contains("<pupils>"))
        world.hook.decide(FakeResponse(200, ["decision": "allow"]))
        let allowed = try await test()
        #expect(allowed.status == 200 && allowed.html.contains("allowed"))
        world.hook.decide(FakeResponse(200, ["decision": "allow", "fields": ["nickname": "x"]]))
        let wrong = try await test()
        #expect(wrong.status == 422 && wrong.html.contains("nickname"))
        world.hook.decide(FakeResponse(500))
        let failed = try await test()
        #expect(failed.status == 422 && failed.html.contains("500"))
        #expect(try world.hook.questions.allSatisfy { $0["data"]?["isTest"] == true })
    }

    @Test(
        "switches a hook off and on: nobody is asked meanwhile",
        arguments: [HookPoint.signUp, .upgrade, .accessToken])
    func off(point: HookPoint) async throws {
        let world = try await HookWorld()
        try await world.set(point)
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        let (browser, address) = (world.world.browser(), world.world.page("hooks"))
        let token = try await browser.get("\(address)?hook=\(point.rawValue)").token
        for (number, isPaused) in [true, false].enumerated() {
            let fields = ["url": world.url, "whenDown": "refuse", "timeoutMilliseconds": "5000"]
                .merging(isPaused ? ["isPaused": "yes"] : [:]) { $1 }
            #expect(try await browser.post("\(address)/\(point.rawValue)", fields, token: token).status == 303)
            let person = try await world.server.person()
            let answer =
                switch point {
                case .signUp: try await world.server.signUp("hana\(number)")
                case .upgrade: try await person.upgrade()
                case .accessToken, .logIn, .adoption: try await person.send(.post, APIPath.token)
                }
            #expect((answer.status == 403) != isPaused, "\(answer.text)")
            #expect(world.hook.requests.isEmpty == isPaused)
        }
    }

    @Test("shows forms to who may change settings alone")
    func permissions() async throws {
        let world = try await AdminWorld()
        _ = try await world.server.modules.hooks.manage.set(
            .upgrade, to: .init(url: "https://app.example.com/hooks", whenDown: .allow),
            in: world.server.application.id, by: .local)
        let page = world.page("hooks") + "?hook=upgrade"
        let auditor = try await world.browser("auditor").get(page)
        #expect(auditor.status == 200 && auditor.html.contains("https://app.example.com/hooks"))
        #expect(!auditor.html.contains("/hooks/upgrade"))
        #expect(try await world.browser("operator").get(page).html.contains("/hooks/upgrade/test"))
        let refused = try await world.browser("auditor").post(
            world.page("hooks") + "/upgrade/remove", [:], token: auditor.token)
        #expect(refused.status == 403)
        #expect(try await hooks(world).count == 1)
    }
}
