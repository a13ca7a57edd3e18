import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

/// An audit came in as a user whose subject it knew, by an issuer of its own and a key for settings alone.
@Suite("Whose tokens are believed")
struct ProviderPermissionTests {
    private static let all: Set<AdminPermission> = [.changeSettings, .readUsers, .readPersonalData, .changeUsers]

    /// Each lets somebody in as users who came from there: an issuer, a client of the caller's own, an old service.
    private static let drafts = [
        ("/providers/oidc:work", #"{"audiences": ["app"], "issuer": "https://evil.example.com"}"#),
        ("/providers/google", #"{"audiences": ["evil.apps.example"]}"#),
        ("/old-services/supabase", #"{"issuer": "https://evil.supabase.co/auth/v1"}"#),
        ("/old-services/nakama", "{}"),
    ]

    private func lists(_ world: AdminWorld) async throws -> [JSONValue] {
        let providers = try await world.send("owner", .get, world.path("/providers")).json["providers"]?.list ?? []
        let services = try await world.send("owner", .get, world.path("/old-services")).json["services"]?.list ?? []
        return providers + services
    }

    @Test("is decided by who may read and change every user, and by no other key", arguments: drafts)
    func keys(path: String, body: String) async throws {
        let world = try await AdminWorld(roles: [])
        let version = path.hasPrefix("/old") ? try await world.version(of: world.path("/old-services")) : []
        for missing in Self.all {
            let key = try await world.key(Set(AdminPermission.allCases).subtracting([missing, .manageAdmins]))
            let refused = try await world.send(key, .put, world.path(path), version, body: body)
            expect(refused, 403, .notAllowed)
            #expect(try refused.json["detail"]?.text == "Needed: \(missing.rawValue).")
        }
        #expect(try await lists(world).isEmpty)
        let set = try await world.send(try await world.key(Self.all), .put, world.path(path), version, body: body)
        #expect(set.status == 200, "\(set.text)")
        #expect(try await lists(world).count == 1)
    }

    @Test("is decided by owners, operators and the application's first key, as it was", arguments: drafts)
    func roles(path: String, body: String) async throws {
        let world = try await AdminWorld(roles: [.operator], restricted: true)
        let made = try await world.server.modules.applications.createApplication(name: "Own", by: .local)
        for (who, application) in [
            ("owner", world.server.application.id), ("operator", world.server.application.id),
            (made.adminKey.revealed, made.application.id),
        ] {
            let own = "applications/\(application)"
            let read = try await world.send(who, .get, "\(own)/old-services")
            let version = path.hasPrefix("/old") ? [("If-Match", try #require(read.headers[.eTag]))] : []
            // The same again is no change of the settings, and has no entry.
            let set = try await world.send(who, .put, "\(own)\(path)", version, body: body, changes: false)
            #expect(set.status == 200, "\(set.text)")
        }
    }

    @Test("is no more believed by the word of who may change settings")
    func removal() async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/providers/google")
        #expect(try await world.send("owner", .put, path, body: #"{"audiences": ["1.apps.example"]}"#).status == 200)
        #expect(try await world.send(try await world.key([.changeSettings]), .delete, path).status == 204)
        #expect(try await lists(world).isEmpty)
    }
}
