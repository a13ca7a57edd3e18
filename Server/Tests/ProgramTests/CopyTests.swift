import CSQLite
import Domain
import Foundation
import Okaeri
import OkaeriWire
import Storage
import StorageSQLite
import TestPostgreSQL
import TestWorld
import Testing

@Suite("okaeri copy", .serialized)
struct CopyTests {
    private let folder = TestFolder()

    @Test("carries an installation over: users keep their sessions, and tokens their keys")
    func moveUp() async throws {
        let old = try await TestServer(data: folder.path, options: ["--public-url", Nodes.publicURL])
        let application = try await old.makeApplication().id
        let (phone, cluster) = (TestDevice(), try await TestPostgreSQL.cluster())
        let before = try await logIn(phone, old, application)
        _ = try await old.send(
            "PATCH", "/v1/user", application: application, token: before.session.token,
            body: #"{"displayName":"はな","fields":{"score":12}}"#)
        let keys = try await old.send("GET", "/.well-known/jwks.json").body
        let busy = try await copy(to: cluster.networkURL(try await cluster.makeDatabase()))
        #expect(busy.status == 1)
        #expect(busy.errors.contains("Another Okaeri server runs on the data folder"), "\(busy.errors)")
        try await old.stop()

        let database = try await cluster.makeDatabase()
        let done = try await copy(to: cluster.networkURL(database))
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains("sealing.key"))
        var environment = Nodes.environment(cluster.networkURL(database))
        let other = try await Program.run(
            "copy", "--from", folder.path, "--to", cluster.networkURL(try await cluster.makeDatabase()),
            environment: environment)
        #expect(other.errors.contains("is another key"), "\(other.errors)")

        let key = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/sealing.key"))
        environment["OKAERI_SEALING_KEY"] = key.base64EncodedString()
        let files = TestFolder()
        try files.make()
        let new = try await TestServer(
            data: files.path, options: ["--public-url", Nodes.publicURL], environment: environment)
        let user = try await new.send("GET", "/v1/user", application: application, token: before.session.token)
        #expect(user.status == 200)
        let body = try JSONDecoder().decode(UserBody.self, from: user.body)
        #expect(body.id == before.user.id)
        #expect(body.displayName == "はな")
        #expect(try await new.send("GET", "/.well-known/jwks.json").body == keys)
        // Proofs of the second in which the old server took its last one are refused with a later time.
        let again = try await eventually("a log-in") { try? await logIn(phone, new, application) }
        #expect(again.user.id == before.user.id && !again.isNew)

        let twice = try await copy(to: cluster.networkURL(database))
        #expect(twice.status == 1)
        #expect(twice.errors.contains("is not empty"), "\(twice.errors)")
    }

    @Test("carries an installation back to one machine, which is refused while a node runs, and on to another folder")
    func moveDown() async throws {
        let nodes = try await Nodes(1)
        let (phone, url) = (TestDevice(), nodes.cluster.networkURL(nodes.database))
        let before = try await nodes.loggedIn(phone, at: 0)
        let busy = try await Program.run("copy", "--from", url, "--to", folder.path)
        #expect(busy.status == 1 && busy.errors.contains("is in use"), "\(busy.errors)")
        try await nodes.servers[0].stop()

        let done = try await Program.run("copy", "--from", url, "--to", folder.path)
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains("OKAERI_SEALING_KEY"))
        var environment = nodes.environment
        environment["OKAERI_DATABASE"] = nil
        for data in [folder, TestFolder()] {
            if data.path != folder.path {
                let on = try await Program.run("copy", "--from", folder.path, "--to", data.path, "--json")
                #expect(on.status == 0, "\(on.errors)")
                #expect(try on.json(Report.self).tables["users"] == 1)
            }
            let server = try await TestServer(
                data: data.path, options: ["--public-url", Nodes.publicURL], environment: environment)
            let user = try await server.send(
                "GET", "/v1/user", application: nodes.application, token: before.session.token)
            #expect(user.status == 200)
            // As above.
            let again = try await eventually("a log-in") { try? await logIn(phone, server, nodes.application) }
            #expect(again.user.id == before.user.id && !again.isNew)
            try await server.stop()
        }
        let back = try await copy(to: nodes.cluster.networkURL(try await nodes.cluster.makeDatabase()))
        #expect(back.status == 0, "\(back.errors)")
    }

    @Test("goes on after a kill into a folder, on which no server starts until then")
    func resumedFolder() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        try seed(users: 50_000)
        let target = TestFolder()
        let first = try ChildProcess(Program.path(), ["copy", "--from", folder.path, "--to", target.path])
        let draft = target.path + "/unfinished-copy.sqlite"
        try await first.killed(once: "a part of the rows is there") {
            // A file that cannot be asked is not there yet.
            let size = try? FileManager.default.attributesOfItem(atPath: draft + "-wal")[.size] as? Int
            return (size ?? 0) > 4_000_000
        }
        let refused = try await Program.run("serve", "--listen", "127.0.0.1:0", "--data", target.path)
        #expect(refused.errors.contains("has not ended. Run it again"), "\(refused.errors)")
        let second = try await copy(to: target.path, "--json")
        #expect(second.status == 0, "\(second.errors)")
        let report = try second.json(Report.self)
        #expect(report.wasResumed && report.tables["users"] == 50_000 && report.tables["sessions"] == 50_000)
        #expect(!FileManager.default.fileExists(atPath: draft))
        let twice = try await copy(to: target.path)
        #expect(twice.status == 1 && twice.errors.contains("is not empty"), "\(twice.errors)")
    }

    @Test("says what to do where the disk of the new folder has no room for it")
    func fullDisk() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        try seed(users: 50_000)
        let target = TestFolder()
        try target.make()
        let disk = try await SmallDisk(in: target.path)
        // In a container a test may often mount nothing.
        guard disk.isMounted else { return }
        let copy = try await disk.confinement.start(["copy", "--from", folder.path, "--to", target.path]).finished()
        #expect(copy.status == 1, "\(copy.output)")
        for words in [
            "The disk of the folder \(target.path) has no room for the copy, which needs about",
            "MiB there. \(folder.path) is as it was",
            "run the same command again", "remove “\(target.path)/unfinished-copy.sqlite”",
        ] {
            #expect(copy.errors.contains(words), "\(copy.errors)")
        }
    }

    @Test("says what is wrong with what is named")
    func wrongCalls() async throws {
        let name = URL(fileURLWithPath: folder.path).lastPathComponent
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        for (options, status, words) in [
            (["--from", folder.path], 1, "Nothing to copy to is named"),
            (
                ["--from", folder.path, "--to", "\(folder.path)/../\(name)"], 1,
                "are the same"
            ),
            (["--from", folder.path, "--to", "mysql://localhost/okaeri"], 2, "--to must be the path of a data folder"),
            (["--from", "postgresql://[secret", "--to", folder.path], 2, "--from must be a connection string"),
            (["--from", folder.path + "/none", "--to", folder.path], 1, "There is no Okaeri database in the folder"),
        ] {
            let finished = try await Program.run(["copy"] + options)
            #expect(
                finished.status == Int32(status) && finished.errors.contains(words), "\(options): \(finished.errors)")
            #expect(!finished.errors.contains("secret"))
        }
        // Another key than that of the installation is in the new folder.
        let target = TestFolder()
        try target.make()
        try Data(repeating: 9, count: 32).write(to: URL(fileURLWithPath: target.path + "/sealing.key"))
        let other = try await copy(to: target.path)
        #expect(
            other.status == 1 && other.errors.contains("another one than that of the installation"), "\(other.errors)")
        let new = TestFolder()
        let done = try await copy(to: new.path)
        #expect(done.status == 0 && done.output.contains("install -m 600"), "\(done.errors)")
    }

    @Test(
        "says what is wrong with a database that is damaged, truncated, foreign or newer, and makes none in the new folder",
        arguments: [
            ("damaged", "malformed"), ("truncated", "malformed"), ("foreign", "not a database"),
            ("newer", "newer Okaeri"),
        ])
    func badSources(what: String, words: String) async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        let file = URL(fileURLWithPath: folder.path + "/okaeri.sqlite")
        var bytes = try Data(contentsOf: file)
        switch what {
        case "damaged":
            bytes = bytes.prefix(bytes.count / 2) + Data(repeating: 0xff, count: bytes.count - bytes.count / 2)
        case "truncated": bytes = bytes.prefix(bytes.count / 2)
        case "foreign": bytes = Data("PGDMP and what follows that in a dump of PostgreSQL".utf8)
        default: _ = try sqlite("INSERT INTO schema_migrations (version, name) VALUES (9999, 'later')")
        }
        if what != "newer" { try bytes.write(to: file) }
        let target = TestFolder()
        let copied = try await copy(to: target.path)
        #expect(copied.status == 1 && copied.errors.contains(words), "\(copied.errors)")
        #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
    }

    @Test("carries a hundred thousand users over, through a kill in the middle")
    func manyUsers() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        try seed(users: 100_000)
        let cluster = try await TestPostgreSQL.cluster()
        // On a crowded machine one may look too late: then all of it begins anew.
        var (database, isKilled) = ("", false)
        for _ in 0..<10 where !isKilled {
            database = try await cluster.makeDatabase()
            isKilled = try await killCopy(to: database, of: cluster)
        }
        try #require(isKilled)
        let url = cluster.networkURL(database)
        let refused = try await Program.run("serve", "--listen", "127.0.0.1:0", environment: Nodes.environment(url))
        #expect(refused.errors.contains("has not ended. Run it again"), "\(refused.errors)")

        let second = try await Program.run("copy", "--from", folder.path, "--to", url, "--json")
        #expect(second.status == 0, "\(second.errors)")
        let report = try second.json(Report.self)
        #expect(report.wasResumed)
        #expect(report.tables["users"] == 100_000 && report.tables["sessions"] == 100_000)
        let counts = try await cluster.run(
            "SELECT (SELECT COUNT(*) FROM users), (SELECT COUNT(*) FROM identities), (SELECT COUNT(*) FROM sessions)",
            in: database)
        #expect(counts == [["100000", "100000", "100000"]])
    }

    /// Kills a copy as soon as the first rows of its last table are there.
    ///
    /// - Returns: `false` when it had ended by then.
    private func killCopy(to database: String, of cluster: TestPostgreSQL) async throws -> Bool {
        let process = try ChildProcess(
            Program.path(), ["copy", "--from", folder.path, "--to", cluster.networkURL(database)])
        _ = try await eventually("the first rows of the last table") { () -> Bool? in
            guard process.isRunning else { return true }
            let exists = try await cluster.run(
                "SELECT to_regclass('unfinished_copy') IS NOT NULL AND to_regclass('sessions') IS NOT NULL",
                in: database)
            guard exists == [["t"]] else { return nil }
            return try await cluster.run("SELECT 1 FROM sessions LIMIT 1", in: database).isEmpty ? nil : true
        }
        process.signal(SIGKILL)
        let status = try await process.status()
        guard status == -SIGKILL || status == 0 else { throw TestFault("it ended at once: \(process.errors)") }
        return status == -SIGKILL
    }

    @Test("copies a table anew that changed between two runs")
    func changedMeanwhile() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        try seed(users: 10)
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        // As an interrupted copy leaves it, and then the installation was used again.
        try await cluster.run(
            """
            CREATE TABLE unfinished_copy (since BIGINT);
            INSERT INTO users (application_id, id, created_at, updated_at)
            VALUES ('app', 'user 00000003', 1, 1), ('app', 'user 00000005', 1, 1)
            """, in: database)
        let done = try await copy(to: cluster.networkURL(database))
        #expect(done.status == 0, "\(done.errors)")
        let users = try await cluster.run("SELECT COUNT(*), MAX(created_at) FROM users", in: database)
        #expect(users == [["10", "1795252542010"]])
    }

    @Test("forgets no table, whatever tables there are: each row of each comes along")
    func everyTable() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        let shapes = try SQLiteTables(folder: folder.path).shapes()
        #expect(shapes.count >= 7)
        try fillEveryTable()
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        let done = try await copy(to: cluster.networkURL(database), "--json")
        #expect(done.status == 0, "\(done.errors)")
        let tables = try done.json(Report.self).tables
        #expect(Set(tables.keys) == Set(shapes.map(\.name)))
        for shape in shapes {
            #expect(
                try await cluster.run("SELECT COUNT(*) > 1 FROM \(shape.name)", in: database) == [["t"]],
                "\(shape.name)")
        }
    }

    private struct Report: Decodable {
        let tables: [String: Int]
        let wasResumed: Bool
    }

    private func copy(to url: String, _ options: String...) async throws -> Program.Finished {
        try await Program.run(["copy", "--from", folder.path, "--to", url] + options)
    }

    private func logIn(_ phone: TestDevice, _ server: TestServer, _ application: String) async throws -> LogInResponse {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let proof = try phone.proof(target: Nodes.publicURL + "/v1/log-in/automatic", at: now)
        let answer = try await server.send(
            "POST", "/v1/log-in/automatic", application: application, proof: proof, body: "{}")
        return try JSONDecoder().decode(LogInResponse.self, from: answer.body)
    }

    /// Users with an identity and a session each, as SQL makes them fastest.
    private func seed(users: Int) throws {
        let numbers = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(users))"
        try sqlite(
            """
            BEGIN;
            \(numbers) INSERT INTO users (application_id, id, display_name, fields, created_at, updated_at)
            SELECT 'app', printf('user %08d', n), 'はな ' || n, '{"score":' || n || '}', 1795252542000 + n, 1795252542000
            FROM numbers;
            \(numbers) INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
            SELECT 'app', 'device', 'key ' || n, printf('user %08d', n), n FROM numbers;
            \(numbers) INSERT INTO sessions (application_id, token_digest, id, slot, user_id, protocol, method,
                created_at, last_used_at, expires_at)
            SELECT 'app', randomblob(32), printf('session %08d', n), printf('session %08d', n), printf('user %08d', n), 'native', 'automatic', n, n,
                1895252542000
            FROM numbers;
            COMMIT
            """)
    }

    /// Two rows in each table, with values made up by the columns' types.
    private func fillEveryTable() throws {
        for shape in try SQLiteTables(folder: folder.path).shapes() {
            for number in 1...2 {
                let values = try types(of: shape.name).map { type in
                    switch type {
                    case "TEXT": "'\(shape.name) \(number) é'"
                    case "BLOB": "x'00ff0\(number)'"
                    default: String(number)
                    }
                }
                try sqlite("INSERT INTO \(shape.name) (\(shape.columnList)) VALUES (\(values.joined(separator: ",")))")
            }
        }
    }

    private func types(of table: String) throws -> [String] {
        try sqlite("SELECT type FROM pragma_table_info('\(table)') ORDER BY cid")
    }

    /// Runs statements behind the program's back; the first column of what the last one gives.
    @discardableResult
    private func sqlite(_ statements: String) throws -> [String] {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open(folder.path + "/okaeri.sqlite", &connection) == SQLITE_OK else {
            throw TestFault("no database in \(folder.path)")
        }
        final class Rows { var texts: [String] = [] }
        let rows = Rows()
        let code = sqlite3_exec(
            connection, statements,
            { rows, _, values, _ in
                guard let rows, let value = values?[0] else { return 0 }
                Unmanaged<Rows>.fromOpaque(rows).takeUnretainedValue().texts.append(String(cString: value))
                return 0
            }, Unmanaged.passUnretained(rows).toOpaque(), nil)
        guard code == SQLITE_OK else { throw TestFault(String(cString: sqlite3_errmsg(connection))) }
        return rows.texts
    }
}
