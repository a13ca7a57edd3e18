import Domain

/// What is counted of connections.
package final class ConnectionMetrics: Sendable {
    let opened = Counter()
    let closed = Counter()
    /// How often the system had no more files for a connection.
    package let acceptFaults = Counter()
    private let refusals = ConnectionLimiter.Refusal.allCases.map { _ in Counter() }
    private let cuts = ConnectionTimeouts.Cause.allCases.map { _ in Counter() }

    package init() {}

    func refused(_ reason: ConnectionLimiter.Refusal) {
        for (one, counter) in zip(ConnectionLimiter.Refusal.allCases, refusals) where one == reason { counter.add() }
    }

    func cut(_ cause: ConnectionTimeouts.Cause) {
        for (one, counter) in zip(ConnectionTimeouts.Cause.allCases, cuts) where one == cause { counter.add() }
    }

    /// How many connections are served now.
    package var open: UInt64 {
        let closed = closed.value
        let opened = opened.value
        return opened > closed ? opened - closed : 0
    }

    var families: [MetricFamily] {
        var refused = MetricFamily(
            "okaeri_connections_refused_total", .counter, "Connections refused by a limit, by which.")
        for (reason, counter) in zip(ConnectionLimiter.Refusal.allCases, refusals) {
            refused.add([MetricLabel("limit", reason.rawValue)], .count(counter.value))
        }
        var cut = MetricFamily("okaeri_connections_cut_total", .counter, "Connections that took too long, by what.")
        for (cause, counter) in zip(ConnectionTimeouts.Cause.allCases, cuts) {
            cut.add([MetricLabel("cause", cause.rawValue)], .count(counter.value))
        }
        return [
            MetricFamily("okaeri_connections", .gauge, "Open connections.", .count(open)), refused, cut,
            MetricFamily(
                "okaeri_accept_faults_total", .counter, "Times that the system could not open one more connection.",
                .count(acceptFaults.value)),
        ]
    }
}
