import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("okaeri standby and restore --to", .serialized)
struct StandbyTests {
    private let folder = TestFolder()
    private let replica = TestFolder()
    private let standby = TestFolder()
    private let restored = TestFolder()
    private let keys = TestFolder()

    @Test("bring users over to a second machine after a kill; the old server does not start again")
    func takeOver() async throws {
        for folder in [keys, replica] { try folder.make() }
        let secret = keys.path + "/secret"
        let made = try await Program.run("backup", "new-key", "--secret-key-file", secret, "--json").json(Made.self)
        let environment = ["OKAERI_REPLICA": replica.path, "OKAERI_REPLICA_KEY": made.key]
        let server = try await TestServer(data: folder.path, environment: environment)
        let application = try await server.makeApplication().id
        let phone = Phone()
        let logIn = try await phone.loggedIn(at: server, application: application)
        let source = ["--from", replica.path, "--secret-key-file", secret]
        // The user is there as soon as a part behind the copy is.
        _ = try await eventually("the replica") { () -> Bool? in
            let target = TestFolder()
            let report = try await Program.run(
                ["restore", "--to", "newest", "--data", target.path, "--json"] + source)
            guard report.status == 0 else { return nil }
            return try report.json(Restored.self).rows["users"] == 1 ? true : nil
        }
        try await server.stop(SIGKILL)

        let followed = try await Program.run(["standby", "follow", "--once", "--data", standby.path] + source)
        #expect(followed.status == 0, "\(followed.errors)")
        let shown = try await Program.run("standby", "status", "--data", standby.path)
        #expect(shown.status == 0 && shown.output.contains("seconds ago"), "\(shown.errors)")
        let taken = try await Program.run(["standby", "take-over", "--at-once", "--data", standby.path] + source)
        #expect(taken.status == 0 && taken.output.contains("claim 2"), "\(taken.errors)")
        try FileManager.default.copyItem(
            atPath: folder.path + "/sealing.key", toPath: standby.path + "/sealing.key")
        let new = try await TestServer(data: standby.path, environment: environment)
        #expect(try await phone.loggedIn(at: new, application: application).user.id == logIn.user.id)
        try await new.stop()
        await #expect(throws: (any Error).self) { try await TestServer(data: folder.path, environment: environment) }

        let wrong = try await Program.run(
            ["restore", "--to", "yesterday", "--data", restored.path] + source)
        #expect(wrong.status == 2)
        let early = try await Program.run(
            ["restore", "--to", "2001-01-01T00:00:00Z", "--data", restored.path] + source)
        #expect(early.status == 1 && early.errors.contains("no state of that time"), "\(early.errors)")
    }

    private struct Made: Decodable {
        let key: String
    }

    private struct Restored: Decodable {
        let rows: [String: Int]
    }
}
