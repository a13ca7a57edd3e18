import Domain
import Foundation

/// An instant in the time zone of this machine, in whole seconds.
enum LocalTime {
    /// - Parameters:
    ///   - milliseconds: Since 1970-01-01T00:00:00Z.
    ///   - separator: What stands between year, month and day.
    /// - Returns: For example `2026-11-21 09:15:42`.
    static func text(millisecondsSince1970 milliseconds: Int64, separator: String = "-") -> String {
        var seconds = time_t(milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000)
        var parts = tm()
        tzset()
        localtime_r(&seconds, &parts)
        let date = [padded(parts.tm_year + 1900, 4), padded(parts.tm_mon + 1, 2), padded(parts.tm_mday, 2)]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0, 2) }
        return date.joined(separator: separator) + " " + time.joined(separator: ":")
    }

    private static func padded(_ number: Int32, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension Timestamp {
    /// The instant as a table shows it.
    var localText: String { LocalTime.text(millisecondsSince1970: milliseconds) }
}
