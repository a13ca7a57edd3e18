import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

/// A key for settings alone had codes, links of mails and passkeys of users sent to an address of its own.
@Suite("Where what opens accounts goes")
struct LogInAddressTests {
    private static let all: Set<AdminPermission> = [.changeSettings, .readUsers, .readPersonalData, .changeUsers]

    /// Each has something that opens accounts sent where it was not sent before.
    private static let edits: [(HTTPRequest.Method, String, String)] = [
        (.put, "/redirects", #"{"redirects": ["https://evil.example.com/back"]}"#),
        (.patch, "", #"{"transferLink": "https://evil.example.com/{code}"}"#),
        (.patch, "", #"{"mail": {"verificationURL": "https://evil.example.com/verify"}}"#),
        (.patch, "", #"{"mail": {"resetURL": "https://evil.example.com/reset"}}"#),
        (.patch, "", #"{"passkeys": {"enabled": true, "domain": "example.com", "origins": ["https://evil.example"]}}"#),
        (.patch, "", #"{"passkeys": {"enabled": true, "domain": "example.com", "appleApps": ["ABCDE12345.evil"]}}"#),
    ]

    @Test("is decided by who may read and change every user, and by no other key", arguments: edits)
    func keys(method: HTTPRequest.Method, path: String, body: String) async throws {
        let world = try await AdminWorld(roles: [])
        let version = try await world.version(of: world.path())
        for missing in Self.all {
            let key = try await world.key(Set(AdminPermission.allCases).subtracting([missing, .manageAdmins]))
            let refused = try await world.send(key, method, world.path(path), version, body: body)
            expect(refused, 403, .notAllowed)
            #expect(try refused.json["detail"]?.text == "Needed: \(missing.rawValue).")
        }
        // Nothing of it is there.
        #expect(try await world.version(of: world.path()).first?.1 == version.first?.1)
        let key = try await world.key(Self.all)
        let set = try await world.send(key, method, world.path(path), version, body: body)
        #expect(set.status == 200, "\(set.text)")
        #expect(try await world.version(of: world.path()).first?.1 != version.first?.1)
    }

    @Test("is no more the app's own by the word of who may change settings, who may send again what is there")
    func removal() async throws {
        let world = try await AdminWorld(roles: [])
        let key = try await world.key([.changeSettings])
        let links = #""transferLink": "app://c/{code}", "mail": {"resetURL": "https://app.example.com/reset"}"#
        func patch(_ who: String, _ body: String, changes: Bool = true) async throws -> Int {
            try await world.send(
                who, .patch, world.path(), try await world.version(of: world.path()), body: body, changes: changes
            ).status
        }
        #expect(try await patch("owner", "{\(links)}") == 200)
        #expect(try await patch(key, "{\(links)}", changes: false) == 200)
        #expect(try await patch(key, #"{"name": "Star", \#(links)}"#) == 200)
        #expect(try await patch(key, #"{"transferLink": null, "mail": {"resetURL": null}}"#) == 200)
        #expect(try await patch(key, "{\(links)}") == 403)
    }
}
