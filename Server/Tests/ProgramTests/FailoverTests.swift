import Foundation
import Okaeri
import OkaeriWire
import TestPostgreSQL
import Testing

/// Run by `make test-failover` alone: it takes two minutes, and needs Patroni and etcd.
@Suite(
    "Two nodes on a PostgreSQL primary with a synchronous standby", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["OKAERI_TEST_FAILOVER"] != nil))
struct FailoverTests {
    @Test("do not start on the standby alone, and say why")
    func standby() async throws {
        let cluster = try await PatroniCluster.cluster()
        let database = try await Self.makeDatabase(cluster)
        let primary = try #require(await cluster.primary())
        let environment = Nodes.environment(cluster.url(database, on: 1 - primary))
        let served = try await Program.run("serve", "--listen", "127.0.0.1:0", environment: environment)
        #expect(served.status == 1)
        #expect(served.errors.contains("name the primary, or all hosts"), "\(served.errors)")
        let doctor = try await Program.run("doctor", environment: environment)
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("takes no writes"), "\(doctor.output)")
    }

    @Test("lose no acknowledged sign-up and serve again by themselves", arguments: PatroniCluster.Blow.allCases)
    func failover(_ blow: PatroniCluster.Blow) async throws {
        let cluster = try await PatroniCluster.cluster()
        let database = try await Self.makeDatabase(cluster)
        let environment = Nodes.environment(cluster.url(database))
        let created = try await Program.run("application", "create", "Demo", "--json", environment: environment)
        let application = try created.json(CreatedApplication.self).id
        let folders = [TestFolder(), TestFolder()]
        var servers: [TestServer] = []
        for folder in folders {
            try folder.make()
            servers.append(
                try await TestServer(
                    data: folder.path, options: ["--rate-limits", "off"], environment: environment))
        }
        let phone = Phone()
        let before = try await phone.loggedIn(at: servers[0], application: application)
        let primary = try #require(await cluster.primary())

        let failover = try await Failover.watch(blow, cluster, servers, application: application)

        // Within the time of the failover and five seconds, without a restart.
        #expect(failover.delay < .seconds(5), "\(failover.delay)")
        for server in servers { #expect(server.process.isRunning) }
        // Every acknowledged sign-up is there, as a whole.
        #expect(failover.acknowledged.count > 100)
        #expect(try await Self.missing(failover.acknowledged, cluster, database, on: 1 - primary) == 0)
        #expect(try await Self.halves(cluster, database, on: 1 - primary) == 0)
        // Clients got `Retry-After`, and never waited for long.
        let others = failover.signUps.filter { ![201, 503].contains($0.status) }
        #expect(others.isEmpty, "\(others.map(\.status))")
        let refused = failover.signUps.filter { $0.status == 503 }
        #expect(!refused.isEmpty)
        #expect(refused.filter { !$0.tellsWhen }.isEmpty)
        #expect(failover.longestAnswer < .seconds(25), "\(failover.longestAnswer)")
        // Readiness was right.
        #expect(failover.readinessAround.filter { $0 != 200 } == [])
        #expect(failover.readinessMeanwhile.filter { $0 != 503 } == [])
        // Users who were logged in still are.
        let user = try await servers[1].send("GET", "/v1/user", application: application, token: before.session.token)
        #expect(user.status == 200)

        print("FAILOVER \(failover.row(blow.description))")
        for server in servers { try await server.stop() }
        try cluster.revive(primary)
        _ = try await eventually("the return of the old primary as standby") { await cluster.isWhole() ? true : nil }
    }

    /// A database of its own with the newest schema.
    private static func makeDatabase(_ cluster: PatroniCluster) async throws -> String {
        let database = "failover\(UInt32.random(in: 0 ... .max))"
        let primary = try #require(await cluster.primary())
        try await cluster.run("CREATE DATABASE \(database)", in: "postgres", on: primary)
        // libpq asks no other host when the first says that there is no such database.
        _ = try await eventually("the database on the standby") {
            try? await cluster.run("SELECT 1", in: database, on: 1 - primary)
        }
        let migrated = try await Program.run("migrate", environment: Nodes.environment(cluster.url(database)))
        #expect(migrated.status == 0, "\(migrated.errors)")
        return database
    }

    /// How many of these users are not there.
    private static func missing(
        _ users: [String], _ cluster: PatroniCluster, _ database: String, on server: Int
    ) async throws -> Int {
        let found = try await cluster.run(
            "SELECT COUNT(*) FROM users WHERE id IN ('\(users.joined(separator: "','"))')", in: database, on: server)
        return users.count - (found.first?.first?.flatMap { Int($0) } ?? 0)
    }

    /// How many sign-ups are there without one of their parts.
    private static func halves(
        _ cluster: PatroniCluster, _ database: String, on server: Int
    ) async throws -> Int? {
        let found = try await cluster.run(
            """
            SELECT (SELECT COUNT(*) FROM users WHERE id NOT IN (SELECT user_id FROM identities)) +
                (SELECT COUNT(*) FROM users WHERE id NOT IN (SELECT user_id FROM sessions)) +
                (SELECT COUNT(*) FROM identities WHERE user_id NOT IN (SELECT id FROM users))
            """, in: database, on: server)
        return found.first?.first?.flatMap { Int($0) }
    }
}
