package import Domain

/// The JSON of OTLP (opentelemetry-proto 1.x, JSON Protobuf Encoding): ids in hexadecimal, 64-bit numbers as texts, kinds as
/// numbers, names in camel case.
enum OTLP {
    struct KeyValue: Encodable {
        var key: String
        var value: AnyValue

        init(_ key: String, _ text: String) {
            self.key = key
            value = AnyValue(stringValue: text)
        }

        init(_ attribute: SpanAttribute) {
            key = attribute.name
            switch attribute.value {
            case .text(let text): value = AnyValue(stringValue: text)
            case .number(let number): value = AnyValue(intValue: String(number))
            }
        }
    }

    struct AnyValue: Encodable {
        var stringValue: String?
        var intValue: String?
    }

    struct Resource: Encodable {
        var attributes: [KeyValue]

        init(_ resource: [SpanAttribute]) {
            attributes = resource.map(KeyValue.init(_:))
        }
    }

    struct Scope: Encodable {
        var name = "okaeri"
        var version: String
    }
}

/// What ties the clock of spans, which only goes on, to the time of day at one moment.
package struct TimeAnchor: Sendable {
    private let milliseconds: Int64
    private let instant: ContinuousClock.Instant

    /// - Parameters:
    ///   - milliseconds: Since 1970-01-01T00:00:00Z.
    ///   - instant: The same moment.
    package init(milliseconds: Int64, at instant: ContinuousClock.Instant = .now) {
        self.milliseconds = milliseconds
        self.instant = instant
    }

    /// Its own moment, in nanoseconds since 1970.
    var nanoseconds: String { nanoseconds(of: instant) }

    /// Nanoseconds since 1970, as OTLP has them.
    func nanoseconds(of moment: ContinuousClock.Instant) -> String {
        let (seconds, attoseconds) = instant.duration(to: moment).components
        return String(
            milliseconds &* 1_000_000 &+ seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
}

/// Who sends: the program, and what the operator says of it.
package struct TelemetrySource: Sendable {
    package var resource: [SpanAttribute]
    package var version: String

    package init(resource: [SpanAttribute], version: String) {
        self.resource = resource
        self.version = version
    }
}
