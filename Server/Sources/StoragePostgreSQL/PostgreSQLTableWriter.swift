import Domain
package import Storage

/// Writes the rows of an installation into a shared database, and marks it until all are there. Blocks.
package final class PostgreSQLTableWriter: TableWriter {
    private static let session = """
        SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0; \
        SET synchronous_commit = off
        """
    static let marker = "unfinished_copy"
    static let marking = "CREATE TABLE \(marker) (since BIGINT)"
    static let unmarking = "DROP TABLE IF EXISTS \(marker)"

    private let link: PostgreSQLLink
    private let address: PostgreSQLAddress
    private let tables: PostgreSQLTables
    /// The types of the columns, in the order of the shapes.
    private var types: [String: [UInt32]] = [:]

    package var written: any TableReader { tables }

    /// - Throws: `TableFault` when there is no connection, or another copy is under way.
    package init(_ address: PostgreSQLAddress) throws(TableFault) {
        do throws(PostgreSQLOpenFault) {
            link = try PostgreSQLLink(address, session: Self.session)
        } catch {
            throw TableFault(error.description)
        }
        self.address = address
        tables = PostgreSQLTables(link, address)
        // For as long as this connection lives: "copy" in ASCII.
        let isAlone = try PostgreSQLTables.isSoon { () throws(TableFault) in
            try address.asking { () throws(PostgreSQLFault) in
                try link.run("SELECT pg_try_advisory_lock(\(0x636f_7079))").row(0).integer(0) == 1
            }
        }
        guard isAlone else { throw TableFault("Another “okaeri copy” writes into the database \(address).") }
    }

    /// Whether a copy into a database has begun and not ended.
    static func isUnfinished(_ link: PostgreSQLLink) throws(PostgreSQLFault) -> Bool {
        try link.run("SELECT to_regclass('\(marker)') IS NOT NULL").row(0).integer(0) == 1
    }

    package func begin(_ shapes: [TableShape]) throws(TableFault) -> Bool {
        let isResumed = try address.asking { () throws(PostgreSQLFault) in try Self.isUnfinished(link) }
        if !isResumed {
            // Before anything is changed: a database of others is not brought up to date either.
            let names = Set(shapes.map(\.name))
            for shape in try tables.shapes() where names.contains(shape.name) {
                let found = try tables.rows(
                    "SELECT 1 FROM \(TableShape.quoted(shape.name)) LIMIT 1", [], maximumBytes: 8)
                guard found.isEmpty else {
                    throw TableFault(
                        "The database \(address) is not empty: \(shape.name) has rows, and nothing was changed. Copy into a "
                            + "new database.")
                }
            }
            try run(Self.marking)
        }
        do throws(PostgreSQLOpenFault) {
            _ = try PostgreSQLMigration(address, isRehearsal: false)
        } catch {
            throw TableFault(error.description)
        }
        return isResumed
    }

    package func append(_ rows: [[Value]], to shape: TableShape) throws(TableFault) {
        let table = "\(TableShape.quoted(shape.name)) (\(shape.columnList))"
        let types = try types(of: shape)
        for row in rows { try check(row, types, shape) }
        var pieces = [BinaryRows.encode(rows, types: types)][...]
        do {
            try link.copyIn("COPY \(table) FROM STDIN (FORMAT binary)") { pieces.popFirst() }
        } catch let fault as PostgreSQLFault {
            throw TableFault("Rows of \(shape.name) cannot be written into the database \(address): \(fault.words).")
        } catch {
            throw TableFault("Rows of \(shape.name) cannot be written into the database \(address): \(error).")
        }
    }

    private func types(of shape: TableShape) throws(TableFault) -> [UInt32] {
        if let known = types[shape.name] { return known }
        let found = try address.asking { () throws(PostgreSQLFault) in
            try link.run("SELECT \(shape.columnList) FROM \(TableShape.quoted(shape.name)) LIMIT 0").columnTypes
        }
        types[shape.name] = found
        return found
    }

    /// What PostgreSQL cannot hold and SQLite can. Nothing is written in another way than it was.
    private func check(_ row: [Value], _ types: [UInt32], _ shape: TableShape) throws(TableFault) {
        for (position, value) in row.enumerated() where position < types.count {
            let reason: String? =
                switch value {
                case .text(let text) where text.utf8.contains(0):
                    "holds a text with U+0000, which PostgreSQL cannot hold: correct it where it is copied from"
                case .integer(let number) where !Self.holds(types[position], number):
                    "holds \(number), which is too large for its type in PostgreSQL"
                default: nil
                }
            if let reason { throw shape.fault(in: row, column: shape.columns[position].name, reason) }
        }
    }

    private static func holds(_ type: UInt32, _ number: Int64) -> Bool {
        switch type {
        case PostgreSQLParameters.TypeID.int4: Int32(exactly: number) != nil
        case PostgreSQLParameters.TypeID.int2: Int16(exactly: number) != nil
        case PostgreSQLParameters.TypeID.boolean: number == 0 || number == 1
        default: true
        }
    }

    package func empty(_ shape: TableShape) throws(TableFault) {
        try run("TRUNCATE \(TableShape.quoted(shape.name))")
    }

    package func finish() throws(TableFault) {
        // With it, all commits before it are on disk.
        try run("SET synchronous_commit = on")
        try run(Self.unmarking)
    }

    private func run(_ text: String) throws(TableFault) {
        _ = try address.asking { () throws(PostgreSQLFault) in try link.run(text, within: .seconds(600)) }
    }
}

/// Rows in the binary form of `COPY`.
private enum BinaryRows {
    private static let head: [UInt8] = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [0, 0, 0, 0] + [0, 0, 0, 0]

    static func encode(_ rows: [[Value]], types: [UInt32]) -> [UInt8] {
        var bytes = head
        for row in rows {
            withUnsafeBytes(of: Int16(clamping: row.count).bigEndian) { bytes += $0 }
            PostgreSQLParameters(row, types: types).appendFields(to: &bytes)
        }
        return bytes + [0xff, 0xff]
    }
}
