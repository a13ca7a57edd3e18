package import Domain
import Foundation
import Glibc
package import StoragePostgreSQL
import Synchronization

/// A real PostgreSQL with a cluster of its own, one for each process of tests. It ends with the process.
package final class TestPostgreSQL: Sendable {
    /// The folder of its socket, and its port.
    package let folder: String
    package let port: Int
    private let databases = Atomic<Int>(0)
    /// The databases that `store(role:)` made for one engine each.
    private let owned = Mutex<[ObjectIdentifier: String]>([:])

    private static let started = Task { try await TestPostgreSQL() }

    /// The cluster of this process; started when it is first asked for. A missing PostgreSQL fails the test.
    package static func cluster() async throws -> TestPostgreSQL { try await started.value }

    private init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-pg-\(getpid())").path
        port = try Self.freePorts(1)[0]
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("cluster.sh")
            .path
        let log = folder + ".log"
        let process = try Self.spawn(["/bin/sh", script, folder, String(port)], log: log)
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

    /// How libpq reaches a database of the cluster by its socket.
    package func url(_ database: String) -> String {
        "postgresql://okaeri@/\(database)?host=\(folder)&port=\(port)&connect_timeout=30"
    }

    /// How libpq reaches it over TCP.
    package func networkURL(_ database: String, user: String = "okaeri") -> String {
        "postgresql://\(user)@127.0.0.1:\(port)/\(database)?connect_timeout=30"
    }

    /// Makes an empty database.
    ///
    /// - Parameter template: The database to copy.
    /// - Returns: its name.
    /// - Throws: `TestPostgreSQLFault`.
    package func makeDatabase(from template: String = "template1") async throws -> String {
        let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
        for attempt in 1...20 {
            do {
                try await run("CREATE DATABASE \(name) TEMPLATE \(template)", in: "postgres")
                break
            } catch let fault as TestPostgreSQLFault
                where attempt < 20 && fault.description.contains("being accessed by other users")
            {
                // Who has left the template is not gone yet; PostgreSQL has waited for that for five seconds.
            }
        }
        return name
    }

    /// Runs statements as the owner of everything.
    @discardableResult
    package func run(_ statements: String, in database: String) async throws -> [[String?]] {
        let url = url(database)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try PostgreSQLConsole(url).run(statements) })
            }
        }
    }

    private static let migrated = Task { () async throws -> String in
        let cluster = try await TestPostgreSQL.cluster()
        let name = "migrated"
        try await cluster.run("CREATE DATABASE \(name)", in: "postgres")
        let address = try cluster.address(name)
        _ = try await offThread { try PostgreSQLMigration(address, isRehearsal: false) }
        return name
    }

    package func address(_ database: String) throws -> PostgreSQLAddress {
        guard let address = PostgreSQLAddress(url(database)) else {
            throw TestPostgreSQLFault(description: "no address: \(url(database))")
        }
        return address
    }

    /// Makes a database with the newest schema.
    ///
    /// - Returns: its name.
    package func makeMigratedDatabase() async throws -> String {
        try await makeDatabase(from: try await Self.migrated.value)
    }

    /// Limits that no crowded machine reaches, for tests that are about something else.
    package static let patience = PostgreSQLTimeLimits(
        connection: .seconds(300), repetition: .seconds(300), statement: .seconds(300), lock: .seconds(300),
        idle: .seconds(300))

    /// An engine on a database of its own, or on the one named. `end(_:)` closes it.
    package func store(
        on database: String? = nil, role: PostgreSQLStore.Role = .server, connections: Int = 4,
        limits: PostgreSQLTimeLimits = TestPostgreSQL.patience, clock: any WallClock = MachineClock()
    ) async throws -> PostgreSQLStore {
        let name: String
        if let database { name = database } else { name = try await makeMigratedDatabase() }
        let store = try await PostgreSQLStore.open(
            try address(name), role: role, connections: connections, limits: limits,
            node: "node\(databases.add(1, ordering: .relaxed).newValue)", clock: clock)
        // Faults have their reasons in the log alone; a test that fails needs them.
        store.observeFaults { print("PostgreSQL in \(name): \($0)") }
        if database == nil { owned.withLock { $0[ObjectIdentifier(store)] = name } }
        return store
    }

    /// The name of the database that was made for an engine alone.
    package func ownDatabase(of store: PostgreSQLStore) -> String? { owned.withLock { $0[ObjectIdentifier(store)] } }

    /// Closes an engine. A database that was made for it alone goes with it: those of all tests together would take some
    /// twenty gigabytes.
    ///
    /// - Throws: `TestPostgreSQLFault` when the database cannot be removed.
    package func end(_ store: PostgreSQLStore) async throws {
        await store.close()
        guard let name = owned.withLock({ $0.removeValue(forKey: ObjectIdentifier(store)) }) else { return }
        try await run("DROP DATABASE \(name) WITH (FORCE)", in: "postgres")
    }

    /// Ports of the loopback address that nobody listens at, each another one. They are below those that the system gives out by
    /// itself, so that nobody gets them before they are used.
    static func freePorts(_ count: Int) throws -> [Int] {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        var ports: [Int] = []
        for _ in 0..<1000 where ports.count < count {
            let port = UInt16.random(in: 20_000..<32_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            descriptors.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            address.sin_port = port.bigEndian
            let isFree = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { ports.append(Int(port)) }
        }
        guard ports.count == count else { throw TestPostgreSQLFault(description: "no free port") }
        return ports
    }

    /// Starts a process whose standard input ends when this process does. Not by Foundation, which fails when many
    /// files are open.
    static func spawn(_ arguments: [String], log: String) throws -> pid_t {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TestPostgreSQLFault(description: "no pipe") }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Nothing else of this process: a socket by which Foundation waits for another child would never be seen to end.
        for descriptor in Int32(3)..<4096 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var texts = arguments.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var process = pid_t()
        let code = posix_spawn(&process, arguments[0], &actions, nil, &texts, environ)
        guard code == 0 else { throw TestPostgreSQLFault(description: String(cString: strerror(code))) }
        return process
    }
}

/// Runs what blocks on a thread of its own.
package func offThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

/// The time of this machine, which is that of its PostgreSQL.
package struct MachineClock: WallClock {
    package init() {}

    package var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

package struct TestPostgreSQLFault: Error, CustomStringConvertible {
    package let description: String
}
