import ArgumentParser
import OkaeriServer

/// Where traces, metrics and a copy of the audit log are sent. Their secrets come from the environment or the configuration
/// file alone.
struct TelemetryOptions: ParsableArguments {
    @Option(name: .customLong(Setting.otlpEndpoint.name), help: ArgumentHelp(.otlpEndpoint, valueName: "url"))
    var endpoint: String?

    @Option(name: .customLong(Setting.otlpSignals.name), help: ArgumentHelp(.otlpSignals, valueName: "signals"))
    var signals: String?

    @Option(name: .customLong(Setting.otlpResource.name), help: ArgumentHelp(.otlpResource, valueName: "pairs"))
    var resource: String?

    @Option(
        name: .customLong(Setting.otlpMetricsInterval.name),
        help: ArgumentHelp(.otlpMetricsInterval, valueName: "number"))
    var metricsInterval: String?

    @Option(name: .customLong(Setting.traceRatio.name), help: ArgumentHelp(.traceRatio, valueName: "ratio"))
    var traceRatio: String?

    @Option(name: .customLong(Setting.traceCallers.name), help: ArgumentHelp(.traceCallers, valueName: "networks"))
    var traceCallers: String?

    @Option(name: .customLong(Setting.auditStream.name), help: ArgumentHelp(.auditStream, valueName: "url"))
    var auditStream: String?

    /// What the options say, by setting name.
    var values: [String: String] {
        var values: [String: String] = [:]
        values[Setting.otlpEndpoint.name] = endpoint
        values[Setting.otlpSignals.name] = signals
        values[Setting.otlpResource.name] = resource
        values[Setting.otlpMetricsInterval.name] = metricsInterval
        values[Setting.traceRatio.name] = traceRatio
        values[Setting.traceCallers.name] = traceCallers
        values[Setting.auditStream.name] = auditStream
        return values
    }
}
