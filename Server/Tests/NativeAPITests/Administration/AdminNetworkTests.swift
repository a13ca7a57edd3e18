import Domain
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

/// The setting `admin-networks` (requirement 41). Tests come from 192.0.2.1 where nothing else is said.
@Suite("An administration that is confined to networks")
struct AdminNetworkTests {
    private static let elsewhere = "203.0.113.9"

    private func world(_ networks: String, proxies: String = "") async throws -> AdminWorld {
        let settings = ["admin-networks": networks, "trusted-proxies": proxies]
        return try await AdminWorld(try await TestServer(settings: settings), roles: [])
    }

    private func ask(
        _ path: String, _ world: AdminWorld, from peer: String, _ headers: [(String, String)] = []
    ) async throws -> Answer {
        let token = try #require(world.tokens["owner"])
        return try await world.server.send(
            .get, path, [("Authorization", "Bearer \(token)"), ("Sec-Fetch-Site", "none")] + headers, peer: peer,
            isNamed: false)
    }

    @Test(
        "answers from within, and is not there for anybody else",
        arguments: ["/v1/admin/applications", "/dashboard/log-in", "/dashboard"])
    func confined(path: String) async throws {
        let world = try await world("192.0.2.0/24,2001:db8::/32")
        let within = try await ask(path, world, from: "192.0.2.200").status
        #expect([200, 303].contains(within))
        #expect(try await ask(path, world, from: "2001:db8::5").status == within)
        let without = try await ask(path, world, from: Self.elsewhere)
        #expect(without.status == 404 && without.headers[.location] == nil)
    }

    @Test("tells outside of it no route from what is none")
    func hidden() async throws {
        let world = try await world("192.0.2.0/24")
        let route = try await ask("/v1/admin/admins", world, from: Self.elsewhere)
        let none = try await ask("/v1/admin/nothing", world, from: Self.elsewhere)
        #expect(route.status == 404 && none.status == 404)
        #expect(try route.read(Problem.self).title == none.read(Problem.self).title)
        #expect(try route.read(Problem.self).detail == none.read(Problem.self).detail)
    }

    @Test(
        "shows a browser outside of it the same as for a path that there is not",
        arguments: [
            ("/dashboard/log-in", "/nothing"), ("/dashboard/nothing", "/nothing"), ("/dashboard", "/nothing"),
            ("/v1/admin/admins", "/v1/nothing"), ("/v1/admin/nothing", "/v1/nothing"),
        ])
    func browsers(path: String, nowhere: String) async throws {
        let world = try await world("192.0.2.0/24")
        let opening = [("Accept", "text/html,*/*;q=0.8")]
        let hidden = try await ask(path, world, from: Self.elsewhere, opening)
        let none = try await ask(nowhere, world, from: Self.elsewhere, opening)
        #expect(hidden.status == 404 && none.status == 404)
        #expect(hidden.headers[.contentType] == none.headers[.contentType])
        #expect(Set(hidden.headers.map(\.name.canonicalName)) == Set(none.headers.map(\.name.canonicalName)))
    }

    @Test(
        "is nothing that another method would show",
        arguments: [
            ("/v1/admin/log-in", HTTPRequest.Method.put), ("/v1/admin/log-in", .options), ("/dashboard", .options),
            ("/dashboard/log-in", .delete), ("/dashboard/log-in", .get), ("/v1/admin//admins", .get),
            ("/dashboard//log-in", .get), ("/dashboard/nothing", .get),
        ] as [(String, HTTPRequest.Method)])
    func methods(path: String, method: HTTPRequest.Method) async throws {
        let server = try await world("192.0.2.0/24").server
        let hidden = try await server.send(method, path, peer: Self.elsewhere, isNamed: false)
        let none = try await server.send(method, "/nothing", peer: Self.elsewhere, isNamed: false)
        #expect(hidden.status == 404 && none.status == 404)
        #expect(hidden.headers[.allow] == nil && hidden.headers[.contentType] == none.headers[.contentType])
        #expect(try hidden.read(Problem.self).title == none.read(Problem.self).title)
        // What is for everybody says its methods as before.
        let keys = try await server.send(.put, "/.well-known/jwks.json", peer: Self.elsewhere, isNamed: false)
        #expect(keys.status == 405)
    }

    @Test("is reached with keys from within alone, and leaves everything that is for users where it is")
    func users() async throws {
        let world = try await world("192.0.2.0/24")
        let key = try await world.key([.readUsers])
        func list(from peer: String) async throws -> Int {
            try await world.server.send(
                .get, "/v1/admin/\(world.path("/users"))", [("Authorization", "Bearer \(key)")], peer: peer,
                isNamed: false
            ).status
        }
        #expect(try await list(from: "192.0.2.1") == 200)
        #expect(try await list(from: Self.elsewhere) == 404)
        #expect(try await world.server.send(.get, "/.well-known/jwks.json", peer: Self.elsewhere).status == 200)
        #expect(try await world.server.send(.get, "/health/live", peer: Self.elsewhere).status == 200)
    }

    @Test("believes of the client's address what listed proxies say, and nobody else")
    func proxies() async throws {
        let path = "/v1/admin/applications"
        for header in ["X-Forwarded-For", "X-Real-IP", "Forwarded"] {
            let forged = try await ask(
                path, try await world("192.0.2.0/24"), from: Self.elsewhere, [(header, "192.0.2.1")])
            #expect(forged.status == 404, "\(header)")
        }
        // A proxy that nobody listed hides who asks, although it is within itself.
        let unlisted = try await ask(
            path, try await world("192.0.2.0/24"), from: "192.0.2.1", [("X-Forwarded-For", "192.0.2.7")])
        #expect(unlisted.status == 404)
        let world = try await world("192.0.2.0/24", proxies: "10.0.0.1")
        #expect(try await ask(path, world, from: "10.0.0.1", [("X-Forwarded-For", "192.0.2.7")]).status == 200)
        #expect(try await ask(path, world, from: "10.0.0.1", [("X-Forwarded-For", Self.elsewhere)]).status == 404)
    }

    @Test(
        "is not opened to everybody by a list that cannot be read",
        arguments: [",", " , ", "everywhere", "10.0.0.0/33", "10.0.0.1;10.0.0.2"])
    func malformed(text: String) {
        #expect(throws: SettingFault.self) {
            try ServerSettings(commandLine: ["admin-networks": text], environment: [:])
        }
    }
}
