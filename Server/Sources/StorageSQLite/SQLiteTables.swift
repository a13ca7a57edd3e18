import CSQLite
import Domain
package import Storage

/// All tables of an embedded database, read a page at a time, for copying. Blocks.
package struct SQLiteTables {
    private let connection: SQLiteConnection

    /// - Parameter folder: The data folder.
    /// - Throws: `SQLiteOpenFault` when there is no database that could be read.
    package init(folder: String) throws(SQLiteOpenFault) {
        try self.init(path: SQLiteStore.databasePath(in: folder))
    }

    /// - Parameter path: The database's file.
    /// - Throws: `SQLiteOpenFault` when there is no database that could be read.
    init(path: String) throws(SQLiteOpenFault) {
        connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READONLY, reportFault: { _ in })
        sqlite3_busy_timeout(connection.handle, 10_000)
    }

    /// Every table but the bookkeeping of the schema.
    package func shapes() throws(SQLiteOpenFault) -> [TableShape] {
        let names = try rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
        var shapes: [TableShape] = []
        for case .text(let name) in names.compactMap(\.first) where !TableShape.bookkeeping.contains(name) {
            let columns = try rows("SELECT name, pk FROM pragma_table_info($1) ORDER BY cid", [.text(name)])
            var all: [String] = []
            var key: [(position: Int64, name: String)] = []
            for column in columns {
                guard case .text(let columnName) = column[0], case .integer(let position) = column[1] else { continue }
                all.append(columnName)
                if position > 0 { key.append((position, columnName)) }
            }
            shapes.append(
                TableShape(name: name, columns: all, key: key.sorted { $0.position < $1.position }.map(\.name)))
        }
        return shapes
    }

    /// The ids of the keys that sealed something, as far as columns tell that hold nothing but sealed values.
    func sealingKeys(_ shapes: [TableShape]) throws(SQLiteOpenFault) -> [String] {
        var ids: Set<String> = []
        for column in SealedColumn.allCases where column.isPlain {
            let parts = column.rawValue.split(separator: ".").map(String.init)
            guard parts.count == 2, shapes.contains(where: { $0.name == parts[0] && $0.columns.contains(parts[1]) })
            else { continue }
            let (table, name) = (TableShape.quoted(parts[0]), TableShape.quoted(parts[1]))
            let found = try rows(
                "SELECT DISTINCT substr(\(name), 1, $1) FROM \(table) WHERE \(name) IS NOT NULL",
                [.count(SealingKey.identifierBytes)])
            for case .bytes(let bytes)? in found.map(\.first) { ids.insert(SealingKey.id(of: bytes)) }
        }
        return ids.sorted()
    }

    package func count(_ shape: TableShape) throws(SQLiteOpenFault) -> Int {
        let rows = try rows("SELECT COUNT(*) FROM \(TableShape.quoted(shape.name))")
        guard case .integer(let count)? = rows.first?.first else { return 0 }
        return Int(count)
    }

    /// Rows behind a key, in the order of the key.
    package func page(
        of shape: TableShape, after position: [Value]?, limit: Int
    ) throws(SQLiteOpenFault) -> [[Value]] {
        try rows(shape.page(hasPosition: position != nil, limit: limit), position ?? [])
    }

    private func rows(_ text: String, _ values: [Value] = []) throws(SQLiteOpenFault) -> [[Value]] {
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
        let count = sqlite3_column_count(prepared)
        var rows: [[Value]] = []
        while true {
            switch sqlite3_step(prepared) {
            case SQLITE_ROW:
                let row = SQLiteRow(statement: prepared)
                var values: [Value] = []
                values.reserveCapacity(Int(count))
                for column in 0..<Int(count) {
                    switch sqlite3_column_type(prepared, Int32(column)) {
                    case SQLITE_NULL: values.append(.null)
                    case SQLITE_INTEGER: values.append(.integer(row.integer(column)))
                    case SQLITE_BLOB: values.append(.bytes(row.bytes(column)))
                    default: values.append(.text(row.text(column)))
                    }
                }
                rows.append(values)
            case SQLITE_DONE: return rows
            default: throw fault(text)
            }
        }
    }

    private func fault(_ text: String) -> SQLiteOpenFault {
        SQLiteOpenFault(
            "The database cannot be read: \(String(cString: sqlite3_errmsg(connection.handle))) in: \(text)")
    }
}
