import Domain

/// Whether a node's clock stands where that of the database does, which all nodes have in common.
///
/// What nodes leave each other in the database ends by the clock of the one that wrote it: a code that was mailed, and
/// the span for which one of them alone sends a mail or an event.
struct ClockComparison {
    private static let interval: UInt64 = 60_000_000_000
    /// By then somebody listens to faults.
    private static let beginning: UInt64 = 500_000_000
    /// A node has a mail or an event for itself for two minutes, and a call may take most of them.
    private static let tolerance: Duration = .seconds(30)

    /// Nanoseconds of `MonotonicTime`.
    private var dueAt: UInt64

    init(from now: UInt64) { dueAt = now + Self.beginning }

    /// - Returns: whether the clocks are to be compared now; then no more for a minute.
    mutating func isDue(at now: UInt64) -> Bool {
        guard now >= dueAt else { return false }
        dueAt = now + Self.interval
        return true
    }

    /// - Parameters:
    ///   - link: A connection on which nothing is under way.
    ///   - clock: The node's.
    /// - Returns: a sentence for the log; `nil` where the clocks agree well enough.
    /// - Throws: what is wrong with the connection.
    static func finding(_ link: PostgreSQLLink, _ clock: any WallClock) throws(PostgreSQLFault) -> String? {
        let time = try link.databaseTime(within: .seconds(4))
        let lead = clock.now - time
        let (isAhead, difference) = (lead > .zero, max(lead, .zero - lead))
        guard difference > tolerance else { return nil }
        return """
            This machine's clock is \(difference.components.seconds) seconds \(isAhead ? "ahead of" : "behind") the \
            database's. Codes that were mailed end too early or too late, mails and events may be sent twice, and devices \
            are refused with clock_skew. Let all machines follow a time server.
            """
    }
}

extension PostgreSQLLink {
    /// The time by the database's clock.
    func databaseTime(within patience: Duration? = nil) throws(PostgreSQLFault) -> Timestamp {
        let found = try run("SELECT (1000 * EXTRACT(EPOCH FROM clock_timestamp()))::bigint", within: patience)
        return Timestamp(milliseconds: found.row(0).integer(0))
    }
}
