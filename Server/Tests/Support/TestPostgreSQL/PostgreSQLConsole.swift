import CLibPQ

/// A connection for statements as text, as `psql` has it. Blocks.
struct PostgreSQLConsole: ~Copyable {
    private let handle: OpaquePointer?

    init(_ url: String) throws {
        handle = PQconnectdb(url)
        guard PQstatus(handle) == CONNECTION_OK else {
            throw TestPostgreSQLFault(description: String(cString: PQerrorMessage(handle)))
        }
    }

    deinit {
        PQfinish(handle)
    }

    /// The rows of the last statement, as text.
    func run(_ statements: String) throws -> [[String?]] {
        let result = PQexec(handle, statements)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw TestPostgreSQLFault(description: String(cString: PQresultErrorMessage(result)))
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) != 0 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }
}
