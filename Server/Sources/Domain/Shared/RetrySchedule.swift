/// When something that failed is tried again.
///
/// Each wait is a quarter more or less, by chance: what failed together, and the nodes of one server, do not all come back in
/// the same moment.
struct RetrySchedule: Hashable, Sendable {
    private let waits: [Duration]
    private let hasEnd: Bool

    /// Waits one after the other; then no more is tried.
    init(_ waits: Duration...) {
        self.waits = waits
        hasEnd = true
    }

    /// Waits that double with each failure, without end.
    ///
    /// - Parameters:
    ///   - first: The wait after the first failure, more than zero.
    ///   - longest: The wait that is never exceeded but by chance.
    init(doublingFrom first: Duration, upTo longest: Duration) {
        var waits = [first]
        while let last = waits.last, last < longest, waits.count < 64 { waits.append(min(last * 2, longest)) }
        self.waits = waits
        hasEnd = false
    }

    /// The wait without chance.
    ///
    /// - Parameter tries: How many have failed; less than one is taken for one.
    /// - Returns: `nil` when no more is tried.
    func meanWait(after tries: Int) -> Duration? {
        let index = max(tries, 1) - 1
        return waits.indices.contains(index) ? waits[index] : hasEnd ? nil : waits.last
    }

    /// What no wait exceeds, also by chance. A time that is stored and later than that from now was written before the clock
    /// was set back.
    var longest: Duration { .milliseconds((waits.max() ?? .zero).wholeMilliseconds * 5 / 4) }

    /// - Parameters:
    ///   - tries: How many have failed; less than one is taken for one.
    ///   - randomness: Decides on the quarter more or less.
    /// - Returns: the wait in whole milliseconds; `nil` when no more is tried.
    func wait(after tries: Int, by randomness: any Randomness) -> Duration? {
        guard let wait = meanWait(after: tries)?.wholeMilliseconds else { return nil }
        let chance = randomness.bytes(2).reduce(Int64(0)) { $0 << 8 | Int64(clamping: $1) }
        return .milliseconds(wait * 3 / 4 + wait / 2 * chance / 65_536)
    }
}
