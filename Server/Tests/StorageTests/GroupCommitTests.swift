import Dispatch
import Domain
import Foundation
import Storage
import StorageSQLite
import Synchronization
import TestWorld
import Testing

/// That transactions which wait for the writer share a commit, as seen in the write-ahead log: the frames that end a
/// transaction are counted there (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
@Suite("Group commit")
struct GroupCommitTests {
    private let folder = TemporaryFolder()
    private let samples = Users()

    @Test("makes one commit of 64 transactions that wait, and two of 65", arguments: [(1, 1), (64, 1), (65, 2)])
    func oneCommit(transactions: Int, commits: Int) async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let users = samples.users(transactions)
        let before = try commitCount()
        let outcomes = try await together(users, in: store) { _ in }
        #expect(outcomes.allSatisfy { $0 == nil })
        #expect(try commitCount() - before == commits)
        #expect(try await present(in: store) == users)
        await store.close()
    }

    @Test("keeps the other 63 when one throws after it wrote, and nothing of that one, still in one commit")
    func oneThrows() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let users = samples.users(64)
        let before = try commitCount()
        let runs = Mutex(0)
        let outcomes = try await together(users, in: store) { index throws(DomainError) in
            if index == 0 { runs.withLock { $0 += 1 } }
            if index == 30 { throw .userUnknown }
        }
        #expect(outcomes.enumerated().allSatisfy { $0.element == ($0.offset == 30 ? .userUnknown : nil) })
        #expect(try commitCount() - before == 1)
        var kept = users
        kept.remove(at: 30)
        #expect(try await present(in: store) == kept)
        // Undone once, and run again with a savepoint for each.
        #expect(runs.withLock { $0 } == 2)
        await store.close()
    }

    /// Inserts users, each in a transaction of its own, all of which wait while another one occupies the writer.
    ///
    /// - Returns: what each threw.
    private func together(
        _ users: [User], in store: SQLiteStore,
        then body: @escaping @Sendable (Int) throws(DomainError) -> Void
    ) async throws -> [DomainError?] {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let blocking = Task {
            try await store.write { _ throws(DomainError) in
                begun.signal()
                mayEnd.wait()
            }
        }
        // One thread takes up the tasks one after the other, and each of them until it waits for the writer.
        let executor = OneThread()
        await executor.finish { begun.wait() }
        let tasks = users.enumerated().map { index, user in
            Task(executorPreference: executor) { () -> DomainError? in
                do throws(DomainError) {
                    try await store.write { transaction throws(DomainError) in
                        try transaction.insert(user)
                        try body(index)
                    }
                    return nil
                } catch {
                    return error
                }
            }
        }
        await executor.finish { mayEnd.signal() }
        try await blocking.value
        var outcomes: [DomainError?] = []
        for task in tasks { outcomes.append(await task.value) }
        return outcomes
    }

    private func present(in store: SQLiteStore) async throws -> [User] {
        try await store.read { [application = samples.application] transaction throws(DomainError) in
            try transaction.users(in: application, after: nil, limit: 100)
        }
    }

    /// The number of commits that the write-ahead log holds: of the frames of its present round, those that name the
    /// database's size.
    private func commitCount() throws -> Int {
        let log = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/okaeri.sqlite-wal")))
        func number(_ index: Int) -> Int { log[index..<index + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard log.count >= 32 else { return 0 }
        let salts = log[16..<24]
        let frames = stride(from: 32, to: log.count, by: 24 + number(8))
            .prefix { log[$0 + 8..<$0 + 16] == salts }
        return frames.count { number($0 + 4) != 0 }
    }

    /// Users in the order of their ids.
    private struct Users {
        let application = Identifier<Application>(rawValue: "application-one")

        func users(_ count: Int) -> [User] {
            let randomness = CountingRandomness()
            return (0..<count).map { index in
                let made = StandingClock().now + .milliseconds(Int64(index))
                return User(
                    id: randomness.newIdentifier(at: made), application: application, displayName: "user \(index)",
                    createdAt: made, updatedAt: made)
            }
        }
    }
}

/// Runs tasks on one thread, in the order in which they were made.
private final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "okaeri.tests.one-thread")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Does work when all that was enqueued before has been run.
    func finish(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                work()
                continuation.resume()
            }
        }
    }
}
