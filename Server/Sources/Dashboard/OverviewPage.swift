import Domain
import HTTPSupport
import Hummingbird
@_spi(TotalConversions) import OkaeriWire
import PageSupport

/// `/dashboard/app/ID`: what happened, in numbers and pictures.
enum OverviewPage {
    static let routes = [DashboardRoute(.init("/app/{application}", .readOverview), show)]

    private static let spans = [1, 7, 30, 90]

    @Sendable private static func show(_ request: DashboardRequest) async throws -> Response {
        let application = try request.targetApplication()
        let days = Int(request.page.query.text("days"), radix: 10).flatMap { Self.spans.contains($0) ? $0 : nil } ?? 7
        let overview = try await request.rules.statistics.readOverview(of: application.id, days: days)
        // By the hour for one day, else by the day.
        let step: Int64 = days == 1 ? 1 : 24
        func series(_ name: Statistic.Name) -> [Int64] {
            let sums = Dictionary(
                overview.statistics.filter { $0.name == name }.map { ($0.hour / step, $0.value) }, uniquingKeysWith: +)
            return stride(from: overview.hours.lowerBound / step, through: overview.hours.upperBound / step, by: 1)
                .map { sums[$0] ?? 0 }
        }
        let users = series(.newUsers)
        let upgrades = series(.audit(.userUpgraded, .done))
        let (made, upgraded) = (users.reduce(0, +), upgrades.reduce(0, +))
        let refused = Dictionary(
            overview.statistics.compactMap { statistic in
                statistic.name.refusedAction.map { ($0, statistic.value) }
            },
            uniquingKeysWith: +
        ).sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        let starts = stride(
            from: overview.hours.lowerBound, through: overview.hours.upperBound, by: Int(clamping: step)
        ).map {
            Timestamp(hour: $0).text
        }
        func chart(_ name: String, _ values: [Int64]) -> PageTemplates.Model {
            [
                "title": request.text("overview.\(name)"), "sum": String(values.reduce(0, +)),
                "svg": PageMarkup(BarChart(values: values).svg),
                "rows": zip(starts, values).map { ["time": $0, "value": String($1)] as PageTemplates.Model },
            ]
        }
        let model: PageTemplates.Model = [
            "tiles": [
                ("users", String(overview.userCount)), ("activeToday", String(overview.activeToday)),
                ("activeMonth", String(overview.activeMonth)),
                ("conversion", Self.percent(upgraded, of: made)),
            ].map { ["label": request.text("overview.\($0)"), "value": $1] as PageTemplates.Model },
            "charts": [
                chart("newUsers", users), chart("upgrades", upgrades),
                chart("logIns", series(.audit(.loggedIn, .done))),
            ],
            "refused": refused.map { action, count -> PageTemplates.Model in
                var model: PageTemplates.Model = [
                    "action": request.word(action), "identifier": action.rawValue, "count": String(count),
                ]
                // Who was refused, and when, stands in the audit log.
                if request.offers(.readAudit) {
                    model["link"] = "\(request.path("audit"))?\(FormValues.query([("action", action.rawValue)]))"
                }
                return model
            },
            "hasRefused": !refused.isEmpty,
            "spans": Self.spans.map { span -> PageTemplates.Model in
                [
                    "label": request.text("overview.days\(span)"), "link": "\(request.path())?days=\(span)",
                    "isCurrent": span == days,
                ]
            },
        ]
        return try request.html("overview", title: request.text("nav.overview"), model)
    }
}

extension OverviewPage {
    /// With one digit behind the point; a dash when there is no whole.
    fileprivate static func percent(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "–" }
        let tenths = part.multipliedWithSaturation(by: 1000) / whole
        return "\(tenths / 10).\(tenths % 10)%"
    }
}

/// Bars as SVG. A table beside it says the same to who cannot see it.
struct BarChart: Sendable {
    let values: [Int64]

    var svg: String {
        let (width, height) = (600.0, 140.0)
        let top = Double(max(values.max() ?? 0, 1))
        let slot = width / Double(max(values.count, 1))
        let gap = min(4, slot / 4)
        let bars = values.enumerated().map { index, value -> String in
            let tall = value == 0 ? 0 : max(2, Double(value) / top * (height - 8))
            return Self.rect(Double(index) * slot + gap / 2, height - tall, slot - gap, tall)
        }
        return """
            <svg class="chart" viewBox="0 0 600 141" preserveAspectRatio="none" aria-hidden="true" focusable="false">\
            \(bars.joined())<path class="base" d="M0 140.5h600"/></svg>
            """
    }

    private static func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String {
        func short(_ number: Double) -> String { String((number * 10).rounded() / 10) }
        return
            "<rect x=\"\(short(x))\" y=\"\(short(y))\" width=\"\(short(width))\" height=\"\(short(height))\" rx=\"2\"/>"
    }
}

extension Timestamp {
    /// RFC 3339, UTC, for scripts to show by the reader's own clock.
    var text: String { wire.description }

    /// A day: `2026-11-21`, at its beginning in UTC; `nil` for any other text.
    init?(day text: String) {
        guard let time = WireTime("\(text)T00:00:00.000Z") else { return nil }
        self.init(milliseconds: time.millisecondsSince1970)
    }
}
