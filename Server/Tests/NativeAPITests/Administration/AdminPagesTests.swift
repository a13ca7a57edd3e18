import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import Dashboard

@Suite("The dashboard's pages of admins and keys")
struct AdminPagesTests {
    private static let evil = #"\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{{me}}}"#

    private func admins(_ world: AdminWorld) async throws -> [Admin] {
        try await world.server.modules.administration.admins.list()
    }

    @Test("invite an admin by a link that is shown once, for some applications")
    func invite() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let token = try await browser.get("/dashboard/admins").token
        let fields = [
            "name": "hana@example.com", "role": "support", "applications": "some",
            "application.\(world.foreign.id)": "yes",
        ]
        let made = try await browser.post("/dashboard/admins", fields, token: token)
        #expect(made.status == 200)
        let link = try #require(made.html.firstMatch(of: /set-up\?token=(okl_[A-Za-z0-9_-]+)/)?.output.1)
        let shown = try await browser.get("/dashboard/admins")
        #expect(shown.html.contains("hana@example.com") && !shown.html.contains(link))
        let admin = try #require(try await admins(world).first { $0.name == "hana@example.com" })
        #expect(admin.role == .support && admin.applications == [world.foreign.id] && !admin.isSetUp)
        let session = try await AdminWorld.setUp(Secret(String(link)), name: nil, on: world.server)
        #expect(try await world.send(session, .get, "me").json["applications"]?.list.count == 1)
        // Names are unique, owners see everything, and a wrong form keeps what was typed.
        let twice = try await browser.post("/dashboard/admins", fields, token: token)
        #expect(twice.status == 422 && twice.error("name") != nil && twice.html.contains("checked"))
        let confined = fields.merging(["name": "other", "role": "owner"]) { $1 }
        #expect(try await browser.post("/dashboard/admins", confined, token: token).status == 422)
        #expect(
            try await browser.post(
                "/dashboard/admins", ["name": "", "role": "owner", "applications": "all"], token: token
            ).status == 422)
        #expect(try await browser.post("/dashboard/admins", ["name": "a", "role": "god"], token: token).status == 404)
        #expect(try await admins(world).count == 2)
    }

    @Test("keep an admin or a key to the applications that were chosen, and say all only when it was said")
    func reach() async throws {
        let world = try await AdminWorld(roles: [])
        let (server, browser) = (world.server, world.browser())
        // More than there are boxes: the one that was chosen comes last by itself.
        var last = world.foreign.id
        for number in 0..<ApplicationChoice.maximum {
            last = try await server.modules.applications.createApplication(name: "T\(number)", by: .local).application
                .id
        }
        let (first, foreign) = (server.application.id, world.foreign.id)
        let made = try await server.modules.administration.admins.create(
            name: "mika", role: .support, applications: [last, first, foreign], by: .local)
        let address = "/dashboard/admins/\(made.id)"
        func save(_ fields: [String: String]) async throws -> Page {
            let shown = try await browser.get(address)
            let own = ["role": "auditor", "version": shown.value(of: "version") ?? ""]
            return try await browser.post("\(address)/save", own.merging(fields) { $1 }, token: shown.token)
        }
        func present() async throws -> Admin? { try await admins(world).first { $0.id == made.id } }
        let shown = try await browser.get(address)
        for id in [last, first, foreign] {
            #expect(shown.html.contains(try Regex(#"name="application\.\#(id)"[^>]* checked"#)))
        }
        // An old form, one with nothing ticked, and one that says both change nothing.
        for wrong in [
            [:], ["applications": "some"], ["applications": "all", "application.\(first)": "yes"],
            ["applications": "x", "application.\(first)": "yes"],
        ] {
            let refused = try await save(wrong)
            #expect(refused.status == 422 && refused.error("applications") != nil, "\(wrong)")
        }
        #expect(try await present()?.applications == [last, first, foreign])
        #expect(try await present()?.role == .support)
        let kept = ["applications": "some", "application.\(first)": "yes", "applications.kept": "\(last) \(foreign)"]
        #expect(try await save(kept).status == 303)
        #expect(try await present()?.applications == [last, first, foreign])
        #expect(try await save(["applications": "all"]).status == 303)
        #expect(try await present()?.applications == nil)
        let token = try await browser.get("/dashboard/keys").token
        let key = ["name": "CI", "days": "2", "scope.users:read": "yes"]
        for wrong in [[:], ["applications": "some"]] {
            let refused = try await browser.post("/dashboard/keys", key.merging(wrong) { $1 }, token: token)
            #expect(refused.status == 422 && refused.error("applications") != nil && !refused.html.contains("oka_"))
        }
    }

    @Test("change what an admin may do, keep one out, reset one, and remove one whose name was typed")
    func change() async throws {
        let world = try await AdminWorld(roles: [.operator])
        let browser = world.browser()
        let admin = try #require(try await admins(world).first { $0.role == .operator })
        let address = "/dashboard/admins/\(admin.id)"
        func send(_ action: String, _ fields: [String: String] = [:]) async throws -> Page {
            let shown = try await browser.get(address)
            let own = ["version": shown.value(of: "version") ?? ""]
            return try await browser.post(
                "\(address)/\(action)", fields.merging(own) { first, _ in first }, token: shown.token)
        }
        let late = try await send("save", ["role": "owner", "applications": "all", "version": "1"])
        #expect(late.status == 409)
        #expect(try await send("save", ["role": "auditor", "applications": "all"]).location == "\(address)?done=saved")
        #expect(try await world.send("operator", .get, "me").json["admin"]?["role"] == "auditor")
        #expect(try await send("disable").location == "\(address)?done=disabled")
        #expect(try await world.send("operator", .get, "me").status == 401)
        #expect(try await send("enable").location == "\(address)?done=enabled")
        let link = try await send("link")
        #expect(link.status == 200 && link.html.contains("http://localhost:8080/dashboard/set-up?token=okl_"))
        let wrong = try await send("remove", ["confirm": "yes"])
        #expect(wrong.status == 422 && wrong.error("confirm") != nil)
        #expect(try await send("remove", ["confirm": "operator"]).location == "/dashboard/admins")
        #expect(try await browser.get(address).status == 404)
        let token = try #require(link.html.firstMatch(of: /token=(okl_[A-Za-z0-9_-]+)/)?.output.1)
        #expect(try await browser.get("/dashboard/set-up?token=\(token)").status == 403)
        let actions = try await world.server.modules.administration.audit.list(in: AuditEntry.server).map(\.action)
        #expect(actions.contains(.adminRemoved))
    }

    @Test("keep one owner, on the page and in the API")
    func lastOwner() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let root = try #require(try await admins(world).first)
        let address = "/dashboard/admins/\(root.id)"
        for (action, act) in [
            ("disable", [:]), ("save", ["role": "auditor", "applications": "all"]), ("remove", ["confirm": "root"]),
        ] {
            let shown = try await browser.get(address)
            let fields = act.merging(["version": shown.value(of: "version") ?? ""]) { $1 }
            let refused = try await browser.post("\(address)/\(action)", fields, token: shown.token)
            #expect(refused.status == 422 && refused.html.contains("One owner must stay."))
        }
        expect(try await world.send("owner", .delete, "admins/\(root.id)"), 409, .init(rawValue: "last_owner"))
        #expect(try await admins(world).map(\.isSetUp) == [true])
    }

    @Test("make a key that is shown once and does what was ticked, and end it")
    func keys() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let address = "/dashboard/keys"
        let token = try await browser.get(address).token
        let fields = [
            "name": "CI", "days": "2", "scope.users:read": "yes", "applications": "some",
            "application.\(world.server.application.id)": "yes",
        ]
        let made = try await browser.post(address, fields, token: token)
        let secret = String(try #require(made.html.firstMatch(of: /(oka_[A-Za-z0-9_-]+)/)?.output.1))
        #expect(try await !browser.get(address).html.contains(secret))
        #expect(try await world.send(secret, .get, world.path("/users")).status == 200)
        #expect(try await world.send(secret, .get, "admins").status == 403)
        #expect(try await world.send(secret, .get, "applications/\(world.foreign.id)/users").status == 404)
        for (name, value) in [("days", "0"), ("days", "401"), ("days", "x"), ("name", ""), ("scope.users:read", "")] {
            let refused = try await browser.post(address, fields.merging([name: value]) { $1 }, token: token)
            #expect(refused.status == 422 && !refused.html.contains("oka_"), "\(name)")
        }
        // A scope that makes admins is not offered, and is passed over.
        let greedy = fields.merging(["scope.users:read": "", "scope.admins:write": "yes"]) { $1 }
        #expect(try await browser.post(address, greedy, token: token).status == 422)
        let key = try #require(try await world.server.modules.administration.keys.list().first)
        #expect(
            try await browser.post("\(address)/\(key.id)/remove", [:], token: token).location
                == "\(address)?done=removed")
        #expect(try await world.send(secret, .get, world.path("/users")).status == 401)
        #expect(try await browser.post("\(address)/none/remove", [:], token: token).status == 404)
    }

    @Test("show names as text, and run none of it")
    func scripts() async throws {
        let world = try await AdminWorld(roles: [])
        let rules = world.server.modules.administration
        let admin = try await rules.admins.create(name: Self.evil, role: .support, applications: nil, by: .local)
        _ = try await world.server.modules.applications.createApplication(name: Self.evil, by: .local)
        let browser = world.browser()
        let token = try await browser.get("/dashboard/keys").token
        _ = try await browser.post(
            "/dashboard/keys", ["name": Self.evil, "days": "1", "scope.users:read": "yes", "applications": "all"],
            token: token)
        for page in ["/admins", "/admins/\(admin.id)", "/keys", "/applications"] {
            let shown = try await browser.get(world.page(page))
            #expect(shown.status == 200 && shown.html.contains("&lt;script&gt;"), "\(page)")
            #expect(!shown.html.contains("<script>alert") && !shown.html.contains("<img src=x"), "\(page)")
        }
    }

    @Test("show auditors who there is, without any form")
    func auditor() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let id = try #require(try await admins(world).first).id
        for page in ["/admins", "/admins/\(id)", "/keys"] {
            let shown = try await world.browser("auditor").get(world.page(page))
            #expect(shown.status == 200 && !shown.html.contains("class=\"form\"") && !shown.html.contains("scope."))
            #expect(!shown.html.contains("/remove\"") && !shown.html.contains("/save\""))
        }
    }
}
