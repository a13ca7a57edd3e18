import CSQLite
package import Domain
package import Storage

/// One connection to an SQLite database, with its prepared statements. Used by one queue at a time.
package final class SQLiteConnection: Connection {
    let handle: OpaquePointer
    private var statements: [Query.Key: OpaquePointer] = [:]
    private(set) var isOpen = true
    /// When the search under way ends.
    let timeLimit: SQLiteTimeLimit
    /// Whether statements that write are refused: during a read of a database in memory, which has this one connection.
    var refusesChanges = false
    /// How many bytes of rows the search under way may still read; `nil` when no search is.
    var searchBytesLeft: Int?
    private let reportFault: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: The database's file, or `:memory:`.
    ///   - flags: SQLite's, without those for mutexes and result codes.
    ///   - gathersLog: Whether what goes to the write-ahead log is written many frames at a time.
    ///   - reportFault: Gets what SQLite says when it cannot do something.
    /// - Throws: `SQLiteOpenFault` when the file cannot be opened.
    init(
        path: String, flags: Int32, gathersLog: Bool = false, reportFault: @escaping @Sendable (String) -> Void
    ) throws(SQLiteOpenFault) {
        _ = SQLiteLibrary.isSetUp
        let fileSystem = gathersLog && WALBufferingVFS.isRegistered ? WALBufferingVFS.name : nil
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
        guard code == SQLITE_OK, let opened else {
            let reason = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw SQLiteOpenFault("The database \(path) cannot be opened: \(reason).")
        }
        handle = opened
        timeLimit = SQLiteTimeLimit(opened)
        self.reportFault = reportFault
    }

    deinit {
        close()
    }

    /// Closes the connection; the last one on a file takes the write-ahead log away. Nothing may be asked afterwards.
    func close() {
        guard isOpen else { return }
        isOpen = false
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Whether no transaction is under way; a fault such as a full disk can end one.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Whether the database's file is not any more where it was opened. What is committed then goes into a file that nobody finds
    /// after the next start; SQLite itself looks only where it writes no log.
    var hasMoved: Bool {
        guard isOpen else { return false }
        var hasMoved: Int32 = 0
        // A database in memory, or in a file system that cannot tell, is where it was.
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }

    /// How many rows statements have changed since the connection was opened.
    var changedRows: Int64 { sqlite3_total_changes64(handle) }

    package func rows<Row>(
        _ query: Query, _ values: [Value], read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        guard isOpen else { throw .storageUnavailable }
        let statement = try prepared(query)
        guard !refusesChanges || sqlite3_stmt_readonly(statement) != 0 else {
            reportFault("a read writes: \(query.text(in: dialect).prefix(200))")
            throw .storageUnavailable
        }
        // What was bound is kept until it is bound anew: every statement binds all its values.
        defer { sqlite3_reset(statement) }
        for (position, value) in values.enumerated() {
            let code = Self.bind(value, to: statement, at: Int32(position + 1))
            guard code == SQLITE_OK else { throw fault(query.text(in: dialect), code) }
        }
        return try allRows(of: statement, query.text(in: dialect), read)
    }

    package func change(_ query: Query, _ values: [Value]) throws(DomainError) -> Int {
        _ = try rows(query, values) { _ throws(DomainError) in }
        return Int(sqlite3_changes64(handle))
    }

    package let dialect = Dialect.sqlite

    package func rows<Row>(
        _ question: DynamicQuery, read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        guard isOpen else { throw .storageUnavailable }
        guard timeLimit.isSet else {
            reportFault("A composed question outside of a search: \(question.text.prefix(200))")
            throw .storageUnavailable
        }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, question.text, -1, 0, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw fault(question.text, code) }
        defer { sqlite3_finalize(statement) }
        for (position, value) in question.values.enumerated() {
            let code = Self.bind(value.stored, to: statement, at: Int32(position + 1))
            guard code == SQLITE_OK else { throw fault(question.text, code) }
        }
        return try allRows(of: statement, question.text, read)
    }

    private func allRows<Row>(
        of statement: OpaquePointer, _ text: @autoclosure () -> String,
        _ read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        var rows: [Row] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                let row = SQLiteRow(statement: statement)
                if let left = searchBytesLeft {
                    let size = row.byteCount
                    guard size <= left else { throw .searchTooLarge }
                    searchBytesLeft = left - size
                }
                rows.append(try read(row))
            case SQLITE_DONE: return rows
            case let code: throw fault(text(), code)
            }
        }
    }

    /// Runs text that is not worth preparing: schema and settings.
    func execute(_ text: String) throws(DomainError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw fault(text, code) }
    }

    private func prepared(_ query: Query) throws(DomainError) -> OpaquePointer {
        let key = query.key
        if let statement = statements[key] { return statement }
        let text = query.text(in: dialect)
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw fault(text, code) }
        // A parameter has the position of its first mention in the text, whatever its number: `$6` before `$4` would get the value of `$4`.
        for position in 0..<sqlite3_bind_parameter_count(statement) {
            let name = sqlite3_bind_parameter_name(statement, position + 1).map { String(cString: $0) } ?? ""
            guard name == "$\(position + 1)" else {
                sqlite3_finalize(statement)
                reportFault("the parameters are not mentioned in the order of their numbers in: \(text.prefix(200))")
                throw .storageUnavailable
            }
        }
        statements[key] = statement
        return statement
    }

    /// SQLite copies what is bound (`SQLITE_TRANSIENT`), because the value does not outlive this call.
    static func bind(_ value: Value, to statement: OpaquePointer, at position: Int32) -> Int32 {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null:
            return sqlite3_bind_null(statement, position)
        case .integer(let number):
            return sqlite3_bind_int64(statement, position, number)
        case .text(var text):
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text64(
                        statement, position, characters.baseAddress, UInt64(characters.count), transient,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .bytes(let bytes):
            // An empty array has no address, which SQLite would take for null.
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, position, 0) }
            return sqlite3_bind_blob64(statement, position, bytes, UInt64(bytes.count), transient)
        }
    }

    /// Reports what the engine says; rules and clients learn only that storage is unavailable, or that a search took
    /// too long.
    private func fault(_ text: String, _ code: Int32) -> DomainError {
        if code == SQLITE_INTERRUPT, timeLimit.isSet { return .searchTooSlow }
        let reason = String(cString: sqlite3_errmsg(handle))
        reportFault("SQLite fault \(code) (\(reason)) in: \(text.prefix(200))")
        return .storageUnavailable
    }
}

extension DynamicQuery.Value {
    fileprivate var stored: Value {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        }
    }
}

/// The current row of a statement.
struct SQLiteRow: RowReader {
    let statement: OpaquePointer

    /// How long its texts and bytes are; other values count as 8.
    var byteCount: Int {
        (0..<sqlite3_column_count(statement)).reduce(0) { sum, column in
            let isLong = [SQLITE_TEXT, SQLITE_BLOB].contains(sqlite3_column_type(statement, column))
            return sum + (isLong ? Int(sqlite3_column_bytes(statement, column)) : 8)
        }
    }

    func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
    }

    func integer(_ column: Int) -> Int64 {
        sqlite3_column_int64(statement, Int32(column))
    }

    func text(_ column: Int) -> String {
        guard let characters = sqlite3_column_text(statement, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: characters, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, Int32(column)))))
    }
}
