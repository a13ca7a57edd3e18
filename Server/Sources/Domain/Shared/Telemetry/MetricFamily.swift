/// One thing that is measured, with its values by labels. The page for Prometheus and the messages for collectors are both
/// made of a list of these.
package struct MetricFamily: Hashable, Sendable {
    package enum Kind: String, Sendable {
        /// It only grows.
        case counter
        case gauge
        case histogram
    }

    package let name: String
    package let kind: Kind
    /// What it is, in a sentence.
    package let help: String
    package private(set) var samples: [MetricSample] = []

    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// One value without labels.
    package init(_ name: String, _ kind: Kind, _ help: String, _ value: MetricSample.Value) {
        self.init(name, kind, help)
        add([], value)
    }

    package mutating func add(_ labels: [MetricLabel], _ value: MetricSample.Value) {
        samples.append(MetricSample(labels: labels, value: value))
    }
}

/// A value at one moment.
package struct MetricSample: Hashable, Sendable {
    package var labels: [MetricLabel]
    package var value: Value

    package enum Value: Hashable, Sendable {
        case count(UInt64)
        case number(Double)
        /// Numbers of events up to each limit, the last one being all.
        case histogram(limits: [UInt64], cumulative: [UInt64], microseconds: UInt64)
    }
}

/// What distinguishes the values of one thing.
package struct MetricLabel: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
