import Foundation
@_spi(TotalConversions) import OkaeriWire
import Testing

@Suite("Conversions that cannot stop the process")
struct TotalConversionsTests {
    @Test(
        "take any double to the nearest integer",
        arguments: [
            (0, 0), (-0.0, 0), (1.9, 1), (-1.9, -1), (0x1p53, 9_007_199_254_740_992), (0x1p63, .max), (-0x1p63, .min),
            (0x1p63.nextDown, 9_223_372_036_854_774_784), ((-0x1p63).nextDown, .min), (1e300, .max), (-1e300, .min),
            (.infinity, .max), (-.infinity, .min), (.nan, 0), (.signalingNaN, 0), (.leastNonzeroMagnitude, 0),
        ] as [(Double, Int64)])
    func doubles(number: Double, expected: Int64) {
        #expect(Int64(clamping: number) == expected)
        #expect(UInt8(clamping: number) == UInt8(clamping: expected))
        #expect(Int32(clamping: number) == Int32(clamping: expected))
    }

    static let edges: [Int64] = [
        .min, .min + 1, -0x1p32.whole, -1000, -2, -1, 0, 1, 2, 1000, 0x1p32.whole, .max - 1, .max,
    ]

    @Test("add, subtract and multiply to the nearest end of the range, at both ends", arguments: edges, edges)
    func arithmetic(left: Int64, right: Int64) {
        // With 128 bits nothing overflows.
        let (wideLeft, wideRight) = (Wide(left), Wide(right))
        #expect(left.addingWithSaturation(right) == (wideLeft + wideRight).clamped)
        #expect(left.subtractingWithSaturation(right) == (wideLeft - wideRight).clamped)
        #expect(left.multipliedWithSaturation(by: right) == (wideLeft * wideRight).clamped)
        // Unsigned numbers have their lower end at 0.
        let (first, second) = (UInt64(bitPattern: left), UInt64(bitPattern: right))
        #expect(first.addingWithSaturation(second) >= max(first, second))
        #expect(first.subtractingWithSaturation(second) == (first > second ? first - second : 0))
    }

    /// Enough of a wider number for the checks above.
    private struct Wide {
        let value: Decimal

        init(_ value: Int64) { self.value = Decimal(value) }
        private init(_ value: Decimal) { self.value = value }

        static func + (left: Wide, right: Wide) -> Wide { Wide(left.value + right.value) }
        static func - (left: Wide, right: Wide) -> Wide { Wide(left.value - right.value) }
        static func * (left: Wide, right: Wide) -> Wide { Wide(left.value * right.value) }

        var clamped: Int64 {
            if value > Decimal(Int64.max) { return .max }
            if value < Decimal(Int64.min) { return .min }
            return NSDecimalNumber(decimal: value).int64Value
        }
    }

    @Test(
        "make a span of any number of seconds",
        arguments: [
            (0, .zero), (1.5, .milliseconds(1500)), (-1.5, .milliseconds(-1500)), (.nan, .zero),
            (1e300, .seconds(Int64.max)),
            (-.infinity, .seconds(Int64.min)), (0x1p63, .seconds(Int64.max)), (0x1p62, .seconds(Int64(1) << 62)),
        ] as [(Double, Duration)])
    func spans(seconds: Double, expected: Duration) {
        #expect(Duration.seconds(clamping: seconds) == expected)
    }
}

extension Double {
    fileprivate var whole: Int64 { Int64(clamping: self) }
}
