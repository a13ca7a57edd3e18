import Foundation
import Okaeri
import OkaeriWire
import TestPostgreSQL
import Testing

/// Run by `make test-failover` alone: it takes minutes, and needs Patroni and etcd.
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

    /// One after the other, on the same database and nodes: each failover begins with what those before left.
    @Test("lose no acknowledged sign-up and undo no log-out in many failovers, and serve again by themselves")
    func failovers() async throws {
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
        let before = try await Phone().loggedIn(at: servers[0], application: application)
        var (signUps, missing, madeAnew): ([SignUpLoad.SignUp], Int, Int) = ([], 0, 0)
        let blows = PatroniCluster.blows
        let count = ProcessInfo.processInfo.environment["OKAERI_TEST_FAILOVERS"].flatMap { Int($0) } ?? blows.count
        for number in 0..<count {
            let blow = blows[number % blows.count]
            let primary = try #require(await cluster.primary())
            let failover: Failover
            do {
                failover = try await Failover.watch(blow, cluster, servers, application: application)
            } catch {
                Issue.record("failover \(number + 1), \(blow): \(cluster.lastWords())")
                throw error
            }
            Self.check(failover, of: blow, number)
            for server in servers { #expect(server.process.isRunning) }
            // Every acknowledged sign-up is there, as a whole, and every log-out.
            signUps += failover.signUps
            let losses = try await Losses(of: signUps, cluster, database, on: 1 - primary)
            #expect(losses == Losses(), "failover \(number + 1), \(blow)")
            missing += losses.count
            // Users who were logged in before the first failover still are.
            let user = try await servers[1].send(
                "GET", "/v1/user", application: application, token: before.session.token)
            #expect(user.status == 200)
            print("FAILOVER \(failover.row(number + 1, blow.description, missing: losses.count))")
            try cluster.revive(primary)
            if try await !Self.comesBack(primary, cluster) { madeAnew += 1 }
        }
        print(
            "FAILOVERS \(count) failovers, \(signUps.compactMap(\.user).count) acknowledged sign-ups, \(missing) faults; "
                + "\(madeAnew) old primaries did not come back by themselves and were made anew")
        for server in servers { try await server.stop() }
    }

    /// Waits for the old primary as a standby. Where Patroni does not get it back, it is made anew, as operators do.
    ///
    /// - Returns: whether it came back by itself.
    private static func comesBack(_ server: Int, _ cluster: PatroniCluster) async throws -> Bool {
        func wait(_ patience: Duration) async throws {
            _ = try await eventually("the return of the old primary as standby", within: patience) {
                await cluster.isWhole() ? true : nil
            }
        }
        do {
            try await wait(.seconds(90))
            return true
        } catch {
            print("It does not come back by itself:\n\(cluster.lastWords(lines: 150))")
        }
        try await cluster.makeAnew(server)
        do {
            try await wait(.seconds(240))
        } catch {
            Issue.record("\(cluster.lastWords())")
            throw error
        }
        return false
    }

    /// What clients and probes saw of a failover.
    private static func check(_ failover: Failover, of blow: PatroniCluster.Blow, _ number: Int) {
        let name = Comment(rawValue: "failover \(number + 1), \(blow)")
        // Within the time of the failover and five seconds, without a restart.
        #expect(failover.delay < .seconds(5), name)
        #expect(failover.acknowledged.count > 100, name)
        // Clients got `Retry-After`, and never waited for long.
        let others = failover.signUps.filter { ![201, 503].contains($0.status) }
        #expect(others.map(\.status).isEmpty, name)
        let refused = failover.signUps.filter { $0.status == 503 }
        #expect(!refused.isEmpty && refused.allSatisfy(\.tellsWhen), name)
        #expect(failover.longestAnswer < .seconds(25), name)
        // Readiness was right.
        #expect(failover.readinessAround.filter { $0 != 200 } == [], name)
        if blow.stopsAtOnce { #expect(failover.readinessMeanwhile.filter { $0 != 503 } == [], name) }
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
}

/// What is not as it was acknowledged.
private struct Losses: Hashable {
    /// Users who are not there.
    var users = 0
    /// Sessions that are there after their log-out.
    var revived = 0
    /// Users without a device or, though nobody tried to log out, without a session; and devices without a user.
    var halves = 0

    var count: Int { users + revived + halves }

    init() {}

    /// Compares what a server has with what was acknowledged.
    init(
        of signUps: [SignUpLoad.SignUp], _ cluster: PatroniCluster, _ database: String, on server: Int
    ) async throws {
        func column(_ statement: String) async throws -> Set<String> {
            Set(try await cluster.run(statement, in: database, on: server).compactMap { $0.first ?? nil })
        }
        let (users, sessions) = (try await column("SELECT id FROM users"), try await column("SELECT id FROM sessions"))
        let ended = signUps.compactMap { signUp in
            if case .acknowledged(let session) = signUp.logOut { session } else { nil }
        }
        self.users = signUps.compactMap(\.user).count { !users.contains($0) }
        revived = ended.count { sessions.contains($0) }
        let withoutSession = try await column("SELECT id FROM users WHERE id NOT IN (SELECT user_id FROM sessions)")
        let tried = Set(signUps.filter { $0.logOut != .none }.compactMap(\.user))
        halves =
            withoutSession.subtracting(tried).count
            + (try await column("SELECT id FROM users WHERE id NOT IN (SELECT user_id FROM identities)").count)
            + (try await column("SELECT subject FROM identities WHERE user_id NOT IN (SELECT id FROM users)").count)
    }
}
