import HTTPTypes
import Testing

@Suite("A collector over HTTP", .timeLimit(.minutes(5)))
struct CollectorTests {
    @Test("gets traces and metrics while the server runs, and what is left when it stops")
    func live() async throws {
        // A server that stops has four seconds for it, which a machine that stands still may use up.
        for _ in 0..<3 {
            if try await isSentAtTheEnd() { return }
        }
        Issue.record("what was left did not come")
    }

    private func isSentAtTheEnd() async throws -> Bool {
        let collector = FakeCollector()
        try await collector.run { url in
            try await RunningServer.run([
                "otlp-endpoint": url, "trace-ratio": "1", "otlp-metrics-interval": "3600",
                "otlp-resource": "deployment.environment.name=test%2C%20one,service.name=log-in",
            ]) { server in
                let answer = try await server.exchange([server.lastHead("GET /health/ready")])
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
                let traces = try await collector.wait(for: "/v1/traces", containing: "GET /health/ready")
                #expect(traces.body.contains("test, one") && traces.body.contains("\"log-in\""))
                #expect(traces.body.split(separator: "\"service.name\"").count == 2)
                let metrics = try await collector.wait(for: "/v1/metrics")
                #expect(metrics.body.contains("okaeri_uptime_seconds"))
                collector.answer(.serviceUnavailable)
                _ = try await server.exchange([server.lastHead("GET /health/live")])
                _ = try await collector.wait(for: "/v1/traces", containing: "GET /health/live")
                collector.answer(.ok)
            }
        }
        // The server has stopped: what the collector did not take was sent again.
        let last = collector.messages.filter { $0.path == "/v1/traces" && $0.body.contains("GET /health/live") }
        return last.count >= 2 && collector.messages.count { $0.path == "/v1/metrics" } >= 2
    }

    @Test("may take every connection and never answer: the server serves and stops meanwhile")
    func silent() async throws {
        let (silent, begin) = (try SilentServer(), ContinuousClock.now)
        try await RunningServer.run(["otlp-endpoint": silent.url, "trace-ratio": "1"]) { server in
            for _ in 0..<3 {
                let answer = try await server.exchange([server.lastHead("GET /health/ready")])
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
            }
        }
        #expect(begin.duration(to: .now) < .seconds(120))
    }

    @Test("is not missed: without one that answers the server serves and stops as always")
    func away() async throws {
        let begin = ContinuousClock.now
        try await RunningServer.run(["otlp-endpoint": "http://127.0.0.1:9", "trace-ratio": "1"]) { server in
            let answer = try await server.exchange([server.lastHead("GET /health/ready")])
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
        #expect(begin.duration(to: .now) < .seconds(120))
    }
}
