import Synchronization

/// What is counted of one route. Written at every request, so without locks and look-ups; made at the first one, as a server has
/// hundreds of routes that nobody asks.
package final class RouteMetrics: Sendable {
    package let method: String
    package let path: String
    private let counts = AtomicLazyReference<Counts>()

    private final class Counts: Sendable {
        let latency = Histogram()
        /// One counter for each status that is sent, and a last one for all others.
        let answers = (0...RouteMetrics.statuses.count).map { _ in Counter() }
    }

    private static let statuses = [
        200, 201, 204, 400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 500, 503,
    ]
    /// The index of a status in `statuses`.
    private static let indices: [Int] = (0..<600).map { statuses.firstIndex(of: $0) ?? statuses.count }

    package init(method: String, path: String) {
        self.method = method
        self.path = path
    }

    package func note(status: Int, _ duration: Duration) {
        let counts = counts.load() ?? counts.storeIfNil(Counts())
        counts.answers[(0..<600).contains(status) ? Self.indices[status] : Self.statuses.count].add()
        counts.latency.note(duration)
    }

    /// The statuses that were answered, with their numbers.
    package var answered: [(status: String, count: UInt64)] {
        guard let counts = counts.load() else { return [] }
        return zip(Self.statuses.map(String.init) + ["other"], counts.answers).compactMap { status, counter in
            counter.value == 0 ? nil : (status, counter.value)
        }
    }

    /// How long the requests took; `nil` before the first one.
    package var latency: Histogram? { counts.load()?.latency }
}
