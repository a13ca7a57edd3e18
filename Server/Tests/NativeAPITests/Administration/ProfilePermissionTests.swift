import Domain
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing

@testable import NativeAPI

/// Issue 24: who decides where profiles are sent reads them.
@Suite("An address that gets users' profiles")
struct ProfilePermissionTests {
    private static let needed: Set<AdminPermission> = [.changeSettings, .readUsers, .readPersonalData]

    /// Sets that lack one permission at least.
    private static let partial: [Set<AdminPermission>] = [
        [.changeSettings, .readSettings], [.changeSettings, .readSettings, .readUsers],
        [.changeSettings, .readSettings, .readPersonalData],
    ]

    private func endpoint(_ world: AdminWorld, includesUser: Bool) async throws -> EventEndpoint {
        try await world.server.modules.events.endpoints.create(
            .init(url: "https://app.example.com/hooks", includesUser: includesUser),
            in: world.server.application.id, by: .local
        ).endpoint
    }

    private func stored(_ world: AdminWorld) async throws -> [EventEndpoint] {
        try await world.server.modules.events.endpoints.list(in: world.server.application.id)
    }

    @Test("is set by a key that may see what is personal, and by no other", arguments: partial)
    func create(scopes: Set<AdminPermission>) async throws {
        let world = try await AdminWorld(roles: [])
        let key = try await world.key(scopes)
        let path = world.path("/event-endpoints")
        let body = #"{"url": "https://evil.example.com", "includesUser": true}"#
        expect(try await world.send(key, .post, path, body: body), 403, .notAllowed)
        #expect(try await stored(world).isEmpty)
        let plain = try await world.send(key, .post, path, body: #"{"url": "https://app.example.com"}"#)
        #expect(plain.status == 201, "\(plain.text)")
        let full = try await world.send(try await world.key(Self.needed), .post, path, body: body)
        #expect(full.status == 201, "\(full.text)")
    }

    @Test("is moved by a key that may see what is personal, and by no other", arguments: partial)
    func change(scopes: Set<AdminPermission>) async throws {
        let world = try await AdminWorld(roles: [])
        let (key, made) = (try await world.key(scopes), try await endpoint(world, includesUser: true))
        let path = world.path("/event-endpoints/\(made.id)")
        for body in [#"{"url": "https://evil.example.com"}"#, #"{"includesUser": true}"#, #"{"isPaused": false}"#] {
            expect(try await world.send(key, .patch, path, body: body), 403, .notAllowed)
        }
        #expect(try await stored(world) == [made])
        let moved = #"{"url": "https://other.example.com", "includesUser": false}"#
        #expect(try await world.send(key, .patch, path, body: moved).status == 200)
        expect(try await world.send(key, .patch, path, body: #"{"includesUser": true}"#), 403, .notAllowed)
        let full = try await world.key(Self.needed)
        #expect(try await world.send(full, .patch, path, body: #"{"includesUser": true}"#).status == 200)
        #expect(try await stored(world).first?.includesUser == true)
    }

    /// A key that read users and changed settings came in as any of them, by a hook of adoption of its own.
    @Test(
        "is a hook's by a key that may change users, too: it gets typed passwords, or says as whom a device comes in",
        arguments: HookPoint.allCases)
    func hooks(point: HookPoint) async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/hooks/\(point.rawValue)")
        let rest = point == .logIn ? #", "until": "2099-01-01T00:00:00.000Z""# : ""
        let body = #"{"url": "https://evil.example.com", "whenDown": "refuse"\#(rest)}"#
        for scopes in Self.partial + [Self.needed] {
            expect(try await world.send(try await world.key(scopes), .put, path, body: body), 403, .notAllowed)
        }
        let full = try await world.key(Self.needed.union([.changeUsers]))
        #expect(try await world.send(full, .put, path, body: body).status == 201)
    }

    @Test("is of no use to who may see settings alone: what waits for it names users")
    func deliveries() async throws {
        let world = try await AdminWorld()
        let made = try await endpoint(world, includesUser: false)
        let person = try await world.server.person()
        let user = person.logIn.user.id
        _ = try await world.server.modules.events.readEvents(in: world.server.application.id, after: 0, limit: 9)
        let path = world.path("/event-endpoints/\(made.id)/deliveries")
        expect(try await world.send("auditor", .get, path), 403, .notAllowed)
        #expect(try await world.send("support", .get, path).text.contains(user))
        let page = "\(world.page("events"))?endpoint=\(made.id)"
        let auditor = try await world.browser("auditor").get(page)
        #expect(auditor.status == 200 && !auditor.html.contains(user))
        #expect(try await world.browser("owner").get(page).html.contains(user))
    }
}
