/// A span of time as mails and pages say it, in one unit or two: `90 seconds`, `24 hours`, `1 hour 30 minutes`, `7 days`.
package struct DurationText: Sendable {
    private enum Unit: Sendable {
        case second, minute, hour, day
    }

    private let parts: [(count: Int64, unit: Unit)]

    /// - Parameter span: Rounded up: to seconds up to a minute and a half, to minutes below two days, to hours beyond. Never more than a
    ///   million days.
    package init(_ span: Duration) {
        let seconds = min(max(0, span.secondsRoundedUp), 1_000_000 * 86_400)
        let minutes = (seconds + 59) / 60
        let hours = (minutes + 59) / 60
        if seconds <= 90, seconds != 60 {
            parts = [(seconds, .second)]
        } else if minutes < 2 * 24 * 60 {
            parts = Self.said([(minutes / 60, .hour), (minutes % 60, .minute)])
        } else {
            parts = Self.said([(hours / 24, .day), (hours % 24, .hour)])
        }
    }

    private static func said(_ parts: [(count: Int64, unit: Unit)]) -> [(count: Int64, unit: Unit)] {
        parts.filter { $0.count > 0 }
    }

    package func text(in language: MailLanguage) -> String {
        parts.map { "\($0.count)\(Self.word($0.unit, $0.count, language))" }
            .joined(separator: language == .japanese ? "" : " ")
    }

    private static func word(_ unit: Unit, _ count: Int64, _ language: MailLanguage) -> String {
        switch (language, unit) {
        case (.english, .second): count == 1 ? " second" : " seconds"
        case (.english, .minute): count == 1 ? " minute" : " minutes"
        case (.english, .hour): count == 1 ? " hour" : " hours"
        case (.english, .day): count == 1 ? " day" : " days"
        case (.japanese, .second): "秒"
        case (.japanese, .minute): "分"
        case (.japanese, .hour): "時間"
        case (.japanese, .day): "日"
        case (.korean, .second): "초"
        case (.korean, .minute): "분"
        case (.korean, .hour): "시간"
        case (.korean, .day): "일"
        }
    }
}
