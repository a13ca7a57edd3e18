import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// Who says which apps use a domain's passkeys (decision 0144): not an admin of one application, when others have it too.
@Suite("A domain of passkeys")
struct PasskeyDomainTests {
    private static let domain = SoftwareAuthenticator.domain
    private static let app = "EVILEVIL12.evil.app"

    /// A server whose foreign application has the domain, and admins who see the other one alone.
    private func world() async throws -> AdminWorld {
        let world = try await AdminWorld(
            try await TestServer(settings: ["public-url": TestServer.url]), roles: [.operator], restricted: true)
        try await change(world.foreign.id, world) {
            $0.isEnabled = true
            $0.domain = Self.domain
            $0.appleApps = ["ABCDE12345.com.example.app"]
        }
        return world
    }

    private func change(
        _ id: Identifier<Domain.Application>, _ world: AdminWorld,
        by who: Operator = .local, _ change: @escaping @Sendable (inout PasskeyRules) -> Void
    ) async throws {
        _ = try await world.server.modules.applications.changeApplication(id, isCurrent: { _ in true }, by: who) {
            change(&$0.settings.passkeys)
        }
    }

    private func patch(_ who: String, _ world: AdminWorld, _ passkeys: String) async throws -> Answer {
        let version = try #require(try await world.send(who, .get, world.path()).headers[.eTag])
        return try await world.send(
            who, .patch, world.path(), [("If-Match", version)], body: #"{"passkeys": \#(passkeys)}"#)
    }

    private func expectRefused(
        _ answer: Answer, _ field: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == 400, "\(answer.text)", sourceLocation: sourceLocation)
        let errors = try answer.read(Problem.self).errors ?? []
        #expect(errors.map(\.code) == ["not_own_domain"], "\(answer.text)", sourceLocation: sourceLocation)
        #expect(errors.map(\.field) == [field], sourceLocation: sourceLocation)
    }

    private func apps(_ world: AdminWorld, of host: String) async throws -> String {
        try await world.server.send(.get, APIPath.appleAppSiteAssociation, host: host, isNamed: false).text
    }

    @Test(
        "of another application, of the server itself, or above it is taken by no admin of one application alone",
        arguments: [
            #""example.com""#, "null", #""id.example.test""#, #""example.test""#,
        ])
    func taken(domain: String) async throws {
        let world = try await world()
        let body = #"{"enabled": true, "domain": \#(domain), "appleApps": ["\#(Self.app)"]}"#
        try expectRefused(try await patch("operator", world, body), "passkeys.domain")
        for host in [Self.domain, "id.example.test", "example.test"] {
            #expect(try await !apps(world, of: host).contains(Self.app))
        }
        // An admin of all applications decides for all of them.
        #expect(try await patch("owner", world, body).status == 200)
        let host = domain == "null" ? "id.example.test" : String(domain.dropFirst().dropLast())
        #expect(try await apps(world, of: host).contains(Self.app))
    }

    @Test("that an owner lets be shared gets no app and no origin from an admin of one application, and loses them")
    func shared() async throws {
        let world = try await world()
        let certificate = (0..<32).map { _ in "AB" }.joined(separator: ":")
        let own = #"{"enabled": true, "domain": "example.com", "appleApps": ["ABCDE12345.own"], "origins": []}"#
        #expect(try await patch("owner", world, own).status == 200)
        for (field, value) in [
            ("appleApps", #"["ABCDE12345.own", "\#(Self.app)"]"#), ("origins", #"["https://evil.example"]"#),
            ("androidApps", #"[{"package": "evil.app", "certificates": ["\#(certificate)"]}]"#),
        ] {
            try expectRefused(try await patch("operator", world, #"{"\#(field)": \#(value)}"#), "passkeys.\(field)")
        }
        // What is about their own users stays theirs.
        let rules = #"{"userVerificationRequired": false, "appleApps": []}"#
        #expect(try await patch("operator", world, rules).status == 200)
        try expectRefused(
            try await patch("operator", world, #"{"appleApps": ["ABCDE12345.own"]}"#), "passkeys.appleApps")
    }

    @Test("is held for its application while passkeys are off there")
    func paused() async throws {
        let world = try await world()
        try await change(world.foreign.id, world) { $0.isEnabled = false }
        let body = #"{"enabled": true, "domain": "example.com"}"#
        try expectRefused(try await patch("operator", world, body), "passkeys.domain")
    }

    @Test("that nobody else has is an admin's own, with its apps")
    func own() async throws {
        let world = try await world()
        let body = #"{"enabled": true, "domain": "own.example", "appleApps": ["ABCDE12345.own"]}"#
        #expect(try await patch("operator", world, body).status == 200)
        let more = #"{"appleApps": ["ABCDE12345.own", "ABCDE12345.next"], "origins": ["https://shop.example"]}"#
        #expect(try await patch("operator", world, more).status == 200)
        #expect(try await apps(world, of: "own.example").contains("ABCDE12345.next"))
        #expect(try await patch("operator", world, #"{"domain": "other.example"}"#).status == 200)
    }

    @Test("is shared by an admin who sees all applications that have it")
    func both() async throws {
        let world = try await world()
        let admins = world.server.modules.administration.admins
        let admin = try await admins.create(
            name: "both", role: .operator, applications: [world.server.application.id, world.foreign.id], by: .local)
        let token = try await AdminWorld.setUp(
            try await admins.makeLink(for: admin.id, by: .local).token, name: nil, on: world.server)
        #expect(try await patch(token, world, #"{"enabled": true, "domain": "example.com"}"#).status == 200)
        // The server's own is not among them.
        try expectRefused(try await patch(token, world, #"{"domain": null}"#), "passkeys.domain")
    }

    @Test("is not taken by the key that an application was made with")
    func key() async throws {
        let world = try await world()
        let made = try await world.server.modules.applications.createApplication(name: "Own", by: .local)
        let (path, key) = ("applications/\(made.application.id)", made.adminKey.revealed)
        let version = try #require(try await world.send(key, .get, path).headers[.eTag])
        let answer = try await world.send(
            key, .patch, path, [("If-Match", version)], body: #"{"passkeys": {"enabled": true}}"#)
        try expectRefused(answer, "passkeys.domain")
    }

    @Test("of others is refused by the dashboard too, in words")
    func dashboard() async throws {
        let world = try await world()
        let refused = try await world.postSettings(
            ["passkeys.enabled": "yes", "passkeys.domain": Self.domain, "passkeys.appleApps": Self.app],
            as: "operator")
        #expect(refused.status == 422)
        #expect(refused.error("passkeys.domain")?.contains("another application") == true)
        #expect(try await !apps(world, of: Self.domain).contains(Self.app))
    }

    @Test("goes to one of two applications that ask for it at once")
    func race() async throws {
        let world = try await world()
        let modules = world.server.modules
        let second = try await modules.applications.createApplication(name: "Second", by: .local).application
        let ids = [world.server.application.id, second.id]
        let operators = [Operator(actor: .operator, origin: .local), Operator(actor: .unknown, origin: .local)]
        let taken = await withTaskGroup(of: Bool.self) { group in
            for (id, who) in zip(ids, operators) {
                group.addTask {
                    do {
                        try await change(id, world, by: who) {
                            $0.isEnabled = true
                            $0.domain = "new.example"
                        }
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 1)
    }
}
