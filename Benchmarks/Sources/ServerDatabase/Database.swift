import CSQLite

/// A connection to an SQLite database, as thin as it can be.
package final class Database {
    fileprivate let handle: OpaquePointer

    /// - Parameter path: The database's file, which must exist.
    /// - Throws: `DatabaseFault` when it cannot be opened.
    package init(path: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK, let opened
        else {
            sqlite3_close_v2(opened)
            throw DatabaseFault(reason: "\(path) cannot be opened")
        }
        handle = opened
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Runs statements without values or rows.
    package func execute(_ text: String) throws {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw fault }
    }

    /// Prepares a statement for many uses.
    package func prepare(_ text: String) throws -> Statement {
        try Statement(self, text)
    }

    fileprivate var fault: DatabaseFault { DatabaseFault(reason: String(cString: sqlite3_errmsg(handle))) }
}

/// A prepared statement.
package final class Statement {
    private let database: Database
    private let handle: OpaquePointer

    fileprivate init(_ database: Database, _ text: String) throws {
        self.database = database
        var prepared: OpaquePointer?
        guard
            sqlite3_prepare_v3(database.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
                == SQLITE_OK, let prepared
        else { throw database.fault }
        handle = prepared
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs the statement for its effect.
    ///
    /// - Parameter values: What to bind, in order.
    /// - Throws: `DatabaseFault` with SQLite's reason.
    package func run(_ values: [Value]) throws {
        for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw database.fault }
    }

    /// The first column of all rows, as text.
    ///
    /// - Parameter values: What to bind, in order.
    /// - Returns: The texts; empty ones for null.
    package func texts(_ values: [Value] = []) -> [String] {
        for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
        defer { sqlite3_reset(handle) }
        var texts: [String] = []
        while sqlite3_step(handle) == SQLITE_ROW {
            texts.append(sqlite3_column_text(handle, 0).map { String(cString: $0) } ?? "")
        }
        return texts
    }

    private func bind(_ value: Value, at index: Int32) {
        // The step follows at once, but a Swift value may move: SQLite takes a copy.
        let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .text(let text): sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), copy)
        case .bytes(let bytes): sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), copy)
        }
    }
}

/// A value to bind.
package enum Value {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// Why SQLite did not do what it was asked.
package struct DatabaseFault: Error, CustomStringConvertible {
    package let reason: String
    package var description: String { "SQLite: \(reason)" }
}
