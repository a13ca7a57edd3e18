package import Domain

/// `ExportMetricsServiceRequest`, of the same values that `/metrics` shows. Counters and histograms are cumulative since the
/// server's start, so that a message that is lost costs nothing.
package struct MetricsMessage: Encodable {
    private var resourceMetrics: [ResourceMetrics]

    private struct ResourceMetrics: Encodable {
        var resource: OTLP.Resource
        var scopeMetrics: [ScopeMetrics]
    }

    private struct ScopeMetrics: Encodable {
        var scope: OTLP.Scope
        var metrics: [MetricBody]
    }

    private struct MetricBody: Encodable {
        var name: String
        var description: String
        /// By UCUM; left out where the unit is a thing that is counted.
        var unit: String?
        var gauge: Points<NumberPoint>?
        var sum: Sum?
        var histogram: Histogram?
    }

    private struct Points<Point: Encodable>: Encodable {
        var dataPoints: [Point]
    }

    private struct Sum: Encodable {
        var dataPoints: [NumberPoint]
        var aggregationTemporality = MetricsMessage.cumulative
        var isMonotonic = true
    }

    private struct Histogram: Encodable {
        var dataPoints: [HistogramPoint]
        var aggregationTemporality = MetricsMessage.cumulative
    }

    private struct NumberPoint: Encodable {
        var attributes: [OTLP.KeyValue]
        var startTimeUnixNano: String?
        var timeUnixNano: String
        var asInt: String?
        var asDouble: Double?
    }

    private struct HistogramPoint: Encodable {
        var attributes: [OTLP.KeyValue]
        var startTimeUnixNano: String
        var timeUnixNano: String
        var count: String
        var sum: Double
        var bucketCounts: [String]
        var explicitBounds: [Double]
    }

    /// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
    private static let cumulative = 2

    /// - Parameters:
    ///   - families: What was measured.
    ///   - source: Who measured it.
    ///   - start: When counting began. It stays the same: another one would mean that the server began anew.
    ///   - now: When it was read.
    package init(
        _ families: [MetricFamily], from source: TelemetrySource, since start: TimeAnchor, now: TimeAnchor
    ) {
        let times = (start: start.nanoseconds, now: now.nanoseconds)
        resourceMetrics = [
            ResourceMetrics(
                resource: OTLP.Resource(source.resource),
                scopeMetrics: [
                    ScopeMetrics(
                        scope: OTLP.Scope(version: source.version),
                        metrics: families.filter { !$0.samples.isEmpty }.map { Self.body(of: $0, times) })
                ])
        ]
    }

    private static func body(of family: MetricFamily, _ times: (start: String, now: String)) -> MetricBody {
        var body = MetricBody(name: family.name, description: family.help, unit: unit(of: family.name))
        switch family.kind {
        case .counter: body.sum = Sum(dataPoints: family.samples.compactMap { number($0, times.start, times.now) })
        case .gauge: body.gauge = Points(dataPoints: family.samples.compactMap { number($0, nil, times.now) })
        case .histogram: body.histogram = Histogram(dataPoints: family.samples.compactMap { histogram($0, times) })
        }
        return body
    }

    private static func unit(of name: String) -> String? {
        if name.hasSuffix("_seconds") { return "s" }
        return name.hasSuffix("_bytes") ? "By" : nil
    }

    private static func number(_ sample: MetricSample, _ start: String?, _ now: String) -> NumberPoint? {
        var point = NumberPoint(attributes: attributes(of: sample), startTimeUnixNano: start, timeUnixNano: now)
        switch sample.value {
        case .count(let count): point.asInt = String(Int64(clamping: count))
        // JSON has no word for the others.
        case .number(let number) where number.isFinite: point.asDouble = number
        case .number, .histogram: return nil
        }
        return point
    }

    private static func histogram(
        _ sample: MetricSample, _ times: (start: String, now: String)
    ) -> HistogramPoint? {
        guard case .histogram(let limits, let cumulative, let microseconds) = sample.value else { return nil }
        var before: UInt64 = 0
        let counts = cumulative.map { sum in
            defer { before = sum }
            return String(sum &- before)
        }
        return HistogramPoint(
            attributes: attributes(of: sample), startTimeUnixNano: times.start, timeUnixNano: times.now,
            count: String(cumulative.last ?? 0), sum: Double(microseconds) / 1_000_000, bucketCounts: counts,
            explicitBounds: limits.map { Double($0) / 1_000_000 })
    }

    private static func attributes(of sample: MetricSample) -> [OTLP.KeyValue] {
        sample.labels.map { OTLP.KeyValue($0.name, $0.value) }
    }
}
