/// Writes the Prometheus text format. Names, labels and help texts are our own: none needs quoting.
struct PrometheusPage {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    private(set) var text = ""

    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text += name + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
    }

    mutating func histogram(_ name: String, _ labels: [(String, String)], _ histogram: Histogram) {
        let (cumulative, microseconds) = histogram.reading
        for (limit, count) in zip(Histogram.limits.map { "\(Double($0) / 1_000_000)" } + ["+Inf"], cumulative) {
            sample(name + "_bucket", labels + [("le", limit)], "\(count)")
        }
        sample(name + "_sum", labels, "\(Double(microseconds) / 1_000_000)")
        sample(name + "_count", labels, "\(cumulative.last ?? 0)")
    }
}
