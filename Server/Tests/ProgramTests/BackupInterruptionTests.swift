import CSQLite
import Foundation
import Testing

@Suite("okaeri backup and restore, interrupted", .serialized)
struct BackupInterruptionTests {
    private let folder = TestFolder()
    private let repository = TestFolder()
    private let target = TestFolder()
    private let keys = TestFolder()

    @Test("leave no copy of the database behind once a command runs again after one that was killed")
    func killed() async throws {
        let key = try await makeDatabase(ballast: 60)
        try repository.make()
        let make = ["backup", "make", "--data", folder.path, "--to", repository.path, "--key", key.public]
        let made = try await Program.run(make)
        #expect(made.status == 0, "\(made.errors)")
        let restore = ["restore", "--from", repository.path, "--secret-key-file", key.secret, "--data", target.path]
        for (arguments, path, beginning) in [(make, folder.path, ".backup-"), (restore, target.path, ".restore-")] {
            let process = try ChildProcess(Program.path(), arguments)
            let id = process.id
            try await process.killed(once: "there is the copy") {
                try leftovers(in: path).contains { $0.hasPrefix("\(beginning)\(id).") }
            }
            #expect(try await process.status() == -SIGKILL)
            #expect(try leftovers(in: path).contains { $0.hasPrefix(beginning) })
            #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
            let again = try await Program.run(arguments)
            #expect(again.status == 0, "\(again.errors)")
            #expect(try leftovers(in: path).isEmpty, "\(beginning)")
        }
        let list = try await Program.run("application", "list", "--data", target.path)
        #expect(list.output.contains("Demo"))
    }

    @Test("leave nothing half done when the store goes away at any of their requests, and say so")
    func storeAway() async throws {
        let store = try await S3Server()
        let key = try await makeDatabase(ballast: 10)
        let make = ["backup", "make", "--data", folder.path, "--key", key.public, "--to"]
        let made = try await Program.run(make + ["s3://backups/whole"], environment: store.environment)
        #expect(made.status == 0, "\(made.errors)")
        let data = folder.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for requests in 0..<10 {
                group.addTask {
                    let cut = try await CutStore(before: store)
                    try await cut.cut(after: requests)
                    let address = "s3://backups/cut-\(requests)"
                    let failed = try await Program.run(
                        make + [address], environment: store.environment(url: cut.url))
                    #expect(failed.status == 1 && failed.errors.contains("See that the store runs"), "\(failed.errors)")
                    // The list, a look for the name, the beginning of an upload, two parts: with the next request they become
                    // a backup.
                    let listed = try await Program.run(
                        "backup", "list", "--from", address, "--json", environment: store.environment)
                    #expect(
                        try listed.json([ListedBackup].self).count == (requests < 6 ? 0 : 1), "\(requests) requests")

                    let target = TestFolder()
                    try await cut.cut(after: requests)
                    let restored = try await Program.run(
                        "restore", "--from", "s3://backups/whole", "--secret-key-file", key.secret, "--data",
                        target.path, environment: store.environment(url: cut.url))
                    #expect(
                        restored.status == 1 && restored.errors.contains("See that the store runs"),
                        "\(requests) requests: \(restored.errors)")
                    #expect(!FileManager.default.fileExists(atPath: target.path + "/okaeri.sqlite"))
                    #expect(try leftovers(in: target.path).isEmpty)
                }
            }
            try await group.waitForAll()
        }
        #expect(try leftovers(in: data).isEmpty)
    }

    @Test("sign their requests: a store refuses another secret, and changes nothing")
    func signatures() async throws {
        let store = try await S3Server()
        let key = try await makeDatabase(ballast: 10)
        let make = ["backup", "make", "--data", folder.path, "--key", key.public, "--to", "s3://backups/okaeri"]
        let wrong = store.environment(secretKey: "another secret")
        let refused = try await Program.run(make, environment: wrong)
        #expect(refused.status == 1 && refused.errors.contains("403 (SignatureDoesNotMatch)"), "\(refused.errors)")
        #expect(!refused.errors.contains("another secret"))
        // Names and parts whose signature has percent signs and several words in the query.
        let made = try await Program.run(make, environment: store.environment)
        #expect(made.status == 0, "\(made.errors)")
        let unread = try await Program.run("backup", "list", "--from", "s3://backups/okaeri", environment: wrong)
        #expect(unread.status == 1 && unread.errors.contains("403"), "\(unread.errors)")
        let kept = try await Program.run(make + ["--keep", "1"], environment: store.environment)
        #expect(kept.status == 0, "\(kept.errors)")
        let listed = try await Program.run(
            "backup", "list", "--from", "s3://backups/okaeri", "--json", environment: store.environment)
        #expect(try listed.json([ListedBackup].self).count == 1)
    }

    /// A database with some megabytes that do not shrink, and a key for its backups.
    private func makeDatabase(ballast: Int) async throws -> BackupKeyPair {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        guard sqlite3_open(folder.path + "/okaeri.sqlite", &connection) == SQLITE_OK,
            sqlite3_exec(
                connection,
                "CREATE TABLE ballast (id INTEGER PRIMARY KEY, bytes BLOB); "
                    + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ballast)) "
                    + "INSERT INTO ballast SELECT i, randomblob(1000000) FROM n", nil, nil, nil) == SQLITE_OK
        else { throw TestFault(String(cString: sqlite3_errmsg(connection))) }
        return try await BackupKeyPair(in: keys)
    }
}
