import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Every admin route")
struct AdminPermissionTests {
    /// The path with something in each index; a body goes with those that read one.
    private func path(_ route: AdminRoute, _ application: Identifier<Domain.Application>) -> String {
        var path = String(route.path.dropFirst(AdminAPI.root.count))
        path = path.replacing("{application}", with: application.rawValue)
        for name in [
            "user", "session", "merge", "id", "provider", "protocol", "kind", "language", "field", "view", "thumbprint",
            "grant",
        ] {
            path = path.replacing("{\(name)}", with: "nothing")
        }
        return path
    }

    private func ask(
        _ world: AdminWorld, _ who: String?, _ route: AdminRoute, in application: Identifier<Domain.Application>
    ) async throws -> Answer {
        let hasBody = route.method != .get && route.method != .delete
        return try await world.send(
            who, route.method, path(route, application), [("If-Match", "\"1\"")], body: hasBody ? "{}" : nil)
    }

    @Test("is closed to who is no admin", arguments: AdminAPI.table.indices)
    func closed(index: Int) async throws {
        let route = AdminAPI.table[index]
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person()
        for who in [nil, "okd_" + String(repeating: "A", count: 43), "oka_x", person.token] {
            let answer = try await ask(world, who, route, in: world.server.application.id)
            if route.action.policy.access == .open {
                #expect(answer.code != .adminRequired)
            } else {
                expect(answer, 401, .adminRequired)
            }
        }
    }

    @Test("is open to exactly the roles that have its permission", arguments: AdminRole.allCases)
    func roles(role: AdminRole) async throws {
        let world = try await AdminWorld()
        for route in AdminAPI.table where route.action.policy.access != .open && !route.path.hasSuffix("/log-out") {
            let answer = try await ask(world, role.rawValue, route, in: world.server.application.id)
            let isAllowed = role.may(route.action)
            #expect((answer.code != .notAllowed) == isAllowed, "\(role) \(route.method) \(route.path): \(answer.text)")
            #expect(answer.code != .adminRequired, "\(route.path)")
        }
    }

    @Test(
        "of an application that an admin may not see answers as if there were none",
        arguments: AdminRole.allCases.filter { $0 != .owner })
    func foreign(role: AdminRole) async throws {
        let world = try await AdminWorld(restricted: true)
        for route in AdminAPI.table where route.action.policy.access != .open && !route.path.hasSuffix("/log-out") {
            guard route.isInApplication else {
                let answer = try await ask(world, role.rawValue, route, in: world.foreign.id)
                if route.action.policy.access != .everyAdmin { expect(answer, 403, .notAllowed) }
                continue
            }
            let foreign = try await ask(world, role.rawValue, route, in: world.foreign.id)
            let unknown = try await ask(world, role.rawValue, route, in: Identifier(rawValue: "none"))
            expect(foreign, 404, .notFound)
            expect(unknown, 404, .notFound)
        }
        let seen = try await world.send(role.rawValue, .get, "applications").json["applications"]?.list ?? []
        #expect(seen.compactMap { $0["id"]?.text } == [world.server.application.id.rawValue])
    }

    @Test("finds no user of another application")
    func otherUsers() async throws {
        let world = try await AdminWorld(roles: [.operator], restricted: true)
        let stranger = try await world.server.modules.logIns.signUp(
            .init(
                application: world.foreign, identifiers: .init(username: .set("stranger"), rules: .native),
                password: Secret("four quiet words"),
                client: LogInClient(
                    .native, from: ClientAddress(text: "192.0.2.9", allowanceGroup: "x"), origin: .local)))
        for route in AdminAPI.table where route.path.contains("{user}") {
            let path = path(route, world.server.application.id).replacing("nothing", with: stranger.user.id.rawValue)
            let body = route.path.hasSuffix("/merge") ? #"{"into": "\#(stranger.user.id)"}"# : "{}"
            let answer = try await world.send(
                "operator", route.method, path, [("If-Match", "\"1\"")],
                body: route.method == .get || route.method == .delete ? nil : body)
            #expect(answer.status == 404, "\(route.method) \(path): \(answer.text)")
        }
        let there = try await world.server.modules.directory.readUser(stranger.user.id, in: world.foreign.id)
        #expect(there.disabledAt == nil && there.deletionRequestedAt == nil)
    }
}
