import CSQLite
package import Domain
import Foundation
import Storage

/// Applies a revocation journal to a database that was just taken out of a backup. Blocks.
package final class RevocationReplay {
    private let connection: SQLiteConnection
    private let statements: RevocationStatements
    /// How many rows were ended or changed.
    package private(set) var changedRows = 0
    /// Whether a line could not be read, so that something may have ended unseen.
    package private(set) var isDamaged = false

    /// - Parameter path: The database, which nobody else uses.
    /// - Throws: `SQLiteOpenFault` when it cannot be written.
    package init(path: String) throws(SQLiteOpenFault) {
        connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE, reportFault: { _ in })
        do throws(TableFault) {
            statements = RevocationStatements(
                try SQLiteTables(connection, description: "database \(path)").shapes(), .sqlite)
        } catch {
            throw SQLiteOpenFault(error.description)
        }
        try run(["PRAGMA synchronous = OFF", "BEGIN"])
    }

    /// Applies lines in their order.
    ///
    /// - Throws: `SQLiteOpenFault` when the database refuses a line; one that cannot be read is noted alone.
    package func apply(_ text: some StringProtocol) throws(SQLiteOpenFault) {
        for line in text.split(separator: "\n") {
            guard let content = RevocationLine.opened(Substring(line)),
                let asked = statements.statements(of: content)
            else {
                isDamaged = true
                continue
            }
            try run(asked)
        }
    }

    /// Ends all that could have ended without being written down.
    ///
    /// - Parameter withKeys: Whether keys of the admin API end too.
    /// - Throws: `SQLiteOpenFault`.
    package func endAllShortLived(withKeys: Bool) throws(SQLiteOpenFault) {
        try run(statements.endingAllShortLived(withKeys: withKeys))
    }

    /// Commits what was applied and closes the database.
    ///
    /// - Parameter now: Device proofs that were made up to now are refused, and events have positions behind those of before.
    /// - Throws: `SQLiteOpenFault`.
    package func finish(at now: Timestamp) throws(SQLiteOpenFault) {
        try run(statements.forgettingSecondFactors)
        changedRows = Int(clamping: connection.changedRows)
        // What waited when the copy was made has ended in the copy, and the journal of its folder is another one.
        try run(
            statements.refusingProofs(madeUpTo: now) + statements.passingPositions(givenUpTo: now)
                + ["DROP TABLE IF EXISTS pending_revocations", "COMMIT"])
        connection.close()
    }

    private func run(_ texts: [String]) throws(SQLiteOpenFault) {
        do throws(DomainError) {
            for text in texts { try connection.execute(text) }
        } catch {
            throw SQLiteOpenFault(
                "The revocations cannot be applied: \(String(cString: sqlite3_errmsg(connection.handle))).")
        }
    }
}
