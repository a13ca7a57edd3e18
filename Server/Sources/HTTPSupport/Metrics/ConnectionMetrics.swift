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

    func write(to page: inout PrometheusPage) {
        page.begin("okaeri_connections", .gauge, "Open connections.")
        page.sample("okaeri_connections", [], "\(open)")
        page.begin("okaeri_connections_refused_total", .counter, "Connections refused by a limit, by which.")
        for (reason, counter) in zip(ConnectionLimiter.Refusal.allCases, refusals) {
            page.sample("okaeri_connections_refused_total", [("limit", reason.rawValue)], "\(counter.value)")
        }
        page.begin("okaeri_connections_cut_total", .counter, "Connections that took too long, by what.")
        for (cause, counter) in zip(ConnectionTimeouts.Cause.allCases, cuts) {
            page.sample("okaeri_connections_cut_total", [("cause", cause.rawValue)], "\(counter.value)")
        }
        page.begin(
            "okaeri_accept_faults_total", .counter, "Times that the system could not open one more connection.")
        page.sample("okaeri_accept_faults_total", [], "\(acceptFaults.value)")
    }
}
