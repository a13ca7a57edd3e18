// Conversions and arithmetic that have a result for every input, so that no number from outside can stop a process: those
// of requests, providers, files and databases in the server, those of the server's responses in the SDK. They are not part of
// the public API; the server imports them as SPI. `make lint` refuses the trapping forms elsewhere.

@_spi(TotalConversions)
extension FixedWidthInteger {
    /// The nearest integer that this type holds: a fraction is cut, NaN is 0.
    @inlinable
    public init(clamping number: Double) {
        self =
            if let exact = Self(exactly: number.rounded(.towardZero)) {
                exact
            } else {
                number.isNaN ? 0 : number < 0 ? .min : .max
            }
    }

    /// The sum, or the end of the range beyond which it is.
    @inlinable
    public func addingWithSaturation(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        guard overflows else { return sum }
        return other < 0 ? .min : .max
    }

    /// The difference, or the end of the range beyond which it is.
    @inlinable
    public func subtractingWithSaturation(_ other: Self) -> Self {
        let (difference, overflows) = subtractingReportingOverflow(other)
        guard overflows else { return difference }
        return Self.isSigned && other < 0 ? .max : .min
    }

    /// The product, or the end of the range beyond which it is.
    @inlinable
    public func multipliedWithSaturation(by other: Self) -> Self {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        guard overflows else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}

@_spi(TotalConversions)
extension Duration {
    /// A span of so many seconds, at most as many as 64 bits hold; NaN is none.
    @inlinable
    public static func seconds(clamping seconds: Double) -> Duration {
        // 2^63 and beyond would be more attoseconds than a duration has.
        if seconds.isNaN { return .zero }
        return seconds.magnitude < 0x1p63 ? .seconds(seconds) : .seconds(seconds < 0 ? Int64.min : .max)
    }
}
