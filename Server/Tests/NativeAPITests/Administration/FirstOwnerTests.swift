import Domain
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

@testable import NativeAPI

/// The first owner of a server for development, who may come in without an authenticator app, and what becomes of it when
/// the same data is served in production.
@Suite("The first owner")
struct FirstOwnerTests {
    private static let development = ["dev": "on"]

    /// Makes the first owner by the pages, without a code.
    private func owner(of server: TestServer, name: String = "mika") async throws -> Browser {
        let browser = Browser(server)
        let link = try await server.modules.administration.admins.makeLink(for: nil, by: .local).token.revealed
        let shown = try await browser.get("/dashboard/set-up?token=\(link)")
        #expect(shown.html.contains("you can leave the code empty"))
        let done = try await browser.post(
            "/dashboard/set-up", ["token": link, "name": name, "password": AdminWorld.password, "code": ""],
            token: shown.token)
        try #require(done.status == 303 && done.location == "/dashboard", "\(done.html)")
        return browser
    }

    private func logIn(
        _ server: TestServer, code: String = "", password: String = AdminWorld.password
    ) async throws -> Answer {
        try await server.send(
            .post, "/v1/admin/log-in", body: #"{"name": "mika", "password": "\#(password)", "code": "\#(code)"}"#,
            isNamed: false)
    }

    /// Sets up by a link, and returns what the authenticator app read.
    private func setUp(_ token: String, code: String?, on server: TestServer) async throws -> (Answer, key: JSONValue) {
        let opened = try await server.send(
            .post, "/v1/admin/set-up/open", body: #"{"token": "\#(token)"}"#, isNamed: false)
        let key = try #require(try opened.json["totpKey"])
        let code = try code ?? AdminWorld.code(key, at: server.clock.now)
        let answer = try await server.send(
            .post, "/v1/admin/set-up",
            body: #"{"token": "\#(token)", "name": "rin", "password": "\#(AdminWorld.password)", "code": "\#(code)"}"#,
            isNamed: false)
        return (answer, key)
    }

    @Test("comes in without an authenticator app under development, and reads on every page where to add one")
    func development() async throws {
        let server = try await TestServer(settings: Self.development)
        let browser = try await owner(of: server)
        #expect(try await !server.modules.administration.logIns.needsFirstAdmin())
        let id = try #require(try await server.modules.administration.admins.list().first?.id)
        let applications = try await browser.get("/dashboard/applications")
        #expect(applications.html.contains("without an authenticator app"))
        #expect(applications.html.contains("href=\"/dashboard/admins/\(id)\""))
        #expect(try await browser.get("/dashboard/admins/\(id)").html.contains("New password and codes"))
        try await browser.post("/dashboard/log-out", [:], token: applications.token)

        let form = try await browser.get("/dashboard/log-in")
        #expect(form.html.contains("Leave it empty if you have none"))
        let wrong = try await browser.post(
            "/dashboard/log-in", ["name": "mika", "password": "wrong password here", "code": ""], token: form.token)
        #expect(wrong.status == 422 && wrong.html.contains("Each code counts once"))
        let right = try await browser.post(
            "/dashboard/log-in", ["name": "mika", "password": AdminWorld.password, "code": ""], token: form.token)
        #expect(right.status == 303 && right.location == "/dashboard")
    }

    @Test(
        "is asked for at the log-in of a server without an admin, in three languages",
        arguments: [("en", "There is no admin yet"), ("ja", "管理者がまだいません"), ("ko", "아직 관리자가 없습니다")])
    func hint(language: String, words: String) async throws {
        let server = try await TestServer(settings: Self.development)
        let stranger = Browser(server, language: language)
        let before = try await stranger.get("/dashboard/log-in")
        #expect(before.html.contains(words) && before.html.contains("okaeri admin link"))
        _ = try await owner(of: server)
        #expect(try await !stranger.get("/dashboard/log-in").html.contains(words))
    }

    @Test("is the only one: further owners and invited admins need the app under development too")
    func others() async throws {
        let server = try await TestServer(settings: Self.development)
        let admins = server.modules.administration.admins
        let early = try await admins.makeLink(for: nil, by: .local).token.revealed
        _ = try await owner(of: server)
        // The owner's set-up ends earlier links for owners.
        let opened = try await server.send(
            .post, "/v1/admin/set-up/open", body: #"{"token": "\#(early)"}"#, isNamed: false)
        expect(opened, 403, .linkRefused)
        let second = try await admins.makeLink(for: nil, by: .local).token.revealed
        expect(try await setUp(second, code: "", on: server).0, 400, .codeRefused)
        #expect(try await setUp(second, code: nil, on: server).0.status == 201)
        let admin = try await admins.create(name: "hana", role: .support, applications: nil, by: .local)
        let third = try await admins.makeLink(for: admin.id, by: .local).token.revealed
        expect(try await setUp(third, code: "", on: server).0, 400, .codeRefused)
    }

    @Test("adds the app by a link for new credentials, and then needs it under development too")
    func added() async throws {
        let server = try await TestServer(settings: Self.development)
        let browser = try await owner(of: server)
        let id = try #require(try await server.modules.administration.admins.list().first?.id)
        let page = try await browser.get("/dashboard/admins/\(id)")
        let made = try await browser.post("/dashboard/admins/\(id)/link", [:], token: page.token)
        let token = try #require(made.html.firstMatch(of: /token=(okl_[\w-]+)/)?.output.1)
        expect(try await setUp(String(token), code: "", on: server).0, 400, .codeRefused)
        let (answer, key) = try await setUp(String(token), code: nil, on: server)
        #expect(answer.status == 201)
        #expect(try answer.json["recoveryCodes"]?.list.count == 10)
        expect(try await logIn(server), 401, .credentialRefused)
        server.clock.advance(by: .seconds(30))
        let code = try AdminWorld.code(key, at: server.clock.now)
        #expect(try await logIn(server, code: code).status == 200)
    }

    @Test("needs the app in production", arguments: ["", " ", "000000"])
    func production(code: String) async throws {
        let server = try await TestServer()
        let link = try await server.modules.administration.admins.makeLink(for: nil, by: .local).token.revealed
        let shown = try await Browser(server).get("/dashboard/set-up?token=\(link)")
        #expect(!shown.html.contains("leave the code empty"))
        expect(try await setUp(link, code: code, on: server).0, 400, .codeRefused)
        #expect(try await server.modules.administration.logIns.needsFirstAdmin())
        #expect(try await server.modules.administration.admins.list().isEmpty)
    }

    @Test("of a server for development is let in by nothing but a link once the same data is served in production")
    func thenProduction() async throws {
        let development = try await TestServer(settings: Self.development)
        let browser = try await owner(of: development)
        let session = try #require(browser.cookie("__Host-okaeri-admin"))
        let key = try await development.send(
            .post, "/v1/admin/keys", [("Authorization", "Bearer \(session)")],
            body: #"{"name": "CI", "scopes": ["users:read"], "days": 30}"#, isNamed: false)
        let secret = try #require(try key.json["secret"]?.text)
        func me(_ token: String, on server: TestServer) async throws -> Answer {
            try await server.send(.get, "/v1/admin/me", [("Authorization", "Bearer \(token)")], isNamed: false)
        }
        #expect(try await me(session, on: development).status == 200)
        #expect(try await me(secret, on: development).status == 200)

        let production = try await TestServer(store: development.store, clock: development.clock)
        expect(try await me(session, on: production), 401, .adminRequired)
        expect(try await me(secret, on: production), 401, .adminRequired)
        let stranger = Browser(production)
        stranger.plant(session, name: "admin")
        #expect(try await stranger.get("/dashboard/applications").location == "/dashboard/log-in")
        for code in ["", "000000"] {
            expect(try await logIn(production, code: code), 401, .credentialRefused)
        }
        // What the start of the server prints.
        let link = try #require(await production.composition.firstAdminLink(port: 8080))
        #expect(link.owner == "mika")
        let token = try #require(link.url.firstMatch(of: /token=(okl_[\w-]+)/)?.output.1)
        expect(try await setUp(String(token), code: "", on: production).0, 400, .codeRefused)
        let (answer, totp) = try await setUp(String(token), code: nil, on: production)
        #expect(answer.status == 201)
        #expect(try answer.json["admin"]?["name"] == "mika" && answer.json["admin"]?["role"] == "owner")
        #expect(await production.composition.firstAdminLink(port: 8080) == nil)
        production.clock.advance(by: .seconds(30))
        expect(try await logIn(production), 401, .credentialRefused)
        #expect(
            try await logIn(production, code: AdminWorld.code(totp, at: production.clock.now)).status == 200)
        _ = development
    }
}
