import CSQLite
import Dispatch
import Domain
import Foundation
import Storage
import Synchronization

/// Writes transactions one after the other on a queue of their own, and commits those that arrive meanwhile together.
///
/// A commit waits for the disk; what arrives during that wait goes into the next commit as a whole, so durability
/// costs one wait for many. Each transaction keeps its own all or nothing: one that throws before it wrote anything
/// leaves nothing to undo; when one throws later, the group is undone and run again with a savepoint for each.
final class GroupCommit: Sendable {
    /// The most transactions in one commit, so that the first of them does not wait for all the others' statements.
    private static let maximumGroup = 64
    /// The most transactions that may wait. More than that would wait for longer than their clients do.
    private static let maximumQueue = 10_000
    private static let movedFile =
        "The database was moved, removed or replaced while it is in use: nothing is written to it until it is back in its place. "
        + "To move a data folder, stop the server first."

    private let queue: StepQueue
    private let waiting = Mutex(Waiting())
    private let outsideChanges: CacheEpoch?
    private let journal: RevocationJournal?
    private let signals: StoreSignals
    private let proofs: ProofMemory?
    private let checkpoints: CheckpointThread?
    // Touched on `queue` only.
    nonisolated(unsafe) private let connection: SQLiteConnection

    private struct Waiting: Sendable {
        var jobs: [any WriteJob] = []
        var isDraining = false
        var isClosed = false
    }

    /// - Parameters:
    ///   - connection: The writing connection, used by nobody else from now on.
    ///   - outsideChanges: Where a command tells a server that it changed something; `nil` in the server itself.
    ///   - journal: Where what ends is written down; `nil` for a database in memory.
    ///   - signals: Whom to tell of changes.
    ///   - proofs: Where device proofs are kept; `nil` where all of them have rows.
    ///   - checkpoints: What moves the log into the database; `nil` where the writer does it in its commits.
    ///   - queue: Where transactions are run.
    init(
        _ connection: sending SQLiteConnection, outsideChanges: CacheEpoch?, journal: RevocationJournal?,
        signals: StoreSignals, proofs: ProofMemory?, checkpoints: CheckpointThread? = nil,
        queue: StepQueue = StepQueue(label: "okaeri.sqlite.writer")
    ) {
        self.queue = queue
        self.connection = connection
        self.outsideChanges = outsideChanges
        self.journal = journal
        self.signals = signals
        self.proofs = proofs
        self.checkpoints = checkpoints
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let result: Result<Value, DomainError> = await withCheckedContinuation { continuation in
            let job = Job(body: body, continuation: continuation)
            let (accepted, mustWake) = waiting.withLock { waiting in
                guard !waiting.isClosed, waiting.jobs.count < Self.maximumQueue else { return (false, false) }
                waiting.jobs.append(job)
                defer { waiting.isDraining = true }
                return (true, !waiting.isDraining)
            }
            if !accepted { continuation.resume(returning: .failure(.storageUnavailable)) }
            if mustWake { queue.async { self.drain() } }
        }
        return try result.get()
    }

    func close() async {
        waiting.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async {
                if self.connection.isOpen {
                    // What cannot be written now is reported already.
                    try? self.journal?.close(on: self.connection)
                    self.checkpoints?.close()
                    // A command leaves that to the server, whose writers would have to wait for it.
                    if self.outsideChanges == nil {
                        sqlite3_wal_checkpoint_v2(self.connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
                    }
                    self.connection.close()
                }
                continuation.resume()
            }
        }
    }

    /// How many frames the log has before it is moved into the database; 0 leaves that to somebody else.
    func setCheckpoints(by pages: Int32) {
        if let checkpoints { return checkpoints.setLimit(pages) }
        _ = between { writer in sqlite3_wal_autocheckpoint(writer.handle, pages) }
    }

    /// Runs work between two commits, with the writing connection. Blocks.
    ///
    /// - Returns: `nil` when the connection is closed.
    func between<Value: Sendable>(_ work: @escaping @Sendable (SQLiteConnection) -> Value) -> Value? {
        let result = Mutex<Value?>(nil)
        let done = DispatchSemaphore(value: 0)
        queue.async {
            if self.connection.isOpen {
                let value = work(self.connection)
                result.withLock { $0 = value }
            }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }

    private func drain() {
        while true {
            gather()
            let group = waiting.withLock { waiting in
                let group = Array(waiting.jobs.prefix(Self.maximumGroup))
                waiting.jobs.removeFirst(group.count)
                if group.isEmpty { waiting.isDraining = false }
                return group
            }
            guard !group.isEmpty else { return }
            commit(group)
        }
    }

    /// Lets others go first while that makes the group larger: on a processor that is busy with requests, the
    /// transactions that they are about to bring then share one commit. With a processor to spare it costs a microsecond.
    private func gather() {
        var count = waiting.withLock { $0.jobs.count }
        while count < Self.maximumGroup {
            sched_yield()
            let now = waiting.withLock { $0.jobs.count }
            if now == count { return }
            count = now
        }
    }

    private func commit(_ group: [any WriteJob]) {
        var marks: [ProofMemory.Mark] = []
        do {
            guard !connection.hasMoved else {
                signals.report(fault: Self.movedFile)
                throw DomainError.storageUnavailable
            }
            try journaling { journal throws(DomainError) in try journal.begin(on: connection) }
            try connection.run("BEGIN IMMEDIATE")
            var changes = try runAll(group, withSavepoints: false, marks: &marks)
            if changes == nil {
                try connection.run("ROLLBACK")
                giveBack(&marks)
                try connection.run("BEGIN IMMEDIATE")
                changes = try runAll(group, withSavepoints: true, marks: &marks)
            }
            guard let changes else { throw DomainError.storageUnavailable }
            // It waits for the journal too, where lines of another process wait.
            let revocations = try journaling { journal throws(DomainError) in try journal.take(from: connection) }
            if changes.isEmpty {
                try connection.run("COMMIT")
            } else {
                outsideChanges?.beginChange()
                defer { outsideChanges?.finishChange() }
                try connection.run("COMMIT")
                signals.announce(changes)
            }
            if let revocations {
                try journaling { journal throws(DomainError) in try journal.append(revocations, on: connection) }
            }
            for job in group { job.answer() }
            checkpoints?.afterCommit(on: connection)
        } catch {
            // Also the fault may have ended the transaction already; then there is nothing to roll back.
            if !connection.isOutsideTransaction { try? connection.run("ROLLBACK") }
            giveBack(&marks)
            for job in group { job.fail() }
        }
    }

    private func giveBack(_ marks: inout [ProofMemory.Mark]) {
        proofs?.giveBack(marks)
        marks = []
    }

    /// Works with the journal, and reports when it cannot be written.
    ///
    /// - Returns: what the work returns; `nil` where there is no journal.
    @discardableResult
    private func journaling<Value>(
        _ work: (RevocationJournal) throws(DomainError) -> Value
    ) throws(DomainError) -> Value? {
        guard let journal else { return nil }
        do throws(DomainError) {
            return try work(journal)
        } catch {
            let reason = journal.isLockHeld ? RevocationJournal.heldLock : String(cString: strerror(errno))
            signals.report(fault: "What ended cannot be written to the revocation journal: \(reason)")
            throw error
        }
    }

    /// - Parameters:
    ///   - group: The transactions.
    ///   - withSavepoints: Whether each can be undone by itself.
    ///   - marks: Gets the proofs that they took.
    /// - Returns: what the transactions that did not throw have changed; `nil` when one threw after it had written, so
    ///   that savepoints are needed.
    /// - Throws: `storageUnavailable` when a fault ended the transaction that holds them all.
    private func runAll(
        _ group: [any WriteJob], withSavepoints: Bool, marks: inout [ProofMemory.Mark]
    ) throws(DomainError) -> [Change]? {
        var changes: [Change] = []
        for job in group {
            let rowsBefore = connection.changedRows
            if withSavepoints { try connection.run("SAVEPOINT job") }
            let transaction = SQLTransaction(connection, proofs: proofs)
            let succeeded = job.run(in: transaction)
            if succeeded { marks += transaction.marks } else { proofs?.giveBack(transaction.marks) }
            guard !connection.isOutsideTransaction else { throw .storageUnavailable }
            if succeeded {
                changes += transaction.changes
            } else if withSavepoints {
                try connection.run("ROLLBACK TO job")
            } else if connection.changedRows != rowsBefore {
                return nil
            }
            if withSavepoints { try connection.run("RELEASE job") }
        }
        return changes
    }
}

/// A transaction that waits for its turn.
private protocol WriteJob: AnyObject, Sendable {
    /// Runs the closure; `false` when it threw.
    func run(in transaction: SQLTransaction) -> Bool
    /// Hands out what the closure gave.
    func answer()
    /// Says that nothing was written.
    func fail()
}

// Unchecked: `result` is touched on the writer's queue only.
private final class Job<Value: Sendable>: WriteJob, @unchecked Sendable {
    private let body: @Sendable (any Transaction) throws(DomainError) -> Value
    private let continuation: CheckedContinuation<Result<Value, DomainError>, Never>
    private var result: Result<Value, DomainError> = .failure(.storageUnavailable)

    init(
        body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value,
        continuation: CheckedContinuation<Result<Value, DomainError>, Never>
    ) {
        self.body = body
        self.continuation = continuation
    }

    func run(in transaction: SQLTransaction) -> Bool {
        do {
            result = .success(try body(transaction))
            return true
        } catch {
            result = .failure(error)
            return false
        }
    }

    func answer() {
        continuation.resume(returning: result)
    }

    func fail() {
        continuation.resume(returning: .failure(.storageUnavailable))
    }
}
