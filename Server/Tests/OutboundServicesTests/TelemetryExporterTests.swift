import Domain
import Foundation
import OutboundServices
import Testing

@Suite("Telemetry by OTLP")
struct TelemetryExporterTests {
    private struct Clock: WallClock {
        var now: Timestamp { Timestamp(milliseconds: 1_614_265_330_000) }
    }

    private static let good: Result<WebResponse, WebFault> = .success(WebResponse(status: 200, body: Array("{}".utf8)))

    private static func answer(_ status: Int, retryAfter: String? = nil) -> Result<WebResponse, WebFault> {
        var response = WebResponse(status: status, body: [])
        if let retryAfter { response.headers["retry-after"] = retryAfter }
        return .success(response)
    }

    private let queue = SpanQueue()
    private var tracer: Tracer { Tracer(ratio: 1, seeds: (1, 2), queue: queue) }

    private func exporter(_ collector: FakeWebCaller) -> TelemetryExporter {
        TelemetryExporter(
            to: TelemetryExporter.Collector(
                url: "https://collector.example.com/otlp", headers: [(name: "Api-Key", value: Secret("hidden"))]),
            from: TelemetrySource(resource: [SpanAttribute("service.name", "okaeri")], version: "1.2.3"), queue: queue,
            clock: Clock(), call: collector)
    }

    private func json(_ call: WebCall?) throws -> [String: Any] {
        let bytes = try #require(call?.bytes)
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    /// What stands at a path of names and positions.
    private func value(_ path: String, in object: Any) throws -> Any {
        var found = object
        for step in path.split(separator: ".") {
            if let position = Int(step) {
                found = try #require((found as? [Any])?[position], "\(path)")
            } else {
                found = try #require((found as? [String: Any])?[String(step)], "\(path)")
            }
        }
        return found
    }

    @Test("sends spans as JSON with ids in hexadecimal, times and numbers as texts, and the collector's headers")
    func spans() async throws {
        let collector = FakeWebCaller(Self.good)
        let exporter = exporter(collector)
        let root = tracer.begin(
            "GET /v1/user", .server,
            after: TraceContext(
                traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: ["a=1"]))
        root.end(
            [SpanAttribute("http.response.status_code", 503), SpanAttribute("http.route", "/v1/user")], error: "503")
        #expect(await exporter.sendSpans() == TelemetryExporter.Round(wait: TelemetryExporter.pause))
        let call = try #require(collector.calls.first)
        #expect(collector.calls.count == 1 && call.url == "https://collector.example.com/otlp/v1/traces")
        #expect(call.headers.contains { $0.name == "Content-Type" && $0.value == "application/json" })
        #expect(call.headers.contains { $0.name == "Api-Key" && $0.value == "hidden" })
        let message = try value("resourceSpans.0", in: try json(call))
        #expect(try value("resource.attributes.0.value.stringValue", in: message) as? String == "okaeri")
        #expect(try value("scopeSpans.0.scope.version", in: message) as? String == "1.2.3")
        let span = try value("scopeSpans.0.spans.0", in: message)
        #expect(try value("traceId", in: span) as? String == "0af7651916cd43dd8448eb211c80319c")
        #expect(try value("parentSpanId", in: span) as? String == "b7ad6b7169203331")
        #expect(try value("spanId", in: span) as? String == TraceContext.text(of: root.context.span))
        #expect(try value("traceState", in: span) as? String == "a=1")
        #expect(try value("name", in: span) as? String == "GET /v1/user" && value("kind", in: span) as? Int == 2)
        #expect(try value("status.code", in: span) as? Int == 2)
        #expect(try value("attributes.0.value.intValue", in: span) as? String == "503")
        #expect(try value("attributes.2.key", in: span) as? String == "error.type")
        let times = [try value("startTimeUnixNano", in: span), try value("endTimeUnixNano", in: span)]
        let numbers = times.compactMap { ($0 as? String).flatMap { Int64($0) } }
        let (start, end) = (try #require(numbers.first), try #require(numbers.last))
        // The clock stands still: the span ended before the message was made, and not long before.
        #expect(start <= end && end <= 1_614_265_330_000_000_000 && end > 1_614_265_200_000_000_000)
    }

    @Test("sends many spans in several messages")
    func batches() async {
        let collector = FakeWebCaller(Self.good)
        let tracer = tracer
        for _ in 0..<(TelemetryExporter.batchSize + 1) { tracer.begin("GET /", .server).end() }
        _ = await exporter(collector).sendSpans()
        #expect(collector.calls.count == 2 && queue.count == 0)
    }

    @Test("keeps a message that the collector cannot take now, waits twice as long each time, and sends it again")
    func backOff() async throws {
        let away: Result<WebResponse, WebFault> = .failure(.unreachable(reason: "refused"))
        let collector = FakeWebCaller(away, away, Self.answer(503), Self.answer(429, retryAfter: "120"), Self.good)
        let exporter = exporter(collector)
        tracer.begin("GET /", .server).end()
        var rounds: [TelemetryExporter.Round] = []
        for _ in 0..<5 { rounds.append(await exporter.sendSpans()) }
        #expect(
            rounds.map(\.wait) == [.seconds(5), .seconds(10), .seconds(20), .seconds(120), TelemetryExporter.pause])
        #expect(rounds.map { $0.fault == nil } == [false, false, false, false, true])
        let bodies = Set(collector.calls.compactMap(\.bytes).map(\.count))
        #expect(collector.calls.count == 5 && bodies.count == 1)
        #expect(counted("okaeri_spans_sent_total", exporter) == [1])
        #expect(counted("okaeri_telemetry_faults_total", exporter) == [4, 0])
        // It begins anew once the collector is back.
        tracer.begin("GET /", .server).end()
        #expect(await exporter.sendSpans().wait == TelemetryExporter.pause)
    }

    @Test(
        "waits five minutes at the most, whatever the collector asks for",
        arguments: ["86400", "-1", "soon", "9999999999999999999999"])
    func longestWait(_ retryAfter: String) async {
        let exporter = exporter(FakeWebCaller(Self.answer(503, retryAfter: retryAfter)))
        tracer.begin("GET /", .server).end()
        for _ in 0..<12 {
            let wait = await exporter.sendSpans().wait
            #expect(wait >= .seconds(5) && wait <= TelemetryExporter.longestRetry)
        }
        #expect(await exporter.sendSpans().wait == TelemetryExporter.longestRetry)
    }

    @Test("drops and counts what the collector refuses, as a whole or in part", arguments: [400, 401, 404, 500])
    func refused(_ status: Int) async {
        let partial = Array(#"{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "no"}}"#.utf8)
        let collector = FakeWebCaller(Self.answer(status), .success(WebResponse(status: 200, body: partial)))
        let exporter = exporter(collector)
        tracer.begin("GET /", .server).end()
        #expect(await exporter.sendSpans().fault == "the collector answered \(status)")
        // The fault is the same for any number, so that the log tells it once.
        for count in [3, 5] {
            for _ in 0..<count { tracer.begin("GET /", .server).end() }
            #expect(await exporter.sendSpans().fault == "the collector refused spans")
        }
        #expect(counted("okaeri_spans_dropped_total", exporter) == [0, 5, 0])
        #expect(counted("okaeri_spans_sent_total", exporter) == [4])
    }

    @Test(
        "takes any answer without a number of refused spans for success",
        arguments: [
            "", "[]", "null", #"{"partialSuccess": 7}"#, #"{"partialSuccess": {"rejectedSpans": -9}}"#, "\u{0}",
        ])
    func oddAnswers(_ body: String) async {
        let exporter = exporter(FakeWebCaller(.success(WebResponse(status: 200, body: Array(body.utf8)))))
        tracer.begin("GET /", .server).end()
        #expect(await exporter.sendSpans().fault == nil)
    }

    @Test("counts what is left when the server stops")
    func left() async {
        let exporter = exporter(FakeWebCaller(Self.answer(503)))
        tracer.begin("GET /", .server).end()
        _ = await exporter.sendSpans()
        tracer.begin("GET /", .server).end()
        exporter.giveUp()
        #expect(counted("okaeri_spans_dropped_total", exporter) == [0, 0, 2] && queue.count == 0)
    }

    @Test("sends the metrics of /metrics: counters and histograms since the start, gauges as they are")
    func metrics() async throws {
        let collector = FakeWebCaller(Self.good)
        let exporter = exporter(collector)
        var requests = MetricFamily("okaeri_http_requests_total", .counter, "Requests.")
        requests.add([MetricLabel("status", "200")], .count(7))
        var durations = MetricFamily("okaeri_http_request_duration_seconds", .histogram, "Time.")
        durations.add([], .histogram(limits: [1000, 1_000_000], cumulative: [1, 3, 4], microseconds: 2_500_000))
        let families = [
            requests, durations, MetricFamily("process_resident_memory_bytes", .gauge, "Memory.", .number(1.5)),
            MetricFamily("okaeri_broken", .gauge, "Nothing.", .number(.nan)),
            MetricFamily("okaeri_empty", .gauge, "Nothing."),
        ]
        #expect(await exporter.sendMetrics(families, every: .seconds(60)).wait == .seconds(60))
        let call = try #require(collector.calls.first)
        #expect(call.url == "https://collector.example.com/otlp/v1/metrics")
        let metrics = try #require(
            try value("resourceMetrics.0.scopeMetrics.0.metrics", in: try json(call)) as? [[String: Any]])
        #expect(metrics.map { $0["name"] as? String } == families.dropLast().map(\.name))
        let sum = try value("sum", in: metrics[0])
        #expect(
            try value("isMonotonic", in: sum) as? Bool == true && value("aggregationTemporality", in: sum) as? Int == 2)
        #expect(try value("dataPoints.0.asInt", in: sum) as? String == "7")
        #expect(try value("dataPoints.0.attributes.0.key", in: sum) as? String == "status")
        #expect(try value("dataPoints.0.startTimeUnixNano", in: sum) as? String == "1614265330000000000")
        let histogram = try value("histogram.dataPoints.0", in: metrics[1])
        #expect(try value("bucketCounts", in: histogram) as? [String] == ["1", "2", "1"])
        #expect(try value("explicitBounds", in: histogram) as? [Double] == [0.001, 1])
        #expect(try value("count", in: histogram) as? String == "4" && value("sum", in: histogram) as? Double == 2.5)
        #expect(
            metrics[1]["unit"] as? String == "s" && metrics[2]["unit"] as? String == "By" && metrics[0]["unit"] == nil)
        #expect(try value("gauge.dataPoints.0.asDouble", in: metrics[2]) as? Double == 1.5)
        #expect((try value("gauge.dataPoints", in: metrics[3]) as? [Any])?.isEmpty == true)
    }

    @Test("sends metrics less often while the collector is away, and never more often than asked")
    func metricsBackOff() async {
        let exporter = exporter(FakeWebCaller(Self.answer(503)))
        var waits: [Duration] = []
        for _ in 0..<6 { waits.append(await exporter.sendMetrics([], every: .seconds(60)).wait) }
        #expect(waits == [60, 60, 60, 60, 80, 160].map { Duration.seconds($0) })
    }

    @Test(
        "shows a call to another server by its host, and tells the trace to those who may know it",
        arguments: [true, false])
    func calls(_ tellsTrace: Bool) async throws {
        let provider = FakeWebCaller(Self.answer(400))
        let caller = TracedCaller(provider, tracer, tellsTrace: tellsTrace)
        let root = tracer.begin("POST /v1/log-in/apple", .server)
        _ = try await CurrentSpan.$value.withValue(root) {
            try await caller(
                WebCall(.post, "https://id.example.com/token?code=hidden", body: "code=hidden&email=hana@example.com"))
        }
        let span = try #require(queue.take(10).first)
        #expect(span.name == "POST" && span.kind == .client && span.parent == root.context.span && span.error == "400")
        #expect(
            span.attributes == [
                SpanAttribute("http.request.method", "POST"), SpanAttribute("server.address", "id.example.com"),
                SpanAttribute("http.response.status_code", 400),
            ])
        let sent = provider.calls.first?.headers.first { $0.name == "traceparent" }?.value
        #expect(sent == (tellsTrace ? span.context.traceparent : nil))
    }

    @Test("begins a trace for a call that no request waits for, and tells an unrecorded one as such")
    func callsAlone() async throws {
        let receiver = FakeWebCaller(.failure(.unreachable(reason: "refused")))
        await #expect(throws: WebFault.self) {
            try await TracedCaller(receiver, tracer, tellsTrace: true)(WebCall(.post, "https://app.example.com/hook"))
        }
        let span = try #require(queue.take(10).first)
        #expect(span.parent == nil && span.error == "unreachable")
        let silent = Tracer(ratio: 0, seeds: (1, 2), queue: queue)
        await #expect(throws: WebFault.self) {
            try await TracedCaller(receiver, silent, tellsTrace: true)(WebCall(.post, "https://app.example.com/hook"))
        }
        #expect(queue.count == 0)
        #expect(receiver.calls.last?.headers.first { $0.name == "traceparent" }?.value.hasSuffix("-00") == true)
    }

    private func counted(_ name: String, _ exporter: TelemetryExporter) -> [UInt64] {
        exporter.counts.families.first { $0.name == name }?.samples.compactMap { sample in
            if case .count(let count) = sample.value { count } else { nil }
        } ?? []
    }
}
