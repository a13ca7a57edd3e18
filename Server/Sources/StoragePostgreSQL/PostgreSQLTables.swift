import Domain
import Foundation
package import Storage

/// All tables of a shared database, read a page at a time, for copying. Blocks.
package struct PostgreSQLTables: TableReader {
    private static let session = """
        SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = 0
        """
    /// How long connections may take to end after their programs were stopped.
    private static let patience: Duration = .seconds(5)

    private let link: PostgreSQLLink
    private let address: PostgreSQLAddress

    package var description: String { "database \(address)" }

    /// - Throws: `PostgreSQLOpenFault` when there is no connection.
    package init(_ address: PostgreSQLAddress) throws(PostgreSQLOpenFault) {
        self.init(try PostgreSQLLink(address, session: Self.session), address)
    }

    init(_ link: PostgreSQLLink, _ address: PostgreSQLAddress) {
        self.link = link
        self.address = address
    }

    /// The tables as they are from now on, whatever others write, for as long as this value lives.
    ///
    /// - Parameter address: Where the database is; a standby will do.
    /// - Returns: the tables.
    /// - Throws: `TableFault` when there is no connection, the schema is not that of this program, a copy into the database
    ///   has not ended, or a program of Okaeri uses it: what that changes from now on would be lost.
    package static func snapshot(of address: PostgreSQLAddress) throws(TableFault) -> PostgreSQLTables {
        let tables: PostgreSQLTables
        do throws(PostgreSQLOpenFault) {
            tables = try PostgreSQLTables(address.forReading)
            try PostgreSQLSchema(tables.link, address).check()
        } catch {
            throw TableFault(error.description)
        }
        try tables.awaitEndOfOthers()
        try address.asking { () throws(PostgreSQLFault) in
            try tables.link.run("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            // The state is that of the first reading.
            try tables.link.run("SELECT COUNT(*) FROM schema_migrations")
        }
        return tables
    }

    private func awaitEndOfOthers() throws(TableFault) {
        guard try Self.isSoonAlone(link, at: address) else {
            throw TableFault(
                "The database \(address) is in use: programs of Okaeri are connected to it. Stop all nodes first; what they "
                    + "change while it is copied would be lost.")
        }
    }

    /// Whether no other program of Okaeri is connected to a database once those that were stopped have left it.
    static func isSoonAlone(_ link: PostgreSQLLink, at address: PostgreSQLAddress) throws(TableFault) -> Bool {
        try isSoon { () throws(TableFault) in
            try address.asking { () throws(PostgreSQLFault) in try link.isAlone() }
        }
    }

    /// Waits for what holds when the connections of programs that were stopped have ended.
    static func isSoon(_ ask: () throws(TableFault) -> Bool) throws(TableFault) -> Bool {
        let deadline = ContinuousClock.now + patience
        while try !ask() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(100_000)
        }
        return true
    }

    package func shapes() throws(TableFault) -> [TableShape] {
        try address.asking { () throws(PostgreSQLFault) in try Self.shapes(link) }
    }

    /// The same of any connection, also within a transaction.
    static func shapes(_ link: PostgreSQLLink) throws(PostgreSQLFault) -> [TableShape] {
        let columns = try link.run(
            """
            SELECT c.relname::text, a.attname::text, COALESCE(array_position(i.indkey::int2[], a.attnum), -1)::int8,
                a.atttypid::int8
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
            ORDER BY c.relname COLLATE "C", a.attnum
            """)
        var shapes: [(name: String, columns: [TableShape.Column], key: [(position: Int64, name: String)])] = []
        for number in 0..<columns.rowCount {
            let row = ColumnReader<ShapeColumn>(columns.row(number))
            let (table, column, position) = (row.text(.table), row.text(.column), row.integer(.position))
            if TableShape.bookkeeping.contains(table) { continue }
            if shapes.last?.name != table { shapes.append((table, [], [])) }
            let kind = Self.kind(ofType: UInt32(clamping: row.integer(.type)))
            shapes[shapes.count - 1].columns.append(TableShape.Column(column, kind))
            if position >= 0 { shapes[shapes.count - 1].key.append((position, column)) }
        }
        return shapes.map { shape in
            TableShape(
                name: shape.name, columns: shape.columns,
                key: shape.key.sorted { $0.position < $1.position }.map(\.name))
        }
    }

    private static func kind(ofType type: UInt32) -> TableShape.Kind {
        switch type {
        case PostgreSQLParameters.TypeID.text, PostgreSQLParameters.TypeID.varchar: .text
        case PostgreSQLParameters.TypeID.int8, PostgreSQLParameters.TypeID.int4, PostgreSQLParameters.TypeID.int2,
            PostgreSQLParameters.TypeID.boolean:
            .integer
        case PostgreSQLParameters.TypeID.bytes: .bytes
        default: .other
        }
    }

    package func rows(_ text: String, _ values: [Value], maximumBytes: Int) throws(TableFault) -> [[Value]] {
        try address.asking { () throws(PostgreSQLFault) in
            try link.sendPrepare("", text)
            try link.sendDescribe("")
            let types = try link.finish(2, within: .seconds(60)).last?.parameterTypes ?? []
            try link.send("", PostgreSQLParameters(values, types: types))
            return try link.finish(1, within: .seconds(3600), firstBytes: maximumBytes).flatMap { $0.values() }
        }
    }
}

/// What the catalogue says of one column of a table.
private enum ShapeColumn: Int, RowColumn {
    case table, column, position, type
}

extension PostgreSQLLink {
    /// Whether no other program of Okaeri is connected to the database. Of which kind the connections of another role are,
    /// such as one that is the nodes' own, only a superuser sees.
    func isAlone() throws(PostgreSQLFault) -> Bool {
        try run(
            """
            SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND application_name = current_setting('application_name')
                AND COALESCE(backend_type, 'client backend') = 'client backend'
            """
        ).row(0).integer(0) == 0
    }
}

extension PostgreSQLAddress {
    /// Says which database answers with a fault.
    func asking<Answer>(_ ask: () throws(PostgreSQLFault) -> Answer) throws(TableFault) -> Answer {
        do throws(PostgreSQLOpenFault) {
            return try answering(ask)
        } catch {
            throw TableFault(error.description)
        }
    }

    /// The same for what is no table.
    func answering<Answer>(_ ask: () throws(PostgreSQLFault) -> Answer) throws(PostgreSQLOpenFault) -> Answer {
        do throws(PostgreSQLFault) {
            return try ask()
        } catch {
            throw PostgreSQLOpenFault(self, "answers", error)
        }
    }
}
