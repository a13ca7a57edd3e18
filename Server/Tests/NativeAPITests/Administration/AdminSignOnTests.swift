import Domain
import Foundation
import OkaeriWire
import TestWorld
import Testing

@Suite("Single sign-on of admins")
struct AdminSignOnTests {
    @Test("links an admin from the own page, and logs in with the provider alone from then on")
    func logIn() async throws {
        let world = try await SignOnWorld()
        let owner = world.admins.browser()
        #expect(try await world.link(owner, subject: "hana").location == "/dashboard/sign-on?done=linked")
        let shown = try await owner.get("/dashboard/sign-on")
        #expect(shown.html.contains("hana") && shown.html.contains(world.address))
        let browser = Browser(world.server)
        #expect(try await browser.get("/dashboard/log-in").html.contains("/dashboard/log-in/sign-on"))
        let asked = try await world.leave(browser)
        #expect(asked["code_challenge_method"] == "S256" && asked["nonce"] != nil && asked["prompt"] == nil)
        #expect(asked["redirect_uri"] == "\(TestServer.url)\(SignOnWorld.callback)")
        let before = browser.cookie("__Host-okaeri-admin")
        let entered = try await browser.get(try world.back(asked, subject: "hana"))
        #expect(entered.location == "/dashboard")
        #expect(browser.cookie("__Host-okaeri-admin") != before)
        #expect(try await browser.get("/dashboard/admins").status == 200)
        let entry = try #require(try await world.entries(.adminLoggedIn, .done).first)
        #expect(entry.details == ["second-factor": "provider"])
        #expect(try await world.entries(.adminSignOnLinked, .done).count == 1)
    }

    @Test("opens a session of twelve hours from the log-in")
    func end() async throws {
        let world = try await SignOnWorld()
        try await world.link(world.admins.browser(), subject: "hana")
        let signOn = world.rules.logIns.signOn
        let browser = AdminSignOn.Browser(
            cookie: "cookie", redirectURI: "\(TestServer.url)\(SignOnWorld.callback)",
            client: ClientAddress(text: "192.0.2.7", allowanceGroup: "192.0.2.7"), origin: .local)
        let asked = try world.asked(try await signOn.start(for: browser).revealed)
        let items = URLComponents(string: try world.back(asked, subject: "hana"))?.queryItems ?? []
        let state = try #require(items.first { $0.name == "state" }?.value)
        let code = items.first { $0.name == "code" }?.value
        let done = try await signOn.logIn(try #require(signOn.returned(state: state, code: code, to: browser)))
        #expect(done.expiresAt == world.server.clock.now + .seconds(12 * 3600))
        // Used now and then, it is open until then.
        for _ in 0..<12 {
            world.server.clock.advance(by: .seconds(3590))
            _ = try await world.rules.logIns.findAdmin(done.token, at: nil, from: .local)
        }
        world.server.clock.advance(by: done.expiresAt - world.server.clock.now - .milliseconds(1))
        _ = try await world.rules.logIns.findAdmin(done.token, at: nil, from: .local)
        world.server.clock.advance(by: .milliseconds(1))
        await #expect(throws: DomainError.administration(.adminRequired)) {
            try await world.rules.logIns.findAdmin(done.token, at: nil, from: .local)
        }
    }

    @Test("is linked after a step-up alone, to one account each, and an account to one admin")
    func link() async throws {
        let world = try await SignOnWorld(roles: [.operator])
        let (owner, other) = (world.admins.browser(), world.admins.browser("operator"))
        try await world.link(owner, subject: "hana")
        #expect(try await world.link(other, subject: "hana").location == "/dashboard/sign-on?fault=taken")
        #expect(try await other.get("/dashboard/sign-on?fault=taken").status == 422)
        #expect(try await world.link(owner, subject: "sora").location == "/dashboard/sign-on?fault=already")
        #expect(try await world.link(owner, subject: "hana").location == "/dashboard/sign-on?done=linked", "again")
    }

    @Test("asks for a step-up before it is linked, and again when the person comes back too late")
    func linkNeedsStepUp() async throws {
        let world = try await SignOnWorld()
        let browser = world.admins.browser()
        let token = try await browser.get("/dashboard/sign-on").token
        world.server.clock.advance(by: AdminSession.freshness - .seconds(60))
        let leaving = try await browser.post("/dashboard/sign-on", [:], token: token)
        let asked = try world.asked(leaving)
        world.server.clock.advance(by: .seconds(61))
        #expect(
            try await browser.get(try world.back(asked, subject: "hana")).location == "/dashboard/sign-on?fault=again")
        let refused = try await browser.post("/dashboard/sign-on", [:], token: token)
        #expect(refused.status == 403 && refused.html.contains("Is it still you?"))
    }

    @Test("sets an invited admin up without any password, once, and never a new owner")
    func invitation() async throws {
        let world = try await SignOnWorld()
        let admin = try await world.rules.admins.create(name: "sora", role: .support, applications: nil, by: .local)
        let link = try await world.rules.admins.makeLink(for: admin.id, by: .local).token.revealed
        let browser = Browser(world.server)
        let page = try await browser.get("/dashboard/set-up?token=\(link)")
        #expect(page.html.contains("/dashboard/set-up/sign-on"))
        let asked = try world.asked(
            try await browser.post("/dashboard/set-up/sign-on", ["token": link], token: page.token))
        let entered = try await browser.get(try world.back(asked, subject: "sora"))
        #expect(entered.location == "/dashboard", "\(entered.html)")
        #expect(try await browser.get("/dashboard/applications").status == 200)
        let stored = try #require(try await world.rules.admins.list().first { $0.id == admin.id })
        #expect(stored.passwordHash == nil && stored.usesSignOnOnly && stored.role == .support)
        // Who saw the admin before has seen another version, also of the same millisecond.
        #expect(stored.updatedAt == max(world.server.clock.now, admin.updatedAt + .milliseconds(1)))
        // The link is used up, and the provider leads in.
        #expect(try await Browser(world.server).get("/dashboard/set-up?token=\(link)").status == 403)
        #expect(try await world.logIn(Browser(world.server), subject: "sora").location == "/dashboard")
        let last = try await browser.get("/dashboard/sign-on")
        #expect(try await browser.post("/dashboard/sign-on/unlink", [:], token: last.token).status == 403)
        let owners = try await world.rules.admins.makeLink(for: nil, by: .local).token.revealed
        let stranger = Browser(world.server)
        let form = try await stranger.get("/dashboard/set-up?token=\(owners)")
        #expect(!form.html.contains("/dashboard/set-up/sign-on"))
        #expect(
            try await stranger.post("/dashboard/set-up/sign-on", ["token": owners], token: form.token).status == 403)
    }

    @Test("leaves an owner with a password or passkeys: the last one cannot be set up with the provider alone")
    func lastOwner() async throws {
        let world = try await SignOnWorld()
        let owner = try #require(try await world.rules.admins.list().first)
        let link = try await world.rules.admins.makeLink(for: owner.id, by: .local).token.revealed
        let browser = Browser(world.server)
        let page = try await browser.get("/dashboard/set-up?token=\(link)")
        let asked = try world.asked(
            try await browser.post("/dashboard/set-up/sign-on", ["token": link], token: page.token))
        #expect(try await browser.get(try world.back(asked, subject: "hana")).status == 409)
        #expect(try await world.rules.admins.list().first?.passwordHash != nil)
    }

    @Test(
        "makes admins of a verified mail domain, with the role of the setting",
        arguments: [
            ("hana@example.com", true, true), ("HANA@EXAMPLE.COM", true, true), ("hana@example.com", false, false),
            ("hana@sub.example.com", true, false), ("hana@example.com.evil.test", true, false),
            ("hana@evilexample.com", true, false), ("hana@example.com@evil.test", true, false),
            // The name of the owner: a mail address alone leads to no admin that there is.
            ("root@example.com", true, false),
        ])
    func joining(email: String, isVerified: Bool, isMade: Bool) async throws {
        let world = try await SignOnWorld(["admin-sign-on-domain": "example.com", "admin-sign-on-role": "auditor"])
        _ = try await world.rules.admins.create(name: "root@example.com", role: .owner, applications: nil, by: .local)
        let before = try await world.rules.admins.list().count
        let more: [String: JSONValue] = ["email": .string(email), "email_verified": .bool(isVerified)]
        let browser = Browser(world.server)
        let page = try await world.logIn(browser, subject: "subject", more: more)
        #expect((page.location == "/dashboard") == isMade, "\(page.status)")
        let admins = try await world.rules.admins.list()
        #expect(admins.count == before + (isMade ? 1 : 0))
        guard isMade else {
            #expect(page.status == 403 && page.html.contains("leads to no admin here"))
            return
        }
        #expect(admins.contains { $0.role == .auditor && $0.usesSignOnOnly })
        // Again it is the same admin, whatever the address is by then.
        #expect(try await world.logIn(Browser(world.server), subject: "subject").location == "/dashboard")
        #expect(try await world.rules.admins.list().count == before + 1)
    }

    @Test("proves that the admin is still there, by a log-in at the provider after the question")
    func stepUp() async throws {
        let world = try await SignOnWorld()
        let browser = world.admins.browser()
        try await world.link(browser, subject: "hana")
        let token = try await browser.get("/dashboard/keys").token
        world.server.clock.advance(by: AdminSession.freshness)
        let fields = ["name": "CI", "days": "2", "scope.users:read": "yes", "applications": "all"]
        let question = try await browser.post("/dashboard/keys", fields, token: token)
        #expect(question.status == 403 && question.html.contains("/dashboard/sign-on/prove?back="))
        let way = "/dashboard/sign-on/prove?back=%2Fdashboard%2Fkeys"
        for more: [String: JSONValue] in [
            [:], ["auth_time": .integer(world.now - 61)], ["auth_time": .integer(world.now + 61)],
            ["auth_time": "now"], ["auth_time": .null],
        ] {
            let asked = try await world.leave(browser, way)
            #expect(asked["prompt"] == "login" && asked["max_age"] == "0")
            let refused = try await browser.get(try world.back(asked, subject: "hana", more: more))
            #expect(refused.status == 422, "\(more)")
        }
        let present: [String: JSONValue] = ["auth_time": .integer(world.now)]
        let stranger = try await browser.get(
            try world.back(try await world.leave(browser, way), subject: "sora", more: present))
        #expect(stranger.status == 403)
        #expect(try await browser.post("/dashboard/keys", fields, token: token).status == 403)
        let done = try await browser.get(
            try world.back(try await world.leave(browser, way), subject: "hana", more: present))
        #expect(done.location == "/dashboard/keys")
        let fresh = try await browser.get("/dashboard/keys").token
        #expect(try await browser.post("/dashboard/keys", fields, token: fresh).html.contains("oka_"))
        #expect(try await world.entries(.adminReauthenticated, .done).count == 1)
    }

    @Test(
        "takes a log-in at the provider from a minute before the question to a minute ahead of the clock for a new one",
        arguments: [(-61, false), (-60, true), (0, true), (60, true), (61, false)] as [(Int64, Bool)])
    func skew(seconds: Int64, isTaken: Bool) async throws {
        let world = try await SignOnWorld()
        let browser = world.admins.browser()
        try await world.link(browser, subject: "hana")
        let asked = try await world.leave(browser, "/dashboard/sign-on/prove?back=%2Fdashboard%2Fkeys")
        let done = try await browser.get(
            try world.back(asked, subject: "hana", more: ["auth_time": .integer(world.now + seconds)]))
        #expect(done.status == (isTaken ? 303 : 422))
        #expect(try await world.entries(.adminReauthenticated, isTaken ? .done : .refused).count == 1)
    }

    @Test("logs in without proving presence when the log-in at the provider was long ago, or nobody knows when")
    func oldLogIn() async throws {
        let world = try await SignOnWorld()
        try await world.link(world.admins.browser(), subject: "hana")
        for (more, isFresh) in [
            ([:], false), (["auth_time": .integer(world.now - 700)], false), (["auth_time": .integer(world.now)], true),
        ] as [([String: JSONValue], Bool)] {
            let browser = Browser(world.server)
            #expect(try await world.logIn(browser, subject: "hana", more: more).location == "/dashboard")
            let token = try await browser.get("/dashboard/keys").token
            let answer = try await browser.post("/dashboard/keys", ["name": "CI"], token: token)
            #expect((answer.status == 403) != isFresh, "\(more)")
        }
    }

    @Test(
        "leads back from a step-up to pages of the dashboard alone",
        arguments: [
            "https://evil.test/", "//evil.test", "/dashboard//evil.test", "/dashboardx", "/a/x", "/dashboard\\evil", "",
            "/dashboard/../a/x", "/dashboard/keys/./../../a/x?b", "/dashboard/%2E./a/x", "/dashboard/%2e%2E",
        ])
    func openRedirect(back: String) async throws {
        let world = try await SignOnWorld()
        let browser = world.admins.browser()
        try await world.link(browser, subject: "hana")
        let asked = try await world.leave(browser, "/dashboard/sign-on/prove?back=\(Browser.escaped(back))")
        let done = try await browser.get(
            try world.back(asked, subject: "hana", more: ["auth_time": .integer(world.now)]))
        #expect(done.location == "/dashboard")
    }

    @Test(
        "leads back from a step-up to an address of 500 bytes, and to the first page instead of a longer one",
        arguments: [(12, true), (500, true), (501, false), (2000, false)])
    func longAddress(bytes: Int, isKept: Bool) async throws {
        let world = try await SignOnWorld()
        let browser = world.admins.browser()
        try await world.link(browser, subject: "hana")
        let back = "/dashboard/" + String(repeating: "x", count: bytes - 11)
        let asked = try await world.leave(browser, "/dashboard/sign-on/prove?back=\(Browser.escaped(back))")
        let done = try await browser.get(
            try world.back(asked, subject: "hana", more: ["auth_time": .integer(world.now)]))
        #expect(done.location == (isKept ? back : "/dashboard"))
    }
}
