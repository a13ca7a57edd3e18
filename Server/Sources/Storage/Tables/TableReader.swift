/// A database of either engine, read table by table. Blocks, and is used by one thread at a time.
///
/// An adapter says how its engine runs a statement; which statements those are stands here, once.
package protocol TableReader: CustomStringConvertible {
    /// Every table but the bookkeeping of the schema, in the order of the names.
    func shapes() throws(TableFault) -> [TableShape]

    /// The rows that a statement finds: as many of the first ones as a number of bytes allows, and one at least.
    ///
    /// What is in a column although it does not belong there is read as what it is: `TableShape` refuses it.
    func rows(_ text: String, _ values: [Value], maximumBytes: Int) throws(TableFault) -> [[Value]]
}

/// A database of either engine that rows are written into. Blocks, and is used by one thread at a time.
package protocol TableWriter {
    /// What it has written, to go on behind it and to compare it.
    var written: any TableReader { get }

    /// Makes the tables, and marks the database so that no server starts on a half of an installation.
    ///
    /// - Parameter shapes: The tables that will be written.
    /// - Returns: whether it was marked already, and an earlier copy goes on.
    /// - Throws: `TableFault` when the database is not marked and holds something. Nothing was changed then.
    func begin(_ shapes: [TableShape]) throws(TableFault) -> Bool

    /// Adds rows, all or none.
    func append(_ rows: [[Value]], to shape: TableShape) throws(TableFault)

    /// Takes all rows out of a table.
    func empty(_ shape: TableShape) throws(TableFault)

    /// Takes the mark away: everything is there, and on disk. Nothing may be asked afterwards.
    func finish() throws(TableFault)
}

/// How many rows are in memory at once: what an interruption loses at most, too.
struct PageLimit {
    /// How much of a table a page has at most, unless one row has more.
    static let maximumBytes = 4 << 20
    private static let maximumRows = 5000

    private(set) var rows = 256

    /// Asks for as many rows as fitted into the last page, or more: a database sends what is asked, also what is too much.
    mutating func adapt(to count: Int) {
        rows = min(Self.maximumRows, max(1, count) << 1)
    }
}

extension TableReader {
    package func count(_ shape: TableShape) throws(TableFault) -> Int {
        let found = try rows("SELECT COUNT(*) FROM \(TableShape.quoted(shape.name))", [], maximumBytes: 8)
        guard case .integer(let count)? = found.first?.first else { return 0 }
        return Int(clamping: count)
    }

    /// Rows behind a key, in the order of the key.
    ///
    /// - Parameters:
    ///   - shape: The table.
    ///   - position: The key; `nil` for the beginning.
    ///   - limit: How many rows at most.
    ///   - maximumBytes: How many bytes at most, unless one row has more.
    /// - Returns: the rows; none only when there is none.
    /// - Throws: `TableFault` when the table cannot be read.
    package func page(
        of shape: TableShape, after position: [Value]?, limit: Int, maximumBytes: Int = .max
    ) throws(TableFault) -> [[Value]] {
        try rows(
            shape.page(hasPosition: position != nil, limit: limit), position ?? [], maximumBytes: maximumBytes)
    }

    /// The key of the last row: as rows come in the order of the key, copying goes on behind it.
    func lastKey(of shape: TableShape) throws(TableFault) -> [Value]? {
        try rows(shape.lastKey, [], maximumBytes: .max).first
    }
}

/// Why tables cannot be read, written or copied, in words for the person who runs the server.
package struct TableFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
