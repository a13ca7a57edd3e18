package import Domain

/// Columns that a statement reads, in its order.
package protocol ColumnList: Sendable {
    /// The columns with the name of their table before them.
    static var qualifiedNames: [String] { get }
}

/// Columns that a statement inserts into one table.
package protocol InsertedColumns: ColumnList {
    static var table: StaticString { get }
    static var names: [String] { get }
}

extension InsertedColumns {
    package static var qualifiedNames: [String] { names.map { "\(table).\($0)" } }
}

/// The columns of a row: each case is named as the column is in SQL, in camel case, and its raw value is the position.
package protocol RowColumn: CodingKey, CaseIterable, RawRepresentable<Int> {}

extension RowColumn {
    var name: String {
        stringValue.reduce(into: "") { name, character in
            name += character.isUppercase ? "_\(character.lowercased())" : String(character)
        }
    }
}

/// What one kind of content is stored in: its columns, their order and how they are read, in one place.
package protocol Row: InsertedColumns {
    associatedtype Column: RowColumn
    associatedtype Content

    /// How many columns there are.
    static var width: Int { get }
    /// - Throws: `storageUnavailable` for values that no program has written, which only damage explains.
    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Content
}

extension Row {
    package static var width: Int { Column.allCases.count }
    package static var names: [String] { Column.allCases.map(\.name) }
}

/// A row that is written as a whole too.
package protocol StoredRow: Row {
    /// - Throws: `storageUnavailable` when the content has no stored form, which the rules exclude.
    static func stored(_ content: Content, _ column: Column) throws(DomainError) -> Value
}

extension StoredRow {
    /// The values of all columns, in their order.
    ///
    /// - Throws: `storageUnavailable` when a part of it has no stored form.
    package static func values(of content: Content) throws(DomainError) -> [Value] {
        var values: [Value] = []
        while let column = Column(rawValue: values.count) { values.append(try stored(content, column)) }
        return values
    }

    /// The values of some columns, for a statement that names them itself.
    static func values(of content: Content, _ columns: Column...) throws(DomainError) -> [Value] {
        var values: [Value] = []
        for column in columns { values.append(try stored(content, column)) }
        return values
    }
}

/// Two rows side by side: of a join when read, of one table when inserted.
package enum Joined<First: Row, Second: Row>: InsertedColumns {
    package static var table: StaticString { First.table }
    package static var names: [String] { First.names + Second.names }
    package static var qualifiedNames: [String] { First.qualifiedNames + Second.qualifiedNames }
}

/// The current row of a result, by the names of its columns.
package struct ColumnReader<Column: RowColumn> {
    private let row: any RowReader
    private let first: Int

    /// - Parameters:
    ///   - row: The row.
    ///   - first: Where the columns begin.
    package init(_ row: any RowReader, from first: Int = 0) {
        self.row = row
        self.first = first
    }

    package func isNull(_ column: Column) -> Bool { row.isNull(first + column.rawValue) }
    package func integer(_ column: Column) -> Int64 { row.integer(first + column.rawValue) }
    package func text(_ column: Column) -> String { row.text(first + column.rawValue) }
    package func bytes(_ column: Column) -> [UInt8] { row.bytes(first + column.rawValue) }
    package func isTrue(_ column: Column) -> Bool { integer(column) == 1 }
    package func optionalText(_ column: Column) -> String? { isNull(column) ? nil : text(column) }
    package func optionalBytes(_ column: Column) -> [UInt8]? { isNull(column) ? nil : bytes(column) }
    package func time(_ column: Column) -> Timestamp { Timestamp(milliseconds: integer(column)) }
    package func optionalTime(_ column: Column) -> Timestamp? { isNull(column) ? nil : time(column) }
    package func id<Subject>(_ column: Column) -> Identifier<Subject> { Identifier(rawValue: text(column)) }
    package func optionalId<Subject>(_ column: Column) -> Identifier<Subject>? { isNull(column) ? nil : id(column) }

    /// How many or how often, from 0 to 2^40: with room for sums, whatever damage has made of the row.
    package func count(_ column: Column) -> Int { Int(clamping: min(max(integer(column), 0), 1 << 40)) }

    /// - Throws: `storageUnavailable` when the stored bytes are no digest, which only damage explains.
    package func digest(_ column: Column) throws(DomainError) -> SecretDigest {
        guard let digest = SecretDigest(stored: bytes(column)) else { throw .storageUnavailable }
        return digest
    }

    /// - Throws: `storageUnavailable` as `digest`.
    package func optionalDigest(_ column: Column) throws(DomainError) -> SecretDigest? {
        isNull(column) ? nil : try digest(column)
    }
}

/// The column of a result that has one.
package enum OnlyColumn: Int, RowColumn {
    case only
}

extension RowReader {
    /// The row of a result with one column.
    package var only: ColumnReader<OnlyColumn> { ColumnReader(self) }
}

extension ColumnReader<OnlyColumn> {
    package var isNull: Bool { isNull(.only) }
    package var integer: Int64 { integer(.only) }
    package var count: Int { count(.only) }
    package var text: String { text(.only) }
    package var optionalText: String? { optionalText(.only) }
    package var time: Timestamp { time(.only) }
    package func id<Subject>() -> Identifier<Subject> { id(.only) }
}

extension Connection {
    /// Reads all rows that a text finds, which begins with `FROM`.
    func all<Found: Row>(
        _ row: Found.Type, _ source: StaticString, _ values: [Value] = []
    ) throws(DomainError) -> [Found.Content] {
        try rows(.select(row, source), values) { row throws(DomainError) in try Found.content(ColumnReader(row)) }
    }

    /// Reads the first row that a text finds, which begins with `FROM`.
    func first<Found: Row>(
        _ row: Found.Type, _ source: StaticString, _ values: [Value]
    ) throws(DomainError) -> Found.Content? {
        try all(row, source, values).first
    }

    /// Inserts a row.
    func insert<Inserted: StoredRow>(
        _ content: Inserted.Content, as row: Inserted.Type, _ conflict: StaticString = ""
    ) throws(DomainError) {
        try run(.insert(row, conflict), try row.values(of: content))
    }

    /// Inserts a row, or puts it over the one that there is, and keeps what a newer program wrote in a document of it (decision 0295).
    ///
    /// - Parameters:
    ///   - content: The row's content.
    ///   - row: The kind of row.
    ///   - document: What a column holds.
    ///   - column: Which one.
    ///   - stored: What the column holds now; `nil` where there is no such row.
    ///   - conflict: What is written over the row that there is.
    /// - Throws: `storageUnavailable`.
    func insert<Inserted: StoredRow>(
        _ content: Inserted.Content, as row: Inserted.Type, _ document: some SettingsDocument,
        in column: Inserted.Column,
        replacing stored: String?, _ conflict: StaticString
    ) throws(DomainError) {
        var values = try row.values(of: content)
        values[column.rawValue] = .text(try document.storedText(replacing: stored))
        try run(.insert(row, conflict), values)
    }

    /// Inserts one row that two kinds of content share.
    func insert<First: StoredRow, Second: StoredRow>(
        _ first: First.Content, as row: First.Type, with second: Second.Content, as other: Second.Type,
        _ conflict: StaticString = ""
    ) throws(DomainError) {
        try run(.insert(Joined<First, Second>.self, conflict), try row.values(of: first) + other.values(of: second))
    }
}
