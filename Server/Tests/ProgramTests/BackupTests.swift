import CSQLite
import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestMailServer
import TestWorld
import Testing

@Suite("okaeri backup and restore", .serialized)
struct BackupTests {
    private let folder = TestFolder()
    private let repository = TestFolder()
    private let target = TestFolder()
    private let keys = TestFolder()

    @Test("bring everything back but what ended since then: sessions, transfer codes, device keys, deleted users")
    func revocations() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication().id
        let (hana, mika, taro, saki) = (Phone(), Phone(), Phone(), Phone())
        let stays = try await hana.loggedIn(
            at: server, application: application, body: #"{"user":{"displayName":"はな"}}"#)
        let ends = try await mika.loggedIn(at: server, application: application)
        let leaves = try await taro.loggedIn(at: server, application: application)
        let loses = try await saki.loggedIn(at: server, application: application)
        // The last way into an account stays: the device's key is not hers.
        let named = try await server.send(
            "POST", "/v1/user/upgrade", application: application, token: loses.session.token,
            body: #"{"username":"saki","password":"a long enough secret"}"#)
        #expect(named.status == 200, "\(String(decoding: named.body, as: UTF8.self))")
        let code = try await transferCode(of: stays, server, application)
        let key = try await makeBackup()

        // The server goes on: what ends now is not in the backup.
        #expect(try await server.status("POST", "/v1/log-out", ends, in: application) == 204)
        let new = Phone()
        #expect(try await redeem(code, by: new, at: server, application).status == 200)
        for command in [
            ["user", "delete", leaves.user.id, "--now", "--yes"],
            ["user", "remove-device-key", loses.user.id, "--all"],
        ] {
            let done = try await Program.run(
                command + ["--application", application, "--data", folder.path])
            #expect(done.status == 0, "\(command): \(done.errors)")
        }
        try await server.stop(SIGKILL)

        let restored = try await restore(key, "--revocations-of", folder.path, "--json")
        #expect(restored.status == 0, "\(restored.errors)")
        let report = try restored.json(RestoredReport.self)
        #expect(report.isJournalComplete && !report.endedAll && report.revocations > 0)
        let sealing = try await Program.run("keys", "status", "--json", "--data", folder.path)
        #expect(report.sealingKeys.count == 1 && sealing.output.contains(report.sealingKeys[0]), "\(sealing.output)")
        try FileManager.default.copyItem(
            atPath: folder.path + "/sealing.key", toPath: target.path + "/sealing.key")
        let again = try await TestServer(data: target.path)
        #expect(try await again.status("GET", "/v1/user", stays, in: application) == 200)
        for (gone, name) in [(ends, "mika"), (leaves, "taro"), (loses, "saki")] {
            #expect(try await again.status("GET", "/v1/user", gone, in: application) == 401, "\(name)")
        }
        let shown = try await Program.run(
            "user", "show", leaves.user.id, "--application", application, "--data", target.path)
        #expect(shown.status == 1, "\(shown.output)")
        #expect(try await redeem(code, by: Phone(), at: again, application).status != 200)
        #expect(try await hana.loggedIn(at: again, application: application).user.id == stays.user.id)
        #expect(try await mika.loggedIn(at: again, application: application).user.id == ends.user.id)
        let keyless = try await saki.logIn(at: again, application: application)
        let user = try? JSONDecoder().decode(LogInResponse.self, from: keyless.body).user.id
        #expect(user != loses.user.id)
        try await again.stop()
    }

    @Test("let no code count again that was used since then: of a mail, for a new password, for a transfer")
    func usedCodes() async throws {
        let mail = try await MailServer()
        let options = ["--smtp-url", mail.url] + SpentCodes.mailOptions
        let server = try await TestServer(data: folder.path, options: options)
        let application = try await server.makeApplication().id
        let codes = try await SpentCodes(at: server, mail, application) {
            try await Program.run("import", "users", $0, "--application", application, "--data", folder.path)
        }
        let key = try await makeBackup()
        try await codes.spend(at: server)
        try await server.stop(SIGKILL)
        let restored = try await restore(key, "--revocations-of", folder.path)
        #expect(restored.status == 0, "\(restored.errors)")
        try FileManager.default.copyItem(atPath: folder.path + "/sealing.key", toPath: target.path + "/sealing.key")
        let again = try await TestServer(data: target.path, options: options)
        try await codes.check(at: again)
        try await again.stop()
    }

    @Test("end all sessions when nobody knows what ended, unless the operator decides otherwise; device keys stay")
    func lostMachine() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication().id
        let hana = Phone()
        let logIn = try await hana.loggedIn(at: server, application: application)
        for command in [
            ["create", "mika", "--role", "operator"],
            ["key", "create", "mika", "--name", "Importer", "--scope", "users:read"],
        ] {
            let made = try await Program.run(["admin"] + command + ["--data", folder.path])
            #expect(made.status == 0, "\(made.errors)")
        }
        let key = try await makeBackup()
        try await server.stop()

        let lost = try await restore(key)
        #expect(
            lost.status == 0 && lost.output.contains("all sessions, codes, transfer codes"),
            "\(lost.output)\(lost.errors)")
        // What could not be ended is named.
        #expect(lost.output.contains("okaeri admin list") && lost.output.contains("API"), "\(lost.output)")
        let kept = TestFolder()
        let other = try await Program.run(
            "restore", "--from", repository.path, "--secret-key-file", key.secret, "--data", kept.path,
            "--keep-sessions")
        #expect(other.status == 0 && other.output.contains("--keep-sessions"), "\(other.errors)")
        for (path, expected) in [(target.path, 401), (kept.path, 200)] {
            try FileManager.default.copyItem(atPath: folder.path + "/sealing.key", toPath: path + "/sealing.key")
            let again = try await TestServer(data: path)
            #expect(try await again.status("GET", "/v1/user", logIn, in: application) == expected)
            #expect(try await hana.loggedIn(at: again, application: application).user.id == logIn.user.id)
            try await again.stop()
            let keys = try await Program.run("admin", "key", "list", "--data", path)
            #expect(keys.status == 0 && keys.output.contains("Importer") == (expected == 200), "\(keys.output)")
        }
    }

    @Test("use the journal that was stored with the backups, up to where it goes")
    func storedJournal() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication().id
        let logIn = try await Phone().loggedIn(at: server, application: application)
        let key = try await makeBackup()
        #expect(try await server.status("POST", "/v1/log-out", logIn, in: application) == 204)
        let stored = try await Program.run(
            "backup", "revocations", "--data", folder.path, "--to", repository.path, "--key", key.public)
        #expect(stored.status == 0, "\(stored.errors)")
        try await server.stop()
        let restored = try await restore(key, "--keep-sessions", "--json")
        #expect(try restored.json(RestoredReport.self).revocations > 0, "\(restored.errors)")
        let again = try await TestServer(data: target.path)
        #expect(try await again.status("GET", "/v1/user", logIn, in: application) == 401)
        try await again.stop()
    }

    @Test("go to a store that speaks S3, in parts when they are large, and come back from there")
    func store() async throws {
        let store = try await S3Server()
        let nobody = "http://127.0.0.1:9"
        let environment = store.environment.merging(
            ["http_proxy": nobody, "all_proxy": nobody, "no_proxy": ""], uniquingKeysWith: { $1 })
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        // Random bytes do not shrink: the backup becomes larger than one part.
        try run(
            "CREATE TABLE ballast (id INTEGER PRIMARY KEY, bytes BLOB); "
                + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) "
                + "INSERT INTO ballast SELECT i, randomblob(1000000) FROM n")
        let key = try await BackupKeyPair(in: keys)
        let s3 = "s3://backups/okaeri"
        for _ in 0..<2 {
            let made = try await Program.run(
                "backup", "--data", folder.path, "--to", s3, "--key", key.public, "--secret-key-file", key.secret,
                "--keep",
                "1", environment: environment)
            #expect(made.status == 0 && made.output.contains("read back and opened"), "\(made.errors)")
        }
        let listed = try await Program.run("backup", "list", "--from", s3, "--json", environment: store.environment)
        let backups = try listed.json([ListedBackup].self)
        #expect(backups.count == 1 && (backups.first?.byteCount ?? 0) > 16_000_000, "\(listed.output)")
        let restored = try await Program.run(
            "restore", "--from", s3, "--secret-key-file", key.secret, "--data", target.path,
            environment: store.environment)
        #expect(restored.status == 0, "\(restored.errors)")
        let doctor = try await Program.run("application", "list", "--data", target.path)
        #expect(doctor.output.contains("Demo"))

        store.process.signal(SIGKILL)
        let gone = TestFolder()
        let lost = try await Program.run(
            "restore", "--from", s3, "--secret-key-file", key.secret, "--data", gone.path,
            environment: store.environment)
        #expect(lost.status == 1 && lost.errors.contains("See that the store runs"), "\(lost.errors)")
        #expect(!FileManager.default.fileExists(atPath: gone.path + "/okaeri.sqlite"))
        #expect(try leftovers(in: gone.path).isEmpty)
        let down = try await Program.run(
            "backup", "--data", folder.path, "--to", s3, "--key", key.public, environment: store.environment)
        #expect(down.status == 1 && down.errors.contains("See that the store runs"), "\(down.errors)")
        #expect(try leftovers(in: folder.path).isEmpty)
    }

    @Test("keep as many backups as was asked, and check them")
    func keeping() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        let key = try await BackupKeyPair(in: keys)
        try repository.make()
        // What a backup leaves that was killed: no process has the largest number.
        try Data("a copy".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/.backup-2147483647.sqlite"))
        for _ in 0..<3 {
            let made = try await Program.run(
                "backup", "make", "--data", folder.path, "--to", repository.path, "--key", key.public, "--keep", "2")
            #expect(made.status == 0, "\(made.errors)")
        }
        let backups = try await Program.run("backup", "list", "--from", repository.path, "--json").json(
            [ListedBackup].self)
        #expect(backups.count == 2 && backups.allSatisfy { $0.madeAt != nil })
        let oldest = try #require(backups.first?.name)
        let checked = try await Program.run(
            "backup", "check", oldest, "--from", repository.path, "--secret-key-file", key.secret)
        #expect(checked.status == 0 && checked.output.contains("can be opened"), "\(checked.errors)")
        #expect(try leftovers(in: folder.path).isEmpty && leftovers(in: repository.path).isEmpty)
    }

    @Test("are checked and restored with the keys of two times, which are in one file")
    func changedKey() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication().id
        let ends = try await Phone().loggedIn(at: server, application: application)
        let (before, after) = (try await makeBackup(), try await BackupKeyPair(in: keys))
        #expect(try await server.status("POST", "/v1/log-out", ends, in: application) == 204)
        let stored = try await Program.run(
            "backup", "revocations", "--data", folder.path, "--to", repository.path, "--key", after.public)
        #expect(stored.status == 0, "\(stored.errors)")
        try await server.stop()
        for key in [before, after] {
            let check = ["backup", "check", "--from", repository.path, "--secret-key-file", key.secret]
            let refused = [try await Program.run(check), try await restore(key)]
            #expect(refused.allSatisfy { $0.status == 1 && $0.errors.contains("both stand in the file") }, "\(refused)")
        }
        let both = "\(keys.path)/both"
        try [before, after].map { try String(contentsOfFile: $0.secret, encoding: .utf8) }.joined()
            .write(toFile: both, atomically: true, encoding: .utf8)
        let checked = try await Program.run("backup", "check", "--from", repository.path, "--secret-key-file", both)
        #expect(checked.status == 0 && checked.output.contains("can be opened"), "\(checked.errors)")
        let restored = try await Program.run(
            "restore", "--from", repository.path, "--secret-key-file", both, "--data", target.path, "--json")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try restored.json(RestoredReport.self).revocations > 0)
    }

    @Test("wait for nothing that has a backup's name and is no file, and say which it is")
    func pipes() async throws {
        try repository.make()
        let names = ["pipe", "folder", "loop"].map { "okaeri-\($0).backup" }
        let paths = names.map { "\(repository.path)/\($0)" }
        #expect(mkfifo(paths[0], 0o600) == 0 && mkdir(paths[1], 0o700) == 0 && symlink(paths[2], paths[2]) == 0)
        let list = try await Program.run("backup", "list", "--from", repository.path)
        #expect(list.status == 0 && names.allSatisfy { list.output.contains($0) }, "\(list.errors)")
        for path in paths {
            let words = path == paths[2] ? "cannot be read" : "cannot be read: it is no regular file"
            #expect(list.output.contains("\(path) \(words)"), "\(list.output)")
            let name = String(path.dropFirst(repository.path.count + 1))
            let check = try await Program.run("backup", "check", name, "--from", repository.path)
            #expect(check.status == 1 && check.errors.contains("\(path) \(words)"), "\(check.errors)")
        }
    }

    @Test(
        "say what is wrong with a backup, and leave no half of it behind",
        arguments: BackupDamage.allCases)
    func badBackups(damage: BackupDamage) async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        var key = try await makeBackup()
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: repository.path).first { $0.hasSuffix(".backup") })
        let file = URL(fileURLWithPath: "\(repository.path)/\(name)")
        try damage.apply(to: file)
        if damage == .otherKey { key = try await BackupKeyPair(in: keys) }
        let restored = try await restore(key)
        #expect(restored.status == 1 && restored.errors.contains(damage.words), "\(restored.errors)")
        #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
        #expect(try leftovers(in: target.path).isEmpty)
    }

    @Test("touch no folder that has a database, and find no backup where there is none")
    func wrongFolders() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        let key = try await makeBackup()
        let full = try await Program.run(
            "restore", "--from", repository.path, "--secret-key-file", key.secret, "--data", folder.path)
        #expect(full.status == 1 && full.errors.contains("is not empty"), "\(full.errors)")
        try target.make()
        // As a server that has just started.
        let lock = open(target.path + "/server.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        let busy = try await restore(key)
        #expect(busy.status == 1 && busy.errors.contains("Another Okaeri server runs on"), "\(busy.errors)")
        // As a restore that is under way.
        for command in [["application", "create", "Demo"], ["migrate"]] {
            let refused = try await Program.run(command + ["--data", target.path])
            #expect(
                refused.status == 1 && refused.errors.contains("A restore or a copy into the folder counts as one"),
                "\(refused.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["server.lock"])
        close(lock)
        // A slip there would log everybody out.
        let slip = try await restore(key, "--revocations-of", folder.path + "s")
        #expect(slip.status == 1 && slip.errors.contains("\(folder.path)s cannot be read: No such"), "\(slip.errors)")
        #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
        let none = try await Program.run(
            "restore", "--from", target.path, "--secret-key-file", key.secret, "--data", keys.path + "/new")
        #expect(none.status == 1 && none.errors.contains("okaeri backup make"), "\(none.errors)")
        let nowhere = try await Program.run(
            "backup", "--data", folder.path, "--to", folder.path + "/nowhere", "--key", key.public)
        #expect(nowhere.status == 1 && nowhere.errors.contains("cannot be read"), "\(nowhere.errors)")
        let slipped = try await Program.run(
            "backup", "--data", folder.path, "--to", repository.path, "--key", String(key.public.dropLast()))
        #expect(slipped.status == 2 && slipped.errors.contains("okaeri backup new-key"), "\(slipped.errors)")
    }

    private func makeBackup() async throws -> BackupKeyPair {
        let key = try await BackupKeyPair(in: keys)
        try repository.make()
        let made = try await Program.run(
            "backup", "--data", folder.path, "--to", repository.path, "--key", key.public, "--secret-key-file",
            key.secret)
        guard made.status == 0 else { throw TestFault(made.errors) }
        return key
    }

    private func restore(_ key: BackupKeyPair, _ options: String...) async throws -> Program.Finished {
        try await Program.run(
            ["restore", "--from", repository.path, "--secret-key-file", key.secret, "--data", target.path] + options)
    }

    private func transferCode(
        of logIn: LogInResponse, _ server: TestServer, _ application: String
    ) async throws -> String {
        let answer = try await server.send(
            "POST", "/v1/user/transfer-code", application: application, token: logIn.session.token, body: "{}")
        return try JSONDecoder().decode(TransferCodeResponse.self, from: answer.body).code
    }

    private func redeem(
        _ code: String, by phone: Phone, at server: TestServer, _ application: String
    ) async throws -> TransportResponse {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let proof = try phone.device.proof(target: server.url + "/v1/log-in/transfer-code", at: now)
        return try await server.send(
            "POST", "/v1/log-in/transfer-code", application: application, proof: proof, body: #"{"code":"\#(code)"}"#)
    }

    private func run(_ statements: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open(folder.path + "/okaeri.sqlite", &connection) == SQLITE_OK,
            sqlite3_exec(connection, statements, nil, nil, nil) == SQLITE_OK
        else { throw TestFault(String(cString: sqlite3_errmsg(connection))) }
    }
}
