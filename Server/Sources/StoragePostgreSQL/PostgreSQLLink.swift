import CLibPQ
import Domain
import Foundation

/// One connection to a server, by libpq in pipeline mode: several statements can travel together, and none is waited
/// for longer than its deadline. Used by one thread at a time.
final class PostgreSQLLink {
    /// How long an answer may take, unless a caller says otherwise.
    let patience: Duration

    private let handle: OpaquePointer
    /// By which the server finds out in less than a minute that this machine is gone without a word, as this one does of the server's.
    /// Its system would wait for two hours, in which each connection of a node that lost power counts to `max_connections`.
    private static let keepalives =
        "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
    /// How often an idle connection is looked at for more that has come: answers, the server's last words, and the end.
    private static let maximumLooks = 4
    /// How many statements were sent whose answers nobody has read yet, each with a synchronisation of its own.
    private var owed = 0
    /// Whether nothing can be asked any more.
    private(set) var isLost = false
    /// Stops the statement under way; any thread may use it.
    let cancellation: PostgreSQLCancellation

    /// Connects. Blocks for at most the address's `connect_timeout` for each host.
    ///
    /// - Parameters:
    ///   - address: Where to.
    ///   - session: Settings for the session, as one text of `SET` statements.
    ///   - patience: How long an answer may take, unless a caller says otherwise.
    /// - Throws: `PostgreSQLOpenFault` with the reason and what to do.
    init(
        _ address: PostgreSQLAddress, session: String, patience: Duration = PostgreSQLTimeLimits().answer
    ) throws(PostgreSQLOpenFault) {
        self.patience = patience
        let pairs = address.parameters.sorted { $0.key < $1.key }
        let opened = Self.withTexts(pairs.map(\.key)) { keys in
            Self.withTexts(pairs.map(\.value)) { values in PQconnectdbParams(keys, values, 0) }
        }
        guard let opened else { throw PostgreSQLOpenFault("There is no memory for a connection.") }
        // Remarks of the server are for people at a console.
        PQsetNoticeReceiver(opened, { _, _ in }, nil)
        func refusal(_ words: String? = nil) -> PostgreSQLOpenFault {
            let message = words ?? String(cString: PQerrorMessage(opened))
            PQfinish(opened)
            return PostgreSQLOpenFault(address, message: message)
        }
        guard PQstatus(opened) == CONNECTION_OK else { throw refusal() }
        guard PQserverVersion(opened) >= 130_000 else {
            throw refusal("it is PostgreSQL \(PQserverVersion(opened) / 10_000), and Okaeri needs 13 or newer")
        }
        guard PQparameterStatus(opened, "server_encoding").map({ String(cString: $0) }) == "UTF8" else {
            throw refusal("its encoding is not UTF8; create the database with ENCODING 'UTF8'")
        }
        let result = PQexec(opened, "\(Self.keepalives); \(session)")
        let isReady = PQresultStatus(result) == PGRES_COMMAND_OK
        PQclear(result)
        guard isReady, let cancel = PQgetCancel(opened), PQsetnonblocking(opened, 1) == 0,
            PQenterPipelineMode(opened) == 1
        else { throw refusal() }
        handle = opened
        cancellation = PostgreSQLCancellation(cancel)
    }

    deinit {
        PQfinish(handle)
    }

    var socket: Int32 { PQsocket(handle) }
    var serverVersion: Int { Int(clamping: PQserverVersion(handle)) }

    /// Whether an idle connection still stands, as far as this side knows. Costs one look at the socket where nothing has
    /// come.
    func isAlive() -> Bool {
        guard !isLost, PQstatus(handle) == CONNECTION_OK else { return false }
        var descriptor = pollfd(fd: socket, events: Int16(clamping: POLLIN), revents: 0)
        // What is owed has come as a rule, and perhaps something unasked: news of a setting, or the end, which stands
        // behind all else.
        var looks = 0
        while !isLost, looks < Self.maximumLooks, poll(&descriptor, 1, 0) > 0 {
            looks += 1
            isLost = PQconsumeInput(handle) == 0 || PQstatus(handle) != CONNECTION_OK
        }
        return !isLost
    }

    // MARK: Sending

    func sendPrepare(_ name: String, _ text: UnsafePointer<CChar>) throws(PostgreSQLFault) {
        try sent(PQsendPrepare(handle, name, text, 0, nil))
    }

    func sendDescribe(_ name: String) throws(PostgreSQLFault) {
        try sent(PQsendDescribePrepared(handle, name))
    }

    func send(_ name: String, _ parameters: borrowing PostgreSQLParameters) throws(PostgreSQLFault) {
        let result = parameters.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
        try sent(result)
    }

    /// Sends text that is not worth preparing, with values as text.
    func send(text: String, _ values: [String] = []) throws(PostgreSQLFault) {
        let result = Self.withTexts(values) {
            PQsendQueryParams(handle, text, Int32(clamping: values.count), nil, $0, nil, nil, 1)
        }
        try sent(result)
    }

    private func sent(_ result: Int32) throws(PostgreSQLFault) {
        guard result == 1 else { throw lose(String(cString: PQerrorMessage(handle))) }
    }

    // MARK: Receiving

    /// Waits for the answers to what was sent since the last call.
    ///
    /// - Parameters:
    ///   - count: How many statements that was.
    ///   - patience: How long they may take together; `nil` for the connection's own.
    /// - Returns: one result for each.
    /// - Throws: the first fault; the statements after it were not run.
    func finish(_ count: Int, within patience: Duration? = nil) throws(PostgreSQLFault) -> [PostgreSQLResult] {
        var rows: PostgreSQLRows?
        return try finish(count, within: patience ?? self.patience, &rows)
    }

    /// The same, and takes the rows of the last statement one by one, so that no more than some of them are in memory.
    func finish(_ count: Int, within patience: Duration, maximumBytes: Int) throws(PostgreSQLFault) -> PostgreSQLRows {
        var rows: PostgreSQLRows? = PostgreSQLRows(maximumBytes: maximumBytes)
        _ = try finish(count, within: patience, &rows)
        return rows ?? PostgreSQLRows(maximumBytes: maximumBytes)
    }

    /// The same, and keeps the first rows that a number of bytes allows, and one at least.
    func finish(_ count: Int, within patience: Duration, firstBytes: Int) throws(PostgreSQLFault) -> [PostgreSQLResult]
    {
        var rows: PostgreSQLRows? = PostgreSQLRows(maximumBytes: firstBytes, keepsFirst: true)
        _ = try finish(count, within: patience, &rows)
        return rows?.results ?? []
    }

    private func finish(
        _ count: Int, within patience: Duration, _ rows: inout PostgreSQLRows?
    ) throws(PostgreSQLFault) -> [PostgreSQLResult] {
        var none: PostgreSQLRows?
        guard PQpipelineSync(handle) == 1 else { throw lose(String(cString: PQerrorMessage(handle))) }
        let deadline = ContinuousClock.now + patience
        while owed > 0 {
            owed -= 1
            do throws(PostgreSQLFault) {
                _ = try results(1, deadline, &none)
            } catch {
                // A search's time was over while its transaction ended, which it did nevertheless.
                guard error.kind == .stopped else { throw error }
            }
        }
        return try results(count, deadline, &rows)
    }

    /// Sends a prepared statement whose answer the next `finish` reads: the present caller need not wait for it.
    func sendQuietly(_ name: String) throws(PostgreSQLFault) {
        try send(name, PostgreSQLParameters([], types: []))
        guard PQpipelineSync(handle) == 1, PQflush(handle) >= 0 else {
            throw lose(String(cString: PQerrorMessage(handle)))
        }
        owed += 1
    }

    /// Runs text that is not worth preparing.
    @discardableResult
    func run(
        _ text: String, _ values: [String] = [], within patience: Duration? = nil
    ) throws(PostgreSQLFault) -> PostgreSQLResult {
        try send(text: text, values)
        let results = try finish(1, within: patience)
        guard let result = results.first else { throw lose("no result") }
        return result
    }

    private func results(
        _ count: Int, _ deadline: ContinuousClock.Instant, _ rows: inout PostgreSQLRows?
    ) throws(PostgreSQLFault) -> [PostgreSQLResult] {
        var results: [PostgreSQLResult] = []
        results.reserveCapacity(count)
        var fault: PostgreSQLFault?
        for number in 0..<count {
            // After a fault there is no statement any more whose rows could be asked for.
            if rows != nil, number == count - 1, fault == nil {
                guard PQsetSingleRowMode(handle) == 1 else { throw lose("rows do not come one by one") }
            }
            while let result = try next(deadline) {
                switch result.status {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: results.append(result)
                case PGRES_SINGLE_TUPLE: rows?.add(result)
                case PGRES_PIPELINE_ABORTED: break
                default: fault = fault ?? result.fault
                }
            }
        }
        guard let end = try next(deadline), end.status == PGRES_PIPELINE_SYNC else {
            throw lose(fault?.words ?? "an answer that does not belong here")
        }
        if let fault {
            if fault.kind == .lost || PQstatus(handle) != CONNECTION_OK { throw lose(fault.words) }
            throw fault
        }
        guard results.count == count else { throw lose("\(results.count) results instead of \(count)") }
        return results
    }

    /// The next result; `nil` behind the last one of a statement.
    private func next(_ deadline: ContinuousClock.Instant) throws(PostgreSQLFault) -> PostgreSQLResult? {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lose(String(cString: PQerrorMessage(handle))) }
            if PQisBusy(handle) == 0 { break }
            try wait(forWriting: unsent == 1, until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw lose(String(cString: PQerrorMessage(handle))) }
        }
        return PQgetResult(handle).map { PostgreSQLResult($0) }
    }

    private func wait(forWriting: Bool, until deadline: ContinuousClock.Instant) throws(PostgreSQLFault) {
        let events = Int16(clamping: POLLIN) | (forWriting ? Int16(clamping: POLLOUT) : 0)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw lose("no answer in time") }
            var descriptor = pollfd(fd: socket, events: events, revents: 0)
            let count = poll(&descriptor, 1, Int32(clamping: left.wholePollMilliseconds))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw lose(String(cString: strerror(errno))) }
        }
    }

    private func lose(_ words: String) -> PostgreSQLFault {
        isLost = true
        return PostgreSQLFault(.lost, words.isEmpty ? "the connection is gone" : words)
    }

    // MARK: Notifications and bulk

    /// Takes what has come over the wire, without waiting.
    func takeInput() throws(PostgreSQLFault) {
        guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else {
            throw lose(String(cString: PQerrorMessage(handle)))
        }
    }

    /// The payload of the next notification that has come.
    func nextNotification() -> String? {
        // libpq looks for notifications only while it looks for results.
        _ = PQisBusy(handle)
        guard let notification = PQnotifies(handle) else { return nil }
        defer { PQfreemem(notification) }
        return String(cString: notification.pointee.extra)
    }

    /// Streams rows into a table.
    ///
    /// - Parameters:
    ///   - statement: `COPY … FROM STDIN`.
    ///   - next: Gives the next piece of data until it gives `nil`.
    /// - Throws: the fault that stopped it; nothing of it is in the table then.
    func copyIn(_ statement: String, next: () throws -> [UInt8]?) throws {
        guard PQexitPipelineMode(handle) == 1, PQsetnonblocking(handle, 0) == 0 else {
            throw lose(String(cString: PQerrorMessage(handle)))
        }
        let begun = PostgreSQLResult(PQexec(handle, statement))
        guard begun.status == PGRES_COPY_IN else { throw begun.fault }
        do {
            while let piece = try next() {
                let sent = piece.withUnsafeBytes {
                    PQputCopyData(
                        handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count))
                }
                guard sent == 1 else { throw lose(String(cString: PQerrorMessage(handle))) }
            }
        } catch {
            PQputCopyEnd(handle, "given up")
            isLost = true
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw lose(String(cString: PQerrorMessage(handle))) }
        var fault: PostgreSQLFault?
        while let result = PQgetResult(handle).map({ PostgreSQLResult($0) }) {
            if result.status != PGRES_COMMAND_OK { fault = fault ?? result.fault }
        }
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw lose(String(cString: PQerrorMessage(handle)))
        }
        if let fault { throw fault }
    }

    /// Texts as C has them, with a null behind the last.
    private static func withTexts<Value>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("the null is always there") }
            return body(start)
        }
    }
}

/// What stops a connection's statement from another thread.
final class PostgreSQLCancellation: @unchecked Sendable {
    // Unchecked: PQcancel may be called by any thread, and the pointer lives as long as this object.
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        PQfreeCancel(handle)
    }

    /// Asks the server to stop what it does for the connection; blocks while asking.
    func cancel() {
        var words = [CChar](repeating: 0, count: 256)
        // Whether or not the server hears it, the connection is closed next.
        _ = PQcancel(handle, &words, Int32(clamping: words.count))
    }
}

extension Duration {
    /// For `poll`, which takes whole milliseconds; at least one, so that a wait is never a spin.
    var wholePollMilliseconds: Int64 {
        max(1, wholeMilliseconds)
    }
}
