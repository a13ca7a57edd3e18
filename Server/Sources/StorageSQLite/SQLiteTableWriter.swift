import CSQLite
import Domain
import Foundation
package import Storage

/// Makes the database of a data folder out of rows. They go to a file beside it, which is renamed in the end: until
/// then there is no database, and nobody makes one. Blocks.
package final class SQLiteTableWriter: TableWriter {
    /// Names that tell that a folder belongs to an installation.
    private static let taken = ["okaeri.sqlite", "okaeri.sqlite-wal", "revocations"]

    private let folder: String
    private let lock: ServerLock
    private let connection: SQLiteConnection
    private let isResumed: Bool
    private let tables: SQLiteTables

    package var written: any TableReader { tables }

    /// - Parameter folder: The data folder; it is made when it is missing.
    /// - Throws: `TableFault` when it has a database, cannot be written, or another program writes to it.
    package init(folder: String) throws(TableFault) {
        self.folder = folder
        let draft = Self.draft(in: folder)
        try Self.checkIsFree(folder)
        (lock, isResumed, connection) = try SQLiteTables.reading { () throws(SQLiteOpenFault) in
            let lock = try ServerLock(folder: try SQLiteSetUp.makeFolder(folder))
            let isResumed = Self.isUnfinished(in: folder)
            try SQLiteSetUp.makeFile(draft)
            // Not with gathered writes, which need each commit to be synchronized.
            let connection = try SQLiteConnection(path: draft, flags: SQLITE_OPEN_READWRITE, reportFault: { _ in })
            try SQLiteSetUp.prepareWriter(connection)
            return (lock, isResumed, connection)
        }
        tables = SQLiteTables(connection, description: "database in the folder \(folder)")
        // A loss of power takes the last pages at most, and the next run goes on behind what is there.
        try execute("PRAGMA synchronous = NORMAL")
    }

    /// Whether a copy into a folder has begun and not ended.
    static func isUnfinished(in folder: String) -> Bool { access(draft(in: folder), F_OK) == 0 }

    /// The file that becomes the database.
    package static func draft(in folder: String) -> String { folder + "/unfinished-copy.sqlite" }

    /// A folder with a database is never written to.
    private static func checkIsFree(_ folder: String) throws(TableFault) {
        for name in taken where FileManager.default.fileExists(atPath: "\(folder)/\(name)") {
            throw TableFault(
                "The folder \(folder) is not empty: \(name) is there, and nothing was changed. Copy into another folder, or "
                    + "move that one away: “mv \(folder) \(folder).before”.")
        }
    }

    package func begin(_ shapes: [TableShape]) throws(TableFault) -> Bool { isResumed }

    package func append(_ rows: [[Value]], to shape: TableShape) throws(TableFault) {
        let marks = (1...max(1, shape.columns.count)).map { "$\($0)" }.joined(separator: ", ")
        let text = "INSERT INTO \(TableShape.quoted(shape.name)) (\(shape.columnList)) VALUES (\(marks))"
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(connection.handle, text, -1, &prepared, nil) == SQLITE_OK, let prepared else {
            throw fault()
        }
        defer { sqlite3_finalize(prepared) }
        try execute("BEGIN IMMEDIATE")
        do throws(TableFault) {
            for row in rows {
                for (position, value) in row.enumerated() {
                    guard SQLiteConnection.bind(value, to: prepared, at: Int32(position + 1)) == SQLITE_OK else {
                        throw shape.fault(in: row, column: shape.columns[position].name, "cannot be written: \(reason)")
                    }
                }
                guard sqlite3_step(prepared) == SQLITE_DONE else {
                    throw TableFault(
                        "The row \(shape.condition(of: row)) of \(shape.name) cannot be written: \(reason).")
                }
                sqlite3_reset(prepared)
            }
            try execute("COMMIT")
        } catch {
            sqlite3_reset(prepared)
            // The first fault is the one to tell; a full disk has ended the transaction already.
            sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    package func empty(_ shape: TableShape) throws(TableFault) {
        try execute("DELETE FROM \(TableShape.quoted(shape.name))")
    }

    package func finish() throws(TableFault) {
        let draft = Self.draft(in: folder)
        // One file, without companions: a log that stayed behind would be missing in the database.
        guard sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
        else {
            throw fault()
        }
        connection.close()
        guard access(draft + "-wal", F_OK) != 0 else { throw TableFault("\(draft)-wal cannot be moved into \(draft).") }
        let file = open(draft, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw fileFault(draft) }
        defer { close(file) }
        if let path = FolderOwner.give([draft, folder + "/server.lock"], of: folder) { throw fileFault(path) }
        guard fsync(file) == 0 else { throw fileFault(draft) }
        try Self.checkIsFree(folder)
        guard rename(draft, SQLiteStore.databasePath(in: folder)) == 0 else { throw fileFault(draft) }
        let directory = open(folder, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { throw fileFault(folder) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw fileFault(folder) }
        lock.release()
    }

    private func execute(_ text: String) throws(TableFault) {
        guard sqlite3_exec(connection.handle, text, nil, nil, nil) == SQLITE_OK else { throw fault() }
    }

    private var reason: String { String(cString: sqlite3_errmsg(connection.handle)) }

    private func fault() -> TableFault { TableFault("The \(tables) cannot be written: \(reason).") }

    private func fileFault(_ path: String) -> TableFault {
        TableFault("\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
