/// What SQLite and PostgreSQL say in different words.
package enum Dialect: Sendable {
    case sqlite
    case postgresql
}

/// A statement in the SQL that both engines understand, with `$1`, `$2` … for values in the order of first use.
///
/// All its parts are static texts and types, so that their addresses identify it where prepared statements are kept. The
/// whole text is composed when an engine prepares the statement, and at no other time.
package struct Query: ExpressibleByStringLiteral, Sendable {
    fileprivate enum Form: Sendable {
        case whole, select, among, insert, returning
    }

    private let form: Form
    private let text: StaticString
    private var rest: StaticString = ""
    private var columns: (any ColumnList.Type)?
    private var index: StaticString?

    package init(stringLiteral text: StaticString) {
        form = .whole
        self.text = text
    }

    private init(_ form: Form, _ columns: any ColumnList.Type, _ text: StaticString) {
        self.form = form
        self.columns = columns
        self.text = text
    }

    /// `SELECT`, the columns of rows, and the text that follows them.
    ///
    /// - Parameters:
    ///   - columns: What to read.
    ///   - source: Begins with `FROM`.
    /// - Returns: the statement.
    package static func select(_ columns: any ColumnList.Type, _ source: StaticString) -> Query {
        Query(.select, columns, source)
    }

    /// The same where SQLite is to use an index by its name: it takes another one as the number of columns has it.
    ///
    /// - Parameters:
    ///   - columns: What to read.
    ///   - table: `FROM` and one table.
    ///   - index: The index; PostgreSQL finds it by itself.
    ///   - condition: Begins with `WHERE`.
    /// - Returns: the statement.
    package static func select(
        _ columns: any ColumnList.Type, _ table: StaticString, indexedBy index: StaticString,
        _ condition: StaticString
    ) -> Query {
        var query = Query(.select, columns, table)
        query.index = index
        query.rest = condition
        return query
    }

    /// The same of those rows that another condition leaves of the ones found first: a limit counts these.
    ///
    /// - Parameters:
    ///   - columns: What to read, and what the condition may name.
    ///   - source: Begins with `FROM` and their table.
    ///   - condition: Begins with `WHERE`.
    /// - Returns: the statement.
    package static func select(
        _ columns: any InsertedColumns.Type, among source: StaticString, _ condition: StaticString
    ) -> Query {
        var query = Query(.among, columns, source)
        query.rest = condition
        return query
    }

    /// `INSERT` of one row, with what follows the values: nothing, or `ON CONFLICT …`.
    package static func insert(_ columns: any InsertedColumns.Type, _ conflict: StaticString) -> Query {
        Query(.insert, columns, conflict)
    }

    /// A statement that changes rows, and returns columns of them.
    package static func returning(_ columns: any ColumnList.Type, _ change: StaticString) -> Query {
        Query(.returning, columns, change)
    }

    /// The whole statement.
    package func text(in dialect: Dialect) -> String {
        switch form {
        case .whole:
            return "\(text)"
        case .select:
            var statement = "SELECT \(list) \(text)"
            if let index, dialect == .sqlite { statement += " INDEXED BY \(index)" }
            if rest.utf8CodeUnitCount > 0 { statement += " \(rest)" }
            return statement
        case .among:
            guard let table = (columns as? any InsertedColumns.Type)?.table else { return "\(text)" }
            return "SELECT \(list) FROM (SELECT \(list) \(text)) AS \(table) \(rest)"
        case .insert:
            guard let inserted = columns as? any InsertedColumns.Type else { return "\(text)" }
            let marks = (1...inserted.names.count).map { "$\($0)" }.joined(separator: ", ")
            return "INSERT INTO \(inserted.table) (\(inserted.names.joined(separator: ", "))) VALUES (\(marks)) \(text)"
        case .returning:
            return "\(text) RETURNING \(list)"
        }
    }

    private var list: String { columns?.qualifiedNames.joined(separator: ", ") ?? "" }

    /// Equal for equal statements.
    package var key: Key {
        Key(
            form: form, text: UInt(bitPattern: text.utf8Start), rest: UInt(bitPattern: rest.utf8Start),
            columns: columns.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0,
            index: index.map { UInt(bitPattern: $0.utf8Start) } ?? 0)
    }

    package struct Key: Hashable, Sendable {
        fileprivate let form: Form
        fileprivate let text: UInt
        fileprivate let rest: UInt
        fileprivate let columns: UInt
        fileprivate let index: UInt

        /// Stands for every `DynamicQuery`.
        package static let dynamic = Key(form: .whole, text: 1, rest: 0, columns: 0, index: 0)

        /// One number, because every statement of every request is looked up by it.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(text ^ columns ^ rest &* 31)
        }
    }
}
