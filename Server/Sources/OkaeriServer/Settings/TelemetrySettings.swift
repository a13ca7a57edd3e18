package import Domain
import Foundation
import HTTPSupport
package import OutboundServices

/// Where traces and metrics are sent, and which.
package struct TelemetrySettings: Sendable {
    package var collector: TelemetryExporter.Collector
    package var sendsTraces: Bool
    package var sendsMetrics: Bool
    package var metricsInterval: Duration
    package var traceRatio: Double
    /// Whose `traceparent` is believed.
    package var traceCallers: [IPNetwork]
    /// What the operator tells the collector of this server.
    package var resource: [SpanAttribute]

    /// A collector that takes longer is asked again later.
    static let limits = CurlCaller.Limits(connecting: .seconds(2), whole: .seconds(5))
    private static let mostPairs = 32
    private static let longestPairs = 8192

    /// - Returns: `nil` without a collector.
    /// - Throws: `SettingFault` for values that break their rules alone or together.
    init?(_ reader: SettingReader) throws(SettingFault) {
        let url = try reader.optional(.otlpEndpoint, Self.url)
        let signals = try reader.required(.otlpSignals, Self.signals)
        let headers = try reader.optional(.otlpHeaders, Self.headers) ?? []
        let pairs = try reader.optional(.otlpResource, Self.pairs) ?? []
        resource = pairs.map { SpanAttribute($0.name, $0.value) }
        metricsInterval = .seconds(try reader.number(.otlpMetricsInterval, 5...3600))
        traceRatio = try reader.required(.traceRatio) { text in
            Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
        }
        traceCallers = try reader.required(.traceCallers, ServerSettings.networks)
        guard let url else {
            guard headers.isEmpty else {
                throw SettingFault(missing: .otlpEndpoint)
            }
            return nil
        }
        guard headers.isEmpty || EgressPolicy.isOperatorURL(url) else {
            throw SettingFault("\(Setting.otlpHeaders.name) is set, but must be \(Setting.otlpHeaders.rule).")
        }
        collector = TelemetryExporter.Collector(url: url, headers: headers)
        sendsTraces = signals.contains("traces")
        sendsMetrics = signals.contains("metrics")
    }

    /// The address without a slash at its end.
    private static func url(_ text: String) -> String? {
        let bare = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let parts = URLComponents(string: bare), ["http", "https"].contains(parts.scheme ?? ""),
            parts.host?.isEmpty == false, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, EgressPolicy.isPort(parts.port)
        else { return nil }
        return bare
    }

    private static func signals(_ text: String) -> Set<String>? {
        let names = text.split(separator: ",").map { $0.withoutBlanks }
        let signals = Set(names)
        return !names.isEmpty && signals.count == names.count && signals.isSubset(of: ["traces", "metrics"])
            ? signals : nil
    }

    /// Headers that libcurl sends as they are: no line can end in one, and what HTTP itself needs is not theirs to say.
    private static func headers(_ text: String) -> [(name: String, value: Secret)]? {
        let own = ["content-type", "content-length", "transfer-encoding", "host", "connection"]
        guard let pairs = pairs(text), !pairs.isEmpty else { return nil }
        let areHeaders = pairs.allSatisfy { name, value in
            !own.contains(name.lowercased()) && value.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        }
        return areHeaders ? pairs.map { (name: $0.name, value: Secret($0.value)) } : nil
    }

    /// `name=value` with commas between, as OpenTelemetry's own variables have them. A name is a token (RFC 9110 §5.6.2).
    private static func pairs(_ text: String) -> [(name: String, value: String)]? {
        guard text.utf8.count <= longestPairs else { return nil }
        var pairs: [(name: String, value: String)] = []
        for item in text.split(separator: ",") {
            guard let equals = item.firstIndex(of: "=") else { return nil }
            let name = item[..<equals].withoutBlanks
            let sent = item[equals...].dropFirst().withoutBlanks
            guard !name.isEmpty, name.utf8.allSatisfy(isToken), let value = PercentEncoding.text(ofSegment: sent),
                !value.isEmpty, !pairs.contains(where: { $0.name == name }), pairs.count < mostPairs
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
