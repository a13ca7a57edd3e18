import Domain

/// A table as its database describes it. The migrations alone say which tables and columns there are; a copy asks the
/// database that they made.
package struct TableShape: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        package let name: String
        package let kind: Kind

        package init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// What a column holds, in either dialect. JSON is text, truths and times are integers.
    package enum Kind: Sendable {
        case text
        case integer
        case bytes
        /// What no migration of ours makes.
        case other
    }

    package let name: String
    package let columns: [Column]
    /// The columns of the primary key, in its order: rows are copied and compared in this order.
    package let key: [String]

    package init(name: String, columns: [Column], key: [String]) {
        self.name = name
        self.columns = columns
        self.key = key
    }

    /// What each installation has by itself.
    package static let bookkeeping = [
        "schema_migrations", "unfinished_copy", "revocations", "revocation_segments", "pending_revocations",
    ]

    /// The values of the key within a row.
    package func key(of row: [Value]) -> [Value] {
        key.map { name in columns.firstIndex { $0.name == name }.map { row[$0] } ?? .null }
    }

    /// Why a row is none of this table: SQLite takes any kind of value in any column.
    func fault(in row: [Value]) -> TableFault? {
        for (column, value) in zip(columns, row) where !value.isNull {
            let reason: String? =
                switch (column.kind, value) {
                case (.text, .text), (.integer, .integer), (.bytes, .bytes): nil
                case (.text, .bytes): "holds bytes that are no text in UTF-8"
                case (.text, _): "holds a value that is no text"
                case (.integer, _): "holds a value that is no whole number of 64 bits"
                case (.bytes, _): "holds a value that is no bytes"
                case (.other, _): "is of a kind that Okaeri does not have"
                }
            if let reason { return fault(in: row, column: column.name, reason) }
        }
        return nil
    }

    /// What is wrong with one value.
    ///
    /// - Parameters:
    ///   - row: The row, by whose key it is found again.
    ///   - column: The value's column.
    ///   - reason: What is wrong, after the column's name.
    /// - Returns: the fault, to throw.
    package func fault(in row: [Value], column: String, _ reason: String) -> TableFault {
        TableFault("In the table \(name), in the row \(condition(of: row)), the column \(column) \(reason).")
    }

    /// The key of a row as a condition of SQL.
    package func condition(of row: [Value]) -> String {
        zip(key, key(of: row)).map { "\($0) = \($1.literal)" }.joined(separator: " AND ")
    }

    /// A page of rows in the order of the key, behind `position` values of a key when there are any.
    func page(hasPosition: Bool, limit: Int) -> String {
        let names = key.map(Self.quoted).joined(separator: ", ")
        let positions = (1...max(1, key.count)).map { "$\($0)" }.joined(separator: ", ")
        let condition = hasPosition ? "WHERE (\(names)) > (\(positions)) " : ""
        return "SELECT \(columnList) FROM \(Self.quoted(name)) \(condition)ORDER BY \(names) LIMIT \(limit)"
    }

    /// The key of the last row.
    var lastKey: String {
        let names = key.map(Self.quoted)
        return "SELECT \(names.joined(separator: ", ")) FROM \(Self.quoted(name)) "
            + "ORDER BY \(names.map { $0 + " DESC" }.joined(separator: ", ")) LIMIT 1"
    }

    package var columnList: String { columns.map { Self.quoted($0.name) }.joined(separator: ", ") }

    package static func quoted(_ name: String) -> String {
        "\"\(name.replacing(signs: ["\"": "\"\""]))\""
    }
}

extension Value {
    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether both are the same, byte for byte: Swift compares texts by what they look like.
    func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.bytes(let one), .bytes(let other)): one == other
        default: false
        }
    }

    /// How much memory it takes, about.
    package var byteCount: Int {
        switch self {
        case .null, .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// As a person types it in SQL; long values are cut.
    fileprivate var literal: String {
        switch self {
        case .null: return "NULL"
        case .integer(let number): return String(number)
        case .text(let text):
            // What cannot be seen is written out, so that nothing steers the terminal.
            let scalars = text.unicodeScalars.prefix(80).map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
                default: scalar == "'" ? "''" : String(scalar)
                }
            }
            return "'\(scalars.joined())\(text.unicodeScalars.count > 80 ? "…" : "")'"
        case .bytes(let bytes):
            return "x'\(Hexadecimal.text(of: bytes.prefix(40)))\(bytes.count > 40 ? "…" : "")'"
        }
    }
}
