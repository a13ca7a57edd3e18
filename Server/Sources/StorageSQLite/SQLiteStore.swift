import CSQLite
import Dispatch
package import Domain
import Foundation
import Storage

/// The embedded engine: one SQLite database in a folder, or in memory for tests.
package final class SQLiteStore: Engine, Sendable {
    package enum Location: Sendable, Hashable {
        /// A folder, made if missing, that holds `okaeri.sqlite` and its companions.
        case folder(String)
        case memory
    }

    package enum Role: Sendable, Hashable {
        /// Holds caches for as long as it lives; one at a time in a folder.
        case server
        /// Does one thing beside a server that may be running, as `okaeri user list` does.
        case command
    }

    /// What a process is to a simulated database.
    package enum SimulatedRole: Sendable {
        case server
        /// Does one thing beside a server.
        case command(beside: SQLiteStore)
        /// One of several, as those on PostgreSQL are: used proofs have rows, and others decide what caches are worth.
        case node(any CacheValidity)
    }

    let writer: GroupCommit
    private let readers: ReaderPool?
    private let searchReaders: SearchReaders?
    private let lock: ServerLock?
    private let signals: StoreSignals
    private let epochs: CacheEpoch?
    package let validity: any CacheValidity

    /// Opens the database, making or migrating it.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - role: Who asks.
    ///   - searchReaders: How many searches a server runs at a time. A command has no more than one.
    ///   - journalPatience: How long the lock of the revocation journal is waited for; by default as long as that of the database.
    ///   - laterJournalPatience: The same once that was in vain, until the lock was had again.
    /// - Throws: `SQLiteOpenFault` when the folder cannot be written, another server uses it, a restore or a copy into it is
    ///   under way, it is a standby's, the database was made by a newer program, or it is an older one's server that a command
    ///   would bring it up to date below.
    package init(
        _ location: Location, role: Role, searchReaders: Int = 2, journalPatience: Duration = .seconds(10),
        laterJournalPatience: Duration = .milliseconds(100)
    ) throws(SQLiteOpenFault) {
        let signals = StoreSignals()
        self.signals = signals
        let reportFault: @Sendable (String) -> Void = { signals.report(fault: $0) }
        switch location {
        case .memory:
            let connection = try SQLiteConnection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, reportFault: reportFault)
            try SQLiteSetUp.prepareWriter(connection)
            lock = nil
            epochs = nil
            readers = nil
            self.searchReaders = nil
            validity = AlwaysValid()
            writer = GroupCommit(
                connection, outsideChanges: nil, journal: nil, signals: signals, proofs: try connection.proofMemory())
        case .folder(let path):
            guard !SQLiteTableWriter.isUnfinished(in: path) else {
                throw SQLiteOpenFault(
                    "An “okaeri copy” into the folder \(path) has not ended. Run it again; it goes on where it stopped. To "
                        + "give it up, remove “\(SQLiteTableWriter.draft(in: path))” and what stands beside it under that name."
                )
            }
            if let refusal = Self.refusal(ofStandby: path) { throw SQLiteOpenFault(refusal) }
            let path = try SQLiteSetUp.makeFolder(path)
            lock = role == .server ? try ServerLock(folder: path) : nil
            let file = Self.databasePath(in: path)
            let making = role == .command ? try ServerLock.whileMaking(file, in: path) : nil
            let epochs = try CacheEpoch(path: path + "/changes.epoch")
            self.epochs = epochs
            try SQLiteSetUp.makeFile(file)
            // Who would make another one sees the file from here on.
            making?.release()
            let connection = try SQLiteConnection(
                path: file, flags: SQLITE_OPEN_READWRITE, gathersLog: true, reportFault: reportFault)
            try SQLiteSetUp.prepareWriter(connection, ofCommandIn: role == .command ? path : nil)
            if role == .server { SQLiteSetUp.emptyLog(connection) }
            readers = try ReaderPool(path: file, count: role == .server ? 2 : 1, reportFault: reportFault)
            self.searchReaders = try SearchReaders(
                path: file, count: role == .server ? searchReaders : 1, reportFault: reportFault)
            if role == .server { epochs.settle() }
            validity = role == .server ? epochs : AlwaysValid()
            writer = GroupCommit(
                connection, outsideChanges: role == .command ? epochs : nil,
                journal: RevocationJournal(
                    folder: path, patience: journalPatience, laterPatience: laterJournalPatience), signals: signals,
                proofs: role == .server ? try connection.proofMemory() : nil,
                checkpoints: role == .server
                    ? try CheckpointThread(path: file, writer: connection, reportFault: reportFault) : nil)
        }
    }

    /// Opens a database whose work a simulator runs step by step, through the file system that SQLite takes by default.
    ///
    /// There are one writer and one reader; searches use the writer.
    ///
    /// - Parameters:
    ///   - path: The file's name there.
    ///   - role: Who asks.
    ///   - steps: Gets each piece of work, and runs it later.
    /// - Throws: `SQLiteOpenFault`.
    package init(
        simulated path: String, as role: SimulatedRole, steps: @escaping StepQueue.Steps
    ) throws(SQLiteOpenFault) {
        let signals = StoreSignals()
        self.signals = signals
        let reportFault: @Sendable (String) -> Void = { signals.report(fault: $0) }
        let connection = try SQLiteConnection(
            path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, gathersLog: true, reportFault: reportFault)
        try SQLiteSetUp.prepareWriter(connection)
        readers = try ReaderPool(path: path, count: 1, steps: steps, reportFault: reportFault)
        searchReaders = nil
        lock = nil
        let (outsideChanges, proofs): (CacheEpoch?, ProofMemory?)
        switch role {
        case .server:
            SQLiteSetUp.emptyLog(connection)
            let own = try CacheEpoch()
            (epochs, validity, outsideChanges, proofs) = (own, own, nil, try connection.proofMemory())
        case .command(let server):
            (epochs, validity, outsideChanges, proofs) = (server.epochs, AlwaysValid(), server.epochs, nil)
        case .node(let news):
            SQLiteSetUp.emptyLog(connection)
            (epochs, validity, outsideChanges, proofs) = (nil, news, nil, nil)
        }
        writer = GroupCommit(
            connection, outsideChanges: outsideChanges, journal: nil, signals: signals, proofs: proofs,
            queue: StepQueue(label: "simulated", steps: steps))
    }

    /// Called with each change after its commit and before it is answered.
    package func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) {
        signals.observeChanges(observer)
    }

    /// Called with a sentence for the log when the engine reports a fault.
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        signals.observeFaults(observer)
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        if let readers { return try await readers.run(body) }
        // In memory there is one connection for everything, which writes no more in a read than one of a file does.
        return try await writer.run { transaction throws(DomainError) in
            guard let connection = (transaction as? SQLTransaction)?.connection as? SQLiteConnection else {
                throw .storageUnavailable
            }
            connection.refusesChanges = true
            defer { connection.refusesChanges = false }
            return try body(transaction)
        }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await writer.run(body)
    }

    package func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await writer.run { transaction throws(DomainError) in
            guard let transaction = transaction as? SQLTransaction else { throw .storageUnavailable }
            return try transaction.withSingleStatementConnection(body)
        }
    }

    package func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        if let searchReaders { return await searchReaders.run(within: limit, body) }
        // In memory there is one connection for everything.
        do throws(DomainError) {
            return try await writer.run { transaction throws(DomainError) in
                guard let connection = (transaction as? SQLTransaction)?.connection as? SQLiteConnection else {
                    throw .storageUnavailable
                }
                return connection.search(within: limit) { connection throws(DomainError) in
                    try body(SQLTransaction(connection))
                }
            }
        } catch {
            return Searched(.failure(error), time: .zero)
        }
    }

    /// Finishes what is queued and moves everything from the write-ahead log into the database. Later calls are
    /// refused with `storageUnavailable`.
    package func close() async {
        await searchReaders?.close()
        await readers?.close()
        await writer.close()
        lock?.release()
    }
}

extension SQLiteConnection {
    /// The device proofs of a server that begins.
    fileprivate func proofMemory() throws(SQLiteOpenFault) -> ProofMemory {
        do throws(DomainError) {
            let transaction = SQLTransaction(self)
            return ProofMemory(latest: try transaction.latestProof(), kept: try transaction.usedProofs())
        } catch {
            throw SQLiteOpenFault("The used proofs cannot be read: \(String(cString: sqlite3_errmsg(handle))).")
        }
    }
}

/// Nobody else changes what this process holds.
private struct AlwaysValid: CacheValidity {
    var epoch: UInt64? { 0 }
}
