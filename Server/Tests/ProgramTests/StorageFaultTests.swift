import CSQLite
import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("Storage that fails")
struct StorageFaultTests {
    private let folder = TestFolder()

    @Test("answers 503 while the disk is full, and works again when there is space")
    func diskFull() async throws {
        try folder.make()
        let disk = try await SmallDisk(in: folder.path)
        let server = try await TestServer(data: folder.path, confinement: disk.confinement)
        let application = try await server.makeApplication().id
        let phone = Phone()
        let before = try await phone.loggedIn(at: server, application: application)

        try await disk.fill(server)
        for _ in 0..<3 {
            let refused = try await Phone().logIn(at: server, application: application)
            #expect(refused.status == 503)
            #expect(refused.headers["Retry-After"].flatMap { Int($0) } != nil)
            #expect(try JSONDecoder().decode(Problem.self, from: refused.body).code == .storageUnavailable)
        }
        #expect(try await server.send("GET", "/health/live").status == 200)
        let reading = try await server.send("GET", "/v1/user", application: application, token: before.session.token)
        #expect(reading.status == 200)

        try await disk.empty(server)
        let after = try await phone.loggedIn(at: server, application: application)
        #expect(after.user.id == before.user.id)
        #expect(try await Phone().loggedIn(at: server, application: application).isNew)
        #expect(try await server.stop() == 0)
    }

    @Test("refuses a data folder that cannot be written", arguments: ["serve", "application list", "doctor"])
    func readOnlyFolder(_ command: String) async throws {
        // The folder above is left as it is, so that it can be removed.
        let data = folder.path + "/data"
        try folder.make()
        _ = try await Program.run("application", "create", "Demo", "--data", data)
        chmod(folder.path, 0o755)
        let confinement = try await Confinement.readOnly(data)
        var arguments = command.split(separator: " ").map(String.init) + ["--data", data]
        if command == "serve" { arguments += ["--listen", "127.0.0.1:0"] }
        let finished = try await confinement.start(arguments).finished()
        #expect(finished.status == 1)
        let words = finished.errors + finished.output
        #expect(words.contains("\(data) cannot be written: "), "\(words)")
        // A disk that lets nobody write is not mended by rights.
        #expect(words.contains("df -h") == (command == "doctor" && words.contains("Read-only file system")), "\(words)")
        chmod(data, 0o755)
    }

    @Test("refuses a database from a newer program", arguments: ["serve", "application list", "doctor"])
    func newerSchema(_ command: String) async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        try change("INSERT INTO schema_migrations (version, name) VALUES (999, 'from the future')")
        let arguments = command.split(separator: " ").map(String.init) + ["--data", folder.path]
        let finished = try await Program.run(arguments)
        #expect(finished.status == 1)
        let words = finished.errors + finished.output
        #expect(words.contains("The database has schema version 999, made by a newer Okaeri"), "\(words)")
        #expect(words.contains("Run the newer program"))
    }

    @Test("changes no schema below a server of an older program", arguments: ["application list", "status --once"])
    func olderServer(_ command: String) async throws {
        let server = try await TestServer(data: folder.path)
        try change("DELETE FROM schema_migrations WHERE version = (SELECT MAX(version) FROM schema_migrations)")
        let arguments = command.split(separator: " ").map(String.init) + ["--data", folder.path]
        let finished = try await Program.run(arguments)
        #expect(finished.status == 1 && finished.errors.contains("a server of an older Okaeri runs on it"))
        #expect(finished.errors.contains("Start that server anew"), "\(finished.errors)")
        try await server.stop()
    }

    @Test("refuses what is no database", arguments: ["serve", "application list", "doctor"])
    func noDatabase(_ command: String) async throws {
        try folder.make()
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: folder.path + "/okaeri.sqlite"))
        let arguments = command.split(separator: " ").map(String.init) + ["--data", folder.path]
        let finished = try await Program.run(arguments)
        #expect(finished.status == 1)
        #expect((finished.errors + finished.output).contains("file is not a database"), "\(finished.errors)")
    }

    /// Changes the database behind the program's back.
    private func change(_ statement: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open(folder.path + "/okaeri.sqlite", &connection) == SQLITE_OK,
            sqlite3_busy_timeout(connection, 10_000) == SQLITE_OK,
            sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK
        else { throw TestFault(String(cString: sqlite3_errmsg(connection))) }
    }
}
