package import Domain
import Synchronization

/// What is counted of events on their way to the backends of apps.
package final class EventMetrics: Sendable {
    private let clock: any WallClock
    private let (delivered, failed, givenUp) = (Counter(), Counter(), Counter())
    private let backlog = Mutex<EventBacklog?>(nil)

    /// - Parameter clock: By which the oldest event has an age.
    package init(clock: any WallClock) {
        self.clock = clock
    }

    /// - Parameter part: What became of some deliveries.
    package func note(_ part: DeliverEvents.Round) {
        delivered.add(UInt64(clamping: part.delivered))
        failed.add(UInt64(clamping: part.postponed))
        givenUp.add(UInt64(clamping: part.givenUp))
    }

    /// - Parameter backlog: What waits now.
    package func note(_ backlog: EventBacklog) { self.backlog.withLock { $0 = backlog } }

    /// What waits is there once it was counted.
    package var families: [MetricFamily] {
        var calls = MetricFamily(
            "okaeri_event_deliveries_total", .counter,
            "Calls that delivered an event or failed, by what became of the event.")
        calls.add([MetricLabel("result", "delivered")], .count(delivered.value))
        calls.add([MetricLabel("result", "failed")], .count(failed.value))
        calls.add([MetricLabel("result", "given_up")], .count(givenUp.value))
        guard let backlog = backlog.withLock({ $0 }) else { return [calls] }
        var kept = MetricFamily(
            "okaeri_event_deliveries", .gauge,
            "Events that wait for an endpoint or were given up; \(CountEventBacklog.limit) are counted at the most.")
        kept.add([MetricLabel("state", "waiting")], .count(UInt64(clamping: backlog.waiting)))
        kept.add([MetricLabel("state", "given_up")], .count(UInt64(clamping: backlog.givenUp)))
        let lag = backlog.unorderedSince.map { max(.zero, clock.now - $0) / .seconds(1) } ?? 0
        return [
            calls, kept,
            MetricFamily(
                "okaeri_event_ordering_lag_seconds", .gauge, "Age of the oldest event that has no position yet.",
                .number(lag)),
        ]
    }
}
