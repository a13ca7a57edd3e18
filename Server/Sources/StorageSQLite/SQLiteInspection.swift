import CSQLite
import Domain
import Glibc
import Storage

/// A look at a database that changes nothing, for a diagnosis.
package struct SQLiteInspection: Sendable {
    /// The version of the schema that the database has.
    package let schemaVersion: Int
    /// How many secrets are sealed in it.
    package let sealedSecrets: Int
    /// What is damaged, in the engine's words; empty when all is well.
    package let damage: [String]

    /// - Parameters:
    ///   - folder: The data folder.
    ///   - isThorough: Whether indexes are compared with their tables too, which takes much longer.
    /// - Throws: `SQLiteOpenFault` when the file cannot be opened or is no database of Okaeri.
    package init(folder: String, isThorough: Bool) throws(SQLiteOpenFault) {
        let path = SQLiteStore.databasePath(in: folder)
        let connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READONLY) { _ in }
        sqlite3_busy_timeout(connection.handle, 10_000)
        do throws(DomainError) {
            schemaVersion =
                try connection.row("SELECT COALESCE(MAX(version), 0) FROM schema_migrations", []) {
                    row throws(DomainError) in Int(row.only.integer)
                } ?? 0
            sealedSecrets =
                try connection.row("SELECT COUNT(*) FROM signing_keys", []) {
                    row throws(DomainError) in Int(row.only.integer)
                } ?? 0
            let words = try connection.rows(
                isThorough ? "PRAGMA integrity_check(10)" : "PRAGMA quick_check(10)", []
            ) { row throws(DomainError) in row.only.text }
            damage = words.filter { $0 != "ok" }
        } catch {
            let reason = String(cString: sqlite3_errmsg(connection.handle))
            throw SQLiteOpenFault("The database \(path) cannot be read: \(reason).")
        }
    }

    /// The version of the schema that this program needs.
    package static var latestSchemaVersion: Int { Migration.latestVersion }
}

extension SQLiteStore {
    /// Where the database of a data folder is.
    package static func databasePath(in folder: String) -> String { folder + "/okaeri.sqlite" }

    /// Where the copy is that a standby keeps of another server's database.
    package static func standbyPath(in folder: String) -> String { folder + "/standby.sqlite" }

    /// Says why nothing is opened or made where a folder has such a copy and no database: a new one beside it would be taken
    /// for what the copy is of.
    ///
    /// - Returns: `nil` for any other folder.
    package static func refusal(ofStandby folder: String) -> String? {
        guard access(standbyPath(in: folder), F_OK) == 0, access(databasePath(in: folder), F_OK) != 0 else {
            return nil
        }
        return
            "The folder \(folder) has a standby's copy, and no database yet. “okaeri standby take-over” makes it the "
            + "database, and “okaeri standby serve” answers from it until then."
    }
}
