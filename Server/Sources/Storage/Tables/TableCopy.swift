/// Carries all rows from one database into another, whatever their engines, and compares them in the end.
///
/// Rows come in the order of their keys, a page at a time. A copy that was interrupted goes on: what is there of a table is
/// compared first, and taken out again where it is not what the source begins with.
package struct TableCopy {
    /// How far it is.
    package struct Progress: Sendable {
        package let table: String
        /// Whether the rows are being compared, after all of them were copied.
        package let isComparing: Bool
        /// Rows of all tables that were copied, or compared.
        package let rows: Int
        package let allRows: Int
    }

    /// What was done.
    package struct Report: Sendable {
        /// Rows by table, in the order in which they were copied.
        package let tables: [(name: String, rows: Int)]
        /// Whether it went on where an earlier run had stopped.
        package let wasResumed: Bool
    }

    private let source: any TableReader
    private let target: any TableWriter
    private let tell: (Progress) -> Void

    /// - Parameters:
    ///   - source: Shows one state for as long as it is read.
    ///   - target: A new database, or one that an interrupted copy has left.
    ///   - tell: Called after each page.
    package init(from source: any TableReader, to target: any TableWriter, tell: @escaping (Progress) -> Void) {
        self.source = source
        self.target = target
        self.tell = tell
    }

    /// Copies and compares.
    ///
    /// - Parameter shapes: The tables that the migrations make.
    /// - Returns: what was done.
    /// - Throws: `TableFault`. What was copied stays, and the next run goes on behind it.
    package func callAsFunction(_ shapes: [TableShape]) throws(TableFault) -> Report {
        try Self.check(shapes, in: source)
        let wasResumed = try target.begin(shapes)
        try Self.check(shapes, in: target.written)
        var tables: [(shape: TableShape, rows: Int)] = []
        for shape in shapes { tables.append((shape, try source.count(shape))) }
        let allRows = tables.reduce(0) { $0 + $1.rows }
        var done = 0
        for (shape, _) in tables {
            if wasResumed { try keepBeginning(of: shape) }
            try carry(shape, allRows, &done)
        }
        done = 0
        for (shape, rows) in tables { try compare(shape, rows, allRows, &done) }
        try target.finish()
        return Report(tables: tables.map { ($0.shape.name, $0.rows) }, wasResumed: wasResumed)
    }

    /// Both databases must have the tables of this program, with these columns and keys. Others are not Okaeri's.
    private static func check(_ shapes: [TableShape], in reader: any TableReader) throws(TableFault) {
        let found = try reader.shapes()
        for shape in shapes {
            guard let other = found.first(where: { $0.name == shape.name }) else {
                throw TableFault("The \(reader) has no table \(shape.name).")
            }
            guard Set(other.columns) == Set(shape.columns), other.key == shape.key, !shape.key.isEmpty else {
                throw TableFault(
                    "The table \(shape.name) of the \(reader) is another than this program makes: it has the columns "
                        + "\(other.columns.map(\.name).joined(separator: ", ")) and the key "
                        + "\(other.key.joined(separator: ", ")).")
            }
        }
    }

    /// Empties a table of which an earlier run has left something that is not the beginning of the source's: the
    /// installation was used between the two, or is another one.
    private func keepBeginning(of shape: TableShape) throws(TableFault) {
        var (position, limit) = ([Value]?.none, PageLimit())
        while true {
            let there = try target.written.page(
                of: shape, after: position, limit: limit.rows, maximumBytes: PageLimit.maximumBytes)
            guard let last = there.last else { return }
            let here = try counterparts(of: there, in: shape, after: position, from: source)
            guard here.count == there.count,
                zip(here, there).allSatisfy({ Self.differingColumn($0, $1) == nil })
            else { return try target.empty(shape) }
            position = shape.key(of: last)
            limit.adapt(to: there.count)
        }
    }

    private func carry(_ shape: TableShape, _ allRows: Int, _ done: inout Int) throws(TableFault) {
        var (position, limit) = (try target.written.lastKey(of: shape), PageLimit())
        if position != nil { done += try target.written.count(shape) }
        while true {
            let rows = try source.page(
                of: shape, after: position, limit: limit.rows, maximumBytes: PageLimit.maximumBytes)
            guard let last = rows.last else { return }
            for row in rows {
                if let fault = shape.fault(in: row) { throw fault }
            }
            try target.append(rows, to: shape)
            position = shape.key(of: last)
            limit.adapt(to: rows.count)
            done += rows.count
            tell(Progress(table: shape.name, isComparing: false, rows: done, allRows: allRows))
        }
    }

    /// Both sides have the same number of rows, and the same value in each column of each row.
    private func compare(_ shape: TableShape, _ rows: Int, _ allRows: Int, _ done: inout Int) throws(TableFault) {
        let copied = try target.written.count(shape)
        guard copied == rows else {
            throw TableFault(
                "The table \(shape.name) has \(rows) rows in the \(source), and \(copied) after copying in the "
                    + "\(target.written).")
        }
        var (position, limit) = ([Value]?.none, PageLimit())
        while true {
            let here = try source.page(
                of: shape, after: position, limit: limit.rows, maximumBytes: PageLimit.maximumBytes)
            guard let last = here.last else { return }
            let there = try counterparts(of: here, in: shape, after: position, from: target.written)
            for (number, row) in here.enumerated() {
                guard number < there.count else {
                    throw TableFault("The row \(shape.condition(of: row)) of \(shape.name) is missing after copying.")
                }
                if let column = Self.differingColumn(row, there[number]) {
                    throw shape.fault(
                        in: row, column: shape.columns[column].name, "is not the same on both sides after copying")
                }
            }
            position = shape.key(of: last)
            limit.adapt(to: here.count)
            done += here.count
            tell(Progress(table: shape.name, isComparing: true, rows: done, allRows: allRows))
        }
    }

    /// The rows of one side that should be the same as some of the other's. Engines count bytes in slightly other ways.
    private func counterparts(
        of rows: [[Value]], in shape: TableShape, after position: [Value]?, from reader: any TableReader
    ) throws(TableFault) -> [[Value]] {
        try reader.page(
            of: shape, after: position, limit: rows.count,
            maximumBytes: max(PageLimit.maximumBytes, rows.joined().reduce(0) { $0 + $1.byteCount }) << 1)
    }

    private static func differingColumn(_ one: [Value], _ other: [Value]) -> Int? {
        guard one.count == other.count else { return 0 }
        return one.indices.first { !one[$0].isIdentical(to: other[$0]) }
    }
}
