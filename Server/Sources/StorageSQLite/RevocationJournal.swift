import CSQLite
import Domain
import Foundation
import Storage

/// What ended, written down beside the database, so that a backup that is restored does not bring it back.
///
/// Triggers of the writing connection note rows into a table in memory, as a part of each transaction. After a commit,
/// and before anyone is answered, the group's lines go to the end of the open segment and to the disk. There is a segment
/// only where `okaeri backup` has begun one: until then there are no triggers, and a commit costs one look for the file.
final class RevocationJournal: Sendable {
    private let path: String
    // Touched by the writer's queue only.
    nonisolated(unsafe) private var isNoting = false
    /// Lines of a commit that has happened, which could not be written. Nothing more is committed before they are: what has
    /// ended once ends no second time, and so would never be noted.
    nonisolated(unsafe) private var unwritten: [String] = []

    /// - Parameter folder: The data folder.
    init(folder: String) {
        path = RevocationSegments.openSegment(in: folder)
    }

    /// Writes what could not be written before, and notes what ends from now on, if a segment has been begun. A backup waits
    /// behind its segment for the writers: what was under way then is committed before its copy.
    ///
    /// - Parameter connection: The writer's, outside of a transaction.
    /// - Throws: `storageUnavailable`; then nothing may be committed.
    func begin(on connection: SQLiteConnection) throws(DomainError) {
        try append([])
        guard !isNoting, access(path, F_OK) == 0 else { return }
        try Self.prepare(connection)
        isNoting = true
    }

    /// Makes the table in memory and the triggers that fill it.
    private static func prepare(_ connection: SQLiteConnection) throws(DomainError) {
        try connection.execute("BEGIN")
        try connection.execute("CREATE TEMP TABLE revocations (line TEXT NOT NULL)")
        for table in RevocableTable.all {
            let key = try connection.keyColumns(of: table.name)
            for statement in table.triggers(key: key) { try connection.execute(statement) }
        }
        try connection.execute("COMMIT")
    }

    /// The lines of the transactions that are about to be committed; they leave the table with the commit.
    func take(from connection: SQLiteConnection) throws(DomainError) -> [String] {
        guard isNoting else { return [] }
        let lines = try connection.rows("SELECT line FROM revocations", []) { row throws(DomainError) in row.only.text }
        if !lines.isEmpty { try connection.run("DELETE FROM revocations") }
        return lines
    }

    /// Writes the lines of a commit that has happened.
    ///
    /// - Throws: `storageUnavailable` when they did not reach the disk: nobody may be answered then that something ended. They
    ///   are kept for the next call.
    func append(_ lines: [String]) throws(DomainError) {
        unwritten += lines
        guard !unwritten.isEmpty else { return }
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else { throw .storageUnavailable }
            // No backup has been made here.
            unwritten = []
            return
        }
        defer { close(file) }
        // An empty line first: what a crash or a full disk left of an earlier line stays by itself.
        let text = unwritten.map { RevocationLine.sealed($0) + "\n" }.joined()
        let bytes = Array("\n\(text)".utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else { throw .storageUnavailable }
        unwritten = []
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
