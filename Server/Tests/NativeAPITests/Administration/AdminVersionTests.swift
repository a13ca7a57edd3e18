import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

/// The last writer won, whatever was read: `If-Match` was not looked at.
@Suite("Settings that are changed without a version, or with one")
struct AdminVersionTests {
    /// What is replaced, and by what.
    struct Setting: Sendable, CustomTestStringConvertible {
        /// Where it is read.
        let list: String
        /// Where it is replaced.
        let path: String
        let bodies: (String, String)
        /// Whether it can be removed.
        var isRemovable = true

        var testDescription: String { path }
    }

    private static let settings = [
        Setting(
            list: "/claims", path: "/claims",
            bodies: (
                #"{"claims": [{"claim": "tier", "value": 1}]}"#, #"{"claims": [{"claim": "tier", "value": 2}]}"#
            ), isRemovable: false),
        Setting(
            list: "/redirects", path: "/redirects",
            bodies: (
                #"{"redirects": ["https://app.example.com/a"]}"#, #"{"redirects": ["https://app.example.com/b"]}"#
            ), isRemovable: false),
        Setting(list: "/theme", path: "/theme", bodies: (#"{"brand": "Hoshi"}"#, #"{"brand": "Hana"}"#)),
        Setting(
            list: "/providers", path: "/providers/google",
            bodies: (#"{"audiences": ["1.apps.example"]}"#, #"{"audiences": ["2.apps.example"]}"#)),
        Setting(
            list: "/hooks", path: "/hooks/sign-up",
            bodies: (
                #"{"url": "https://app.example.com/a", "whenDown": "allow"}"#,
                #"{"url": "https://app.example.com/b", "whenDown": "allow"}"#
            )),
        Setting(
            list: "/mail", path: "/mail/templates/password-reset/en",
            bodies: (#"{"subject": "a", "text": "{{code}}"}"#, #"{"subject": "b", "text": "{{code}}"}"#)),
        Setting(
            list: "/fields", path: "/fields", bodies: (#"{"policy": "closed"}"#, #"{"policy": "open"}"#),
            isRemovable: false),
        Setting(list: "/views", path: "/views/guests", bodies: (#"{"kind": "anonymous"}"#, #"{"search": "hana"}"#)),
        Setting(
            list: "/protocols", path: "/protocols/ncmb",
            bodies: (
                #"{"keys": {"applicationKey": "old-app", "clientKey": "old-client-one"}}"#,
                #"{"keys": {"applicationKey": "old-app", "clientKey": "old-client-two"}}"#
            )),
        Setting(
            list: "/fields", path: "/fields/level", bodies: (#"{"type": "number"}"#, #"{"type": "string"}"#)),
    ]

    @Test("are not overwritten by who names the version of before, and are by who names none", arguments: settings)
    func replaced(setting: Setting) async throws {
        let world = try await AdminWorld(roles: [])
        let (list, path) = (world.path(setting.list), world.path(setting.path))
        func put(_ body: String, _ headers: [(String, String)]) async throws -> Answer {
            try await world.send("owner", .put, path, headers, body: body)
        }
        let before = try await world.version(of: list)
        let first = try await put(setting.bodies.0, before)
        #expect([200, 201].contains(first.status), "\(first.text)")
        let shown = try await world.send("owner", .get, list)
        #expect(shown.headers[.eTag] != before.first?.1)
        // Somebody else has not seen that yet.
        for sent in before + [("If-Match", "\"nothing\""), ("If-Match", "1")] {
            expect(try await put(setting.bodies.1, [sent]), 412, .changedMeanwhile)
        }
        #expect(try await world.send("owner", .get, list).headers[.eTag] == shown.headers[.eTag])
        // A script that does not look first goes on as before.
        #expect(try await put(setting.bodies.1, []).status == 200)
        #expect(try await put(setting.bodies.0, [("If-Match", "*")]).status == 200)
        let changed = try await put(setting.bodies.1, try await world.version(of: list))
        #expect(changed.status == 200)
        // What a change returns is what is read after it; an answer with secrets that are shown once has no version.
        if let version = changed.headers[.eTag] {
            #expect(try await world.send("owner", .get, list).headers[.eTag] == version)
        } else {
            #expect(["/hooks", "/protocols"].contains(setting.list))
        }
    }

    @Test("are not removed by who names the version of before", arguments: settings.filter(\.isRemovable))
    func removed(setting: Setting) async throws {
        let world = try await AdminWorld(roles: [])
        let (list, path) = (world.path(setting.list), world.path(setting.path))
        let before = try await world.version(of: list)
        let made = try await world.send("owner", .put, path, body: setting.bodies.0)
        #expect([200, 201].contains(made.status), "\(made.text)")
        let present = try await world.version(of: list)
        expect(try await world.send("owner", .delete, path, before), 412, .changedMeanwhile)
        #expect(try await world.version(of: list).first?.1 == present.first?.1)
        #expect(try await world.send("owner", .delete, path, present).status == 204)
        #expect(try await world.version(of: list).first?.1 != present.first?.1)
    }

    /// What is changed in part, and has a version of its own.
    struct Part: Sendable, CustomTestStringConvertible {
        let list: String
        /// What makes one.
        let made: String
        let changes: (String, String)

        var testDescription: String { list }
    }

    private static let parts = [
        Part(
            list: "/roles", made: #"{"name": "editor"}"#,
            changes: (#"{"permissions": ["posts:write"]}"#, #"{"permissions": []}"#)),
        Part(list: "/groups", made: #"{"name": "staff"}"#, changes: (#"{"name": "crew"}"#, #"{"name": "team"}"#)),
        Part(
            list: "/event-endpoints", made: #"{"url": "https://app.example.com/hooks"}"#,
            changes: (#"{"isPaused": true}"#, #"{"types": ["user.merged"], "isPaused": false}"#)),
    ]

    @Test("are changed in part and removed by the version that was read, or by who names none", arguments: parts)
    func changed(part: Part) async throws {
        let world = try await AdminWorld(roles: [])
        let made = try await world.send("owner", .post, world.path(part.list), body: part.made)
        let path = world.path("\(part.list)/\(try #require(try made.json["id"]?.text))")
        func patch(_ body: String, _ headers: [(String, String)]) async throws -> Answer {
            try await world.send("owner", .patch, path, headers, body: body)
        }
        let before = try await world.version(of: path)
        let first = try await patch(part.changes.0, before)
        #expect(first.status == 200, "\(first.text)")
        let shown = try await world.version(of: path)
        #expect(first.headers[.eTag] == shown.first?.1 && shown.first?.1 != before.first?.1)
        // Somebody else has not seen that yet.
        for sent in before + [("If-Match", "\"nothing\""), ("If-Match", "1")] {
            expect(try await patch(part.changes.1, [sent]), 412, .changedMeanwhile)
            expect(try await world.send("owner", .delete, path, [sent]), 412, .changedMeanwhile)
        }
        #expect(try await world.version(of: path).first?.1 == shown.first?.1)
        // A script that does not look first goes on as before.
        #expect(try await patch(part.changes.1, []).status == 200)
        #expect(try await patch(part.changes.0, [("If-Match", "*")]).status == 200)
        // What is done to another one is no change of this one.
        let present = try await world.version(of: path)
        let other = part.made.replacing("editor", with: "other").replacing("staff", with: "other")
        #expect(try await world.send("owner", .post, world.path(part.list), body: other).status == 201)
        #expect(try await world.send("owner", .delete, path, present).status == 204)
        expect(try await patch(part.changes.0, present), 404, .notFound)
        expect(try await world.send("owner", .get, path), 404, .notFound)
    }

    @Test("are changed by the version of the list of endpoints, where they are of all events")
    func eventSettings() async throws {
        let world = try await AdminWorld(roles: [])
        let (list, path) = (world.path("/event-endpoints"), world.path("/event-settings"))
        let before = try await world.version(of: list)
        let first = try await world.send("owner", .patch, path, before, body: #"{"retentionDays": 7}"#)
        #expect(first.status == 200, "\(first.text)")
        let shown = try await world.version(of: list)
        #expect(first.headers[.eTag] == shown.first?.1)
        expect(
            try await world.send("owner", .patch, path, before, body: #"{"retentionDays": 8}"#), 412,
            .changedMeanwhile)
        #expect(try await world.version(of: list).first?.1 == shown.first?.1)
        #expect(try await world.send("owner", .patch, path, body: #"{"retentionDays": 8}"#).status == 200)
    }
}
