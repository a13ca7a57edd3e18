import Domain
import OkaeriServer
import OutboundServices
import Testing

@Suite("Settings of telemetry and of the copy of the audit log")
struct TelemetrySettingsTests {
    private static let collector = ("otlp-endpoint", "https://collector.example.com")

    @Test("are off by default")
    func defaults() throws {
        let settings = try ServerSettings(environment: [:])
        #expect(settings.telemetry == nil && settings.auditStream == nil)
    }

    @Test("take collector, headers, resource, ratio and callers")
    func all() throws {
        let settings = try ServerSettings(environment: [
            "OKAERI_OTLP_ENDPOINT": "https://collector.example.com/otlp/",
            "OKAERI_OTLP_HEADERS": "Api-Key=a%3Db,X-Two=2",
            "OKAERI_OTLP_RESOURCE": "deployment.environment.name=production", "OKAERI_TRACE_RATIO": "0.05",
            "OKAERI_OTLP_METRICS_INTERVAL": "15", "OKAERI_TRACE_CALLERS": "10.0.0.0/8",
        ])
        let telemetry = try #require(settings.telemetry)
        #expect(telemetry.collector.url == "https://collector.example.com/otlp")
        #expect(telemetry.collector.headers.map { "\($0.name)=\($0.value.revealed)" } == ["Api-Key=a=b", "X-Two=2"])
        #expect(telemetry.resource == [SpanAttribute("deployment.environment.name", "production")])
        #expect(telemetry.traceRatio == 0.05 && telemetry.metricsInterval == .seconds(15))
        #expect(telemetry.sendsTraces && telemetry.sendsMetrics && telemetry.traceCallers.count == 1)
    }

    @Test(
        "name setting and rule of a bad value, and never a secret one",
        arguments: [
            ("otlp-endpoint", "collector"), ("otlp-endpoint", "ftp://a"), ("otlp-endpoint", "https://u:p@a"),
            ("otlp-endpoint", "https://a?b=c"), ("otlp-signals", ""), ("otlp-signals", "logs"),
            ("otlp-signals", "traces,traces"), ("otlp-headers", "no-equals"), ("otlp-headers", "Content-Type=hidden"),
            ("otlp-headers", "a=hidden%0D%0AX: y"), ("otlp-headers", "a b=hidden"), ("otlp-headers", "a=%zz-hidden"),
            ("otlp-resource", "a"), ("otlp-resource", "a=1,a=2"), ("otlp-metrics-interval", "1"),
            ("trace-ratio", "1.1"),
            ("trace-ratio", "-0.1"), ("trace-ratio", "nan"), ("trace-ratio", "half"), ("trace-callers", "10.0.0.0/40"),
            ("audit-stream", "syslog://a"), ("audit-stream", "http://log.example.com"),
            ("audit-stream-secret", "hidden-short"),
        ])
    func badValues(_ name: String, _ value: String) throws {
        let setting = try #require(Setting.all.first { $0.name == name })
        let fault = #expect(throws: SettingFault.self) {
            try ServerSettings(
                commandLine: name == "otlp-endpoint" ? [:] : [Self.collector.0: Self.collector.1],
                environment: [setting.variable: value])
        }
        let words = try #require(fault?.description)
        #expect(words.contains(name) && words.contains(setting.rule) && !words.contains("hidden"), "\(words)")
    }

    @Test(
        "name what is missing or does not go together",
        arguments: [
            (["otlp-headers": "a=b"], "otlp-endpoint"),
            (["otlp-headers": "a=b", "otlp-endpoint": "http://collector.example.com"], "otlp-headers"),
            (["audit-stream": "https://log.example.com"], "audit-stream-secret"),
            (["audit-stream-secret": "sixteen-letters!"], "audit-stream"),
            (
                ["audit-stream": "syslog+unix:///dev/log", "audit-stream-secret": "sixteen-letters!"],
                "audit-stream-secret"
            ),
        ])
    func together(_ values: [String: String], _ named: String) throws {
        let fault = #expect(throws: SettingFault.self) { try ServerSettings(commandLine: values, environment: [:]) }
        #expect(fault?.description.hasPrefix("\(named) ") == true, "\(fault?.description ?? "")")
    }
}
