/// Counts of response times, in buckets that are never wider than one part in 128 of the time that they stand for.
package struct LatencyHistogram: Sendable {
    private static let bucketsPerOctave = 128
    private static let octaves = 30

    private var counts = [UInt32](repeating: 0, count: bucketsPerOctave * octaves)
    package private(set) var count = 0

    package init() {}

    /// Notes one response time, in nanoseconds; below about a microsecond all are alike.
    package mutating func record(nanoseconds: Int64) {
        counts[Self.bucket(of: UInt64(max(0, nanoseconds)) >> 10)] += 1
        count += 1
    }

    /// The time within which a share of the answers came, in microseconds; 0 when there were none.
    package func microseconds(atQuantile quantile: Double) -> Double {
        guard count > 0 else { return 0 }
        let rank = max(1, Int((Double(count) * quantile).rounded(.up)))
        var seen = 0
        for (bucket, count) in counts.enumerated() {
            seen += Int(count)
            if seen >= rank { return Double(Self.upperBound(of: bucket)) * 1.024 }
        }
        return Double(Self.upperBound(of: counts.count - 1)) * 1.024
    }

    private static func bucket(of value: UInt64) -> Int {
        guard value >= UInt64(bucketsPerOctave) else { return Int(value) }
        let shift = UInt64.bitWidth - value.leadingZeroBitCount - 8
        let bucket = (shift + 1) * bucketsPerOctave + Int(value >> UInt64(shift)) - bucketsPerOctave
        return min(bucket, bucketsPerOctave * octaves - 1)
    }

    private static func upperBound(of bucket: Int) -> UInt64 {
        guard bucket >= bucketsPerOctave else { return UInt64(bucket + 1) }
        let shift = UInt64(bucket / bucketsPerOctave - 1)
        return UInt64(bucket % bucketsPerOctave + bucketsPerOctave + 1) << shift
    }
}
