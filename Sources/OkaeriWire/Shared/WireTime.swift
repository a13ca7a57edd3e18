/// An instant as the API writes it: RFC 3339, UTC, with milliseconds (`2026-11-21T09:15:42.123Z`).
public struct WireTime: Hashable, Comparable, Sendable {
    /// The beginning of year 0000, UTC, before which nothing can be written (RFC 3339 §1).
    public static let earliest = WireTime(millisecondsSince1970: -62_167_219_200_000)
    /// The last millisecond of year 9999, UTC.
    public static let latest = WireTime(millisecondsSince1970: 253_402_300_799_999)

    private static var range: ClosedRange<Int64> { -62_167_219_200_000...253_402_300_799_999 }

    private var milliseconds: Int64

    /// Milliseconds since 1970-01-01T00:00:00Z, from ``earliest`` to ``latest``; what is beyond becomes the nearer of them.
    public var millisecondsSince1970: Int64 {
        get { milliseconds }
        set { self = WireTime(millisecondsSince1970: newValue) }
    }

    /// Makes an instant from milliseconds since 1970, UTC. What is beyond the years 0000 to 9999 becomes ``earliest`` or
    /// ``latest``.
    public init(millisecondsSince1970: Int64) {
        milliseconds = min(max(millisecondsSince1970, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Orders by time.
    public static func < (left: WireTime, right: WireTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension WireTime: CustomStringConvertible {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// The RFC 3339 form in UTC with exactly three digits of fraction.
    public var description: String {
        let (days, rest) = milliseconds.flooredDivision(by: Self.millisecondsPerDay)
        let (year, month, day) = Self.date(fromDaysSince1970: days)
        return String(unsafeUninitializedCapacity: 24) { buffer in
            var at = 0
            func digits(_ value: Int64, _ count: Int) {
                var value = value
                for position in stride(from: at + count - 1, through: at, by: -1) {
                    buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
                    value /= 10
                }
                at += count
            }
            func mark(_ character: Unicode.Scalar) {
                buffer[at] = UInt8(ascii: character)
                at += 1
            }
            digits(year, 4)
            mark("-")
            digits(month, 2)
            mark("-")
            digits(day, 2)
            mark("T")
            digits(rest / 3_600_000, 2)
            mark(":")
            digits(rest / 60_000 % 60, 2)
            mark(":")
            digits(rest / 1000 % 60, 2)
            mark(".")
            digits(rest % 1000, 3)
            mark("Z")
            return at
        }
    }

    /// Reads an RFC 3339 date-time (§5.6): any offset, any number of fraction digits (cut to milliseconds).
    ///
    /// `nil` when the text has another form, or names a day that does not exist or an instant that is before year 0000 or
    /// after year 9999 in UTC: `0000-01-01T00:00:00+23:59` could not be written again.
    ///
    /// - Parameter text: For example `2026-11-21T18:15:42+09:00`.
    public init?(_ text: String) {
        var reader = DigitReader(bytes: Array(text.utf8))
        guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
            let day = reader.digits(2), reader.take("T") || reader.take("t"),
            let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2), reader.take(":"),
            let second = reader.digits(2), hour < 24, minute < 60, second <= 60, (1...12).contains(month), day >= 1
        else { return nil }
        guard let fraction = reader.fraction(), let offset = reader.offsetMinutes(), reader.isAtEnd else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        guard Self.date(fromDaysSince1970: days) == (year, month, day) else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
        // A leap second at the end of year 9999 is the first of the next, too.
        guard Self.range.contains(seconds * 1000 + fraction) else { return nil }
        self.init(millisecondsSince1970: seconds * 1000 + fraction)
    }

    /// The proleptic Gregorian date of a day number; years begin in March so that the leap day comes last.
    private static func date(fromDaysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension WireTime: Codable {
    /// Reads the RFC 3339 form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = WireTime(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 date-time")
        }
        self = time
    }

    /// Writes the RFC 3339 form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Int64 {
    /// The quotient rounded down and the remainder that is never negative.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads fixed-width ASCII numbers from the front of a text.
private struct DigitReader {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func digits(_ count: Int) -> Int64? {
        guard count <= bytes.count - position else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<(position + count)] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int64(truncatingIfNeeded: byte - UInt8(ascii: "0"))
        }
        position += count
        return value
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Milliseconds of an optional fraction; `nil` when a point has no digit after it.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        guard var value = digits(1) else { return nil }
        var count = 1
        while let digit = digits(1) {
            if count < 3 {
                value = value * 10 + digit
                count += 1
            }
        }
        for _ in count..<3 { value *= 10 }
        return value
    }

    mutating func offsetMinutes() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = take("-") ? -1 : take("+") ? 1 : 0
        guard sign != 0, let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }
}
