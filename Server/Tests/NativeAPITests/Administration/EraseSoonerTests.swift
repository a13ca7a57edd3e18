import Domain
import HTTPTypes
import NativeAPI
import OkaeriWire
import Testing

/// A key for settings alone erased guests who had been away for a day, and whom a grace was to keep, by a shorter time.
@Suite("The time after which users are erased")
struct EraseSoonerTests {
    private func patch(_ world: AdminWorld, _ who: String, _ body: String) async throws -> Answer {
        try await world.send(who, .patch, world.path(), try await world.version(of: world.path()), body: body)
    }

    @Test(
        "is made shorter by who may change users too",
        arguments: [(#"{"anonymousIdleSeconds": 86400}"#, 1), (#"{"deletionGraceSeconds": 86400}"#, 0)])
    func shorter(body: String, erased: Int) async throws {
        let server = try await TestServer()
        _ = try await server.person()
        server.clock.advance(by: .days(3))
        let world = try await AdminWorld(server, roles: [])
        for missing in [AdminPermission.changeSettings, .changeUsers] {
            let key = try await world.key(Set(AdminPermission.allCases).subtracting([missing, .manageAdmins]))
            let refused = try await patch(world, key, body)
            expect(refused, 403, .notAllowed)
            #expect(try refused.json["detail"]?.text == "Needed: \(missing.rawValue).")
        }
        #expect(try await server.modules.deletion.removeIdleUsers() == 0)
        let key = try await world.key([.changeSettings, .changeUsers])
        #expect(try await patch(world, key, body).status == 200)
        #expect(try await server.modules.deletion.removeIdleUsers() == erased)
    }

    @Test("is made longer, or left away, by who may change settings")
    func longer() async throws {
        let world = try await AdminWorld(roles: [])
        let key = try await world.key([.changeSettings])
        #expect(try await patch(world, "owner", #"{"anonymousIdleSeconds": 864000}"#).status == 200)
        #expect(try await patch(world, key, #"{"anonymousIdleSeconds": 1728000}"#).status == 200)
        expect(try await patch(world, key, #"{"anonymousIdleSeconds": 864000}"#), 403, .notAllowed)
        #expect(try await patch(world, key, #"{"deletionGraceSeconds": 864000}"#).status == 200)
        #expect(try await patch(world, key, #"{"anonymousIdleSeconds": null}"#).status == 200)
        expect(try await patch(world, key, #"{"anonymousIdleSeconds": 1728000}"#), 403, .notAllowed)
    }
}
