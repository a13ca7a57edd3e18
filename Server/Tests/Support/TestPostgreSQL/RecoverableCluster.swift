import Foundation

/// A PostgreSQL with an archive of its write-ahead log, by which it can be had as it was at a time. It ends with the
/// process.
package final class RecoverableCluster: Sendable {
    private let folder: String
    private let port: Int

    /// Starts a new one.
    ///
    /// - Throws: `TestPostgreSQLFault`.
    package convenience init() async throws {
        try await self.init("archive", [])
    }

    private init(_ mode: String, _ more: [String]) async throws {
        folder =
            FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-pitr-\(UUID().uuidString.prefix(8))")
            .path
        port = try TestPostgreSQL.freePorts(1)[0]
        let log = folder + ".log"
        let process = try TestPostgreSQL.spawn(
            ["/bin/sh", Self.script, mode, folder, String(port)] + more, log: log)
        let end = ContinuousClock.now + .seconds(600)
        while !FileManager.default.fileExists(atPath: folder + "/ready") {
            var status: Int32 = 0
            guard waitpid(process, &status, WNOHANG) == 0, ContinuousClock.now < end else {
                let words = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) }
                throw TestPostgreSQLFault(description: "PostgreSQL does not start: \(words ?? "")")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        unlink(log)
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("recovery.sh").path

    package func url(_ database: String) -> String {
        "postgresql://okaeri@/\(database)?host=\(folder)&port=\(port)&connect_timeout=30"
    }

    /// Runs statements as the owner of everything.
    @discardableResult
    package func run(_ statements: String, in database: String) async throws -> [[String?]] {
        let url = url(database)
        return try await offThread { try PostgreSQLConsole(url).run(statements) }
    }

    /// Copies the cluster as it is, while it runs.
    package func copyBase() async throws {
        let log = folder + "-base.log"
        let process = try TestPostgreSQL.spawn(["/bin/sh", Self.script, "base", folder, String(port)], log: log)
        let status = try await offThread { () -> Int32 in
            var status: Int32 = 0
            waitpid(process, &status, 0)
            return status
        }
        guard status == 0 else {
            let words = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) }
            throw TestPostgreSQLFault(description: "pg_basebackup: \(words ?? "")")
        }
        unlink(log)
    }

    /// The cluster as it was at a time of its own clock.
    package func recovered(at time: String) async throws -> RecoverableCluster {
        let name = try await run("SELECT pg_walfile_name(pg_switch_wal())", in: "postgres")
        let path = "\(folder)/archive/\(name.first?.first.flatMap(\.self) ?? "")"
        let end = ContinuousClock.now + .seconds(600)
        while !FileManager.default.fileExists(atPath: path) {
            guard ContinuousClock.now < end else { throw TestPostgreSQLFault(description: "\(path) is not archived") }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try await RecoverableCluster("recover", [folder, time])
    }
}
