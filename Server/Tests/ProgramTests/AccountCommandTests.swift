import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("okaeri user")
struct AccountCommandTests {
    @Test("keeps a user out of a running server at once, lets it in again, and finds it by what it is")
    func standing() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication()
        let scope = ["--application", application.id, "--data", folder.path, "--json"]
        let app = try server.app(in: application.id)
        let user = try await app.signUp(username: "Hana", password: "four quiet words")

        let sessions: Sessions = try await Program.run(["user", "sessions", user.id] + scope).json()
        #expect(sessions.sessions.map(\.createdWith) == ["sign-up"])
        #expect(sessions.sessions.map(\.user) == [user.id])
        #expect(try await Program.run(["user", "disable", user.id] + scope).status == 0)
        await #expect(throws: OkaeriError.userDisabled) {
            try await app.logIn(identifier: "hana", password: "four quiet words")
        }
        #expect(try await list(["--disabled"], scope) == [user.id])
        #expect(try await list(["--no-disabled"], scope) == [])
        #expect(try await Program.run(["user", "enable", user.id] + scope).status == 0)
        #expect(try await app.logIn(identifier: "hana", password: "four quiet words").user.id == user.id)
        #expect(try await list(["--disabled"], scope) == [])
        #expect(try await list(["--kind", "registered"], scope) == [user.id])
        #expect(try await list(["--kind", "anonymous"], scope) == [])
        #expect(try await list(["--identifier", "HANA"], scope) == [user.id])
        #expect(try await list(["--identifier", "kenji"], scope) == [])
        #expect(try await Program.run(["user", "disable", "nobody"] + scope).status == 1)
        let read = try await Program.run(
            ["audit", "list", "--action", "users.read", "--target", "user:\(user.id)"] + scope)
        #expect(read.output.contains(#""actor" : "operator""#), "\(read.output)")
        try await server.stop()
    }

    @Test("says that there is no identity and no session instead of heading an empty table")
    func empty() async throws {
        let folder = TestFolder()
        try folder.make()
        let made: Made = try await Program.run(
            "application", "create", "Demo", "--data", folder.path, "--json"
        ).json()
        let file = "\(folder.path)/users.json"
        try Data(#"{"id":"1","username":"hana"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let scope = ["--application", made.id, "--data", folder.path]
        let imported = try await Program.run(["import", "users", file] + scope)
        #expect(imported.status == 0, "\(imported.output)\(imported.errors)")
        let shown = try await Program.run(["user", "show", "1"] + scope)
        let end = "The user has no identity.\n\nThe user has no live session.\n"
        #expect(shown.output.hasSuffix(end), "\(shown.output)")
        #expect(!shown.output.contains("PROVIDER"))
    }

    @Test("makes a user for somebody, without a password, and says what is missing or taken")
    func create() async throws {
        let folder = TestFolder()
        try folder.make()
        let made: Made = try await Program.run(
            "application", "create", "Demo", "--data", folder.path, "--json"
        ).json()
        let create = ["user", "create", "--application", made.id, "--data", folder.path]
        let hana = try await Program.run(create + ["--email", "hana@example.com", "--display-name", "Hana"])
        #expect(hana.status == 0 && hana.output.contains("“Forgotten your password?”"), "\(hana.output)\(hana.errors)")
        let mika = try await Program.run(create + ["--username", "mika"])
        #expect(mika.status == 0 && mika.output.contains("transfer code"), "\(mika.output)\(mika.errors)")
        let rin = try await Program.run(create + ["--phone", "+819012345678"])
        #expect(rin.status == 0, "\(rin.errors)")
        let list = try await Program.run("user", "list", "--application", made.id, "--data", folder.path)
        #expect(list.output.contains("+819012345678") && list.output.contains("hana@example.com"), "\(list.output)")
        let taken = try await Program.run(create + ["--email", "HANA@example.com"])
        #expect(taken.status == 1 && taken.errors.contains("Another user has this email already."), "\(taken.errors)")
        let nobody = try await Program.run(create + ["--display-name", "Hana"])
        #expect(nobody.status == 2 && nobody.errors.contains("must be there"), "\(nobody.errors)")
        let empty = try await Program.run(create + ["--username", "sora", "--display-name", ""])
        #expect(empty.status == 2 && empty.errors.contains("--display-name is empty."), "\(empty.errors)")
        let entries = try await Program.run(
            "audit", "list", "--action", "user.created", "--application", made.id, "--data", folder.path, "--json")
        #expect(entries.output.components(separatedBy: #""action" : "user.created""#).count == 4, "\(entries.output)")
    }

    @Test("shows device keys, removes one, and logs a user out everywhere; a running server tells the devices")
    func deviceKeys() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication()
        let scope = ["--application", application.id, "--data", folder.path, "--json"]
        let phone = try server.app(in: application.id)
        let user = try await phone.signUp(username: "Hana", password: "four quiet words")
        let tablet = try server.app(in: application.id)
        try await tablet.logIn(identifier: "hana", password: "four quiet words")

        let listed: DeviceKeys = try await Program.run(["user", "device-keys", user.id] + scope).json()
        let keys = try await phone.deviceKeys()
        #expect(listed.deviceKeys.map(\.thumbprint) == keys.map(\.thumbprint) && keys.count == 2)
        let other = try #require(keys.first { !$0.isCurrent }?.thumbprint)
        #expect(try await Program.run(["user", "remove-device-key", user.id, other] + scope).status == 0)
        #expect(try await Program.run(["user", "remove-device-key", user.id, other] + scope).status == 1)
        // One thumbprint in 64 begins with a hyphen. It is no option: there is no such key.
        let hyphened = try await Program.run(
            ["user", "remove-device-key", user.id, "-zbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"] + scope)
        #expect(hyphened.status == 1 && !hyphened.errors.contains("option"), "\(hyphened.errors)")
        #expect(try await Program.run(["user", "remove-device-key", user.id] + scope).status == 2)
        let error = await #expect(throws: OkaeriError.self) { try await tablet.logInAutomatically() }
        #expect(error?.code == "device_key_removed")
        let ended: EndedSessionsResponse = try await Program.run(["user", "log-out", user.id] + scope).json()
        #expect(ended == EndedSessionsResponse(ended: 1, removedDeviceKeys: 1))
        await #expect(throws: OkaeriError.self) { try await phone.logInAutomatically() }
        try await tablet.logIn(identifier: "hana", password: "four quiet words")
        let all: RemovedDeviceKeysResponse = try await Program.run(
            ["user", "remove-device-key", user.id, "--all"] + scope
        ).json()
        #expect(all.removed == 1)
        try await server.stop()
    }

    private struct DeviceKeys: Decodable {
        struct Key: Decodable {
            let thumbprint: String
        }

        let deviceKeys: [Key]
    }

    @Test("deletes a user with grace and brings them back, and erases at once on wish; a running server sees both")
    func deletion() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication()
        let scope = ["--application", application.id, "--data", folder.path, "--json"]
        let app = try server.app(in: application.id)
        let user = try await app.signUp(username: "Hana", password: "four quiet words")

        let unasked = try await Program.run(["user", "delete", user.id] + scope)
        #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked.errors)")
        let deleted: Deleted = try await Program.run(["user", "delete", user.id, "--yes"] + scope).json()
        #expect(!deleted.isErased && deleted.erasedAt != nil)
        do throws(OkaeriError) {
            try await app.logIn(identifier: "hana", password: "four quiet words")
            Issue.record("The user is deleted.")
        } catch {
            #expect(error.code == "user_deleted")
        }
        #expect(try await Program.run(["user", "restore", user.id] + scope).status == 0)
        #expect(try await app.logIn(identifier: "hana", password: "four quiet words").user.id == user.id)

        let erased: Deleted = try await Program.run(["user", "delete", user.id, "--now", "--yes"] + scope).json()
        #expect(erased.isErased && erased.erasedAt == nil)
        await #expect(throws: OkaeriError.credentialRefused) {
            try await app.logIn(identifier: "hana", password: "four quiet words")
        }
        #expect(try await Program.run(["user", "restore", user.id] + scope).status == 1)
        #expect(try await Program.run(["user", "delete", user.id, "--yes"] + scope).status == 1)
        let audit = try await Program.run(["audit", "verify", "--data", folder.path])
        #expect(audit.status == 0, "\(audit.errors)")
        try await server.stop()
    }

    @Test("holds new passwords to the application's own minimum", arguments: ["7", "65"])
    func minimum(wrong: String) async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let create = [
            "application", "create", "Bank", "--data", folder.path, "--json", "--password-minimum-characters",
        ]
        #expect(try await Program.run(create + [wrong]).status == 2)
        let made: Made = try await Program.run(create + ["15"]).json()
        let app = try server.app(in: made.id)
        do throws(OkaeriError) {
            try await app.signUp(username: "Hana", password: "fourteen chars")
            Issue.record("The password is too short.")
        } catch {
            #expect(error.code == "invalid_values")
        }
        try await app.signUp(username: "Hana", password: "fifteen letters")
        try await server.stop()
    }

    private struct Made: Decodable { let id: String }

    private struct Deleted: Decodable {
        let isErased: Bool
        let erasedAt: WireTime?
    }

    private struct Sessions: Decodable {
        struct Session: Decodable {
            let user: String
            let createdWith: String
        }

        let sessions: [Session]
    }

    private struct Users: Decodable { let users: [UserBody] }

    private func list(_ options: [String], _ scope: [String]) async throws -> [String] {
        let users: Users = try await Program.run(["user", "list"] + options + scope).json()
        return users.users.map(\.id)
    }
}
