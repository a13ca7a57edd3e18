import Foundation
import Okaeri
import Testing

@Suite("okaeri status")
struct StatusTests {
    private static let key = ["OKAERI_METRICS_KEY": "key-of-the-metrics"]
    private let folder = TestFolder()

    private struct Status: Decodable {
        let url: String
        let version: String?
        let uptimeSeconds: Int
        let applications: Int
        let users: Int
        let logInsPerMinute: Double?
        let mailWaiting: Int
        let connections: Int?
        let memoryBytes: Int?
        let databaseBytes: Int?
        let freeDiskBytes: Int?
    }

    private func run(_ arguments: String..., environment: [String: String] = Self.key) async throws -> Program.Finished
    {
        try await Program.run(["status", "--data", folder.path] + arguments, environment: environment)
    }

    @Test("shows users, log-ins, connections, memory and disk of a running server")
    func numbers() async throws {
        let server = try await TestServer(data: folder.path, environment: Self.key)
        let application = try await server.makeApplication().id
        let phone = Phone()
        let status = try await eventually("a look with log-ins in it") { () -> Status? in
            let counting = try ChildProcess(
                Program.path(), ["status", "--data", folder.path, "--json", "--every", "2"], environment: Self.key)
            while counting.isRunning { _ = try await phone.loggedIn(at: server, application: application) }
            let status: Status = try await counting.finished().json()
            return (status.logInsPerMinute ?? 0) > 0 ? status : nil
        }
        #expect(status.url == server.url && status.applications == 1 && status.mailWaiting == 0)
        #expect(status.users == 1)
        #expect((status.connections ?? 0) >= 1 && (status.memoryBytes ?? 0) > 1_000_000)
        #expect((status.databaseBytes ?? 0) > 10_000 && (status.freeDiskBytes ?? 0) > 0)
        let version = try await Program.run("--version").output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(status.version == version)

        let once = try await run("--once", "--every", "1")
        #expect(once.status == 0 && once.output.contains(server.url), "\(once.errors)")
        #expect(once.output.contains("1 in 1 application") && !once.output.contains("\u{1B}"))
        try await server.stop()
    }

    @Test("takes the numbers from the address that only they have")
    func ownAddress() async throws {
        let server = try await TestServer(data: folder.path, options: ["--metrics-listen", "127.0.0.1:0"])
        let output = try await eventually("the start message") {
            server.process.output.contains("/metrics") ? server.process.output : nil
        }
        let address = try #require(output.firstMatch(of: /metrics are at http:\/\/([^\/]+)\/metrics/)?.output.1)
        let finished = try await run(
            "--json", "--every", "1", "--metrics-listen", String(address), environment: [:])
        let status: Status = try finished.json()
        #expect(status.url == server.url)
        try await server.stop()
    }

    @Test("is shown anew on a terminal until it is ended")
    func terminal() async throws {
        let server = try await TestServer(data: folder.path, environment: Self.key)
        _ = try await server.makeApplication()
        let command = "'\(try Program.path())' status --data '\(folder.path)' --every 1"
        let shown = try ChildProcess(
            "/bin/sh", ["-c", #"sleep 240 | script --quiet --return --command "$0" /dev/null"#, command],
            environment: Self.key)
        _ = try await eventually("the second screen") {
            shown.output.components(separatedBy: "Ctrl-C ends it.").count > 2 ? true : nil
        }
        #expect(shown.output.contains("\u{1B}[H"))
        // When the server goes, the command says what to do and ends.
        try await server.stop()
        _ = try await eventually("the end") { shown.output.contains("does not answer") ? true : nil }
        #expect(shown.output.contains("okaeri serve"))
        shown.signal(SIGKILL)
    }

    @Test("needs no key of a server on the same data folder that has none: the server leaves one for its owner")
    func ownKey() async throws {
        let server = try await TestServer(data: folder.path)
        let status: Status = try await run("--json", "--every", "1", environment: [:]).json()
        #expect(status.url == server.url)
        let file = folder.path + "/status.key"
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
        #expect(rights?.intValue == 0o600)
        let key = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try await server.send("GET", "/metrics", token: key).status == 200)
        #expect(try await server.send("GET", "/metrics").status == 404)
        // It is for the server that wrote it alone.
        let elsewhere = try await run("--server", "http://127.0.0.1:1", environment: [:])
        #expect(elsewhere.status == 2 && elsewhere.errors.contains("OKAERI_METRICS_KEY"), "\(elsewhere.errors)")
        try await server.stop()
        #expect(!FileManager.default.fileExists(atPath: file))
        let again = try await TestServer(data: folder.path)
        #expect(try String(contentsOfFile: file, encoding: .utf8) != key)
        try await again.stop()
    }

    @Test("shows no number that JSON does not have, whatever answers at its address")
    func sumWithoutEnd() async throws {
        let made = try await Program.run(["application", "create", "Garden", "--data", folder.path])
        #expect(made.status == 0, "\(made.errors)")
        let pages = TestFolder()
        try pages.make()
        try """
        okaeri_uptime_seconds 1
        okaeri_connections{loop="1"} 1e308
        okaeri_connections{loop="2"} 1e308
        okaeri_replica_lag_seconds{of="1"} 1e308
        okaeri_replica_lag_seconds{of="2"} 1e308

        """.write(toFile: "\(pages.path)/metrics", atomically: true, encoding: .utf8)
        let other = try ChildProcess(
            "/usr/bin/python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", pages.path, "0"])
        let url = "http://127.0.0.1:\(try await port(of: other, announcedBy: "http://127.0.0.1:"))"
        let shown = try await run("--json", "--every", "1", "--server", url)
        other.signal(SIGKILL)
        #expect(shown.status == 0, "\(shown.errors)")
        let status: Status = try shown.json()
        #expect(status.uptimeSeconds == 1 && status.connections == nil && !shown.output.contains("replicaLagSeconds"))
    }

    @Test("says what to do when no server runs, and when the key is missing or another")
    func faults() async throws {
        let none = try await run()
        #expect(none.status == 1 && none.errors.contains("okaeri serve --data \(folder.path)"), "\(none.errors)")
        let server = try await TestServer(data: folder.path, environment: Self.key)
        let unset = try await run(environment: [:])
        #expect(unset.status == 2 && unset.errors.contains("OKAERI_METRICS_KEY"), "\(unset.errors)")
        #expect(unset.errors.contains("OKAERI_METRICS_LISTEN"), "\(unset.errors)")
        let wrong = try await run(environment: ["OKAERI_METRICS_KEY": "another-key-of-sixteen"])
        #expect(wrong.status == 1 && wrong.errors.contains("does not take the key"), "\(wrong.errors)")
        #expect(!wrong.errors.contains("another-key-of-sixteen"))
        let strange = try await run("--server", "ftp:nowhere")
        #expect(strange.status == 2 && strange.errors.contains("--server must be"), "\(strange.errors)")
        #expect(try await run("--every", "0").status == 2)
        try await server.stop()
        let gone = try await run("--server", server.url)
        #expect(gone.status == 1 && gone.errors.contains("okaeri doctor"), "\(gone.errors)")
    }
}
