import Domain
import HTTPSupport
import HTTPTypes
import OkaeriServer
import OkaeriWire
import TestWorld
import Testing

@testable import Dashboard

/// Lists as long as a body or a form can hold, at every route of the native API, of the dashboard and of the
/// hosted pages that reads one.
@Suite("A body of a hundred thousand parts", .timeLimit(.minutes(10)))
struct LongBodyTests {
    private static let profile = [
        LongBody.list(#"{"fields":{"#, #""m%":1"#, "}}"), LongBody.list(#"{"fields":{"list":["#, "%", "]}}"),
        LongBody.list(#"{"fields":{"object":{"#, #""m%":1"#, "}}}"),
    ]
    private static let signUp = [
        LongBody.list(#"{"username":"hana","password":"four quiet words","user":{"fields":{"#, #""m%":1"#, "}}}"),
        LongBody.list(#"{"username":"hana","password":"four quiet words","device":{"#, #""m%":1"#, "}}"),
    ]
    private static let passkey = [
        LongBody.list(#"{"credential":{"#, #""m%":1"#, "}}"),
        LongBody.list(#"{"credential":{"response":{"transports":["#, #""n%""#, "]}}}"),
    ]

    /// What a route of the native API knows beside what any can get.
    private static func bodies(of path: String) -> [String] {
        switch path {
        case APIPath.user: profile
        case APIPath.signUp, APIPath.upgrade: signUp
        case APIPath.passkeys, APIPath.logInWithPasskey, APIPath.mergeByPasskey: passkey
        default: []
        }
    }

    @Test("is answered soon at every route of the native API, in few words, and is no fault of the server")
    func native() async throws {
        let server = try await TestServer(settings: ["rate-limits": "off"])
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let routes = try await Composition.routeTable(settings).filter {
            $0.surface == "native" && ["POST", "PUT", "PATCH"].contains($0.method)
        }
        #expect(routes.count > 20)
        for (number, route) in routes.enumerated() {
            // Some routes end the session.
            let (person, other) = (try await server.person(), try await server.person())
            let method = try #require(HTTPRequest.Method(rawValue: route.method))
            let segments = route.path.split(separator: "/").map { $0.hasPrefix("{") ? "google" : String($0) }
            let path = "/" + segments.joined(separator: "/")
            // What is away for a short body too may say so: this server sends no mails.
            let away = try await other.send(method, path, body: "{}").status == 503 ? 503 : nil
            let shapes = LongBody.chosen(of: LongBody.shapes, at: number, share: 2)
            for body in shapes + Self.bodies(of: route.path) {
                let what = "\(route.method) \(route.path) \(body.prefix(60))"
                let isQuick = try await HostileTextTests.isQuick(within: LongBody.patience(with: body)) {
                    let answer = try await person.send(method, path, body: body)
                    #expect(
                        answer.status < 500 || answer.status == away,
                        "\(what): \(answer.status) \(answer.text.prefix(300))")
                    #expect(answer.text.utf8.count < 100_000, "\(what): \(answer.text.utf8.count) bytes")
                }
                #expect(isQuick, "\(what)")
            }
        }
    }

    private static let manyParameters = [
        LongBody.list("", "n=%", "", maximumBytes: 60_000, separator: "&"),
        LongBody.list("", "n%=1", "", maximumBytes: 60_000, separator: "&"),
        LongBody.list("", "n%=1", "", separator: "&"),
    ]

    /// Sends a form as it is, as a page of the server's own would.
    private static func post(
        _ body: String, to path: String, of server: TestServer, cookie: String
    ) async throws -> Answer {
        try await server.send(
            .post, path,
            [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", cookie),
                ("Origin", "http://id.example.test"), ("Sec-Fetch-Site", "same-origin"),
            ], body: body, isNamed: false)
    }

    /// Forms of the dashboard, but for those that end the log-in of who sends them, and those of nobody.
    private static let forms = Dashboard.table.filter {
        $0.method == .post && !$0.isOpen && $0.path != "/log-out"
    }

    private static func path(_ path: String, in world: AdminWorld, user: String) -> String {
        "/dashboard"
            + path.replacing("{application}", with: world.server.application.id.rawValue)
            .replacing("{user}", with: user).replacing(#/\{[a-z]+\}/#, with: "google")
    }

    @Test("is answered soon in every field of every form of the dashboard, as words with spaces between")
    func words() async throws {
        let world = try await AdminWorld(roles: [])
        let user = try await world.server.person().logIn.user.id
        // A space has three bytes in a form.
        let long = LongBody.list("", "n%", "", maximumBytes: 40_000, separator: " ")
        let patience = LongBody.patience(with: LongBody.shapes[0])
        var sent = 0
        for (number, form) in Self.forms.enumerated() {
            // Some end what they are sent by.
            let browser = world.browser()
            let (page, path) = (
                Self.path(form.page.path, in: world, user: user), Self.path(form.path, in: world, user: user)
            )
            let shown = try await browser.get(page)
            let token = try #require(
                try await browser.get("/dashboard/applications").token, "\(form.path): nobody is logged in")
            let values = shown.html.matches(of: #/name="([^"]+)"[^>]*? value="([^"]*)"/#).map {
                (String($0.output.1), String($0.output.2))
            }
            let names = Set(shown.html.matches(of: #/name="([^"]+)"/#).map { String($0.output.1) })
            let own = Dictionary(values, uniquingKeysWith: { first, _ in first }).filter {
                // The browser adds both, as they are then.
                !["form_token", "version"].contains($0.key)
            }
            let others = names.subtracting(["form_token", "version"]).sorted()
            for name in LongBody.chosen(of: others, at: number, share: 3) {
                let isQuick = try await HostileTextTests.isQuick(within: patience) {
                    let fields = own.merging([name: long]) { _, new in new }
                    let answer = try await browser.post(path, fields, token: token)
                    #expect(answer.status < 500, "\(form.path) \(name): \(answer.status)")
                    #expect(answer.html.utf8.count < 1_000_000, "\(form.path) \(name)")
                }
                #expect(isQuick, "\(form.path) \(name)")
                sent += 1
            }
        }
        #expect(sent > 50)
    }

    @Test("is refused soon by every form of the dashboard where it is one parameter again and again, or many")
    func parameters() async throws {
        let world = try await AdminWorld(roles: [])
        let user = try await world.server.person().logIn.user.id
        let patience = LongBody.patience(with: LongBody.shapes[0])
        let cookie = "__Host-okaeri-admin=\(world.tokens["owner"] ?? "")"
        for (number, form) in Self.forms.enumerated() {
            for body in LongBody.chosen(of: Self.manyParameters, at: number, share: 1) {
                let isQuick = try await HostileTextTests.isQuick(within: patience) {
                    let answer = try await Self.post(
                        body, to: Self.path(form.path, in: world, user: user), of: world.server, cookie: cookie)
                    #expect((400..<500).contains(answer.status), "\(form.path): \(answer.status)")
                }
                #expect(isQuick, "\(form.path) \(body.prefix(20))")
            }
        }
    }

    // MARK: The hosted pages

    /// Names that the forms of the pages have, and those that only a step before them brings.
    private static let names = [
        "identifier", "password", "username", "email", "token", "ticket", "code", "continue", "choice", "displayName",
        "currentPassword", "newPassword", "provider", "session", "credential", "name", "passkey", "factor", "sure",
        "work",
        "redirect_uri", "scope", "state", "client_id", "grant_type", "refresh_token",
    ]

    /// Where forms of the pages are sent, the addresses of OAuth among them.
    private static func targets(on server: TestServer) async throws -> [String] {
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let routes = try await Composition.routeTable(settings).filter {
            $0.method == "POST" && $0.path.hasPrefix("/a/{application}/")
        }
        return routes.map {
            $0.path.replacing("{application}", with: server.application.id.rawValue)
                .replacing(#/\{[a-z]+\}/#, with: "google")
        }
    }

    private static func pages() async throws -> TestServer {
        try await TestServer(settings: ["public-url": TestServer.url, "dev": "on", "rate-limits": "off"])
    }

    /// Somebody who is logged in on the pages, and what their forms carry.
    private static func member(
        _ name: String, of server: TestServer
    ) async throws -> (browser: Browser, token: String) {
        let browser = Browser(server)
        let made = try await browser.fill("sign-up", ["username": name, "password": HostilePageTests.password])
        try #require(made.status == 303, "\(made.status)")
        return (browser, try #require(try await browser.get(browser.path("account")).token))
    }

    @Test("is answered soon in every field of every form of the hosted pages, as words with spaces or commas between")
    func pageWords() async throws {
        let server = try await Self.pages()
        let patience = LongBody.patience(with: LongBody.shapes[0])
        let long = [
            LongBody.list("", "n%", "", maximumBytes: 40_000, separator: " "),
            LongBody.list("[", "%", "]", maximumBytes: 40_000, separator: ","),
        ]
        let targets = try await Self.targets(on: server)
        #expect(targets.count > 30)
        for (number, target) in targets.enumerated() {
            // Some end the session.
            let member = try await Self.member("hana\(number)", of: server)
            var isAway = false
            for name in LongBody.chosen(of: Self.names, at: number, share: 3) {
                for value in LongBody.chosen(of: long, at: number, share: 1) {
                    let isQuick = try await HostileTextTests.isQuick(within: patience) {
                        let page = try await member.browser.post(target, [name: value], token: member.token)
                        #expect(page.status < 500 || page.status == 503, "\(target) \(name): \(page.status)")
                        isAway = isAway || page.status == 503
                        #expect(page.html.utf8.count < 1_000_000, "\(target) \(name)")
                    }
                    #expect(isQuick, "\(target) \(name)")
                }
            }
            guard isAway else { continue }
            // What is away is so for a short form too: this server sends no mails.
            let other = try await Self.member("yuki\(number)", of: server)
            #expect(try await other.browser.post(target, [:], token: other.token).status == 503, "\(target)")
        }
    }

    @Test("is answered soon by every form of the hosted pages where it is one parameter again and again, or many")
    func pageParameters() async throws {
        let server = try await Self.pages()
        let member = try await Self.member("hana", of: server)
        let cookie = "__Host-okaeri-\(server.application.id.rawValue)=\(member.browser.session ?? "")"
        let patience = LongBody.patience(with: LongBody.shapes[0])
        for (number, target) in try await Self.targets(on: server).enumerated() {
            for body in LongBody.chosen(of: Self.manyParameters, at: number, share: 1) {
                let isQuick = try await HostileTextTests.isQuick(within: patience) {
                    let answer = try await Self.post(body, to: target, of: server, cookie: cookie)
                    #expect(answer.status < 500, "\(target): \(answer.status)")
                }
                #expect(isQuick, "\(target) \(body.prefix(20))")
            }
        }
    }
}
