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

    /// How much longer than its time limit the answer to a search may take on its way.
    private static let longestWay: Duration = .seconds(3)

    private struct Prepared {
        let name: String
        let types: [UInt32]
    }

    let link: PostgreSQLLink
    private var prepared: [Query.Key: Prepared] = [:]
    /// How many statements were sent to be prepared; each has a name of its own.
    private var preparations = 0
    private var mode = Mode.statement
    /// When the search under way ends; `nil` when no search is.
    private var deadline: ContinuousClock.Instant?
    /// How many bytes of rows that search may still read.
    private var searchBytesLeft = 0
    /// How many statements the transaction under way has run.
    private(set) var statements = 0
    /// The fault that ended the transaction under way; whatever its closure returns is void then.
    private(set) var fault: PostgreSQLFault?

    init(_ link: PostgreSQLLink) {
        self.link = link
    }

    /// Makes ready for a transaction. Nothing is sent before its first statement.
    ///
    /// - Parameters:
    ///   - mode: What it may do.
    ///   - deadline: When its statements are stopped; `nil` for the session's own limits.
    func begin(_ mode: Mode, until deadline: ContinuousClock.Instant? = nil) {
        self.mode = mode
        self.deadline = deadline
        searchBytesLeft = SearchLimits.maximumBytes
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
        try rows(of: try results(of: query, values), read)
    }

    package func change(_ query: Query, _ values: [Value]) throws(DomainError) -> Int {
        try results(of: query, values).last?.changedRows ?? 0
    }

    let dialect = Dialect.postgresql

    package func rows<Row>(
        _ question: DynamicQuery, read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        guard fault == nil else { throw .storageUnavailable }
        let results: [PostgreSQLResult]
        do throws(PostgreSQLFault) {
            results = try run(question)
        } catch {
            fault = error
            throw error.kind == .stopped ? .searchTooSlow : .storageUnavailable
        }
        return try rows(of: results, read)
    }

    /// Reads what was answered; what that takes is part of a search's time too.
    private func rows<Row>(
        of results: [PostgreSQLResult], _ read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        guard searchBytesLeft >= 0 else { throw .searchTooLarge }
        var rows: [Row] = []
        rows.reserveCapacity(results.reduce(0) { $0 + $1.rowCount })
        for result in results {
            for number in 0..<result.rowCount {
                if let deadline, ContinuousClock.now >= deadline { throw .searchTooSlow }
                rows.append(try read(result.row(number)))
            }
        }
        return rows
    }

    private func run(_ question: DynamicQuery) throws(PostgreSQLFault) -> [PostgreSQLResult] {
        guard deadline != nil else { throw PostgreSQLFault(.other, "a composed question outside of a search") }
        guard mode != .statement || statements == 0 else {
            throw PostgreSQLFault(.secondStatement, "a second statement where one was announced: a search")
        }
        let (count, patience) = try sendBeginning()
        statements += 1
        try link.send(text: question.text, question.values.map(\.postgresqlText))
        return try finish(count, patience)
    }

    private func results(of query: Query, _ values: [Value]) throws(DomainError) -> [PostgreSQLResult] {
        guard fault == nil else { throw .storageUnavailable }
        do throws(PostgreSQLFault) {
            return try run(query, values)
        } catch {
            let isReported = error.kind == .other || error.kind == .badValue
            fault = isReported ? PostgreSQLFault(error.kind, "\(error.words) in: \(query.head)") : error
            throw error.kind == .stopped && deadline != nil ? .searchTooSlow : .storageUnavailable
        }
    }

    private func run(_ query: Query, _ values: [Value]) throws(PostgreSQLFault) -> [PostgreSQLResult] {
        guard mode != .statement || statements == 0 else {
            throw PostgreSQLFault(.secondStatement, "a second statement where one was announced: \(query.head)")
        }
        let statement = try prepare(query)
        let (count, patience) = try sendBeginning()
        statements += 1
        try link.send(statement.name, PostgreSQLParameters(values, types: statement.types))
        return try finish(count, patience)
    }

    /// Waits for what was sent.
    ///
    /// - Returns: the statement's result; of a search one for each of its rows, as long as there is room for them.
    private func finish(_ count: Int, _ patience: Duration) throws(PostgreSQLFault) -> [PostgreSQLResult] {
        guard deadline != nil else {
            guard let result = try link.finish(count, within: patience).last else {
                throw PostgreSQLFault(.other, "no result")
            }
            return [result]
        }
        let rows = try link.finish(count, within: patience, maximumBytes: searchBytesLeft)
        searchBytesLeft = rows.bytesLeft
        return rows.results
    }

    /// Sends what stands before a statement: the transaction's beginning before its first one, and in a search what
    /// is left of its time. The server forgets that limit with the transaction.
    ///
    /// - Returns: how many results come with the statement's own, and how long to wait for them.
    private func sendBeginning() throws(PostgreSQLFault) -> (count: Int, patience: Duration) {
        var (count, patience) = (1, link.patience)
        let left = deadline.map { ContinuousClock.now.duration(to: $0) }
        if let left {
            guard left > .zero else { throw PostgreSQLFault(.stopped, "the time of the search is over") }
            patience = left + Self.longestWay
        }
        if statements == 0, let begin = mode.begin {
            try link.send(try name(of: begin), PostgreSQLParameters([], types: []))
            count += 1
        }
        if let left {
            try link.send(
                text: "SELECT set_config('statement_timeout', $1, true)", [String(left.wholePollMilliseconds)])
            count += 1
        }
        return (count, patience)
    }

    /// The name of a statement that controls transactions; it has no parameters and can be prepared at any time.
    private func name(of query: Query) throws(PostgreSQLFault) -> String {
        try prepare(query).name
    }

    /// Prepares a statement once for each connection, and asks what its parameters are.
    private func prepare(_ query: Query) throws(PostgreSQLFault) -> Prepared {
        let key = query.key
        if let known = prepared[key] { return known }
        preparations += 1
        let name = "q\(preparations)"
        try link.sendPrepare(name, query.text(in: dialect))
        try link.sendDescribe(name)
        let results = try link.finish(2)
        let statement = Prepared(name: name, types: results.last?.parameterTypes ?? [])
        prepared[key] = statement
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

extension DynamicQuery.Value {
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
    fileprivate var head: String { PostgreSQLFault.oneLine(String(text(in: .postgresql).prefix(200))) }
}
