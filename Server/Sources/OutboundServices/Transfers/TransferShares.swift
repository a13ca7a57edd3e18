/// Transfers that ended while their name was looked up. libcurl leaves the thread that asks a silent name server to itself, so
/// each of them counts as under way until that thread has surely ended: otherwise who calls and leaves, again and again, would
/// fill the process with threads.
struct AbandonedLookups<Transfer> {
    /// The longest that the system's resolver takes: two tries of five seconds at each of three name servers.
    static var longest: Duration { .seconds(30) }

    private var entries: [(transfer: Transfer, end: ContinuousClock.Instant)] = []

    mutating func add(_ transfer: Transfer, at now: ContinuousClock.Instant) {
        entries.append((transfer, now + Self.longest))
    }

    /// Takes those out whose look-up is over.
    mutating func takeEnded(at now: ContinuousClock.Instant) -> [Transfer] {
        guard let first = entries.first, first.end <= now else { return [] }
        let count = entries.firstIndex { $0.end > now } ?? entries.count
        defer { entries.removeFirst(count) }
        return entries.prefix(count).map(\.transfer)
    }
}
