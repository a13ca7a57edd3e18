@_spi(TotalConversions) import enum OkaeriWire.JSONValue
import Synchronization

/// An instant, in whole milliseconds since 1970-01-01T00:00:00Z, in the years 0000 to 9999, which are those that can be
/// written (RFC 3339 §1).
///
/// No value is outside of them, wherever it comes from, so that sums and texts of instants have a result in any case
/// (decision 0052).
package struct Timestamp: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    /// The milliseconds of the years 0000 to 9999.
    package static var range: ClosedRange<Int64> { -62_167_219_200_000...253_402_300_799_999 }
    package static var earliest: Timestamp { Timestamp(milliseconds: range.lowerBound) }
    package static var latest: Timestamp { Timestamp(milliseconds: range.upperBound) }

    /// An instant of our own. What is beyond the years 0000 to 9999 becomes the nearer end of them: a row of the
    /// database that says so can be read, and what is added to a time that never ends stays one.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// An instant that somebody else wrote; `nil` when it is beyond the years 0000 to 9999.
    package init?(exactly milliseconds: Int64) {
        guard Self.range.contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
    }

    /// A NumericDate of a token (RFC 7519 §2): seconds since 1970, with or without a fraction.
    ///
    /// - Returns: `nil` when it is beyond the years 0000 to 9999, and for NaN.
    package init?(secondsSince1970 seconds: Double) {
        guard !seconds.isNaN else { return nil }
        // Twice the range fits into 53 bits: what is near it is exact, and what is not stays outside.
        self.init(exactly: Int64(clamping: seconds * 1000))
    }

    /// The milliseconds as six bytes, which sort by time; enough for 8,900 years, and so for all. Times before
    /// 1970 are 0.
    package var orderedBytes: [UInt8] {
        let number = UInt64(clamping: milliseconds)
        return (0..<6).map { UInt8(truncatingIfNeeded: number >> (40 - 8 * $0)) }
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant after a span; the end of year 9999 or the beginning of year 0000 when that is beyond.
    package static func + (instant: Timestamp, span: Duration) -> Timestamp {
        // Neither has more than 2^60, so that the sum cannot overflow.
        Timestamp(milliseconds: instant.milliseconds + span.wholeMilliseconds)
    }

    /// The instant before a span; the beginning of year 0000 or the end of year 9999 when that is beyond.
    package static func - (instant: Timestamp, span: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds - span.wholeMilliseconds)
    }

    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    /// 2^50 seconds, 35 million years.
    private static var longest: Duration { .seconds(1 << 50) }

    /// The whole milliseconds of the span; a fraction is cut, and so is what is longer than 35 million years, which no
    /// instant is away from another.
    package var wholeMilliseconds: Int64 {
        // A span may have more seconds than the 64 bits that its components have.
        let (seconds, attoseconds) = min(max(self, .zero - Self.longest), Self.longest).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// The span in seconds, rounded up, as `Retry-After` wants it.
    package var secondsRoundedUp: Int64 { (wholeMilliseconds + 999) / 1000 }

    /// A span of whole days, at most as many as 64 bits hold seconds of.
    package static func days(_ count: some BinaryInteger) -> Duration {
        .seconds(Int64(clamping: count).multipliedWithSaturation(by: 86_400))
    }
}

extension Timestamp {
    /// The day, counted from 1970-01-01 in UTC.
    package var day: Int64 { milliseconds / 86_400_000 }

    /// The first moment of a day.
    package init(day: Int64) { self.init(milliseconds: day.multipliedWithSaturation(by: 86_400_000)) }

    /// The hour, counted from 1970 in UTC.
    package var hour: Int64 { milliseconds / 3_600_000 }

    package init(hour: Int64) {
        self.init(milliseconds: hour.multipliedWithSaturation(by: 3_600_000))
    }
}

/// The time of day. Injected, so that tests stand still.
package protocol WallClock: Sendable {
    var now: Timestamp { get }
}

/// Whether the time of day has gone on evenly for an hour. A machine that has just started may have another time until it hears
/// the right one. Where it is ahead, all that waits for a time seems over, and may be removed only then (decision 0218). Where it
/// is behind, right times seem to come (decision 0200).
package final class ClockSteadiness: Sendable {
    private static let span: Duration = .seconds(3600)
    /// Rounds of a minute that have much to do are further apart.
    private static let longestStep: Duration = .seconds(600)

    private let seen = Mutex<(since: Timestamp, last: Timestamp)?>(nil)

    package init() {}

    /// Notes the time of a round, and says whether the rounds of the last hour had theirs one after the other.
    package func isSteady(at now: Timestamp) -> Bool {
        seen.withLock { seen in
            guard let known = seen, now >= known.last, now - known.last <= Self.longestStep else {
                seen = (since: now, last: now)
                return false
            }
            seen = (since: known.since, last: now)
            return now - known.since >= Self.span
        }
    }
}
