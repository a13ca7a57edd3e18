import Foundation
import Okaeri
import OkaeriWire
import TestPostgreSQL
import TestWorld
import Testing

@Suite("A PostgreSQL database that cannot be used", .serialized)
struct DatabaseFaultTests {
    /// What is wrong with a database at the start, and what the program says of it.
    struct Fault: Sendable, CustomStringConvertible {
        let description: String
        let words: [String]
        /// Spoils a database with a schema; the URL to use.
        let prepare: @Sendable (TestPostgreSQL, String) async throws -> String
    }

    static let faults = [
        Fault(description: "wrong password", words: ["password authentication failed", "Check user and password"]) {
            cluster, _ in
            try await cluster.makeUserWithPassword()
            return "postgresql://someone:wrong@127.0.0.1:\(cluster.port)/with_password"
        },
        Fault(description: "unknown host", words: ["could not translate host name", "Check the host"]) { _, name in
            "postgresql://okaeri@nowhere.invalid/\(name)"
        },
        Fault(description: "nobody listens", words: ["Connection refused", "whether PostgreSQL runs"]) { _, name in
            "postgresql://okaeri@127.0.0.1:1/\(name)"
        },
        Fault(description: "missing database", words: ["does not exist", "Create what is missing"]) { cluster, _ in
            cluster.networkURL("nowhere")
        },
        Fault(description: "no schema", words: ["no schema of Okaeri yet", "okaeri migrate"]) { cluster, _ in
            cluster.networkURL(try await cluster.makeDatabase())
        },
        Fault(description: "newer schema", words: ["schema version 999, made by a newer Okaeri", "Run the newer"]) {
            cluster, name in
            try await cluster.run("INSERT INTO schema_migrations VALUES (999, 'from the future')", in: name)
            return cluster.networkURL(name)
        },
        Fault(description: "older schema", words: ["okaeri migrate"]) { cluster, name in
            try await cluster.run(
                "DELETE FROM schema_migrations WHERE version = (SELECT MAX(version) FROM schema_migrations)", in: name)
            return cluster.networkURL(name)
        },
        Fault(description: "too few rights", words: ["permission denied for signing_keys, users", "grant it SELECT"]) {
            cluster, name in
            try await cluster.run(
                """
                CREATE ROLE reader_\(name) LOGIN;
                GRANT ALL ON ALL TABLES IN SCHEMA public TO reader_\(name);
                REVOKE INSERT ON users FROM reader_\(name);
                REVOKE UPDATE ON signing_keys FROM reader_\(name)
                """, in: name)
            return cluster.networkURL(name, user: "reader_\(name)")
        },
        Fault(description: "closed schema", words: ["permission denied for schema", "A node needs USAGE on it"]) {
            cluster, name in
            try await cluster.run(
                """
                CREATE ROLE outsider_\(name) LOGIN;
                GRANT ALL ON ALL TABLES IN SCHEMA public TO outsider_\(name);
                REVOKE ALL ON SCHEMA public FROM PUBLIC
                """, in: name)
            return cluster.networkURL(name, user: "outsider_\(name)")
        },
        Fault(description: "standby", words: ["read-only", "name the primary, or all hosts"]) { cluster, name in
            try await cluster.run("ALTER DATABASE \(name) SET default_transaction_read_only = on", in: "postgres")
            return cluster.networkURL(name)
        },
        Fault(description: "no TLS", words: ["does not support SSL", "check sslmode"]) { cluster, name in
            "\(cluster.networkURL(name))&sslmode=require"
        },
        Fault(description: "too few connections", words: ["too many connections", "Raise max_connections"]) {
            cluster, name in
            try await cluster.makeLimitedUser(connections: 1, in: name)
            return cluster.networkURL(name, user: "limited_\(name)")
        },
    ]

    @Test("is refused at the start with the reason and what to do", arguments: faults)
    func start(_ fault: Fault) async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let url = try await fault.prepare(cluster, try await cluster.makeMigratedDatabase())
        let begin = ContinuousClock.now
        let finished = try await Program.run(
            "serve", "--listen", "127.0.0.1:0", environment: Nodes.environment(url))
        #expect(finished.status == 1)
        for words in fault.words { #expect(finished.errors.contains(words), "\(finished.errors)") }
        #expect(!finished.errors.contains("?.") && !finished.errors.contains("\t"), "\(finished.errors)")
        #expect(finished.errors.ranges(of: "okaeri doctor").count <= 1, "\(finished.errors)")
        #expect(!finished.errors.contains("wrong@"), "the password is printed: \(finished.errors)")
        #expect(begin.duration(to: .now) < .seconds(120))
    }

    @Test("is found out by okaeri doctor where the role may not write all of it")
    func closedTables() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let name = try await cluster.makeMigratedDatabase()
        try await cluster.run(
            "CREATE ROLE reader_\(name) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader_\(name)", in: name)
        let doctor = try await Program.run(
            "doctor", environment: Nodes.environment(cluster.networkURL(name, user: "reader_\(name)")))
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("not read and write: admin_identities, "), "\(doctor.output)")
        #expect(!doctor.output.contains("takes reads and writes"), "\(doctor.output)")
    }

    @Test("is found out by commands that need another role, which say whose, and by okaeri doctor, which says as much")
    func anotherRole() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let (empty, full) = (try await cluster.makeDatabase(), try await cluster.makeMigratedDatabase())
        let role = "stranger_\(empty)"
        try await cluster.run("CREATE ROLE \(role) LOGIN", in: empty)
        for name in [empty, full] { try await cluster.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC", in: name) }
        let migration = try await Program.run(
            "migrate", environment: Nodes.environment(cluster.networkURL(empty, user: role)))
        #expect(migration.status == 1)
        #expect(migration.errors.contains("need the role that the tables belong to"), "\(migration.errors)")
        let doctor = try await Program.run(
            "doctor", environment: Nodes.environment(cluster.networkURL(full, user: role)))
        #expect(doctor.status == 1 && doctor.output.contains("grant it SELECT, INSERT"), "\(doctor.output)")
    }

    @Test("is refused without a sealing key that all nodes share, and with an address that is none")
    func settings() async throws {
        let missing = try await Program.run(
            "serve", "--listen", "127.0.0.1:0", environment: ["OKAERI_DATABASE": "postgresql://okaeri@127.0.0.1/x"])
        #expect(missing.status == 1)
        #expect(missing.errors.contains("OKAERI_SEALING_KEY"), "\(missing.errors)")
        let wrong = try await Program.run("serve", environment: ["OKAERI_DATABASE": "mysql://root:secret@x/y"])
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("postgresql://"))
        #expect(!wrong.errors.contains("secret@"))
    }

    /// Ways in which a database goes away under a running server, and comes back.
    static let interruptions: [(String, String)] = [
        ("ALTER DATABASE $ ALLOW_CONNECTIONS false", "ALTER DATABASE $ ALLOW_CONNECTIONS true"),
        (
            "ALTER DATABASE $ SET default_transaction_read_only = on",
            "ALTER DATABASE $ RESET default_transaction_read_only"
        ),
    ]

    @Test("answers 503 with Retry-After while it is away, and works again without a restart", arguments: interruptions)
    func away(_ begin: String, _ end: String) async throws {
        let nodes = try await Nodes(1)
        let device = TestDevice()
        let before = try await nodes.loggedIn(device, at: 0)
        try await nodes.cluster.run(begin.replacing("$", with: nodes.database), in: "postgres")
        try await nodes.cutConnections()
        for _ in 0..<3 {
            let refused = try await nodes.logIn(at: 0)
            #expect(refused.status == 503)
            #expect(refused.headers["Retry-After"].flatMap { Int($0) } != nil)
            #expect(try JSONDecoder().decode(Problem.self, from: refused.body).code == .storageUnavailable)
        }
        #expect(try await nodes.servers[0].send("GET", "/health/ready").status == 503)
        #expect(try await nodes.servers[0].send("GET", "/health/live").status == 200)
        try await nodes.cluster.run(end.replacing("$", with: nodes.database), in: "postgres")
        _ = try await eventually("the return of the database") {
            try await nodes.servers[0].send("GET", "/health/ready").status == 200 ? true : nil
        }
        let after = try await nodes.loggedIn(device, at: 0)
        #expect(after.user.id == before.user.id)
        #expect(try await nodes.servers[0].stop() == 0)
    }

    @Test("leaves no sign-up half done, however often connections are cut")
    func cutSignUps() async throws {
        let nodes = try await Nodes(2, options: ["--rate-limits", "off"])
        let end = ContinuousClock.now + .seconds(3)
        let killer = Task {
            while !Task.isCancelled {
                try await nodes.cutConnections(where: "application_name = 'okaeri' AND random() < 0.3")
                // A crowded machine comes to nothing in so short a time: later it has more.
                try await Task.sleep(for: ContinuousClock.now < end ? .milliseconds(20) : .seconds(1))
            }
        }
        defer { killer.cancel() }
        let signUps = Tally()
        let made = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var made: [String] = []
                    while ContinuousClock.now < end || signUps.value <= 20 {
                        let answer = try await nodes.logIn(at: worker % 2)
                        guard [201, 503].contains(answer.status) else { throw TestFault("answered \(answer.status)") }
                        guard answer.status == 201 else { continue }
                        made.append(try JSONDecoder().decode(LogInResponse.self, from: answer.body).user.id)
                        signUps.next()
                    }
                    return made
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        killer.cancel()
        _ = await killer.result
        #expect(made.count > 20)
        let halves = try await nodes.cluster.run(
            """
            SELECT
                (SELECT COUNT(*) FROM users WHERE NOT EXISTS (SELECT 1 FROM identities WHERE user_id = users.id)),
                (SELECT COUNT(*) FROM identities WHERE NOT EXISTS (SELECT 1 FROM users WHERE id = identities.user_id)),
                (SELECT COUNT(*) FROM users WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE user_id = users.id)),
                (SELECT COUNT(*) FROM users WHERE id IN ('\(made.joined(separator: "','"))'))
            """, in: nodes.database)
        #expect(halves == [["0", "0", "0", String(made.count)]])
    }
}

extension TestPostgreSQL {
    /// A database named as the rule in pg_hba.conf that wants passwords, and a user with one.
    fileprivate func makeUserWithPassword() async throws {
        try await run("CREATE DATABASE with_password", in: "postgres")
        try await run("CREATE ROLE someone LOGIN PASSWORD 'right'", in: "postgres")
    }

    fileprivate func makeLimitedUser(connections: Int, in database: String) async throws {
        try await run(
            """
            CREATE ROLE limited_\(database) LOGIN CONNECTION LIMIT \(connections);
            GRANT ALL ON ALL TABLES IN SCHEMA public TO limited_\(database)
            """, in: database)
    }
}
