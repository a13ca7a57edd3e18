import Domain
import Foundation

/// An instant as `2026-11-21 14:30`, in UTC.
enum TimeText {
    static func text(_ instant: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
        return date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon)
                .year().month().day().time(includingFractionalSeconds: false)
        ).dropLast(3).description
    }
}
