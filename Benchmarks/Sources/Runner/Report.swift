import Foundation
import Measuring

/// What a whole run found: figures for people, ratios for the limits.
struct Report {
    private var figures: [(name: String, result: LoadResult)] = []
    private(set) var ratios: [Ratio] = []
    let limits: [String: Limit]

    /// A ratio, or a figure with a limit of its own.
    struct Ratio {
        let name: String
        let value: Double
        /// How it came about.
        let detail: String
    }

    /// What a ratio must keep to.
    struct Limit: Codable {
        /// What the project aims for.
        var target: Double
        /// Past this `--strict` fails; looser than the target where that is not reached, or noise asks for it.
        var limit: Double
        /// Whether larger values are better.
        var larger: Bool

        func keeps(_ value: Double, to bound: Double) -> Bool { larger ? value >= bound : value <= bound }
    }

    init(limits: [String: Limit]) {
        self.limits = limits
    }

    /// Reads the committed limits.
    static func limits(from path: String) throws -> [String: Limit] {
        try JSONDecoder().decode([String: Limit].self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Adds what a phase found.
    mutating func add(_ part: Report) {
        figures += part.figures
        ratios += part.ratios
    }

    /// Adds a run to the table of figures.
    mutating func add(_ name: String, _ result: LoadResult) {
        figures.append((name, result))
    }

    /// Adds a ratio to the table of ratios.
    mutating func add(ratio name: String, _ value: Double, _ detail: String) {
        ratios.append(Ratio(name: name, value: value, detail: detail))
    }

    /// Whether all ratios keep to their limits.
    var holds: Bool {
        ratios.allSatisfy { ratio in limits[ratio.name].map { $0.keeps(ratio.value, to: $0.limit) } ?? true }
    }

    /// Both tables, in Markdown.
    var text: String {
        var lines = [
            "| path | connections | requests/s | p50 ms | p99 ms | server µs/request | server MiB |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        lines += figures.map { name, result in
            "| \(name) | \(result.connections) | \(Int(result.requestsPerSecond.rounded())) "
                + "| \(Self.milliseconds(result.medianMicroseconds)) | \(Self.milliseconds(result.p99Microseconds)) "
                + "| \(Self.text(result.serverMicrosecondsPerRequest, digits: 1)) | \(Int(result.residentMebibytes)) |"
        }
        lines += ["", "| ratio | measured | target | limit | | made of |", "| --- | ---: | ---: | ---: | --- | --- |"]
        lines += ratios.map { ratio in
            guard let limit = limits[ratio.name] else {
                return "| \(ratio.name) | \(Self.text(ratio.value)) | | | | \(ratio.detail) |"
            }
            let sign = limit.larger ? "≥" : "≤"
            let verdict =
                limit.keeps(ratio.value, to: limit.target)
                ? "reached" : limit.keeps(ratio.value, to: limit.limit) ? "missed" : "BELOW LIMIT"
            return "| \(ratio.name) | \(Self.text(ratio.value)) | \(sign) \(Self.text(limit.target)) "
                + "| \(sign) \(Self.text(limit.limit)) | \(verdict) | \(ratio.detail) |"
        }
        return lines.joined(separator: "\n")
    }

    /// The same for the eye: what was measured last with the most connections, and how far each ratio is from its target.
    func picture(_ title: String) -> BarPicture {
        let most = figures.map(\.result.connections).max() ?? 0
        let rates = figures.filter { $0.result.connections == most }.map { name, result in
            BarPicture.Bar(
                label: name, value: result.requestsPerSecond,
                text: "\(Int(result.requestsPerSecond.rounded())), p99 \(Self.milliseconds(result.p99Microseconds)) ms")
        }
        let distances = ratios.compactMap { ratio in
            limits[ratio.name].map { limit in
                BarPicture.Bar(
                    label: ratio.name, value: limit.larger ? ratio.value / limit.target : limit.target / ratio.value,
                    text: "\(Self.text(ratio.value)) (\(limit.larger ? "≥" : "≤") \(Self.text(limit.target)))")
            }
        }
        return BarPicture(
            title: title,
            groups: [
                .init(heading: "requests/s at \(most) connections, server on one core", bars: rates),
                .init(heading: "ratios; the line is their target, longer is better", bars: distances, mark: 1),
            ])
    }

    static func text(_ value: Double, digits: Int = 2) -> String {
        value >= 20 && value == value.rounded() ? String(Int(value)) : String(format: "%.\(digits)f", value)
    }

    private static func milliseconds(_ microseconds: Double) -> String { text(microseconds / 1000) }
}

extension Array<Double> {
    /// The middle value; of an even count the mean of the two in the middle.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
