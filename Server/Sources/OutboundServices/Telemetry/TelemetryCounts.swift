package import Domain
import Synchronization

/// What is counted of traces and metrics on their way to the collector.
package final class TelemetryCounts: Sendable {
    private let queue: SpanQueue?
    private let sent = Atomic<UInt64>(0)
    private let refused = Atomic<UInt64>(0)
    private let left = Atomic<UInt64>(0)
    private let faults = Signal.allCases.map { _ in Cell() }

    /// What is sent by itself.
    package enum Signal: String, CaseIterable, Sendable {
        case traces
        case metrics
    }

    private final class Cell: Sendable {
        let count = Atomic<UInt64>(0)
    }

    /// - Parameter queue: Where spans wait; `nil` without traces.
    package init(queue: SpanQueue?) {
        self.queue = queue
    }

    package func noteSent(spans: Int) { sent.add(UInt64(clamping: spans), ordering: .relaxed) }

    /// The collector will not have them.
    package func noteRefused(spans: Int) { refused.add(UInt64(clamping: spans), ordering: .relaxed) }

    /// The server stopped before they were sent.
    package func noteLeft(spans: Int) { left.add(UInt64(clamping: spans), ordering: .relaxed) }

    /// A message was not taken.
    package func noteFault(_ signal: Signal) {
        for (one, cell) in zip(Signal.allCases, faults) where one == signal { cell.count.add(1, ordering: .relaxed) }
    }

    package var families: [MetricFamily] {
        var families: [MetricFamily] = []
        if let queue {
            families.append(
                MetricFamily(
                    "okaeri_spans_sent_total", .counter, "Spans that the collector took.",
                    .count(sent.load(ordering: .relaxed))))
            var dropped = MetricFamily("okaeri_spans_dropped_total", .counter, "Spans that nobody gets, by reason.")
            dropped.add([MetricLabel("reason", "queue_full")], .count(queue.dropped))
            dropped.add([MetricLabel("reason", "collector")], .count(refused.load(ordering: .relaxed)))
            dropped.add([MetricLabel("reason", "stop")], .count(left.load(ordering: .relaxed)))
            families.append(dropped)
            families.append(
                MetricFamily(
                    "okaeri_spans_waiting", .gauge, "Spans that wait to be sent.", .count(UInt64(clamping: queue.count))
                ))
        }
        var failed = MetricFamily(
            "okaeri_telemetry_faults_total", .counter, "Messages that the collector did not take, by signal.")
        for (signal, cell) in zip(Signal.allCases, faults) {
            failed.add([MetricLabel("signal", signal.rawValue)], .count(cell.count.load(ordering: .relaxed)))
        }
        families.append(failed)
        return families
    }
}
