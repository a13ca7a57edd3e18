/// A table as its database describes it, so that copying needs no list of tables that somebody could forget to extend.
package struct TableShape: Hashable, Sendable {
    package let name: String
    package let columns: [String]
    /// The columns of the primary key, in its order: rows are copied and compared in this order.
    package let key: [String]

    package init(name: String, columns: [String], key: [String]) {
        self.name = name
        self.columns = columns
        self.key = key
    }

    /// What each installation has by itself.
    package static let bookkeeping = [
        "schema_migrations", "unfinished_copy", "revocations", "revocation_segments",
    ]

    /// The values of the key within a row.
    package func key(of row: [Value]) -> [Value] {
        key.map { name in columns.firstIndex(of: name).map { row[$0] } ?? .null }
    }

    /// A page of rows in the order of the key, behind `position` values of a key when there are any.
    package func page(hasPosition: Bool, limit: Int) -> String {
        let names = key.map(Self.quoted).joined(separator: ", ")
        let positions = (1...max(1, key.count)).map { "$\($0)" }.joined(separator: ", ")
        let condition = hasPosition ? "WHERE (\(names)) > (\(positions)) " : ""
        return "SELECT \(columnList) FROM \(Self.quoted(name)) \(condition)ORDER BY \(names) LIMIT \(limit)"
    }

    package var columnList: String { columns.map(Self.quoted).joined(separator: ", ") }

    package static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }
}
