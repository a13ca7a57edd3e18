import CSQLite
import Domain
import Foundation
import Storage

/// Makes folder, file and schema, or says why not.
enum SQLiteSetUp {
    /// How long the log becomes before it is moved into the database.
    static let checkpointPages: Int32 = 8192

    /// - Returns: the folder's path.
    static func makeFolder(_ path: String) throws(SQLiteOpenFault) -> String {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SQLiteOpenFault("The data folder \(path) cannot be made. Choose another with --data.")
        }
        // `access` answers yes to root even on a read-only disk, so a file is really made.
        let probe = path + "/.writable"
        let descriptor = open(probe, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteOpenFault(
                "The data folder \(path) cannot be written: \(String(cString: strerror(errno))). "
                    + "Okaeri keeps its database there; give its user the right to write, or choose another with --data."
            )
        }
        Foundation.close(descriptor)
        unlink(probe)
        return path
    }

    /// Makes the database file for its owner alone; SQLite gives its companions the same rights.
    static func makeFile(_ path: String) throws(SQLiteOpenFault) {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteOpenFault("The database \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        Foundation.close(descriptor)
    }

    /// Sets a connection that writes up, and brings its database up to date.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - folder: The data folder of a command, beside which a server may run; `nil` when none can.
    /// - Throws: `SQLiteOpenFault`.
    static func prepareWriter(
        _ connection: SQLiteConnection, ofCommandIn folder: String? = nil
    ) throws(SQLiteOpenFault) {
        do {
            sqlite3_busy_timeout(connection.handle, 10_000)
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.execute("PRAGMA synchronous = FULL")
            try connection.execute("PRAGMA cache_size = -22528")
            // 32 MiB of log: a page that many log-ins touch is then moved into the database once for many of them.
            try connection.execute("PRAGMA wal_autocheckpoint = \(checkpointPages)")
            try connection.execute("PRAGMA temp_store = MEMORY")
            try migrate(connection, ofCommandIn: folder)
        } catch let error as SQLiteOpenFault {
            throw error
        } catch {
            throw unprepared(connection)
        }
    }

    /// What the connection says that it could not do last.
    private static func unprepared(_ connection: SQLiteConnection) -> SQLiteOpenFault {
        SQLiteOpenFault("The database cannot be prepared: \(String(cString: sqlite3_errmsg(connection.handle))).")
    }

    /// Moves all of the log into the database, before a server writes behind it.
    ///
    /// The log may hold what a sync that failed left in the system's memory alone, where it looks like the rest. At a loss
    /// of power the log would end there, and all that was committed behind it would be lost. If it cannot be moved now, as
    /// on a disk that is full, the server starts all the same, to be read.
    static func emptyLog(_ connection: SQLiteConnection) {
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }

    /// Runs the steps that are missing, all or none.
    private static func migrate(_ connection: SQLiteConnection, ofCommandIn folder: String?) throws {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)
                """)
            let present = try connection.row("SELECT COALESCE(MAX(version), 0) FROM schema_migrations", []) {
                row throws(DomainError) in Int(row.only.integer)
            }
            let version = present ?? 0
            guard version <= Migration.latestVersion else {
                throw SQLiteOpenFault(
                    "The database has schema version \(version), made by a newer Okaeri; this program knows up to "
                        + "\(Migration.latestVersion). Run the newer program, or restore a backup from before it.")
            }
            // Nobody uses a database that is made here.
            let lock: ServerLock? =
                if let folder, (1..<Migration.latestVersion).contains(version) {
                    try ServerLock.whileMigrating(in: folder, from: version)
                } else {
                    nil
                }
            for step in Migration.all where step.version > version {
                for statement in step.sqlite { try connection.execute(statement) }
                try connection.run(
                    "INSERT INTO schema_migrations (version, name) VALUES ($1, $2)",
                    [.integer(Int64(step.version)), .text(step.name)])
            }
            try connection.execute("COMMIT")
            lock?.release()
        } catch {
            // Nothing was changed; the first error is the one to tell, and the connection forgets its words with the next statement.
            let first = error as? SQLiteOpenFault ?? unprepared(connection)
            // A full disk has ended the transaction already.
            if !connection.isOutsideTransaction { try? connection.execute("ROLLBACK") }
            throw first
        }
    }
}

/// SQLite as a whole, of which a process has one.
package enum SQLiteLibrary {
    /// Whether it is set up for us, which is only possible before its first use: nobody asks how much memory it takes,
    /// and its page cache is ours. Without that everything is as right, and a little slower.
    package static let isSetUp: Bool = {
        let countsNoMemory = okaeri_sqlite_count_no_memory() == SQLITE_OK
        return PageCache.install() && countsNoMemory
    }()
}

/// Why a database cannot be used, in words for the person who runs the server.
package struct SQLiteOpenFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
