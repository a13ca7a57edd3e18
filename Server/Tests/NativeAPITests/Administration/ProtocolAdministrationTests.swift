import Domain
import HTTPTypes
import NCMBAPI
import NativeAPI
import OkaeriWire
import Testing

/// An audit gave itself Parse's master key with a key for settings alone, and read and changed every user by it.
@Suite("The key that makes an administrator in an old protocol")
struct ProtocolAdministrationTests {
    private static let all: Set<AdminPermission> = [.changeSettings, .readUsers, .readPersonalData, .changeUsers]

    @Test("is issued by who may read and change every user", arguments: ["parse", "kii"])
    func issued(name: String) async throws {
        let world = try await AdminWorld(roles: [.operator])
        let path = world.path("/protocols/\(name)")
        let master = name == "parse" ? "masterKey" : "clientSecret"
        for missing in Self.all {
            let key = try await world.key(Self.all.subtracting([missing]))
            expect(try await world.send(key, .put, path, body: #"{"keys": {}}"#), 403, .notAllowed)
        }
        let protocols = world.server.modules.applications.listProtocolKeys
        #expect(try await protocols(of: world.server.application.id).isEmpty)
        let made = try await world.send("operator", .put, path, body: #"{"keys": {}}"#)
        #expect(made.status == 200 && made.text.contains(master))
        // The other keys are an app's, which settings are enough for; that of the administrator is not shown again.
        let settings = try await world.key([.changeSettings])
        let again = try await world.send(settings, .put, path, body: #"{"keys": {}}"#)
        #expect(again.status == 200 && !again.text.contains(master), "\(again.text)")
        let own = #"{"keys": {"\#(master)": "attackermasterkey0123456789abcdef"}}"#
        expect(try await world.send(settings, .put, path, body: own), 403, .notAllowed)
        #expect(try await world.send(try await world.key(Self.all), .put, path, body: own).status == 200)
        // A protocol without such a key is switched on as before.
        #expect(
            try await world.send(settings, .put, world.path("/protocols/ncmb"), body: #"{"keys": {}}"#).status == 200)
    }

    @Test("counts from elsewhere, and is sent on with users' tokens, by the word of the same")
    func networks() async throws {
        let world = try await AdminWorld(roles: [.operator])
        let path = world.path("/protocols/parse")
        #expect(try await world.send("operator", .put, path, body: #"{"keys": {}}"#).status == 200)
        let settings = try await world.key([.changeSettings])
        let rules = "\(path)/rules"
        for body in [
            #"{"administratorNetworks": ["0.0.0.0/0", "::/0"]}"#, #"{"upstream": ["https://evil.example/parse"]}"#,
        ] {
            let version = try await world.version(of: world.path("/protocols"))
            expect(try await world.send(settings, .patch, rules, version, body: body), 403, .notAllowed)
            let whole = try await world.key(Self.all)
            #expect(try await world.send(whole, .patch, rules, version, body: body).status == 200)
        }
        // Less is anybody's who changes settings, and so is every other rule.
        let less = #"{"administratorNetworks": ["10.0.0.0/8"], "upstream": [], "allowsAnonymous": true}"#
        let version = try await world.version(of: world.path("/protocols"))
        #expect(try await world.send(settings, .patch, rules, version, body: less).status == 200)
    }

    @Test("has its rules changed by the version that the caller has seen")
    func versions() async throws {
        let world = try await AdminWorld(roles: [])
        let rules = world.path("/protocols/ncmb/rules")
        let body = #"{"allowsAnonymous": false}"#
        expect(try await world.send("owner", .patch, rules, body: body), 428, .versionRequired)
        let first = try await world.version(of: world.path("/protocols"))
        let changed = try await world.send("owner", .patch, rules, first, body: body)
        #expect(changed.status == 200, "\(changed.text)")
        // Another caller who read the same has the settings change below them.
        let late = #"{"allowsAnonymous": true}"#
        expect(try await world.send("owner", .patch, rules, first, body: late), 412, .changedMeanwhile)
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        #expect(!settings.foreignOptions(of: .ncmb).allowsAnonymous)
        let next = [("If-Match", try #require(changed.headers[.eTag]))]
        let read = try await world.version(of: world.path("/protocols"))
        #expect(read.first?.1 == next.first?.1)
        #expect(try await world.send("owner", .patch, rules, next, body: late).status == 200)
    }
}
