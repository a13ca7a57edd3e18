import CSQLite
import Domain
package import Storage

/// All tables of an embedded database, read a page at a time, for copying. Blocks.
package struct SQLiteTables: TableReader {
    private let connection: SQLiteConnection
    package let description: String

    /// - Parameter folder: The data folder.
    /// - Throws: `SQLiteOpenFault` when there is no database that could be read.
    package init(folder: String) throws(SQLiteOpenFault) {
        try self.init(path: SQLiteStore.databasePath(in: folder))
    }

    /// - Parameter path: The database's file.
    /// - Throws: `SQLiteOpenFault` when there is no database that could be read.
    init(path: String) throws(SQLiteOpenFault) {
        let connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READONLY, reportFault: { _ in })
        sqlite3_busy_timeout(connection.handle, 10_000)
        self.init(connection, description: "database \(path)")
    }

    init(_ connection: SQLiteConnection, description: String) {
        self.connection = connection
        self.description = description
    }

    /// The tables as they are from now on, whatever others write, for as long as this value lives.
    ///
    /// - Parameter folder: The data folder.
    /// - Returns: the tables.
    /// - Throws: `TableFault` when there is no database that could be read.
    package static func snapshot(of folder: String) throws(TableFault) -> SQLiteTables {
        let tables = try reading { () throws(SQLiteOpenFault) in try SQLiteTables(folder: folder) }
        _ = try tables.rows("BEGIN", [], maximumBytes: 0)
        // The state is that of the first reading.
        _ = try tables.rows("SELECT COUNT(*) FROM schema_migrations", [], maximumBytes: 0)
        return tables
    }

    /// The tables that the migrations of this program make.
    ///
    /// - Throws: `TableFault` when there is no memory for them.
    package static func ofMigrations() throws(TableFault) -> [TableShape] {
        let connection = try reading { () throws(SQLiteOpenFault) in
            let connection = try SQLiteConnection(
                path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, reportFault: { _ in })
            try SQLiteSetUp.prepareWriter(connection)
            return connection
        }
        return try SQLiteTables(connection, description: "database in memory").shapes()
    }

    /// Says what an engine's fault says.
    static func reading<Answer>(_ body: () throws(SQLiteOpenFault) -> Answer) throws(TableFault) -> Answer {
        do throws(SQLiteOpenFault) {
            return try body()
        } catch {
            throw TableFault(error.description)
        }
    }

    package func shapes() throws(TableFault) -> [TableShape] {
        let names = try rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
        var shapes: [TableShape] = []
        for case .text(let name) in names.compactMap(\.first) where !TableShape.bookkeeping.contains(name) {
            let columns = try rows("SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid", [.text(name)])
            var all: [TableShape.Column] = []
            var key: [(position: Int64, name: String)] = []
            for column in columns {
                guard case .text(let columnName) = column[0], case .text(let type) = column[1],
                    case .integer(let position) = column[2]
                else { continue }
                all.append(TableShape.Column(columnName, Self.kind(ofType: type)))
                if position > 0 { key.append((position, columnName)) }
            }
            shapes.append(
                TableShape(name: name, columns: all, key: key.sorted { $0.position < $1.position }.map(\.name)))
        }
        return shapes
    }

    private static func kind(ofType name: String) -> TableShape.Kind {
        switch name {
        case "TEXT": .text
        case "INTEGER": .integer
        case "BLOB": .bytes
        default: .other
        }
    }

    /// The ids of the keys that sealed something, as far as columns tell that hold nothing but sealed values.
    func sealingKeys(_ shapes: [TableShape]) throws(TableFault) -> [String] {
        var ids: Set<String> = []
        for column in SealedColumn.allCases where column.isPlain {
            let parts = column.rawValue.split(separator: ".").map(String.init)
            guard parts.count == 2,
                shapes.contains(where: { shape in
                    shape.name == parts[0] && shape.columns.contains { $0.name == parts[1] }
                })
            else { continue }
            let (table, name) = (TableShape.quoted(parts[0]), TableShape.quoted(parts[1]))
            let found = try rows(
                "SELECT DISTINCT substr(\(name), 1, $1) FROM \(table) WHERE \(name) IS NOT NULL",
                [.count(SealingKey.identifierBytes)])
            for case .bytes(let bytes)? in found.map(\.first) { ids.insert(SealingKey.id(of: bytes)) }
        }
        return ids.sorted()
    }

    private func rows(_ text: String, _ values: [Value] = []) throws(TableFault) -> [[Value]] {
        try rows(text, values, maximumBytes: .max)
    }

    package func rows(_ text: String, _ values: [Value], maximumBytes: Int) throws(TableFault) -> [[Value]] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(connection.handle, text, -1, &prepared, nil) == SQLITE_OK, let prepared else {
            throw fault(text)
        }
        defer { sqlite3_finalize(prepared) }
        for (position, value) in values.enumerated() {
            guard SQLiteConnection.bind(value, to: prepared, at: Int32(position + 1)) == SQLITE_OK else {
                throw fault(text)
            }
        }
        var rows: [[Value]] = []
        var bytesLeft = maximumBytes
        while true {
            switch sqlite3_step(prepared) {
            case SQLITE_ROW:
                let values = Self.values(of: prepared)
                bytesLeft -= values.reduce(0) { $0 + $1.byteCount }
                guard rows.isEmpty || bytesLeft >= 0 else { return rows }
                rows.append(values)
            case SQLITE_DONE: return rows
            default: throw fault(text)
            }
        }
    }

    /// What the current row really holds, which need not be what its columns are for.
    private static func values(of statement: OpaquePointer) -> [Value] {
        let row = SQLiteRow(statement: statement)
        return (0..<sqlite3_column_count(statement)).map { number in
            let column = Int(number)
            switch sqlite3_column_type(statement, number) {
            case SQLITE_NULL: return .null
            case SQLITE_INTEGER: return .integer(row.integer(column))
            case SQLITE_BLOB: return .bytes(row.bytes(column))
            case SQLITE_TEXT:
                // Asked for as they are: as a text they would be mended.
                let bytes = row.bytes(column)
                return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
            default: return .text(row.text(column))
            }
        }
    }

    private func fault(_ text: String) -> TableFault {
        TableFault("The database cannot be read: \(String(cString: sqlite3_errmsg(connection.handle))) in: \(text)")
    }
}
