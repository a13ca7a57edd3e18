package import Domain
import Storage

/// The journal of what ended in a shared database, for its backups. Blocks.
package final class PostgreSQLJournal {
    private static let session = """
        SET statement_timeout = 0; SET lock_timeout = '\(PostgreSQLLink.tableTimeout)'; \
        SET idle_in_transaction_session_timeout = 0
        """
    private static let linesAtOnce = 10_000
    package static let bytesAtOnce = 8 << 20

    private let link: PostgreSQLLink
    private let address: PostgreSQLAddress
    private let revocations: PostgreSQLRevocations

    /// - Parameters:
    ///   - address: Where the database is.
    ///   - isForReading: Whether a standby will do.
    /// - Throws: `PostgreSQLOpenFault` when there is no connection, or no schema of Okaeri that this program knows.
    package init(_ address: PostgreSQLAddress, isForReading: Bool = false) throws(PostgreSQLOpenFault) {
        link = try PostgreSQLLink(isForReading ? address.forReading : address, session: Self.session)
        self.address = address
        revocations = PostgreSQLRevocations(link)
        try PostgreSQLSchema(link, address).check()
    }

    /// Lets everything be noted that ends from now on.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func install() throws(PostgreSQLOpenFault) {
        try transaction { () throws(PostgreSQLFault) in try revocations.install() }
    }

    /// The names of all segments, the oldest first.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func segmentNames() throws(PostgreSQLOpenFault) -> [String] {
        try address.answering { () throws(PostgreSQLFault) in try revocations.segmentNames() }
    }

    /// Begins a segment with what a snapshot does not see.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func begin(_ name: String, behind snapshot: PostgreSQLSnapshot) throws(PostgreSQLOpenFault) {
        try address.answering { () throws(PostgreSQLFault) in try revocations.begin(name, behind: snapshot.visibility) }
    }

    /// Lets all that is read from now on be as it is now.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func holdStill() throws(PostgreSQLOpenFault) {
        _ = try address.answering { () throws(PostgreSQLFault) in
            try link.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        }
    }

    /// Some thousand lines of a segment behind one of them, each with its number in front; fewer where they are long.
    ///
    /// - Parameters:
    ///   - segment: Its name.
    ///   - last: The number of the last line that is known; 0 for none.
    ///   - bytes: Behind how many bytes no other line follows.
    /// - Returns: the lines in the journal's form, and the number of the last one; no lines at the end.
    /// - Throws: `PostgreSQLOpenFault`.
    package func lines(
        of segment: String, after last: Int64, bytes: Int = bytesAtOnce
    ) throws(PostgreSQLOpenFault) -> (lines: [String], last: Int64) {
        let found = try address.answering { () throws(PostgreSQLFault) in
            try revocations.lines(of: segment, after: last, limit: Self.linesAtOnce, bytes: bytes)
        }
        return (found.map { RevocationLine.sealed("#\($0.id) \($0.line)") }, found.last?.id ?? last)
    }

    /// Removes the segments that no backup needs any more.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func remove(before segment: String) throws(PostgreSQLOpenFault) {
        try transaction { () throws(PostgreSQLFault) in try revocations.remove(before: segment) }
    }

    private func transaction(_ body: () throws(PostgreSQLFault) -> Void) throws(PostgreSQLOpenFault) {
        try address.answering { () throws(PostgreSQLFault) in
            try link.repeating { () throws(PostgreSQLFault) in try link.transaction(body) }
        }
    }
}

extension PostgreSQLLink {
    /// How long a change of the tables waits for one of them. All requests wait behind it, for five seconds at the most.
    static var tableTimeout: String { "2s" }
    /// How often it is tried beside programs that read a table for long, and nodes that use two of them in another order.
    private static var tries: Int { 20 }

    /// Runs a transaction, and runs it again where another one is in its way: requests go on between two tries. Of a change of tables
    /// and a node that wait for each other PostgreSQL ends one, and it may be either.
    func repeating<Answer>(_ change: () throws(PostgreSQLFault) -> Answer) throws(PostgreSQLFault) -> Answer {
        for _ in 1..<Self.tries {
            do throws(PostgreSQLFault) {
                return try change()
            } catch {
                guard error.isOfAnother else { throw error }
            }
        }
        return try change()
    }

    /// All of it or nothing.
    fileprivate func transaction(_ body: () throws(PostgreSQLFault) -> Void) throws(PostgreSQLFault) {
        try run("BEGIN")
        do throws(PostgreSQLFault) {
            try body()
            try run("COMMIT", within: .seconds(3600))
        } catch {
            // The first fault is the one to tell; a lost connection has rolled back already.
            _ = try? run("ROLLBACK")
            throw error
        }
    }
}

/// A look at a shared database as it is at one instant, which other programs can share while it lasts. Blocks.
package final class PostgreSQLSnapshot {
    private static let session = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"
    private static let counted = ["applications", "users", "identities", "sessions"]

    /// By which `pg_dump --snapshot` finds it.
    package let name: String
    /// Which transactions it sees.
    let visibility: String
    package let schemaVersion: Int
    /// Rows by table, of those that a person asks for.
    package let rows: [String: Int]
    /// The ids of the sealing keys that the database needs.
    package let sealingKeys: [String]
    /// How large the database is on disk, with its indexes.
    package let byteCount: Int

    private let link: PostgreSQLLink

    /// - Parameter address: Where the database is.
    /// - Throws: `PostgreSQLOpenFault` when it cannot be looked at.
    package init(of address: PostgreSQLAddress) throws(PostgreSQLOpenFault) {
        link = try PostgreSQLLink(address, session: Self.session)
        do throws(PostgreSQLFault) {
            try link.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let look = try link.run("SELECT pg_export_snapshot(), pg_current_snapshot()::text")
            (name, visibility) = (look.row(0).text(0), look.row(0).text(1))
            let size = try link.run("SELECT pg_database_size(current_database())").row(0).integer(0)
            byteCount = Int(clamping: size)
            schemaVersion = try PostgreSQLSchema(link, address).version()
            (rows, sealingKeys) = try Self.content(link)
        } catch {
            throw PostgreSQLOpenFault(address, "cannot be looked at", error)
        }
    }

    /// What a backup says of a database.
    static func content(_ link: PostgreSQLLink) throws(PostgreSQLFault) -> (rows: [String: Int], sealingKeys: [String])
    {
        var rows: [String: Int] = [:]
        for table in counted {
            let count = try link.run("SELECT COUNT(*) FROM \(table)", within: .seconds(3600))
            rows[table] = Int(clamping: count.row(0).integer(0))
        }
        var ids: Set<String> = []
        for column in SealedColumn.allCases where column.isPlain {
            let parts = column.rawValue.split(separator: ".").map(String.init)
            guard parts.count == 2 else { continue }
            let isThere = try link.run(
                """
                SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped
                """, parts)
            guard isThere.rowCount > 0 else { continue }
            let found = try link.run(
                """
                SELECT DISTINCT substr(\(parts[1]), 1, \(SealingKey.identifierBytes)) FROM \(parts[0])
                WHERE \(parts[1]) IS NOT NULL
                """, within: .seconds(3600))
            for number in 0..<found.rowCount { ids.insert(SealingKey.id(of: found.row(number).bytes(0))) }
        }
        return (rows, ids.sorted())
    }
}

/// A database that a backup is restored into: nothing starts on it before all is done. Blocks.
package final class PostgreSQLRestoration {
    private static let session = """
        SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0
        """

    private let link: PostgreSQLLink
    private let address: PostgreSQLAddress
    private var statements: RevocationStatements?
    /// The lines that say what has happened in the database.
    private var known: Set<Int64> = []
    /// How many rows were ended or changed.
    package private(set) var changedRows = 0
    /// Whether a line could not be read, so that something may have ended unseen.
    package private(set) var isDamaged = false

    package struct Content: Sendable {
        package let rows: [String: Int]
        package let sealingKeys: [String]
    }

    /// - Parameter address: Where the database is.
    /// - Throws: `PostgreSQLOpenFault` when there is no connection.
    package init(_ address: PostgreSQLAddress) throws(PostgreSQLOpenFault) {
        link = try PostgreSQLLink(address, session: Self.session)
        self.address = address
    }

    /// Marks an empty database, so that no server starts on a half of an installation.
    ///
    /// - Throws: `PostgreSQLOpenFault` when it is not empty. Nothing was changed then.
    package func mark() throws(PostgreSQLOpenFault) {
        let tables = try names()
        guard tables.isEmpty else {
            throw PostgreSQLOpenFault(
                "The database \(address) is not empty: the table \(tables[0]) is there, and nothing was changed. Make a new one with "
                    + "“createdb --encoding=UTF8 NAME”, and name it with --database.")
        }
        _ = try address.answering { () throws(PostgreSQLFault) in try link.run(PostgreSQLTableWriter.marking) }
    }

    /// Removes what was restored, after a fault.
    package func abandon() {
        // The fault before it is the one to tell; what stays is marked, and no server starts on it.
        _ = try? address.answering { () throws(PostgreSQLFault) in
            _ = try? link.run("ROLLBACK")
            try PostgreSQLRevocations(link).removeTriggers()
        }
        for table in (try? names()) ?? [] where table != PostgreSQLTableWriter.marker {
            _ = try? address.answering { () throws(PostgreSQLFault) in
                try link.run("DROP TABLE \(TableShape.quoted(table)) CASCADE")
            }
        }
        _ = try? address.answering { () throws(PostgreSQLFault) in try link.run(PostgreSQLTableWriter.unmarking) }
    }

    /// Begins to apply a journal. What the database noted itself goes: its next backup begins anew.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func begin() throws(PostgreSQLOpenFault) {
        try address.answering { () throws(PostgreSQLFault) in
            statements = RevocationStatements(try PostgreSQLTables.shapes(link), .postgresql)
            try link.run("BEGIN")
            let revocations = PostgreSQLRevocations(link)
            known = try revocations.knownLines()
            try revocations.remove()
        }
    }

    /// Waits for the end of connections of programs that were stopped.
    ///
    /// - Throws: `PostgreSQLOpenFault` when a program of Okaeri uses the database. Nothing was changed then.
    package func requireAlone() throws(PostgreSQLOpenFault) {
        let isAlone: Bool
        do throws(TableFault) {
            isAlone = try PostgreSQLTables.isSoonAlone(link, at: address)
        } catch {
            throw PostgreSQLOpenFault(error.description)
        }
        guard isAlone else {
            throw PostgreSQLOpenFault(
                "The database \(address) is in use: programs of Okaeri are connected to it, and nothing was changed. "
                    + "See whether it is the recovered one, and stop all nodes on it first.")
        }
    }

    /// The newest segment of the journal that a database has which its own tools brought back.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func lastSegment() throws(PostgreSQLOpenFault) -> String? {
        try address.answering { () throws(PostgreSQLFault) in try PostgreSQLRevocations(link).segmentNames().last }
    }

    /// Applies lines in their order. Those are passed over which the database knows.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database refuses a line; one that cannot be read is noted alone.
    package func apply(_ text: some StringProtocol) throws(PostgreSQLOpenFault) {
        for line in text.split(separator: "\n") {
            guard let content = RevocationLine.opened(Substring(line)), content.first == "#",
                let space = content.firstIndex(of: " "),
                let number = Int64(content[content.index(after: content.startIndex)..<space], radix: 10),
                let asked = statements?.statements(of: content[content.index(after: space)...])
            else {
                isDamaged = true
                continue
            }
            if !known.contains(number) { try run(asked) }
        }
    }

    /// Ends all that could have ended without being written down.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the database does not do it.
    package func endAllShortLived() throws(PostgreSQLOpenFault) {
        try run(statements?.endingAllShortLived(withKeys: true) ?? [])
    }

    /// Commits what was applied, and takes the mark away.
    ///
    /// - Parameter now: Device proofs that were made up to now are refused, and events have positions behind those of before.
    /// - Returns: what the database has.
    /// - Throws: `PostgreSQLOpenFault`.
    package func finish(at now: Timestamp) throws(PostgreSQLOpenFault) -> Content {
        let ended = changedRows
        if let statements {
            try run(
                statements.forgettingSecondFactors + statements.refusingProofs(madeUpTo: now)
                    + statements.passingPositions(givenUpTo: now))
        }
        changedRows = ended
        return try address.answering { () throws(PostgreSQLFault) in
            let content = try PostgreSQLSnapshot.content(link)
            try link.run(PostgreSQLTableWriter.unmarking)
            try link.run("COMMIT", within: .seconds(3600))
            return Content(rows: content.rows, sealingKeys: content.sealingKeys)
        }
    }

    private func run(_ texts: [String]) throws(PostgreSQLOpenFault) {
        try address.answering { () throws(PostgreSQLFault) in
            for text in texts { changedRows += try link.run(text, within: .seconds(3600)).changedRows }
        }
    }

    private func names() throws(PostgreSQLOpenFault) -> [String] {
        try address.answering { () throws(PostgreSQLFault) in
            let found = try link.run(
                """
                SELECT relname::text FROM pg_class
                WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace ORDER BY 1
                """)
            return (0..<found.rowCount).map { found.row($0).text(0) }
        }
    }
}

extension PostgreSQLAddress {
    /// How PostgreSQL's own programs reach the database: a connection string without secrets, which all users of the
    /// machine can see, and the environment with them.
    package var forPrograms: (connection: String, environment: [String: String]) {
        let connection = parameters.filter { !["password", "sslpassword"].contains($0.key) }.sorted { $0.key < $1.key }
            .map { key, value in
                "\(key)='\(value.replacing(signs: ["\\": "\\\\", "'": "\\'"]))'"
            }
        var environment: [String: String] = [:]
        if let password = parameters["password"] { environment["PGPASSWORD"] = password }
        return (connection.joined(separator: " "), environment)
    }
}
