import Domain
package import Storage

/// All tables of a shared database, for copying an installation into it. Blocks.
package struct PostgreSQLTables {
    private static let session = """
        SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0; \
        SET synchronous_commit = off
        """
    static let marker = "unfinished_copy"
    static let marking = "CREATE TABLE \(marker) (since BIGINT)"
    static let unmarking = "DROP TABLE IF EXISTS \(marker)"

    private let link: PostgreSQLLink
    private let address: PostgreSQLAddress

    /// - Throws: `PostgreSQLOpenFault` when there is no connection, or another copy is under way.
    package init(_ address: PostgreSQLAddress) throws(PostgreSQLOpenFault) {
        link = try PostgreSQLLink(address, session: Self.session)
        self.address = address
        // For as long as this connection lives: "copy" in ASCII.
        let isAlone = try asking { () throws(PostgreSQLFault) in
            try link.run("SELECT pg_try_advisory_lock(\(0x636f_7079))").row(0).integer(0) == 1
        }
        guard isAlone else { throw PostgreSQLOpenFault("Another “okaeri copy” writes into the database \(address).") }
    }

    /// Whether a copy into a database has begun and not ended.
    static func isUnfinished(_ link: PostgreSQLLink) throws(PostgreSQLFault) -> Bool {
        try link.run("SELECT to_regclass('\(marker)') IS NOT NULL").row(0).integer(0) == 1
    }

    /// Marks the database, so that no server starts on a half of an installation.
    ///
    /// - Returns: whether it was marked already, and the copy goes on.
    /// - Throws: `PostgreSQLOpenFault` when the database is not marked and holds something.
    package func begin(_ shapes: [TableShape]) throws(PostgreSQLOpenFault) -> Bool {
        let isResumed = try asking { () throws(PostgreSQLFault) in try Self.isUnfinished(link) }
        if isResumed { return true }
        for shape in shapes {
            guard try page(of: shape, after: nil, limit: 1).isEmpty else {
                throw PostgreSQLOpenFault(
                    "The database \(address) is not empty: \(shape.name) has rows. Copy into a new database.")
            }
        }
        _ = try asking { () throws(PostgreSQLFault) in try link.run(Self.marking) }
        return false
    }

    /// Takes the mark away: everything is there, and on disk.
    package func finish() throws(PostgreSQLOpenFault) {
        _ = try asking { () throws(PostgreSQLFault) in
            try link.run("SET synchronous_commit = on")
            return try link.run(Self.unmarking)
        }
    }

    /// Every table but the bookkeeping of the schema.
    package func shapes() throws(PostgreSQLOpenFault) -> [TableShape] { try Self.shapes(link, address) }

    /// The same of any connection.
    static func shapes(_ link: PostgreSQLLink, _ address: PostgreSQLAddress) throws(PostgreSQLOpenFault) -> [TableShape]
    {
        let columns = try asking(address) { () throws(PostgreSQLFault) in
            try link.run(
                """
                SELECT c.relname::text, a.attname::text, COALESCE(array_position(i.indkey::int2[], a.attnum), -1)::int8
                FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
                WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
                ORDER BY c.relname COLLATE "C", a.attnum
                """)
        }
        var shapes: [(name: String, columns: [String], key: [(position: Int64, name: String)])] = []
        for number in 0..<columns.rowCount {
            let row = columns.row(number)
            let (table, column, position) = (row.text(0), row.text(1), row.integer(2))
            if TableShape.bookkeeping.contains(table) { continue }
            if shapes.last?.name != table { shapes.append((table, [], [])) }
            shapes[shapes.count - 1].columns.append(column)
            if position >= 0 { shapes[shapes.count - 1].key.append((position, column)) }
        }
        return shapes.map { shape in
            TableShape(
                name: shape.name, columns: shape.columns,
                key: shape.key.sorted { $0.position < $1.position }.map(\.name))
        }
    }

    package func count(_ shape: TableShape) throws(PostgreSQLOpenFault) -> Int {
        try asking { () throws(PostgreSQLFault) in
            let text = "SELECT COUNT(*) FROM \(TableShape.quoted(shape.name))"
            return Int(clamping: try link.run(text, within: .seconds(3600)).row(0).integer(0))
        }
    }

    /// The key of the last row: as rows come in the order of the key, copying goes on behind it.
    package func lastKey(of shape: TableShape) throws(PostgreSQLOpenFault) -> [Value]? {
        let names = shape.key.map(TableShape.quoted)
        return try values(
            "SELECT \(names.joined(separator: ", ")) FROM \(TableShape.quoted(shape.name)) "
                + "ORDER BY \(names.map { $0 + " DESC" }.joined(separator: ", ")) LIMIT 1"
        ).first
    }

    /// Rows behind a key, in the order of the key.
    package func page(
        of shape: TableShape, after position: [Value]?, limit: Int
    ) throws(PostgreSQLOpenFault) -> [[Value]] {
        try values(shape.page(hasPosition: position != nil, limit: limit), position ?? [])
    }

    /// Takes all rows out of a table.
    package func empty(_ shape: TableShape) throws(PostgreSQLOpenFault) {
        _ = try asking { () throws(PostgreSQLFault) in try link.run("TRUNCATE \(TableShape.quoted(shape.name))") }
    }

    /// Adds rows, all or none.
    package func append(_ rows: [[Value]], to shape: TableShape) throws(PostgreSQLOpenFault) {
        let types = try asking { () throws(PostgreSQLFault) in
            try link.run("SELECT \(shape.columnList) FROM \(TableShape.quoted(shape.name)) LIMIT 0").columnTypes
        }
        var pieces = [BinaryRows.encode(rows, types: types)][...]
        do {
            try link.copyIn(
                "COPY \(TableShape.quoted(shape.name)) (\(shape.columnList)) FROM STDIN (FORMAT binary)"
            ) { pieces.popFirst() }
        } catch let fault as PostgreSQLFault {
            throw PostgreSQLOpenFault("Rows of \(shape.name) cannot be written: \(fault.words).")
        } catch {
            throw PostgreSQLOpenFault("Rows of \(shape.name) cannot be written: \(error).")
        }
    }

    private func values(_ text: String, _ parameters: [Value] = []) throws(PostgreSQLOpenFault) -> [[Value]] {
        let result = try asking { () throws(PostgreSQLFault) in
            try link.sendPrepare("", text)
            try link.sendDescribe("")
            let types = try link.finish(2, within: .seconds(60)).last?.parameterTypes ?? []
            try link.send("", PostgreSQLParameters(parameters, types: types))
            let results = try link.finish(1, within: .seconds(3600))
            guard let result = results.first else { throw PostgreSQLFault(.other, "no result") }
            return result
        }
        return result.values()
    }

    private func asking<Answer>(_ ask: () throws(PostgreSQLFault) -> Answer) throws(PostgreSQLOpenFault) -> Answer {
        try Self.asking(address, ask)
    }

    private static func asking<Answer>(
        _ address: PostgreSQLAddress, _ ask: () throws(PostgreSQLFault) -> Answer
    ) throws(PostgreSQLOpenFault) -> Answer {
        do throws(PostgreSQLFault) {
            return try ask()
        } catch {
            throw PostgreSQLOpenFault("The database \(address) answers: \(error.words).")
        }
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
