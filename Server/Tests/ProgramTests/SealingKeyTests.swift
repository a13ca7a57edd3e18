import CSQLite
import Foundation
import OkaeriWire
import Testing

@Suite("Sealing keys of a server")
struct SealingKeyTests {
    private let folder = TestFolder()
    private let keys = TestFolder()

    private struct Status: Decodable {
        let keys: [Key]

        struct Key: Decodable {
            let id: String
            let values: Int
            let isKnown: Bool
            let seals: Bool
        }
    }

    private struct Log: Decodable {
        let entries: [Entry]

        struct Entry: Decodable {
            let action: String
            let target: String?
        }
    }

    /// A file with a key, and the item of a setting that names it.
    private func newKey(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: keys.path, withIntermediateDirectories: true)
        let path = keys.path + "/" + name
        try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        return "file:\(path)"
    }

    private func status(_ environment: [String: String]) async throws -> (code: Int32, keys: [Status.Key]) {
        let finished = try await Program.run(
            ["keys", "status", "--json", "--data", folder.path], environment: environment)
        return (finished.status, try finished.json(Status.self).keys)
    }

    @Test("change while servers run, and the audit log tells it once")
    func change() async throws {
        let (old, new) = (try newKey("old"), try newKey("new"))
        let first = try await TestServer(data: folder.path, environment: ["OKAERI_SEALING_KEY": old])
        let application = try await first.makeApplication().id
        let phone = Phone()
        let before = try await phone.loggedIn(at: first, application: application)
        // A signing key is sealed.
        let rotated = try await Program.run(
            ["keys", "rotate", "--data", folder.path], environment: ["OKAERI_SEALING_KEY": old])
        #expect(rotated.status == 0, "\(rotated.errors)")
        #expect(try await first.stop() == 0)

        let changed = ["OKAERI_SEALING_KEY": old, "OKAERI_SEALING_KEYS": "\(new),sealing-key"]
        let server = try await TestServer(data: folder.path, environment: changed)
        let present = try await status(changed)
        #expect(present.code == 0 && present.keys.map(\.seals) == [true, false])
        #expect(present.keys[1].values > 0)
        for _ in 0..<2 {
            let done = try await Program.run(["keys", "reseal", "--data", folder.path], environment: changed)
            #expect(done.status == 0, "\(done.errors)")
        }
        let after = try await status(changed)
        #expect(after.keys.map(\.values) == [present.keys.reduce(0) { $0 + $1.values }, 0])
        #expect(try await phone.loggedIn(at: server, application: application).user.id == before.user.id)
        let log = try await Program.run(["audit", "list", "--json", "--data", folder.path], environment: changed)
        let entries = try log.json(Log.self).entries.filter { $0.action == "secrets.resealed" }
        #expect(entries.map(\.target) == ["sealing-key:\(after.keys[0].id)"])
        #expect(try await server.stop() == 0)

        // Without the new key nothing can be opened any more: the server says so, and which key it is.
        let refused = try await Program.run(
            ["serve", "--listen", "127.0.0.1:0", "--data", folder.path], environment: ["OKAERI_SEALING_KEY": old])
        #expect(refused.status == 1)
        #expect(refused.errors.contains(after.keys[0].id) && refused.errors.contains("lost:"), "\(refused.errors)")
        let known = try await status(["OKAERI_SEALING_KEY": old])
        #expect(known.code == 1 && known.keys.map(\.isKnown) == [true, false])

        let lost = ["OKAERI_SEALING_KEY": old, "OKAERI_SEALING_KEYS": "sealing-key,lost:\(after.keys[0].id)"]
        let last = try await TestServer(data: folder.path, environment: lost)
        // The server has seen that; a command beside it need not say it again.
        let made = try await Program.run(
            ["application", "create", "Other", "--data", folder.path], environment: ["OKAERI_SEALING_KEY": old])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try await phone.loggedIn(at: last, application: application).user.id == before.user.id)
        #expect(try await last.stop() == 0)
    }

    @Test("are changed to the end by a second run when the first is killed in the middle, while a server serves")
    func killedInTheMiddle() async throws {
        let (old, new) = (try newKey("old"), try newKey("new"))
        let first = try await TestServer(data: folder.path, environment: ["OKAERI_SEALING_KEY": old])
        let application = try await first.makeApplication().id
        let rotated = try await Program.run(
            ["keys", "rotate", "--data", folder.path], environment: ["OKAERI_SEALING_KEY": old])
        #expect(rotated.status == 0, "\(rotated.errors)")
        #expect(try await first.stop() == 0)
        let changed = ["OKAERI_SEALING_KEY": old, "OKAERI_SEALING_KEYS": "\(new),sealing-key"]
        let server = try await TestServer(data: folder.path, environment: changed)
        let phone = Phone()
        let before = try await phone.loggedIn(at: server, application: application)
        let seeds = 40_000
        try seed(signingKeys: seeds)

        let reseal = try ChildProcess(
            Program.path(), ["keys", "reseal", "--data", folder.path], environment: changed)
        try await interrupt(reseal)
        let half = try await status(changed)
        #expect(half.code == 0 && half.keys[0].values > 0 && half.keys[1].values > 0, "\(half.keys)")
        #expect(half.keys.reduce(0) { $0 + $1.values } > seeds)
        // Either key opens what it sealed: nobody notices.
        #expect(try await phone.loggedIn(at: server, application: application).user.id == before.user.id)
        let done = try await Program.run(["keys", "reseal", "--data", folder.path], environment: changed)
        #expect(done.status == 0, "\(done.errors)")
        let after = try await status(changed)
        #expect(after.keys.map(\.values) == [half.keys.reduce(0) { $0 + $1.values }, 0])
        let log = try await Program.run(["audit", "list", "--json", "--data", folder.path], environment: changed)
        // Each run that changed something says so, the killed one too.
        #expect(try log.json(Log.self).entries.filter { $0.action == "secrets.resealed" }.count == 2)
        #expect(try await server.stop() == 0)
    }

    @Test("are asked of commands beside a server: one with another key, or with none, seals nothing and makes none")
    func commandBesideServer() async throws {
        let (own, other) = (try newKey("own"), try newKey("other"))
        let server = try await TestServer(data: folder.path, environment: ["OKAERI_SEALING_KEY": own])
        let create = ["application", "create", "Game", "--enable", "ncmb", "--json", "--data", folder.path]
        let environments: [[String: String]] = [[:], ["OKAERI_SEALING_KEY": other]]
        for environment in environments {
            let refused = try await Program.run(create, environment: environment)
            #expect(refused.status == 1 && refused.errors.contains("another sealing key"), "\(refused.errors)")
            #expect(refused.errors.contains("OKAERI_SEALING_KEY"), "\(refused.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/sealing.key"))
        let made = try await Program.run(create, environment: ["OKAERI_SEALING_KEY": own])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try await server.stop() == 0)
        // What was sealed is all the server's own.
        let again = try await TestServer(data: folder.path, environment: ["OKAERI_SEALING_KEY": own])
        #expect(try await again.stop() == 0)
    }

    @Test("are made for a new installation alone: without its own an old one is refused, until that one is given up")
    func noKeyBesideSealedSecrets() async throws {
        let own = ["OKAERI_SEALING_KEY": try newKey("own")]
        for command in [["application", "create", "Game"], ["keys", "rotate"]] {
            let done = try await Program.run(command + ["--data", folder.path], environment: own)
            #expect(done.status == 0, "\(done.errors)")
        }
        let known = try await status(own).keys
        let id = try #require(known.first?.id)
        let commands = [
            ["serve", "--listen", "127.0.0.1:0"], ["application", "create", "Other"], ["keys", "rotate"],
        ]
        for command in commands {
            let refused = try await Program.run(command + ["--data", folder.path])
            #expect(refused.status == 1 && refused.errors.contains(id), "\(command): \(refused.errors)")
            #expect(refused.errors.contains("sealing.key") && refused.errors.contains("lost:"), "\(refused.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/sealing.key"))
        let server = try await TestServer(
            data: folder.path, environment: ["OKAERI_SEALING_KEYS": "sealing-key,lost:\(id)"])
        #expect(FileManager.default.fileExists(atPath: folder.path + "/sealing.key"))
        #expect(try await server.stop() == 0)
    }

    @Test("keep the first, from which the audit log derives: with another in its place nothing starts or is chained")
    func firstKeyStays() async throws {
        let (old, new) = (try newKey("old"), try newKey("new"))
        let own = ["OKAERI_SEALING_KEY": old]
        let changed = ["OKAERI_SEALING_KEY": old, "OKAERI_SEALING_KEYS": "\(new),sealing-key"]
        let steps: [(command: [String], environment: [String: String])] = [
            (["application", "create", "Game"], own), (["keys", "rotate"], own), (["keys", "reseal"], changed),
            (["audit", "verify"], changed), (["application", "create", "Other"], changed),
        ]
        for step in steps {
            let done = try await Program.run(step.command + ["--data", folder.path], environment: step.environment)
            #expect(done.status == 0, "\(step.command): \(done.errors)")
        }
        let replaced = ["OKAERI_SEALING_KEY": new]
        let known = try await status(replaced)
        #expect(known.code == 0 && known.keys.count == 1, "nothing sealed tells")
        // That some other key is lost says nothing of the first one.
        let otherLost = ["OKAERI_SEALING_KEY": new, "OKAERI_SEALING_KEYS": "sealing-key,lost:0123456789abcdef"]
        let commands = [
            ["serve", "--listen", "127.0.0.1:0"], ["audit", "verify"], ["application", "create", "Third"],
        ]
        for environment in [replaced, otherLost] {
            for command in commands {
                let refused = try await Program.run(command + ["--data", folder.path], environment: environment)
                #expect(refused.status == 1, "\(command)")
                #expect(refused.errors.contains("OKAERI_SEALING_KEY"), "\(command): \(refused.errors)")
            }
        }
        let doctor = try await Program.run(["doctor", "--data", folder.path], environment: replaced)
        #expect(doctor.status == 1 && doctor.output.contains("is not the key that this installation began with"))
        // The entry of the second application waited.
        let whole = try await Program.run(["audit", "verify", "--data", folder.path], environment: changed)
        #expect(whole.status == 0, "\(whole.output)")
        // What the refusal says: nothing sealed names the id of the key that is lost.
        let start = ["serve", "--listen", "127.0.0.1:0", "--data", folder.path]
        let advice = try await Program.run(start, environment: replaced).errors
        #expect(advice.contains("“lost:first” in OKAERI_SEALING_KEYS"), "\(advice)")
        let lost = ["OKAERI_SEALING_KEY": new, "OKAERI_SEALING_KEYS": "sealing-key,lost:first"]
        let server = try await TestServer(data: folder.path, environment: lost)
        _ = try await server.makeApplication()
        #expect(try await server.stop() == 0)
        // From then on logs end under the new one, and the word is in the way of noticing a third.
        let again = try await TestServer(data: folder.path, environment: lost)
        #expect(try await again.stop() == 0)
        #expect(again.process.errors.contains("lost:first is not needed any more"), "\(again.process.errors)")
        let last = try await TestServer(data: folder.path, environment: replaced)
        #expect(try await last.stop() == 0)
    }

    @Test("are compared for commands without a server too: what the server could not open is not sealed")
    func commandAlone() async throws {
        let (own, other) = (["OKAERI_SEALING_KEY": try newKey("own")], ["OKAERI_SEALING_KEY": try newKey("other")])
        let application = try await Program.run(
            ["application", "create", "Game", "--json", "--data", folder.path], environment: own
        ).json(CreatedApplication.self)
        let rotated = try await Program.run(["keys", "rotate", "--data", folder.path], environment: own)
        #expect(rotated.status == 0, "\(rotated.errors)")
        let id = try #require(try await status(own).keys.first?.id)
        let enable = ["application", "enable", application.id, "ncmb", "--data", folder.path]
        let refused = try await Program.run(enable, environment: other)
        #expect(refused.status == 1 && refused.errors.contains(id), "\(refused.errors)")
        // What is only read, is read.
        let shown = try await Program.run(
            ["application", "show", application.id, "--data", folder.path], environment: other)
        #expect(shown.status == 0, "\(shown.errors)")
        let enabled = try await Program.run(enable, environment: own)
        #expect(enabled.status == 0, "\(enabled.errors)")
        #expect(try await status(own).keys.map(\.isKnown) == [true])
    }

    @Test("are not made anew where the audit log has begun, though nothing is sealed, until that is said")
    func noKeyBesideLogs() async throws {
        for command in [["application", "create", "Game"], ["audit", "verify"]] {
            let done = try await Program.run(command + ["--data", folder.path])
            #expect(done.status == 0, "\(done.errors)")
        }
        #expect(try await status([:]).keys.allSatisfy { $0.values == 0 })
        let file = folder.path + "/sealing.key"
        try FileManager.default.removeItem(atPath: file)
        for command in [["serve", "--listen", "127.0.0.1:0"], ["application", "create", "Other"]] {
            let refused = try await Program.run(command + ["--data", folder.path])
            #expect(refused.status == 1 && refused.errors.contains("“lost:first”"), "\(command): \(refused.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        let server = try await TestServer(
            data: folder.path, environment: ["OKAERI_SEALING_KEYS": "sealing-key,lost:first"])
        #expect(FileManager.default.fileExists(atPath: file))
        #expect(try await server.stop() == 0)
    }

    @Test("show on a terminal how far their change is, and on no other output")
    func progress() async throws {
        let (old, new) = (try newKey("old"), try newKey("new"))
        for command in [["application", "create", "Hoshi"], ["keys", "rotate"]] {
            let made = try await Program.run(
                command + ["--data", folder.path], environment: ["OKAERI_SEALING_KEY": old])
            #expect(made.status == 0, "\(made.errors)")
        }
        try seed(signingKeys: 4_000)
        let changed = ["OKAERI_SEALING_KEY": old, "OKAERI_SEALING_KEYS": "\(new),sealing-key"]
        // Standard error of a process is a terminal here, and comes with its standard output.
        let terminal = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
        let shown = try await ChildProcess(
            "/usr/bin/env", ["python3", "-c", terminal, Program.path(), "keys", "reseal", "--data", folder.path],
            environment: changed
        ).finished()
        let lines = shown.output.components(separatedBy: "\r\u{1B}[K")
            .compactMap { $0.firstMatch(of: /^(\d+) of (\d+) values/) }
        let handled = lines.compactMap { Int($0.1) }
        #expect(shown.status == 0 && handled.count > 2 && handled == handled.sorted(), "\(shown.output)")
        #expect(lines.allSatisfy { Int($0.2) ?? 0 > 4_000 } && handled.last ?? 0 > 4_000, "\(shown.output)")
        let quiet = try await Program.run(["keys", "reseal", "--data", folder.path], environment: changed)
        #expect(quiet.status == 0 && quiet.errors.isEmpty && !quiet.output.contains(" of "), "\(quiet.errors)")
    }

    @Test("let a rotation say when the new key signs: in ten minutes, but not behind a key of a clock that was ahead")
    func aheadOfTheClock() async throws {
        let made = try await Program.run(["application", "create", "Hoshi", "--data", folder.path], environment: [:])
        #expect(made.status == 0, "\(made.errors)")
        let expected: [(change: String?, text: String)] = [
            (nil, "signs in ten minutes"), ("created_at + 31536000000", "from the next rotation on"),
        ]
        for (change, signs) in expected {
            if let change { try execute("UPDATE signing_keys SET created_at = \(change)") }
            let rotated = try await Program.run(["keys", "rotate", "--data", folder.path], environment: [:])
            #expect(rotated.status == 0 && rotated.output.contains(signs), "\(rotated.output)\(rotated.errors)")
        }
    }

    /// Copies of the oldest signing key, so that sealing them again takes a while.
    private func seed(signingKeys count: Int) throws {
        try execute(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
            INSERT INTO signing_keys (id, sealed, created_at)
            SELECT printf('seed %08d', n), (SELECT sealed FROM signing_keys ORDER BY created_at LIMIT 1), n FROM numbers
            """)
    }

    private func execute(_ text: String) throws {
        try sqlite { connection in
            guard sqlite3_exec(connection, text, nil, nil, nil) == SQLITE_OK else {
                throw TestFault(String(cString: sqlite3_errmsg(connection)))
            }
        }
    }

    /// Kills a run between two of its transactions, when it has sealed some of the copies again.
    private func interrupt(_ process: ChildProcess) async throws {
        try await process.killed(once: "a part is sealed again") {
            var isSo = false
            try sqlite { connection in
                // Nothing is written while this is held.
                guard sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK else { return }
                defer { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
                guard
                    try number("SELECT COUNT(DISTINCT sealed) FROM signing_keys WHERE id LIKE 'seed %'", connection) > 1
                else { return }
                process.signal(SIGKILL)
                isSo = true
            }
            return isSo
        }
    }

    private func number(_ query: String, _ connection: OpaquePointer?) throws -> Int64 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, query, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { throw TestFault(String(cString: sqlite3_errmsg(connection))) }
        return sqlite3_column_int64(statement, 0)
    }

    private func sqlite(_ body: (OpaquePointer?) throws -> Void) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open(folder.path + "/okaeri.sqlite", &connection) == SQLITE_OK else {
            throw TestFault(String(cString: sqlite3_errmsg(connection)))
        }
        sqlite3_busy_timeout(connection, 60_000)
        try body(connection)
    }
}
