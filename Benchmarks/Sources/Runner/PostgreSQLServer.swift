import Foundation
import Measuring

/// A PostgreSQL with a cluster of its own that is kept for later runs. What it acknowledges is on disk
/// (`synchronous_commit=on`, `fsync=on`). It may use both processors.
final class PostgreSQLServer {
    private let workbench: Workbench
    private let folder: String
    private let port: Int
    private let child: Child
    private let programs: String

    init(_ workbench: Workbench) throws {
        self.workbench = workbench
        folder = workbench.folder + "/postgresql"
        programs = try Self.findPrograms()
        port = try Loopback.freePort()
        let data = folder + "/data"
        let owner = Self.owner
        if !FileManager.default.fileExists(atPath: data + "/PG_VERSION") {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if let owner { _ = try Self.run("/usr/bin/chown", [owner, folder]) }
            let options = ["--username", "okaeri", "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8"]
            _ = try Self.run(owner, [programs + "/initdb", "--pgdata", data] + options)
        }
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=", "max_connections=200",
            "shared_buffers=1GB", "max_wal_size=4GB", "synchronous_commit=on", "log_min_messages=fatal",
        ]
        let command = [programs + "/postgres", "-D", data] + settings.flatMap { ["-c", $0] }
        let (program, arguments) = Self.call(command, as: owner)
        child = try Child(
            program, arguments, processor: Workbench.anyProcessor, log: workbench.folder + "/postgresql.log")
        let begin = ContinuousClock.now
        while (try? sql("SELECT 1", in: "postgres")) == nil {
            guard child.isRunning, ContinuousClock.now - begin < .seconds(60) else {
                throw BenchFault("PostgreSQL does not start: see \(workbench.folder)/postgresql.log")
            }
            usleep(100_000)
        }
    }

    deinit {
        child.stop()
    }

    func url(_ database: String) -> String { "postgresql://okaeri@127.0.0.1:\(port)/\(database)" }

    /// Runs statements.
    ///
    /// - Returns: their rows, columns separated by `|`.
    @discardableResult
    func sql(_ statements: String, in database: String) throws -> String {
        let options = ["--no-psqlrc", "-qtA", "-v", "ON_ERROR_STOP=1", url(database), "-c", statements]
        return try Self.run(programs + "/psql", options).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A database with the rows of a data folder, copied by the program on first use and kept for later runs.
    func filled(from data: SeededData) throws -> String {
        let name = "bench_\(try data.application)".lowercased()
        if try sql("SELECT COUNT(*) FROM pg_database WHERE datname = '\(name)'", in: "postgres") == "1" { return name }
        workbench.progress("copying \(data.folder) into PostgreSQL")
        try sql("DROP DATABASE IF EXISTS filling", in: "postgres")
        try sql("CREATE DATABASE filling", in: "postgres")
        let environment = try data.environment(for: url("filling"))
        for arguments in [["migrate"], ["copy", "--from", data.folder, "--to", url("filling")]] {
            _ = try Child(
                workbench.server, arguments, processor: Workbench.anyProcessor, environment: environment
            ).outputText()
        }
        try sql("VACUUM (FREEZE, ANALYZE)", in: "filling")
        try sql("ALTER DATABASE filling RENAME TO \(name)", in: "postgres")
        return name
    }

    /// A copy of a database, so that a run changes only the copy.
    func copy(_ database: String, to name: String) throws -> String {
        try sql("DROP DATABASE IF EXISTS \(name)", in: "postgres")
        try sql("CREATE DATABASE \(name) TEMPLATE \(database) STRATEGY file_copy", in: "postgres")
        try sql("CHECKPOINT", in: "postgres")
        return name
    }

    /// What `pgbench` reaches with a script: transactions a second.
    func pgbench(_ file: String, on database: String, seconds: Int, variables: [String]) throws -> Double {
        let arguments =
            ["-n", "-f", file, "-c", "64", "-j", "1", "-T", String(seconds), "-M", "prepared", "--max-tries=25"]
            + variables.flatMap { ["-D", $0] } + [url(database)]
        let text = try Child(programs + "/pgbench", arguments, processor: Workbench.serverProcessor).outputText()
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let figure = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw BenchFault("pgbench says no figure: \(text)") }
        let name = URL(filePath: file).lastPathComponent
        workbench.progress("pgbench \(name) at 64: \(Int(figure)) transactions/s")
        return figure
    }

    /// What the database's processes took of the processors so far, in microseconds, without those that ended.
    var processorMicroseconds: Double {
        let path = "/proc/\(child.identifier)/task/\(child.identifier)/children"
        let ids = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return ids.split(separator: " ").compactMap { Int32($0) }
            .reduce(0) { $0 + ProcessUsage(of: $1).processorMicroseconds }
    }

    private static func findPrograms() throws -> String {
        let root = "/usr/lib/postgresql"
        // Debian keeps each version in a folder of its own; the newest is taken.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        guard let newest = versions.compactMap({ Int($0) }).max() else {
            throw BenchFault("PostgreSQL is missing: run scripts/setup tests")
        }
        return "\(root)/\(newest)/bin"
    }

    /// PostgreSQL refuses to run as root.
    private static var owner: String? { geteuid() == 0 ? "postgres" : nil }

    private static func call(_ command: [String], as owner: String?) -> (program: String, arguments: [String]) {
        guard let owner else { return (command[0], Array(command.dropFirst())) }
        return ("/usr/bin/setpriv", ["--reuid=\(owner)", "--regid=\(owner)", "--clear-groups"] + command)
    }

    private static func run(_ owner: String?, _ command: [String]) throws -> String {
        let (program, arguments) = call(command, as: owner)
        return try run(program, arguments)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        try Child(program, arguments, processor: Workbench.anyProcessor).outputText()
    }
}
