import Domain
import HTTPTypes
import NativeAPI
import OkaeriWire
import Testing

/// A key for settings alone had an old protocol show every user, addresses and numbers included, to everybody with an app's keys.
@Suite("What everybody reads of users")
struct ShownUserTests {
    private static let needed: Set<AdminPermission> = [.changeSettings, .readUsers, .readPersonalData]

    @Test(
        "in an old protocol is decided by who may read every user, and taken back by who may change settings",
        arguments: ["ncmb", "parse", "kii"])
    func users(name: String) async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/protocols/\(name)/rules")
        func patch(_ who: String, to isReadable: Bool) async throws -> Answer {
            let version = try await world.version(of: world.path("/protocols"))
            return try await world.send(who, .patch, path, version, body: #"{"isReadableByAll": \#(isReadable)}"#)
        }
        for missing in Self.needed {
            let key = try await world.key(Set(AdminPermission.allCases).subtracting([missing, .manageAdmins]))
            let refused = try await patch(key, to: true)
            expect(refused, 403, .notAllowed)
            #expect(try refused.json["detail"]?.text == "Needed: \(missing.rawValue).")
        }
        #expect(try await patch(try await world.key(Self.needed), to: true).status == 200)
        #expect(try await patch(try await world.key([.changeSettings]), to: false).status == 200)
    }

    @Test("of fields that were the user's or the server's alone is decided by the same, in each way to show one")
    func fields() async throws {
        let world = try await AdminWorld(roles: [])
        let (all, one) = (world.path("/fields"), world.path("/fields/town"))
        let settings = try await world.key([.changeSettings])
        let hidden = #"{"read": "owner"}"#
        #expect(try await world.send(settings, .put, one, body: hidden).status == 200)
        #expect(try await world.send(settings, .put, all, body: #"{"policy": "closed"}"#).status == 200)
        let shows: [(HTTPRequest.Method, String, String?)] = [
            (.put, one, #"{"read": "public"}"#), (.put, all, #"{"policy": "open"}"#),
        ]
        for (method, path, body) in shows {
            expect(try await world.send(settings, method, path, body: body), 403, .notAllowed)
        }
        // Without its rule the field is the user's while the policy is closed, and everybody's when it is open.
        #expect(try await world.send(settings, .delete, one).status == 204)
        #expect(try await world.send(settings, .put, one, body: hidden).status == 200)
        let whole = try await world.key(Self.needed)
        #expect(try await world.send(whole, .put, all, body: #"{"policy": "open"}"#).status == 200)
        expect(try await world.send(settings, .delete, one), 403, .notAllowed)
        #expect(try await world.send(whole, .delete, one).status == 204)
        // What lets more be written, and is read by nobody else, is a matter of settings as before.
        #expect(try await world.send(settings, .put, one, body: #"{"write": "server"}"#).status == 200)
        #expect(try await world.send(settings, .put, one, body: #"{"write": "owner"}"#).status == 200)
    }
}
