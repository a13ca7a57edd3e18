import CSQLite
import Domain
import Foundation
import Storage

/// A consistent copy of a database, made page by page while others use it, and looked through before it is believed.
/// Blocks.
package struct SQLiteSnapshot: Sendable {
    /// Pages in one step: 4 MiB.
    private static let pagesInStep: Int32 = 1024
    private static let counted = ["applications", "users", "identities", "sessions"]

    package let schemaVersion: Int
    /// Rows by table, of those that a person asks for.
    package let rows: [String: Int]
    /// The ids of the sealing keys that it needs.
    package let sealingKeys: [String]

    /// - Parameters:
    ///   - folder: The data folder.
    ///   - path: The file to make; what was there is overwritten.
    ///   - tell: Called after each step with pages done and all pages.
    /// - Throws: `SQLiteOpenFault` when the database cannot be read, the copy cannot be written, or it is damaged.
    package init(of folder: String, to path: String, tell: (Int, Int) -> Void) throws(SQLiteOpenFault) {
        let source = try ReaderPool.connection(path: SQLiteStore.databasePath(in: folder), reportFault: { _ in })
        defer { source.close() }
        unlink(path)
        try SQLiteSetUp.makeFile(path)
        let target = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE, reportFault: { _ in })
        defer { target.close() }
        try Self.awaitWriters(of: folder)
        do throws(DomainError) {
            // One view of the database for all steps, however long they take.
            try source.execute("BEGIN")
            _ = try source.row("SELECT COUNT(*) FROM schema_migrations", []) { row throws(DomainError) in
                row.only.integer
            }
            try target.execute("PRAGMA synchronous = OFF")
        } catch {
            throw SQLiteOpenFault("The database cannot be read: \(String(cString: sqlite3_errmsg(source.handle))).")
        }
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw SQLiteOpenFault("The copy \(path) cannot be begun.")
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, Self.pagesInStep)
            let all = Int(sqlite3_backup_pagecount(backup))
            tell(all - Int(sqlite3_backup_remaining(backup)), all)
        }
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            throw SQLiteOpenFault("The copy \(path) cannot be written: \(String(cString: sqlite3_errstr(code))).")
        }
        target.close()
        self = try Self(checking: path)
    }

    /// Returns when every transaction is committed that was under way before the journal's segment began: its writer did
    /// not note what it ended, so it has to be in the copy.
    private static func awaitWriters(of folder: String) throws(SQLiteOpenFault) {
        let writer = try SQLiteConnection(
            path: SQLiteStore.databasePath(in: folder), flags: SQLITE_OPEN_READWRITE, reportFault: { _ in })
        defer { writer.close() }
        sqlite3_busy_timeout(writer.handle, 10_000)
        do throws(DomainError) {
            try writer.execute("BEGIN IMMEDIATE")
            try writer.execute("COMMIT")
        } catch {
            throw SQLiteOpenFault(
                "The database cannot be written, which a backup waits for: \(String(cString: sqlite3_errmsg(writer.handle)))."
            )
        }
    }

    /// Looks through a copy that nobody uses.
    ///
    /// - Throws: `SQLiteOpenFault` when it is no database of Okaeri, is damaged, or was made by a newer version.
    package init(checking path: String) throws(SQLiteOpenFault) {
        let copy = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE, reportFault: { _ in })
        defer { copy.close() }
        let damage: [String]
        do throws(DomainError) {
            // One file, without companions.
            try copy.execute("PRAGMA journal_mode = DELETE")
            schemaVersion =
                try copy.row("SELECT COALESCE(MAX(version), 0) FROM schema_migrations", []) {
                    row throws(DomainError) in Int(row.only.integer)
                } ?? 0
            damage = try copy.rows("PRAGMA integrity_check(10)", []) { row throws(DomainError) in row.only.text }
        } catch {
            throw SQLiteOpenFault(
                "The copy of the database cannot be read: \(String(cString: sqlite3_errmsg(copy.handle))).")
        }
        guard damage == ["ok"] else {
            throw SQLiteOpenFault("The database is damaged: \(damage.first ?? "its check says nothing").")
        }
        guard schemaVersion <= Migration.latestVersion else {
            throw SQLiteOpenFault(
                "The database has schema version \(schemaVersion), made by a newer Okaeri; this program knows up to "
                    + "\(Migration.latestVersion).")
        }
        copy.close()
        let tables = try SQLiteTables(path: path)
        var rows: [String: Int] = [:]
        do throws(TableFault) {
            let shapes = try tables.shapes()
            for shape in shapes where Self.counted.contains(shape.name) {
                rows[shape.name] = try tables.count(shape)
            }
            sealingKeys = try tables.sealingKeys(shapes)
        } catch {
            throw SQLiteOpenFault(error.description)
        }
        self.rows = rows
    }
}
