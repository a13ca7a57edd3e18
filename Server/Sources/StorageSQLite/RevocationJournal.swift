import CSQLite
import Domain
import Foundation
import Storage

/// What ended, written down beside the database, so that a backup that is restored does not bring it back.
///
/// Triggers of the writing connection note rows into a table in memory, as a part of each transaction. Before a commit
/// the lines go to a row of the database too; after it, and before anyone is answered, they go to the end of the open
/// segment and to the disk, and a later commit removes the row. A process that ends between the two leaves the row, and
/// the next one writes its lines first (decision 0182). There is a segment only where `okaeri backup` has begun one: until
/// then there are no triggers, and a commit costs one look for the file.
final class RevocationJournal: Sendable {
    /// What a group of transactions ended.
    struct Group: Sendable {
        var lines: [String] = []
        /// Those of them that do not wait in the database.
        var passing: [String] = []
        /// The row that has the others until they are in the segment; `nil` where none has to wait.
        var row: Int64?
    }

    /// What the log says of a lock that another process keeps.
    static let heldLock =
        "another process of Okaeri holds its lock and does not go on. Nothing can be changed until it does: in "
        + "“ps -o pid,stat,args -C okaeri” one that was stopped has a T; continue it (kill -CONT) or end it (kill -KILL)"
    /// In microseconds.
    private static let betweenTries: UInt32 = 2000

    private let path: String
    /// Whose lock a process has while it writes to a segment.
    private let folder: String
    /// How long the lock is waited for.
    private let patience: Duration
    /// The same for each later commit: for longer than a process that works has it.
    private let laterPatience: Duration
    /// Whether another process kept the lock for longer than that (decision 0207). Until it is had again, it is waited for
    /// briefly (decision 0219).
    nonisolated(unsafe) private(set) var isLockHeld = false
    // Touched by the writer's queue only.
    nonisolated(unsafe) private var isNoting = false
    /// What commits that have happened ended, and what could not be written. Nothing more is committed before it is: what has
    /// ended once ends no second time, and so would never be noted.
    nonisolated(unsafe) private var unwritten: [Group] = []
    /// Rows whose lines are in the segment, for the next commit to remove.
    nonisolated(unsafe) private var writtenRows: [Int64] = []

    /// - Parameters:
    ///   - folder: The data folder.
    ///   - patience: How long the lock of another process is waited for.
    ///   - laterPatience: The same once that was in vain, until the lock was had again.
    init(folder: String, patience: Duration, laterPatience: Duration = .milliseconds(100)) {
        (self.patience, self.laterPatience) = (patience, laterPatience)
        path = RevocationSegments.openSegment(in: folder)
        self.folder = RevocationSegments.folder(in: folder)
    }

    /// Writes what could not be written before, here or by a process that has ended, and notes what ends from now on, if a
    /// segment has been begun. A backup waits behind its segment for the writers: what was under way then is committed before
    /// its copy.
    ///
    /// - Parameter connection: The writer's, outside of a transaction.
    /// - Throws: `storageUnavailable`; then nothing may be committed.
    func begin(on connection: SQLiteConnection) throws(DomainError) {
        try writeUnwritten(on: connection)
        guard !isNoting, access(path, F_OK) == 0 else { return }
        try prepare(connection)
        isNoting = true
    }

    /// Makes the table in memory, the triggers that fill it, and the table of what waits, whose lines of before are written.
    private func prepare(_ connection: SQLiteConnection) throws(DomainError) {
        // Immediate: with the lock, the row of a commit of another process is there as a whole or not at all.
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("CREATE TEMP TABLE revocations (line TEXT NOT NULL, waits INTEGER NOT NULL)")
        for table in RevocableTable.all {
            let key = try connection.keyColumns(of: table.name)
            for statement in table.triggers(key: key) { try connection.execute(statement) }
        }
        try connection.execute(PendingRevocations.table)
        try writeWaiting(on: connection)
        try connection.execute("COMMIT")
    }

    /// Writes the lines of other processes' last commits, and removes their rows, within a transaction that has the write lock:
    /// what is committed next comes behind them. They may be in the segment already, and twice in a row they say the same; behind
    /// a later change of the same row they would undo it.
    private func writeWaiting(on connection: SQLiteConnection) throws(DomainError) {
        let lines = try PendingRevocations.lines(on: connection)
        guard !lines.isEmpty else { return }
        // Not kept where they cannot be written: the rows stay, and their process may write them, and newer ones, before this one.
        try write { () throws(DomainError) in lines }
        try connection.run("DELETE FROM pending_revocations")
    }

    /// The lines of the transactions that are about to be committed; they leave the table in memory with the commit, which
    /// stores those that have to wait.
    func take(from connection: SQLiteConnection) throws(DomainError) -> Group {
        guard isNoting else { return Group() }
        for row in writtenRows {
            try connection.run("DELETE FROM pending_revocations WHERE id = $1", [.integer(row)])
        }
        // Each line behind one digit, which says whether it waits.
        let noted = try connection.rows("SELECT waits || line FROM revocations", []) { row throws(DomainError) in
            row.only.text
        }
        guard !noted.isEmpty else { return Group() }
        try connection.run("DELETE FROM revocations")
        var group = Group(
            lines: noted.map { String($0.dropFirst()) },
            passing: noted.filter { $0.hasPrefix("0") }.map { String($0.dropFirst()) })
        let waiting = noted.filter { $0.hasPrefix("1") }.map { $0.dropFirst() }
        guard !waiting.isEmpty else { return group }
        // The own ones are gone: of another program, which has changed something since this one began.
        try writeWaiting(on: connection)
        // A random number: two processes never mean different rows by one.
        try connection.run(
            "INSERT INTO pending_revocations (id, lines) VALUES (random(), $1)",
            [.text(waiting.joined(separator: "\n"))])
        group.row = sqlite3_last_insert_rowid(connection.handle)
        return group
    }

    /// Writes the lines of a commit that has happened.
    ///
    /// - Throws: `storageUnavailable` when they did not reach the disk: nobody may be answered then that something ended. They
    ///   are kept for the next call.
    func append(_ group: Group, on connection: SQLiteConnection) throws(DomainError) {
        // The commit has removed them.
        writtenRows = []
        if !group.lines.isEmpty { unwritten.append(group) }
        try writeUnwritten(on: connection)
    }

    /// Writes what could not be written before.
    ///
    /// Lines whose row is gone were written by another process before its own: behind those they would undo them.
    ///
    /// - Throws: `storageUnavailable` when it did not reach the disk.
    func writeUnwritten(on connection: SQLiteConnection) throws(DomainError) {
        guard !unwritten.isEmpty else { return }
        try write { () throws(DomainError) in
            var lines: [String] = []
            for group in unwritten {
                guard let row = group.row, try !PendingRevocations.has(row, on: connection) else {
                    lines += group.lines
                    continue
                }
                lines += group.passing
            }
            return lines
        }
        writtenRows += unwritten.compactMap(\.row)
        unwritten = []
    }

    /// Writes what could not be written before, and removes the own rows. A later process that finds one writes its lines
    /// anew, and what was made again meanwhile under the same key, such as a provider, would end by them after a restore.
    ///
    /// - Throws: `storageUnavailable`; then rows stay.
    func close(on connection: SQLiteConnection) throws(DomainError) {
        try writeUnwritten(on: connection)
        for row in writtenRows {
            try connection.run("DELETE FROM pending_revocations WHERE id = $1", [.integer(row)])
        }
        writtenRows = []
    }

    /// Writes lines to the end of the open segment, and to the disk.
    ///
    /// - Parameter lines: Called while no other process writes to a segment.
    /// - Throws: `storageUnavailable`, and what `lines` throws; then nothing, or the beginning of it, is written.
    private func write(_ lines: () throws(DomainError) -> [String]) throws(DomainError) {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            guard errno == ENOENT else { throw .storageUnavailable }
            // No backup has been made here.
            return
        }
        // Closing it gives the lock back.
        defer { Foundation.close(directory) }
        try lock(directory)
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw .storageUnavailable }
            return
        }
        defer { Foundation.close(file) }
        // An empty line first: what a crash or a full disk left of an earlier line stays by itself.
        let text = try lines().map { RevocationLine.sealed($0) + "\n" }.joined()
        let bytes = Array("\n\(text)".utf8)
        guard Foundation.write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else {
            throw .storageUnavailable
        }
    }

    /// Takes the lock of the segments' folder, for as long as it is open.
    ///
    /// Nothing is written without it: lines that another process has written before its own would stand behind those, and undo them.
    ///
    /// - Throws: `storageUnavailable` when another process keeps it, as one does that was stopped.
    private func lock(_ directory: Int32) throws(DomainError) {
        let end = ContinuousClock.now + (isLockHeld ? laterPatience : patience)
        while flock(directory, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EAGAIN else { throw .storageUnavailable }
            guard ContinuousClock.now < end else {
                isLockHeld = true
                throw .storageUnavailable
            }
            usleep(Self.betweenTries)
        }
        isLockHeld = false
    }
}

/// Lines of commits that a process may have ended before it wrote them to the journal: rows of the database, made by the
/// commits themselves.
package enum PendingRevocations {
    /// Makes the table where it is missing. It is there from the first backup on, as that of PostgreSQL is.
    static let table =
        "CREATE TABLE IF NOT EXISTS main.pending_revocations (id INTEGER PRIMARY KEY, lines TEXT NOT NULL)"

    /// The lines that wait.
    static func lines(on connection: SQLiteConnection) throws(DomainError) -> [String] {
        try connection.rows("SELECT lines FROM pending_revocations", []) { row throws(DomainError) in row.only.text }
            .flatMap { $0.split(separator: "\n").map(String.init) }
    }

    /// Whether a row is there still: nobody else has written its lines.
    static func has(_ row: Int64, on connection: SQLiteConnection) throws(DomainError) -> Bool {
        try !connection.rows("SELECT id FROM pending_revocations WHERE id = $1", [.integer(row)]) {
            row throws(DomainError) in row.only.integer
        }.isEmpty
    }

    /// What waits in a data folder that no server uses any more, as text of the journal; none where it cannot be read.
    package static func text(of folder: String) -> String {
        let path = SQLiteStore.databasePath(in: folder)
        guard access(path, F_OK) == 0 else { return "" }
        // A database that is lost or damaged is why somebody restores; its journal can still be whole.
        let connection = try? SQLiteConnection(path: path, flags: SQLITE_OPEN_READONLY, reportFault: { _ in })
        defer { connection?.close() }
        // Before the first backup there is no such table.
        let lines = connection.flatMap { try? Self.lines(on: $0) } ?? []
        return lines.map { RevocationLine.sealed($0) + "\n" }.joined()
    }
}

extension SQLiteConnection {
    /// The columns of a table's primary key, in its order; none when there is no such table.
    func keyColumns(of table: String) throws(DomainError) -> [String] {
        try rows("SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk", [.text(table)]) {
            row throws(DomainError) in row.only.text
        }
    }
}
