import Dispatch
import Domain
import Foundation
import OkaeriWire
import Storage
import StoragePostgreSQL
import Synchronization
import TestPostgreSQL
import TestWorld
import Testing

@Suite("PostgreSQL as an engine", .serialized)
struct PostgreSQLStoreTests {
    @Test("reads on one state, however many statements a read has")
    func snapshot() async throws {
        let store = try await TestPostgreSQL.cluster().store()
        let world = try TestWorld(store)
        _ = try await world.makeApplication("first")
        for _ in 0..<2 {
            let (before, written) = (Gate(), Gate())
            async let counts = store.read { transaction throws(DomainError) in
                let first = try transaction.applications().count
                before.open()
                written.wait()
                return [first, try transaction.applications().count]
            }
            await before.passed()
            _ = try await world.makeApplication("another")
            written.open()
            let seen = try await counts
            #expect(seen[0] == seen[1], "a read saw two states: \(seen)")
        }
        try await TestPostgreSQL.cluster().end(store)
    }

    @Test("tells a value that it cannot take as the request's fault, not as its own")
    func badValue() async throws {
        let store = try await TestPostgreSQL.cluster().store()
        let application = try await TestWorld(store).makeApplication("first").id
        // The rules let no U+0000 through; PostgreSQL's JSON has none (22P05).
        let search = UserSearch(
            condition: .equals(.custom(["a"]), .structure(["b": "\0"])), reader: .everything)
        let searched = await store.search(within: .seconds(600)) { transaction throws(DomainError) in
            try transaction.search(search, in: application)
        }
        #expect(throws: DomainError.fieldsRefused([ValidationError(field: "", rule: .controlCharacter)])) {
            try searched.result.get()
        }
        try await TestPostgreSQL.cluster().end(store)
    }

    @Test("repeats a transaction that collides, and runs it as if alone")
    func writeSkew() async throws {
        let store = try await TestPostgreSQL.cluster().store(connections: 8)
        // Each inserts one more than it counted: only one after the other gives 1, 2, 3 …
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try await store.write { transaction throws(DomainError) in
                        let count = try transaction.signingKeys().count
                        try transaction.insert(
                            SealedSigningKey(
                                id: "key \(count)", sealed: [1], createdAt: Timestamp(milliseconds: Int64(count))))
                        return count
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(numbers.sorted() == Array(0..<16))
        try await TestPostgreSQL.cluster().end(store)
    }

    @Test("lets others have the connection while a transaction that collided waits for its next turn")
    func turns() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let store = try await cluster.store(on: database, connections: 1)
        let another = try await cluster.store(on: database)
        let key = RateLimitKey(application: Identifier(rawValue: "a"), kind: "k", subject: "s")
        let (runs, run) = AsyncStream<Void>.makeStream()
        let (begun, changed, reads) = (Gate(), DispatchSemaphore(value: 0), Tally())
        // Whatever state the transaction has seen, the row is a newer one before it comes to it.
        let changing = Task {
            for await _ in runs {
                _ = try await another.writeStatement { transaction throws(DomainError) in
                    try transaction.count(key, window: .seconds(60), at: StandingClock().now).count
                }
                changed.signal()
            }
        }
        async let written: Void = store.write { transaction throws(DomainError) in
            _ = try transaction.applications()
            if reads.value == 0 {
                run.yield()
                begun.open()
                changed.wait()
            }
            _ = try transaction.count(key, window: .seconds(60), at: StandingClock().now)
        }
        await begun.passed()
        _ = try await store.read { transaction throws(DomainError) in try transaction.applications().count }
        reads.next()
        try await written
        run.finish()
        try await changing.value
        await store.close()
        await another.close()
    }

    @Test("counts on one row without repeating anything, and refuses a second statement there")
    func singleStatementConnection() async throws {
        let store = try await TestPostgreSQL.cluster().store(connections: 8)
        let key = RateLimitKey(application: Identifier(rawValue: "a"), kind: "k", subject: "s")
        let runs = Tally()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await store.writeStatement { transaction throws(DomainError) in
                        runs.next()
                        return try transaction.count(key, window: .seconds(60), at: StandingClock().now).count
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.sorted() == Array(1...200))
        #expect(runs.value == 200)
        store.observeFaults { _ in }
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.writeStatement { transaction throws(DomainError) in
                _ = try transaction.applications()
                return try transaction.applications().count
            }
        }
        try await TestPostgreSQL.cluster().end(store)
    }

    @Test("removes in parts nothing that was replaced while the statement waited for its row")
    func replacedMeanwhile() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let (store, thread, now) = (try await cluster.store(), HeldThread(), StandingClock().now)
        let database = try #require(cluster.ownDatabase(of: store))
        let (application, user) = (Identifier<Application>(rawValue: "a"), Identifier<User>(rawValue: "u"))
        @Sendable func replace(_ transaction: any Transaction, _ time: Timestamp) throws(DomainError) {
            try transaction.replace(
                StoredTransferCode(application: application, user: user, digest: SecretDigest(of: [1]), issuedAt: time))
            try transaction.write(LogInFailures(count: 1, lastAt: time), of: SecretDigest(of: [1]), in: application)
            try transaction.keep(
                RemovedDeviceKey(
                    application: application, thumbprint: "t", user: user, reason: .tooMany, removedAt: time))
        }
        try await store.write { transaction throws(DomainError) in try replace(transaction, now - .days(2)) }
        async let replacing: Void = store.write { transaction throws(DomainError) in
            try replace(transaction, now)
            thread.hold()
        }
        await thread.waitForThread()
        async let codes = store.writeStatement { transaction throws(DomainError) in
            try transaction.removeTransferCodes(issuedBefore: now, count: 9)
        }
        async let failures = store.writeStatement { transaction throws(DomainError) in
            try transaction.removeFailures(lastBefore: now, count: 9)
        }
        async let keys = store.writeStatement { transaction throws(DomainError) in
            try transaction.forgetRemovedDeviceKeys(before: now, count: 9)
        }
        let waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = '\(database)' AND wait_event_type = 'Lock'"
        while try await cluster.run(waiting, in: "postgres").count < 3 { try await Task.sleep(for: .milliseconds(10)) }
        thread.letGo()
        try await replacing
        let removed = try await [codes, failures, keys]
        #expect(removed == [0, 0, 0])
        try await cluster.end(store)
    }

    @Test("looks a text with U+0000 up, and finds nothing")
    func nullCharacter() async throws {
        let store = try await TestPostgreSQL.cluster().store()
        let found = try await store.read { transaction throws(DomainError) in
            try transaction.user(Identifier(rawValue: "a\0b"), in: Identifier(rawValue: "\0"))
        }
        #expect(found == nil)
        try await TestPostgreSQL.cluster().end(store)
    }

    @Test("undoes a transaction whose connection is cut in the middle, and repeats it on another")
    func cutInTheMiddle() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let store = try await cluster.store(on: database)
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let user = User(
            id: Identifier(rawValue: "cut"), application: application.id, createdAt: world.clock.now,
            updatedAt: world.clock.now)
        let (inside, cut) = (Gate(), Gate())
        let runs = Tally()
        async let done: Void = store.write { transaction throws(DomainError) in
            try transaction.insert(user)
            if runs.next() == 1 {
                inside.open()
                cut.wait()
            }
            _ = try transaction.applications()
        }
        await inside.passed()
        try await cluster.cutConnections(of: database, where: "xact_start IS NOT NULL")
        cut.open()
        try await done
        #expect(runs.value == 2)
        let count = try await store.read { transaction throws(DomainError) in
            try transaction.userCount(in: application.id)
        }
        #expect(count == 1)
        await store.close()
    }

    @Test("goes on with new connections when all of them are cut, and forgets what it kept meanwhile")
    func allCut() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let store = try await cluster.store(on: database)
        store.observeFaults { _ in }
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        try await store.untilTrusted()
        let epoch = store.validity.epoch
        for _ in 0..<3 {
            try await cluster.cutConnections(of: database)
            #expect(try await world.modules.applications.listApplications().map(\.application.id) == [application.id])
            _ = try await world.logIn(TestDevice(), to: application)
        }
        try await store.untilTrusted()
        #expect(store.validity.epoch != epoch)
        await store.close()
    }

    @Test("finds out that connections are cut before it uses one, also of those whose last answer it has not read")
    func allCutBehindReads() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let store = try await cluster.store(on: database, connections: 8)
        let faults = Faults()
        store.observeFaults { faults.note($0) }
        // From now on the engine knows that such a read has two statements.
        try await store.read { transaction throws(DomainError) in
            _ = (try transaction.signingKeys(), try transaction.applications())
        }
        for _ in 0..<2 {
            // As many reads at once as there are connections; each ends its state without waiting for the answer.
            let (begun, inside) = (Gate(), Tally())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await store.read { transaction throws(DomainError) in
                            _ = try transaction.signingKeys()
                            if inside.next() >= 8 { begun.open() }
                            begun.wait()
                            _ = try transaction.applications()
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await cluster.cutConnections(of: database)
            _ = try await store.read { transaction throws(DomainError) in try transaction.applications().count }
            #expect(!faults.words.contains("PostgreSQL fault"), "\(faults.words)")
        }
        await store.close()
    }

    @Test(
        "lets the server find out within a minute that a node's machine is gone: it counts the connections until then")
    func goneMachine() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let (address, clock) = (try #require(PostgreSQLAddress(cluster.networkURL(database))), MachineClock())
        let store = try await PostgreSQLStore.open(address, role: .server, connections: 1, node: "gone", clock: clock)
        _ = try await store.read { transaction throws(DomainError) in try transaction.applications().count }
        let ports = try await cluster.run(
            "SELECT client_port FROM pg_stat_activity WHERE datname = '\(database)' AND client_port > 0", in: "postgres"
        ).compactMap { $0.first.flatMap { $0 }.flatMap { Int($0) } }
        #expect(ports.count == 2, "one for transactions and one for news: \(ports)")
        for port in ports {
            let wait = try #require(try Self.secondsOfWait(from: cluster.port, to: port))
            #expect(wait <= 60, "the server's system asks after \(wait) seconds whether the node is there")
        }
        await store.close()
    }

    /// When the system looks at one end of a connection on this machine next: whether the other end is there, or has got what was
    /// sent.
    private static func secondsOfWait(from port: Int, to other: Int) throws -> Int? {
        // `String(contentsOfFile:)` stops at the first 4 KiB of a file that says of itself that it is empty.
        let list = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
        for line in String(decoding: list, as: UTF8.self).split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            guard words.count > 5 else { continue }
            let ends = words[1...2].compactMap { $0.split(separator: ":").last.flatMap { Int($0, radix: 16) } }
            let timer = words[5].split(separator: ":")
            // In hundredths of a second.
            guard ends == [port, other], timer.count == 2, let wait = Int(timer[1], radix: 16) else { continue }
            return wait / 100
        }
        return nil
    }

    @Test("of a test takes its own database along, since those of all tests would fill a disk")
    func ownDatabase() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let store = try await cluster.store()
        let name = try #require(cluster.ownDatabase(of: store))
        let count = "SELECT count(*) FROM pg_database WHERE datname = '\(name)'"
        #expect(try await cluster.run(count, in: "postgres") == [["1"]])
        try await cluster.end(store)
        #expect(try await cluster.run(count, in: "postgres") == [["0"]])
    }

    @Test("refuses work after it was closed")
    func closed() async throws {
        let store = try await TestPostgreSQL.cluster().store()
        await store.close()
        try await TestPostgreSQL.cluster().end(store)
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.read { transaction throws(DomainError) in try transaction.applications().count }
        }
        #expect(store.validity.epoch == nil)
    }

    @Test("ends a statement that lasts too long, and goes on")
    func lockedRow() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let store = try await cluster.store(on: database, limits: PostgreSQLTimeLimits())
        let faults = Faults()
        store.observeFaults { faults.note($0) }
        // Until it is cut, however long the read takes to come.
        async let blocking = try? cluster.run("BEGIN; LOCK TABLE applications; SELECT pg_sleep(120)", in: database)
        try await cluster.untilLocked("applications", in: database)
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.read { transaction throws(DomainError) in try transaction.applications().count }
        }
        #expect(faults.words.contains("55P03"), "\(faults.words)")
        try await cluster.cutConnections(of: database, where: "wait_event = 'PgSleep'")
        _ = await blocking
        #expect(try await store.read { transaction throws(DomainError) in try transaction.applications().count } == 0)
        await store.close()
    }
}

private final class Faults: Sendable {
    private let kept = Mutex("")
    var words: String { kept.withLock { $0 } }
    func note(_ fault: String) { kept.withLock { $0 += fault } }
}

/// Opens once; threads and tasks wait for it.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    func open() {
        isOpen.withLock { $0 = true }
        semaphore.signal()
    }

    /// For the engine's own thread. A second run finds it open.
    func wait() {
        semaphore.wait()
        semaphore.signal()
    }

    func passed() async {
        while !isOpen.withLock({ $0 }) { await Task.yield() }
    }
}

extension PostgreSQLStore {
    /// Waits until caches may be believed.
    func untilTrusted() async throws {
        while validity.epoch == nil { try await Task.sleep(for: .milliseconds(10)) }
    }
}

extension TestPostgreSQL {
    /// Ends connections to a database as an administrator would.
    func cutConnections(of database: String, where condition: String = "true") async throws {
        try await run(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(database)' AND \(condition)",
            in: "postgres")
    }

    func untilLocked(_ table: String, in database: String) async throws {
        let question = """
            SELECT 1 FROM pg_locks WHERE relation = '\(table)'::regclass AND mode = 'AccessExclusiveLock' AND granted
            """
        while try await run(question, in: database).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    }
}
