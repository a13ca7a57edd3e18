import Domain
import Storage

/// A connection with its prepared statements, and the transaction under way on it. Used by one thread at a time.
///
/// A transaction begins with its first statement and in the same round trip.
final class PostgreSQLConnection: Connection {
    /// What a transaction may do.
    enum Mode {
        /// One statement that is a transaction of its own; it sees what is committed (READ COMMITTED).
        case statement
        /// Any number of reading statements on one state (REPEATABLE READ).
        case snapshot
        /// Reads and writes as if it were alone (SERIALIZABLE).
        case alone
    }

    /// What the session is set to. The server ends what lasts longer, should this process not be there to do it.
    static let session = """
        SET statement_timeout = '10s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '15s'; \
        SET default_transaction_isolation = 'read committed'
        """

    private struct Prepared {
        let name: String
        let types: [UInt32]
    }

    let link: PostgreSQLLink
    private var prepared: [UInt: Prepared] = [:]
    private var mode = Mode.statement
    /// How many statements the transaction under way has run.
    private(set) var statements = 0
    /// The fault that ended the transaction under way; whatever its closure returns is void then.
    private(set) var fault: PostgreSQLFault?

    init(_ link: PostgreSQLLink) {
        self.link = link
    }

    /// Makes ready for a transaction. Nothing is sent before its first statement.
    func begin(_ mode: Mode) {
        self.mode = mode
        statements = 0
        fault = nil
    }

    /// Commits, and tells other nodes what changed, in one round trip.
    ///
    /// - Parameter notices: Payloads to send with the commit.
    /// - Throws: what was in the way; of kind `lost`, nobody can tell whether the transaction was committed.
    func commit(_ notices: [String]) throws(PostgreSQLFault) {
        guard statements > 0, mode == .alone else { return }
        // Preparing waits for answers, so it comes before anything is sent.
        let commit = try name(of: "COMMIT")
        for notice in notices { try sendNotice(notice) }
        try link.send(commit, PostgreSQLParameters([], types: []))
        // Whether or not that succeeds, no transaction is left to end.
        statements = 0
        _ = try link.finish(notices.count + 1)
    }

    /// Tells other nodes what changed, outside of a transaction.
    func announce(_ notices: [String]) throws(PostgreSQLFault) {
        guard !notices.isEmpty else { return }
        for notice in notices { try sendNotice(notice) }
        _ = try link.finish(notices.count)
    }

    private func sendNotice(_ notice: String) throws(PostgreSQLFault) {
        try link.send(text: "SELECT pg_notify($1, $2)", [ChangeNotice.channel, notice])
    }

    /// Ends a transaction that wrote nothing, or shall not have; nobody waits for it.
    func end() {
        guard statements > 0, mode != .statement, !link.isLost else { return }
        do throws(PostgreSQLFault) {
            try link.sendQuietly(try name(of: mode == .snapshot && fault == nil ? "COMMIT" : "ROLLBACK"))
        } catch {
            // The connection is lost, and the transaction with it; the pool makes a new one.
        }
    }

    package func rows<Row>(
        _ query: Query, _ values: [Value], read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        let result = try result(of: query, values)
        var rows: [Row] = []
        rows.reserveCapacity(result.rowCount)
        for number in 0..<result.rowCount { rows.append(try read(result.row(number))) }
        return rows
    }

    package func change(_ query: Query, _ values: [Value]) throws(DomainError) -> Int {
        try result(of: query, values).changedRows
    }

    let dialect = Dialect.postgresql

    /// The session's `statement_timeout` bounds what it costs.
    package func rows<Row>(
        _ question: ComposedQuery, read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        guard fault == nil else { throw .storageUnavailable }
        let result: PostgreSQLResult
        do throws(PostgreSQLFault) {
            result = try run(question)
        } catch {
            fault = error
            throw .storageUnavailable
        }
        var rows: [Row] = []
        rows.reserveCapacity(result.rowCount)
        for number in 0..<result.rowCount { rows.append(try read(result.row(number))) }
        return rows
    }

    private func run(_ question: ComposedQuery) throws(PostgreSQLFault) -> PostgreSQLResult {
        guard mode != .statement || statements == 0 else {
            throw PostgreSQLFault(.secondStatement, "a second statement where one was announced: a search")
        }
        var count = 1
        if statements == 0, let begin = mode.begin {
            try link.send(try name(of: begin), PostgreSQLParameters([], types: []))
            count = 2
        }
        statements += 1
        try link.send(text: question.text, question.values.map(\.postgresqlText))
        guard let result = try link.finish(count).last else { throw PostgreSQLFault(.other, "no result") }
        return result
    }

    private func result(of query: Query, _ values: [Value]) throws(DomainError) -> PostgreSQLResult {
        guard fault == nil else { throw .storageUnavailable }
        do throws(PostgreSQLFault) {
            return try run(query, values)
        } catch {
            let isTold = error.kind == .other || error.kind == .badValue
            fault = isTold ? PostgreSQLFault(error.kind, "\(error.words) in: \(query.head)") : error
            throw .storageUnavailable
        }
    }

    private func run(_ query: Query, _ values: [Value]) throws(PostgreSQLFault) -> PostgreSQLResult {
        guard mode != .statement || statements == 0 else {
            throw PostgreSQLFault(.secondStatement, "a second statement where one was announced: \(query.head)")
        }
        let statement = try prepare(query)
        var count = 1
        if statements == 0, let begin = mode.begin {
            try link.send(try name(of: begin), PostgreSQLParameters([], types: []))
            count = 2
        }
        statements += 1
        try link.send(statement.name, PostgreSQLParameters(values, types: statement.types))
        guard let result = try link.finish(count).last else { throw PostgreSQLFault(.other, "no result") }
        return result
    }

    /// The name of a statement that controls transactions; it has no parameters and can be prepared at any time.
    private func name(of query: Query) throws(PostgreSQLFault) -> String {
        try prepare(query).name
    }

    /// Prepares a statement once for each connection, and asks what its parameters are.
    private func prepare(_ query: Query) throws(PostgreSQLFault) -> Prepared {
        if let known = prepared[query.key] { return known }
        let name = "q\(String(query.key, radix: 36))"
        // A static text ends with a null behind its last byte.
        try link.sendPrepare(name, UnsafeRawPointer(query.text.utf8Start).assumingMemoryBound(to: CChar.self))
        try link.sendDescribe(name)
        let results = try link.finish(2)
        let statement = Prepared(name: name, types: results.last?.parameterTypes ?? [])
        prepared[query.key] = statement
        return statement
    }
}

extension PostgreSQLConnection.Mode {
    /// What its first statement travels with.
    fileprivate var begin: Query? {
        switch self {
        case .statement: nil
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .alone: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }
}

extension ComposedQuery.Value {
    /// As the server reads it of a statement that was not prepared. It takes no text with U+0000.
    fileprivate var postgresqlText: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text):
            text.utf8.contains(0) ? text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : String($0) }.joined() : text
        }
    }
}

extension Query {
    /// Enough of the text to find the query in the sources.
    fileprivate var head: String { PostgreSQLFault.oneLine(String(text.description.prefix(200))) }
}
