import Domain

/// Writes the Prometheus text format. Names, labels and help texts are our own: none needs quoting.
struct PrometheusPage {
    private(set) var text = ""

    init(_ families: [MetricFamily]) {
        for family in families {
            text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples { write(sample, of: family.name) }
        }
    }

    private mutating func write(_ sample: MetricSample, of name: String) {
        switch sample.value {
        case .count(let count): line(name, sample.labels, "\(count)")
        case .number(let number): line(name, sample.labels, "\(number)")
        case .histogram(let limits, let cumulative, let microseconds):
            for (limit, count) in zip(limits.map { "\(Double($0) / 1_000_000)" } + ["+Inf"], cumulative) {
                line(name + "_bucket", sample.labels + [MetricLabel("le", limit)], "\(count)")
            }
            line(name + "_sum", sample.labels, "\(Double(microseconds) / 1_000_000)")
            line(name + "_count", sample.labels, "\(cumulative.last ?? 0)")
        }
    }

    private mutating func line(_ name: String, _ labels: [MetricLabel], _ value: String) {
        let list = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        text += name + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
    }
}
