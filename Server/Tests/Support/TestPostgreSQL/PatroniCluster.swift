import Foundation
import FoundationNetworking
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
        /// Nothing reaches PostgreSQL and Patroni any more, and nothing comes from them.
        case cut = "network cut"
        /// PostgreSQL and Patroni do not reach etcd any more; nodes and the standby are reached.
        case cutFromStore = "cut from etcd alone"

        package var description: String { rawValue }

        /// Whether it needs a network of the cluster's own.
        var isOfNetwork: Bool { self == .cut || self == .cutFromStore }

        /// Whether nobody takes writes from the blow on. Who is cut from etcd alone goes on until Patroni notices.
        package var stopsAtOnce: Bool { self != .cutFromStore }
    }

    private let folder: String
    private let ports: [Int]
    /// Where each server's Patroni answers.
    private let patroniPorts: [Int]
    /// The beginning of the addresses in the cluster's own network; `nil` on 127.0.0.1.
    private let network: String?

    /// What can happen to a server of this process's cluster.
    package static let blows = Blow.allCases.filter { hasNetwork || !$0.isOfNetwork }
    /// Set by `scripts/test-failover`, where network namespaces can be had.
    private static let hasNetwork = ProcessInfo.processInfo.environment["OKAERI_TEST_FAILOVER_NETWORK"] == "1"

    private static let started = Task { try await PatroniCluster() }

    /// The cluster of this process; started when it is first asked for.
    package static func cluster() async throws -> PatroniCluster { try await started.value }

    private init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-patroni-\(getpid())").path
        // A range for tests of networks (RFC 2544), which nobody routes.
        network = Self.hasNetwork ? "198.18.\(getpid() % 256)" : nil
        let free = try TestPostgreSQL.freePorts(6)
        (ports, patroniPorts) = ([free[3], free[5]], [free[2], free[4]])
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("patroni.sh")
        let log = folder + ".log"
        let process = try TestPostgreSQL.spawn(
            ["/bin/sh", script.path, folder] + free.map(String.init) + [network].compactMap { $0 }, log: log)
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
        "postgresql://okaeri@\(address(0)):\(ports[0]),\(address(1)):\(ports[1])/\(database)"
    }

    /// How libpq reaches it on one server.
    package func url(_ database: String, on server: Int) -> String {
        "postgresql://okaeri@\(address(server)):\(ports[server])/\(database)?connect_timeout=2"
    }

    private func address(_ server: Int) -> String { network.map { "\($0).\(server + 1)" } ?? "127.0.0.1" }

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

    /// Whether there is a primary, and a standby that knows all that was acknowledged and may take over.
    ///
    /// PostgreSQL waits for the standby some seconds before Patroni notes in etcd that it may be promoted.
    package func isWhole() async -> Bool {
        guard let primary = await primary() else { return false }
        // A server that does not answer is not whole.
        let states = try? await run(
            "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'", in: "postgres", on: primary)
        guard states == [["sync"]] else { return false }
        return await isSynchronousForPatroni(1 - primary)
    }

    /// What Patroni of a server says of it (`GET /synchronous` of its REST API). One that does not answer says no.
    private func isSynchronousForPatroni(_ server: Int) async -> Bool {
        await (try? askPatroni(of: server, "GET", "synchronous", within: 2))?.status == 200
    }

    /// What an operator does for a standby that does not come back: its data is removed, and it is copied from the primary
    /// anew (`POST /reinitialize` of Patroni's REST API).
    package func makeAnew(_ server: Int) async throws {
        let answer = try await askPatroni(of: server, "POST", "reinitialize", #"{"force": true}"#, within: 30)
        guard answer.status == 200 else {
            throw TestPostgreSQLFault(description: "Patroni refuses: \(answer.text)")
        }
    }

    private func askPatroni(
        of server: Int, _ method: String, _ path: String, _ body: String? = nil, within seconds: TimeInterval
    ) async throws -> (status: Int?, text: String) {
        let address = "http://\(address(server)):\(patroniPorts[server])/\(path)"
        guard let url = URL(string: address) else { throw TestPostgreSQLFault(description: "\(address) is no address") }
        var request = URLRequest(url: url, timeoutInterval: seconds)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        let (bytes, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode, String(decoding: bytes, as: UTF8.self))
    }

    /// The last lines of both logs of Patroni: why a server does not come back.
    package func lastWords(lines: Int = 30) -> String {
        [1, 2].map { number in
            let bytes = FileManager.default.contents(atPath: "\(folder)/patroni\(number).log") ?? Data()
            let last = String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(lines)
            return "server\(number):\n" + last.joined(separator: "\n")
        }.joined(separator: "\n")
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
        case .cut: try setPort(server + 1, "down")
        case .cutFromStore:
            // Two ports that are isolated exchange nothing; both exchange what they want with the others.
            for port in [server + 1, Self.portOfStore] { try setPort(port, "type bridge_slave isolated on") }
        }
    }

    private static let portOfStore = 3

    private func setPort(_ port: Int, _ words: String) throws {
        guard let network else { throw TestPostgreSQLFault(description: "the cluster has no network of its own") }
        let arguments = ["-n", "ok-\(network)-switch", "link", "set", "port\(port)"]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ip"] + arguments + words.split(separator: " ").map(String.init)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw TestPostgreSQLFault(description: "ip \(arguments) \(words) ended with \(process.terminationStatus)")
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
        guard network != nil else { return }
        for port in [server + 1, Self.portOfStore] { try setPort(port, "type bridge_slave isolated off") }
        try setPort(server + 1, "up")
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
