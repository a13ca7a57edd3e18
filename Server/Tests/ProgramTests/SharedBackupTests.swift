import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestMailServer
import TestPostgreSQL
import TestWorld
import Testing

@Suite("okaeri backup and restore, with PostgreSQL", .serialized)
struct SharedBackupTests {
    private let folder = TestFolder()
    private let repository = TestFolder()
    private let keys = TestFolder()
    private let nodes = TestFolder()

    @Test("bring everything back but what ended since then, by the journal of the old database")
    func revocations() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let old = try await cluster.makeMigratedDatabase()
        let node = try await node(cluster.url(old))
        let application = try await makeApplication(cluster.url(old))
        let (hana, mika, taro, saki) = (Phone(), Phone(), Phone(), Phone())
        let stays = try await hana.loggedIn(
            at: node, application: application, body: #"{"user":{"displayName":"はな"}}"#)
        let ends = try await mika.loggedIn(at: node, application: application)
        let leaves = try await taro.loggedIn(at: node, application: application)
        let loses = try await saki.loggedIn(at: node, application: application)
        let named = try await node.send(
            "POST", "/v1/user/upgrade", application: application, token: loses.session.token,
            body: #"{"username":"saki","password":"a long enough secret"}"#)
        #expect(named.status == 200)
        let key = try await makeBackup(cluster.url(old), "--json")

        // The node goes on, and what ends now is not in the backup.
        #expect(try await node.status("POST", "/v1/log-out", ends, in: application) == 204)
        for command in [
            ["user", "delete", leaves.user.id, "--now", "--yes"],
            ["user", "remove-device-key", loses.user.id, "--all"],
            ["user", "disable", stays.user.id],
            ["user", "enable", stays.user.id],
        ] {
            let done = try await program(command + ["--application", application], cluster.url(old))
            #expect(done.status == 0, "\(command): \(done.errors)")
        }
        let again = try await hana.loggedIn(at: node, application: application)
        try await node.stop(SIGKILL)

        let new = try await cluster.makeDatabase()
        let restored = try await restore(key, into: cluster.url(new), "--revocations-of", cluster.url(old), "--json")
        #expect(restored.status == 0, "\(restored.errors)")
        let report = try restored.json(RestoredReport.self)
        #expect(report.isJournalComplete && !report.endedAll && report.revocations > 0)
        #expect(report.rows["users"] == 3 && report.sealingKeys.count == 1)
        let second = try await self.node(cluster.url(new))
        #expect(try await second.status("GET", "/v1/user", again, in: application) == 401, "began after the backup")
        for (gone, name) in [(ends, "mika"), (leaves, "taro"), (loses, "saki")] {
            #expect(try await second.status("GET", "/v1/user", gone, in: application) == 401, "\(name)")
        }
        #expect(try await hana.loggedIn(at: second, application: application).user.displayName == "はな")
        #expect(try await mika.loggedIn(at: second, application: application).user.id == ends.user.id)
        #expect(try await taro.loggedIn(at: second, application: application).user.id != leaves.user.id)
        try await second.stop()
        // A restored database notes nothing until its own first backup.
        let journal = try await cluster.run("SELECT to_regclass('revocations')::text", in: new)
        #expect(journal == [[nil]])
        #expect(try await makeBackup(cluster.url(new)).public.hasPrefix("okaeri-backup-key-1-"))
    }

    @Test(
        "made by a superuser, or by the role that the tables belong to, leave the nodes able to end what ends",
        arguments: ["owner", "node"])
    func madeByOthers(_ kind: String) async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        let (owner, role) = ("owner_\(database)", "\(kind)_\(database)")
        try await cluster.run(
            """
            CREATE ROLE \(owner) LOGIN; ALTER DATABASE \(database) OWNER TO \(owner);
            GRANT ALL ON SCHEMA public TO \(owner)
            """, in: database)
        let url = cluster.networkURL(database, user: owner)
        let migrated = try await program(["migrate"], url)
        #expect(migrated.status == 0, "\(migrated.errors)")
        if role != owner {
            try await cluster.run(
                "CREATE ROLE \(role) LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)",
                in: database)
        }
        let node = try await node(cluster.networkURL(database, user: role))
        let application = try await makeApplication(url)
        var key: BackupKeyPair?
        for maker in [cluster.networkURL(database), url, cluster.networkURL(database)] {
            key = try await makeBackup(maker, key: key)
            let session = try await Phone().loggedIn(at: node, application: application)
            #expect(try await node.status("POST", "/v1/log-out", session, in: application) == 204, "\(maker)")
        }
        try await node.stop()
    }

    @Test("keep a node from starting whose role came after them and may not note what ends: each log-out would be 503")
    func newRole() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let (role, key) = ("late_\(database)", try await makeBackup(cluster.url(database)))
        try await cluster.run(
            "CREATE ROLE \(role) LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)",
            in: database)
        let url = cluster.networkURL(database, user: role)
        let refused = try await Program.run("serve", "--listen", "127.0.0.1:0", environment: Nodes.environment(url))
        #expect(refused.status == 1)
        #expect(refused.errors.contains("permission denied for revocations_id_seq."), "\(refused.errors)")
        let doctor = try await Program.run("doctor", environment: Nodes.environment(url))
        #expect(doctor.output.contains("not read and write: revocations_id_seq."), "\(doctor.output)")
        // The next backup admits it.
        _ = try await makeBackup(cluster.url(database), key: key)
        let (node, application) = (try await node(url), try await makeApplication(cluster.url(database)))
        let session = try await Phone().loggedIn(at: node, application: application)
        #expect(try await node.status("POST", "/v1/log-out", session, in: application) == 204)
        try await node.stop()
    }

    @Test("let no code count again that was used since then: of a mail, for a new password, for a transfer")
    func usedCodes() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let old = try await cluster.makeMigratedDatabase()
        let mail = try await MailServer()
        let options = ["--smtp-url", mail.url] + SpentCodes.mailOptions
        let node = try await node(cluster.url(old), options)
        let application = try await makeApplication(cluster.url(old))
        let codes = try await SpentCodes(at: node, mail, application) {
            try await program(["import", "users", $0, "--application", application], cluster.url(old))
        }
        let key = try await makeBackup(cluster.url(old))
        try await codes.spend(at: node)
        try await node.stop(SIGKILL)
        let new = try await cluster.makeDatabase()
        // What a restore leaves that was killed: no process has the largest number.
        try nodes.make()
        try Data("a dump".utf8).write(to: URL(fileURLWithPath: "\(nodes.path)/.restore-2147483647.dump"))
        let restored = try await Program.run(
            [
                "restore", "--from", repository.path, "--secret-key-file", key.secret, "--database", cluster.url(new),
                "--revocations-of", cluster.url(old),
            ], environment: ["TMPDIR": nodes.path])
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try leftovers(in: nodes.path).isEmpty)
        let again = try await self.node(cluster.url(new), options)
        try await codes.check(at: again)
        try await again.stop()
    }

    @Test("use the journal that was stored, and end the rest where nobody knows; sessions stay where nothing ended")
    func storedJournal() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let old = try await cluster.makeMigratedDatabase()
        let node = try await node(cluster.url(old))
        let application = try await makeApplication(cluster.url(old))
        let (hana, mika) = (Phone(), Phone())
        let stays = try await hana.loggedIn(at: node, application: application)
        let ends = try await mika.loggedIn(at: node, application: application)
        let key = try await makeBackup(cluster.url(old))
        #expect(try await node.status("POST", "/v1/log-out", ends, in: application) == 204)
        // Two backups more: what ended between the first and the second is in a segment that is closed.
        _ = try await makeBackup(cluster.url(old), key: key)
        _ = try await makeBackup(cluster.url(old), key: key)
        let stored = try await program(
            ["backup", "revocations", "--to", repository.path, "--key", key.public], cluster.url(old))
        #expect(stored.status == 0, "\(stored.errors)")
        try await node.stop()
        let names = try await Program.run("backup", "list", "--from", repository.path, "--json").json(
            [ListedBackup].self)
        #expect(names.count == 3 && names.allSatisfy { $0.users == 2 })
        for (options, expected) in [(["--keep-sessions"], 200), ([], 401)] {
            let new = try await cluster.makeDatabase()
            let first = try #require(names.first?.name)
            let restored = try await Program.run(
                [
                    "restore", first, "--from", repository.path, "--secret-key-file", key.secret, "--database",
                    cluster.url(new), "--json",
                ] + options)
            #expect(restored.status == 0, "\(restored.errors)")
            let report = try restored.json(RestoredReport.self)
            #expect(!report.isJournalComplete && report.endedAll == options.isEmpty && report.revocations > 0)
            let second = try await self.node(cluster.url(new))
            #expect(try await second.status("GET", "/v1/user", stays, in: application) == expected)
            #expect(try await second.status("GET", "/v1/user", ends, in: application) == 401)
            #expect(try await hana.loggedIn(at: second, application: application).user.id == stays.user.id)
            try await second.stop()
        }
    }

    @Test("keep as many backups as was asked, with the journal that they need and no more")
    func keeping() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let application = try await makeApplication(cluster.url(database))
        let node = try await node(cluster.url(database))
        let key = try await makeBackup(cluster.url(database))
        for _ in 0..<3 {
            let logIn = try await Phone().loggedIn(at: node, application: application)
            #expect(try await node.status("POST", "/v1/log-out", logIn, in: application) == 204)
            _ = try await makeBackup(cluster.url(database), "--keep", "2", key: key)
        }
        let left = try await cluster.run(
            "SELECT (SELECT COUNT(*) FROM revocation_segments), (SELECT COUNT(*) FROM revocations WHERE line LIKE 'D sess%')",
            in: database)
        #expect(left == [["2", "1"]])
        let checked = try await Program.run(
            "backup", "check", "--from", repository.path, "--secret-key-file", key.secret)
        #expect(checked.status == 0, "\(checked.errors)")
        // A newer schema is made beside the triggers, and has them again.
        try await cluster.run(
            "DELETE FROM schema_migrations WHERE version = (SELECT MAX(version) FROM schema_migrations)", in: database)
        let triggers = "SELECT COUNT(*) FROM pg_trigger WHERE tgname LIKE 'okaeri_note_%'"
        let before = try await cluster.run(triggers, in: database)
        _ = try await program(["migrate"], cluster.url(database))
        #expect(try await cluster.run(triggers, in: database) == before)
        try await node.stop()
    }

    @Test("note all that a restore brings once “okaeri migrate” was run, also where the schema stays as it was")
    func triggersOfBefore() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        _ = try await makeApplication(cluster.url(database))
        let key = try await makeBackup(cluster.url(database))
        let functions =
            "SELECT proname::text, prosrc FROM pg_proc WHERE starts_with(proname, 'okaeri_note_') ORDER BY proname"
        let ids = "SELECT oid::text FROM pg_trigger WHERE tgname LIKE 'okaeri_note_%' ORDER BY tgname"
        let (wanted, made) = (
            try await cluster.run(functions, in: database), try await cluster.run(ids, in: database)
        )
        #expect(try await program(["migrate"], cluster.url(database)).status == 0)
        _ = try await makeBackup(cluster.url(database), key: key)
        #expect(try await cluster.run(ids, in: database) == made, "what notes enough stays: nobody waits")
        try await cluster.run("ALTER TABLE users DISABLE TRIGGER okaeri_note_users_ended", in: database)
        _ = try await makeBackup(cluster.url(database), key: key)
        let off = "SELECT tgname FROM pg_trigger WHERE tgname LIKE 'okaeri_note_%' AND tgenabled = 'D'"
        #expect(try await cluster.run(off, in: database).isEmpty)
        // A program that carried nothing of providers, and less of applications.
        try await cluster.run("DROP FUNCTION okaeri_note_providers_changed() CASCADE", in: database)
        try await cluster.run(
            """
            CREATE OR REPLACE FUNCTION okaeri_note_applications_changed() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN RETURN NULL; END'
            """, in: database)
        #expect(try await program(["migrate"], cluster.url(database)).status == 0)
        #expect(try await cluster.run(functions, in: database) == wanted)
        #expect(try await cluster.run(ids, in: database).count == made.count)
    }

    @Test("refuse databases that are not empty, backups of another kind, and say which program is missing")
    func refusals() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        _ = try await makeApplication(cluster.url(database))
        let key = try await makeBackup(cluster.url(database))
        let full = try await restore(key, into: cluster.url(database))
        #expect(full.status == 1 && full.errors.contains("is not empty"), "\(full.errors)")
        let intoFolder = try await Program.run(
            "restore", "--from", repository.path, "--secret-key-file", key.secret, "--data", folder.path)
        #expect(intoFolder.status == 1 && intoFolder.errors.contains("--database"), "\(intoFolder.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/okaeri.sqlite"))
        let unknown = try await cluster.makeDatabase()
        let missing = try await Program.run(
            "restore", "--from", repository.path, "--secret-key-file", key.secret, "--database", cluster.url(unknown),
            environment: ["PATH": "/nowhere:/usr/bin/nowhere"])
        #expect(missing.status == 1 && missing.errors.contains("pg_restore"), "\(missing.errors)")
        let nothing = try await cluster.run(
            "SELECT COUNT(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace", in: unknown)
        #expect(nothing == [["0"]])
        let noJournal = try await Program.run(
            "restore", "--revocations-only", "--from", repository.path, "--secret-key-file", key.secret, "--database",
            cluster.url(try await cluster.makeMigratedDatabase()))
        #expect(noJournal.status == 1 && noJournal.errors.contains("no revocation journal"), "\(noJournal.errors)")
        for options in [["--to", "newest"], ["--revocations-of", "/var/lib/okaeri"]] {
            let wrong = try await restore(key, into: cluster.url(unknown), options: options)
            #expect(wrong.status == 2, "\(options): \(wrong.errors)")
        }
        let unreachable = try await program(
            ["backup", "--to", repository.path, "--key", key.public], "postgresql://okaeri@127.0.0.1:1/okaeri")
        #expect(unreachable.status == 1 && unreachable.errors.contains("cannot be used"), "\(unreachable.errors)")
    }

    @Test(
        "say what is wrong with a backup, and leave the new database empty",
        arguments: BackupDamage.allCases)
    func badBackups(damage: BackupDamage) async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        _ = try await makeApplication(cluster.url(database))
        var key = try await makeBackup(cluster.url(database))
        let names = try FileManager.default.contentsOfDirectory(atPath: repository.path)
        let file = URL(
            fileURLWithPath: "\(repository.path)/\(try #require(names.first { $0.hasSuffix(".backup") }))")
        try damage.apply(to: file)
        if damage == .otherKey { key = try await BackupKeyPair(in: keys) }
        let new = try await cluster.makeDatabase()
        let restored = try await restore(key, into: cluster.url(new))
        #expect(restored.status == 1 && restored.errors.contains(damage.words), "\(restored.errors)")
        let tables = try await cluster.run(
            "SELECT COUNT(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace", in: new)
        #expect(tables == [["0"]])
    }

    @Test("end after a recovery to a point in time what ended behind it, and nothing that began before")
    func pointInTime() async throws {
        let cluster = try await RecoverableCluster()
        try await cluster.run("CREATE DATABASE okaeri", in: "postgres")
        let migrated = try await program(["migrate"], cluster.url("okaeri"))
        #expect(migrated.status == 0, "\(migrated.errors)")
        let node = try await node(cluster.url("okaeri"))
        let application = try await makeApplication(cluster.url("okaeri"))
        let (hana, mika, taro) = (Phone(), Phone(), Phone())
        let stays = try await hana.loggedIn(at: node, application: application)
        let key = try await makeBackup(cluster.url("okaeri"))
        try await cluster.copyBase()
        let ends = try await mika.loggedIn(at: node, application: application)
        // What ended before the time is in the journal too, and must not end what came in its place.
        let first = try await taro.loggedIn(at: node, application: application)
        #expect(try await node.status("POST", "/v1/log-out", first, in: application) == 204)
        let later = try await taro.loggedIn(at: node, application: application)
        let time = try await cluster.run("SELECT clock_timestamp()::text", in: "okaeri").first?.first.flatMap(\.self)
        #expect(try await node.status("POST", "/v1/log-out", ends, in: application) == 204)
        let stored = try await program(
            ["backup", "revocations", "--to", repository.path, "--key", key.public], cluster.url("okaeri"))
        #expect(stored.status == 0, "\(stored.errors)")
        try await node.stop()

        let recovered = try await cluster.recovered(at: try #require(time))
        let there = try await recovered.run("SELECT COUNT(*) FROM sessions", in: "okaeri")
        #expect(there == [["3"]])
        let done = try await Program.run(
            "restore", "--revocations-only", "--from", repository.path, "--secret-key-file", key.secret, "--database",
            recovered.url("okaeri"), "--keep-sessions", "--json")
        #expect(done.status == 0, "\(done.errors)")
        #expect(try done.json(RestoredReport.self).revocations == 1)
        let second = try await self.node(recovered.url("okaeri"))
        #expect(try await second.status("GET", "/v1/user", stays, in: application) == 200)
        #expect(try await second.status("GET", "/v1/user", later, in: application) == 200)
        #expect(try await second.status("GET", "/v1/user", ends, in: application) == 401)
        try await second.stop()
    }

    private func node(_ url: String, _ options: [String] = []) async throws -> TestServer {
        let files = "\(nodes.path)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        return try await TestServer(data: files, options: options, environment: Nodes.environment(url))
    }

    private func program(_ arguments: [String], _ url: String) async throws -> Program.Finished {
        try await Program.run(arguments, environment: Nodes.environment(url))
    }

    private func makeApplication(_ url: String) async throws -> String {
        let made = try await program(["application", "create", "Demo", "--json"], url)
        guard made.status == 0 else { throw TestFault(made.errors) }
        return try made.json(CreatedApplication.self).id
    }

    private func makeBackup(_ url: String, _ options: String..., key known: BackupKeyPair? = nil) async throws
        -> BackupKeyPair
    {
        let key: BackupKeyPair
        if let known { key = known } else { key = try await BackupKeyPair(in: keys) }
        try repository.make()
        let made = try await program(
            ["backup", "make", "--to", repository.path, "--key", key.public, "--secret-key-file", key.secret] + options,
            url)
        guard made.status == 0 else { throw TestFault(made.errors) }
        return key
    }

    private func restore(
        _ key: BackupKeyPair, into url: String, _ more: String..., options: [String] = []
    ) async throws -> Program.Finished {
        try await Program.run(
            ["restore", "--from", repository.path, "--secret-key-file", key.secret, "--database", url] + more + options)
    }

}
