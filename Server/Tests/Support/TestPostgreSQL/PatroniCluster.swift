import Foundation
import Glibc

/// Two PostgreSQL servers, a primary and a synchronous standby, under Patroni with etcd. They end with the process.
package final class PatroniCluster: Sendable {
    /// What can happen to a server.
    package enum Blow: String, Sendable, CaseIterable, CustomStringConvertible {
        /// PostgreSQL is killed with -9; Patroni beside it lives.
        case database = "PostgreSQL killed"
        /// PostgreSQL and Patroni are killed with -9, and do not come back by themselves.
        case machine = "machine gone"
        /// PostgreSQL and Patroni stand still: connections stay open, and nothing answers.
        case frozen = "machine frozen"

        package var description: String { rawValue }
    }

    private let folder: String
    private let ports: [Int]

    private static let started = Task { try await PatroniCluster() }

    /// The cluster of this process; started when it is first asked for.
    package static func cluster() async throws -> PatroniCluster { try await started.value }

    private init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-patroni-\(getpid())").path
        let free = try TestPostgreSQL.freePorts(6)
        ports = [free[3], free[5]]
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("patroni.sh")
        let log = folder + ".log"
        let process = try TestPostgreSQL.spawn(["/bin/sh", script.path, folder] + free.map(String.init), log: log)
        let end = ContinuousClock.now + .seconds(120)
        while await !isWhole() {
            var status: Int32 = 0
            guard waitpid(process, &status, WNOHANG) == 0, ContinuousClock.now < end else {
                let words = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) }
                throw TestPostgreSQLFault(description: "Patroni does not start: \(words ?? "")")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
        unlink(log)
    }

    /// How libpq reaches a database wherever the primary is.
    package func url(_ database: String) -> String {
        "postgresql://okaeri@127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])/\(database)"
    }

    /// How libpq reaches it on one server.
    package func url(_ database: String, on server: Int) -> String {
        "postgresql://okaeri@127.0.0.1:\(ports[server])/\(database)?connect_timeout=2"
    }

    /// Runs statements on a server as the owner of everything.
    @discardableResult
    package func run(_ statements: String, in database: String, on server: Int) async throws -> [[String?]] {
        let url = url(database, on: server)
        return try await offThread { try PostgreSQLConsole(url).run(statements) }
    }

    /// The server that takes writes; `nil` when none does.
    package func primary(among servers: [Int] = [0, 1]) async -> Int? {
        for server in servers {
            // A server that does not answer takes no writes.
            let answer = try? await run("SELECT pg_is_in_recovery()", in: "postgres", on: server)
            if answer == [["f"]] { return server }
        }
        return nil
    }

    /// Whether there is a primary, and a standby that knows all that was acknowledged.
    package func isWhole() async -> Bool {
        guard let primary = await primary() else { return false }
        // A server that does not answer is not whole.
        let states = try? await run(
            "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'", in: "postgres", on: primary)
        return states == [["sync"]]
    }

    /// Strikes a server.
    package func strike(_ server: Int, _ blow: Blow) throws {
        let patroni = try process("patroni\(server + 1).pid")
        let postgres = try process("data\(server + 1)/postmaster.pid")
        switch blow {
        case .database: kill(postgres, SIGKILL)
        case .machine:
            try takeDown(server)
            for process in [patroni, postgres] { kill(process, SIGKILL) }
        case .frozen:
            try takeDown(server)
            // Patroni and the postmaster lead sessions of their own, and so do the postmaster's children.
            for process in [patroni, postgres] { kill(process, SIGSTOP) }
            for process in try Self.children(of: postgres) { kill(process, SIGSTOP) }
        }
    }

    /// Undoes a blow as far as it does not heal by itself: what stands still ends, and Patroni starts it anew.
    package func revive(_ server: Int) throws {
        if let patroni = try? process("patroni\(server + 1).pid"),
            let postgres = try? process("data\(server + 1)/postmaster.pid"),
            FileManager.default.fileExists(atPath: downFile(server))
        {
            // After `machine` they are gone already.
            for process in try Self.children(of: postgres) + [patroni, postgres] { kill(process, SIGKILL) }
        }
        unlink(downFile(server))
    }

    private func downFile(_ server: Int) -> String { "\(folder)/down\(server + 1)" }

    private func takeDown(_ server: Int) throws {
        guard FileManager.default.createFile(atPath: downFile(server), contents: nil) else {
            throw TestPostgreSQLFault(description: "\(downFile(server)) cannot be written")
        }
    }

    private func process(_ file: String) throws -> pid_t {
        let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        guard let id = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw TestPostgreSQLFault(description: "no process in \(file)")
        }
        return id
    }

    private static func children(of process: pid_t) throws -> [pid_t] {
        let path = "/proc/\(process)/task/\(process)/children"
        guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
    }
}
