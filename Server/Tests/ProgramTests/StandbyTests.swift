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

    private struct Status: Decodable {
        let time: WireTime
        let ageSeconds: Double
    }

    @Test("bring users over to a second machine after a kill; the old server does not start again")
    func takeOver() async throws {
        try replica.make()
        let key = try await BackupKeyPair(in: keys)
        let environment = ["OKAERI_REPLICA": replica.path, "OKAERI_REPLICA_KEY": key.public]
        let server = try await TestServer(data: folder.path, environment: environment)
        let application = try await server.makeApplication().id
        let phone = Phone()
        let logIn = try await phone.loggedIn(at: server, application: application)
        let source = ["--from", replica.path, "--secret-key-file", key.secret]
        // The user is there as soon as a part behind the copy is.
        try await replicated(users: 1, source)
        try await server.stop(SIGKILL)

        let followed = try await Program.run(["standby", "follow", "--once", "--data", standby.path] + source)
        #expect(followed.status == 0, "\(followed.errors)")
        let shown = try await Program.run("standby", "status", "--data", standby.path)
        #expect(shown.status == 0 && shown.output.contains(/seconds? ago/), "\(shown.errors)")
        let status = try await Program.run("standby", "status", "--json", "--data", standby.path).json(Status.self)
        #expect(status.time.millisecondsSince1970 > 0 && status.ageSeconds >= 0)
        for command in [["serve", "--listen", "127.0.0.1:0"], ["application", "list"]] {
            let refused = try await Program.run(command + ["--data", standby.path])
            #expect(refused.status == 1 && refused.errors.contains("okaeri standby take-over"), "\(refused.errors)")
        }
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
        // The time can be given to --to as it stands there.
        #expect(early.errors.contains(/is of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\. Name/), "\(early.errors)")
    }

    @Test("say that a repository has no replica, and name no option that the command lacks")
    func noReplica() async throws {
        try replica.make()
        let key = try await BackupKeyPair(in: keys)
        let source = ["--from", replica.path, "--secret-key-file", key.secret, "--data", restored.path]
        for command in [["standby", "follow", "--once"], ["restore", "--to", "newest"]] {
            let refused = try await Program.run(command + source)
            #expect(refused.status == 1 && refused.errors.contains("There is no replica at"), "\(refused.errors)")
            #expect(!refused.errors.contains("no time"), "\(refused.errors)")
        }
    }

    @Test("answer on the second machine what needs no write, until that one takes over by the same command")
    func serving() async throws {
        try replica.make()
        let key = try await BackupKeyPair(in: keys)
        let environment = [
            "OKAERI_REPLICA": replica.path, "OKAERI_REPLICA_KEY": key.public, "OKAERI_REPLICA_HEARTBEAT": "1",
        ]
        let server = try await TestServer(data: folder.path, environment: environment)
        let application = try await server.makeApplication().id
        let phone = Phone()
        let (stays, ends) = (
            try await phone.loggedIn(at: server, application: application),
            try await Phone().loggedIn(at: server, application: application)
        )
        let source = ["--from", replica.path, "--secret-key-file", key.secret]
        let serve = ["standby", "serve", "--listen", "127.0.0.1:0", "--data", standby.path, "--json"] + source
        let keyless = try await Program.run(serve)
        #expect(keyless.status == 1 && keyless.errors.contains("sealing key of the installation"), "\(keyless.errors)")
        for wrong in [["--max-lag", "1"], ["--primary-url", "ftp://x"]] {
            #expect(try await Program.run(serve + wrong).status == 2)
        }
        try standby.make()
        try FileManager.default.copyItem(atPath: folder.path + "/sealing.key", toPath: standby.path + "/sealing.key")
        let process = try ChildProcess(
            Program.path(), serve + ["--max-lag", "600", "--primary-url", "https://id.example.com"])
        let url = try await eventually("the standby's start") { () -> String? in
            guard process.isRunning else { throw TestFault("the standby ended at once: \(process.errors)") }
            // Nothing is there yet, or not all of it.
            return (try? JSONDecoder().decode(Serving.self, from: Data(process.output.utf8)))?.url
        }
        func answer(_ method: String, _ path: String, _ logIn: LogInResponse) async throws -> TransportResponse {
            try await TestServer.transport.send(
                TransportRequest(
                    method: method, url: #require(URL(string: url + path)),
                    headers: ["Okaeri-Application": application, "Authorization": "Bearer \(logIn.session.token)"],
                    body: nil, timeout: .seconds(60)))
        }
        _ = try await eventually("the copy") { try await answer("GET", "/v1/user", ends).status == 200 ? true : nil }
        #expect(try await server.status("POST", "/v1/log-out", ends, in: application) == 204)
        _ = try await eventually("the log-out") { try await answer("GET", "/v1/user", ends).status == 401 ? true : nil }
        #expect(try await answer("GET", "/v1/user", stays).status == 200)
        let refused = try await answer("POST", "/v1/log-out", stays)
        #expect(refused.status == 503 && refused.headers["Retry-After"] == "2")
        #expect(refused.headers["Okaeri-Primary"] == "https://id.example.com")
        let second = try await Program.run(["standby", "follow", "--once", "--data", standby.path] + source)
        #expect(second.status == 1 && second.errors.contains("Another process follows"), "\(second.errors)")

        try await server.stop(SIGKILL)
        #expect(try await answer("GET", "/v1/user", stays).status == 200)
        let taken = try await Program.run(
            ["standby", "take-over", "--at-once", "--keep-sessions", "--data", standby.path] + source)
        #expect(taken.status == 0 && taken.output.contains("claim 2"), "\(taken.errors)")
        #expect(try await process.status() == 0, "\(process.errors)")
        let new = try await TestServer(data: standby.path, environment: environment)
        #expect(try await new.status("GET", "/v1/user", stays, in: application) == 200)
        #expect(try await new.status("GET", "/v1/user", ends, in: application) == 401)
        try await new.stop()
    }

    @Test(
        "go through a store that speaks S3, also when it stands still for a while: nothing is lost, and nobody waits for it"
    )
    func store() async throws {
        let store = try await S3Server()
        let key = try await BackupKeyPair(in: keys)
        let environment = store.environment.merging(
            ["OKAERI_REPLICA": "s3://backups/replica", "OKAERI_REPLICA_KEY": key.public]
        ) { $1 }
        let server = try await TestServer(data: folder.path, environment: environment)
        let application = try await server.makeApplication().id
        let source = ["--from", "s3://backups/replica", "--secret-key-file", key.secret]
        let first = Phone()
        let logIn = try await first.loggedIn(at: server, application: application)
        try await replicated(users: 1, source, environment: store.environment)
        let between = ISO8601DateFormatter()
        between.formatOptions.insert(.withFractionalSeconds)
        let time = between.string(from: Date())

        store.process.signal(SIGSTOP)
        let begin = ContinuousClock.now
        for _ in 0..<3 { _ = try await Phone().loggedIn(at: server, application: application) }
        #expect(begin.duration(to: .now) < .seconds(60), "log-ins wait for no store")
        _ = try await eventually("parts that wait") { try waiting() > 0 ? true : nil }
        store.process.signal(SIGCONT)
        try await replicated(users: 4, source, environment: store.environment)
        _ = try await eventually("an empty queue") { try waiting() == 0 ? true : nil }

        let early = try await Program.run(
            ["restore", "--to", time, "--data", restored.path, "--json"] + source, environment: store.environment)
        #expect(early.status == 0, "\(early.errors)")
        #expect(try early.json(RestoredReport.self).rows["users"] == 1)
        let full = try await Program.run(
            ["restore", "--to", "newest", "--data", restored.path] + source, environment: store.environment)
        #expect(full.status == 1 && full.errors.contains("is not empty"), "\(full.errors)")
        try await server.stop(SIGKILL)
        let taken = try await Program.run(
            ["standby", "take-over", "--at-once", "--data", standby.path] + source, environment: store.environment)
        #expect(taken.status == 0 && taken.output.contains("claim 2"), "\(taken.errors)")
        try FileManager.default.copyItem(atPath: folder.path + "/sealing.key", toPath: standby.path + "/sealing.key")
        let new = try await TestServer(data: standby.path, environment: environment)
        #expect(try await first.loggedIn(at: new, application: application).user.id == logIn.user.id)
        try await new.stop()

        store.process.signal(SIGKILL)
        let gone = TestFolder()
        let down = try await Program.run(
            ["restore", "--to", "newest", "--data", gone.path] + source, environment: store.environment)
        #expect(down.status == 1 && down.errors.contains("See that the store runs"), "\(down.errors)")
        #expect(!FileManager.default.fileExists(atPath: gone.path + "/okaeri.sqlite"))
        #expect(try leftovers(in: gone.path).isEmpty)
    }

    /// How many parts wait for the store.
    private func waiting() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/replica").filter {
            $0.hasSuffix(".frames")
        }.count
    }

    /// Waits until the newest state of the replica has so many users.
    private func replicated(users: Int, _ source: [String], environment: [String: String] = [:]) async throws {
        _ = try await eventually("the replica") { () -> Bool? in
            let target = TestFolder()
            let report = try await Program.run(
                ["restore", "--to", "newest", "--data", target.path, "--json"] + source, environment: environment)
            guard report.status == 0 else { return nil }
            return try report.json(RestoredReport.self).rows["users"] == users ? true : nil
        }
    }

    private struct Serving: Decodable {
        let url: String
    }
}
