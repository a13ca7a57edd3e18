import Domain
import Synchronization

/// A number that only grows.
package final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    package init() {}

    package func add(_ number: UInt64 = 1) {
        count.add(number, ordering: .relaxed)
    }

    package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// How long something took: numbers of events by upper limits.
package final class Histogram: Sendable {
    /// Upper limits in microseconds; one more bucket takes what is longer.
    package static let limits: [UInt64] = [
        250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
    ]

    private let buckets = (0...Histogram.limits.count).map { _ in Counter() }
    private let microseconds = Counter()

    package init() {}

    package func note(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let length = UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000_000)
        var bucket = 0
        while bucket < Self.limits.count, length > Self.limits[bucket] { bucket += 1 }
        buckets[bucket].add()
        microseconds.add(length)
    }

    /// The numbers of events up to each limit, the last one being all; and the sum in microseconds.
    package var reading: (cumulative: [UInt64], microseconds: UInt64) {
        var sum: UInt64 = 0
        let cumulative = buckets.map { bucket in
            sum += bucket.value
            return sum
        }
        return (cumulative, microseconds.value)
    }

    /// The same as a value to be shown.
    var value: MetricSample.Value {
        let (cumulative, microseconds) = reading
        return .histogram(limits: Self.limits, cumulative: cumulative, microseconds: microseconds)
    }
}
