/// An instant, in whole milliseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The milliseconds as six bytes, which lie in the order of time; enough for 8,900 years.
    package var orderedBytes: [UInt8] {
        let number = UInt64(max(0, milliseconds))
        return (0..<6).map { UInt8(truncatingIfNeeded: number >> UInt64(40 - 8 * $0)) }
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (instant: Timestamp, span: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds + span.wholeMilliseconds)
    }

    package static func - (instant: Timestamp, span: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds - span.wholeMilliseconds)
    }

    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    /// The whole milliseconds of the span; a fraction is cut.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// The span in seconds, rounded up, as `Retry-After` wants it.
    package var secondsRoundedUp: Int64 { (wholeMilliseconds + 999) / 1000 }

    /// A span of whole days.
    package static func days(_ count: Int64) -> Duration { .seconds(count * 86_400) }
}

/// The time of day. Injected, so that tests stand still.
package protocol WallClock: Sendable {
    var now: Timestamp { get }
}
