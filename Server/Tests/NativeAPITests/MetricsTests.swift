import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

import class TestWorld.CountingPasswords

@Suite("GET /metrics")
struct MetricsTests {
    @Test("tells durations in seconds, by upper limits that include what is shorter, with sum and count")
    func histogram() {
        let metrics = ServerMetrics()
        let route = metrics.route(method: "GET", path: "/v1/user")
        for duration in [Duration.microseconds(250), .microseconds(251), .milliseconds(40), .seconds(7)] {
            route.note(status: 200, duration)
        }
        let expected = """
            # HELP okaeri_http_request_duration_seconds Time from head to answer, by route.
            # TYPE okaeri_http_request_duration_seconds histogram
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.00025"} 1
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.0005"} 2
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.001"} 2
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.0025"} 2
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.005"} 2
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.01"} 2
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.025"} 2
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.05"} 3
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.1"} 3
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="0.25"} 3
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="1.0"} 3
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="5.0"} 3
            okaeri_http_request_duration_seconds_bucket{method="GET",route="/v1/user",le="+Inf"} 4
            okaeri_http_request_duration_seconds_sum{method="GET",route="/v1/user"} 7.040501
            okaeri_http_request_duration_seconds_count{method="GET",route="/v1/user"} 4

            """
        #expect(metrics.text.contains("\n" + expected), "\(metrics.text)")
    }

    @Test("says of each number once what it is and of which kind, before the number")
    func explained() async throws {
        let server = try await TestServer()
        _ = try await server.person()
        let answer = try await server.metrics()
        #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(answer.text.hasSuffix("\n"))
        var helped: Set<String> = []
        var kinds: [String: String] = [:]
        for line in answer.text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                #expect(words.count == 4 && helped.insert(words[2]).inserted, "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(helped.contains(words[2]) && kinds.updateValue(words[3], forKey: words[2]) == nil, "\(line)")
            } else {
                let name = String(line.prefix { $0 != "{" && $0 != " " })
                let family = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }
                    .map { String(name.dropLast($0.count)) }
                let kind = kinds[name] ?? family.flatMap { kinds[$0] == "histogram" ? "histogram" : nil }
                #expect(kind != nil, "\(line)")
                #expect((kind == "counter") == name.hasSuffix("_total"), "\(line)")
                #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
            }
        }
        #expect(
            Set(kinds.values) == ["counter", "gauge", "histogram"] && helped == Set(kinds.keys) && kinds.count == 17,
            "\(kinds)")
    }

    @Test(
        "are nobody's without their key, by any path",
        arguments: [
            [], [("Authorization", "Bearer wrong-key-of-the-metrics")], [("Authorization", TestServer.metricsKey)],
            [("Authorization", "Basic \(TestServer.metricsKey)")], [("Authorization", "Bearer ")],
            [("X-Forwarded-For", "127.0.0.1")], [("Host", "127.0.0.1")],
        ])
    func strangers(_ headers: [(String, String)]) async throws {
        let server = try await TestServer(settings: ["trusted-proxies": "192.0.2.1"])
        let open = try await TestServer(settings: ["metrics-listen": "127.0.0.1:9090"])
        for peer in ["127.0.0.1", "::1", "192.0.2.1", "203.0.113.7"] {
            for server in [server, open] {
                let answer = try await server.send(.get, "/metrics", headers, peer: peer, isNamed: false)
                expect(answer, 404, .pathUnknown)
                // Nor does another method show that the path is there.
                for method in [HTTPRequest.Method.post, .options] {
                    let other = try await server.send(method, "/metrics", headers, peer: peer, isNamed: false)
                    #expect(other.status == 404 && other.headers[.allow] == nil, "\(method)")
                }
            }
        }
        let key = [("Authorization", "bearer \(TestServer.metricsKey)")]
        #expect(try await server.send(.get, "/metrics", key, peer: "203.0.113.7", isNamed: false).status == 200)
        let wrongMethod = try await server.send(.post, "/metrics", key, peer: "203.0.113.7", isNamed: false)
        #expect(wrongMethod.status == 405 && wrongMethod.headers[.allow] == "GET, HEAD, OPTIONS")
        expect(try await open.send(.get, "/metrics", key, peer: "127.0.0.1", isNamed: false), 404, .pathUnknown)
    }

    @Test("have a listener of their own, which serves nothing else")
    func ownListener() async throws {
        try await RunningServer.run(["metrics-listen": "127.0.0.1:0"]) { server in
            let url = try #require(server.listening.metricsURL)
            #expect(url.hasPrefix("http://127.0.0.1:") && url.hasSuffix("/metrics"))
            let port = try #require(URL(string: url)?.port)
            let metrics = try await server.exchange([server.lastHead("GET /metrics")], port: port)
            #expect(metrics.hasPrefix("HTTP/1.1 200 ") && metrics.contains("\nokaeri_connections 1\n"), "\(metrics)")
            let other = try await server.exchange([server.lastHead("GET /v1/user")], port: port)
            #expect(other.hasPrefix("HTTP/1.1 404 "), "\(other)")
            let beside = try await server.exchange([server.lastHead("GET /metrics")])
            #expect(beside.hasPrefix("HTTP/1.1 404 "), "\(beside)")
        }
    }

    @Test("counts log-ins that are refused, by reason: wrong, too soon, too busy")
    func refusedLogIns() async throws {
        let passwords = CountingPasswords()
        let server = try await TestServer(passwords: passwords)
        #expect(try await server.signUp("hana").status == 201)
        for _ in 0..<LogInFailures.free { expect(try await server.logIn("hana", "wrong"), 401, .credentialRefused) }
        for _ in 0..<2 { expect(try await server.logIn("hana", "wrong"), 429, .rateLimited) }
        let code = try await server.person().issueCode().code
        #expect(try await server.redeem(code, on: ProofMaker()).status == 200)
        expect(try await server.redeem(code, on: ProofMaker()), 403, .transferCodeRefused)
        let text = try await metrics(of: server)
        #expect(text.contains(#"okaeri_log_ins_refused_total{reason="credential"} \#(LogInFailures.free + 1)\#n"#))
        #expect(text.contains(#"okaeri_log_ins_refused_total{reason="rate_limited"} 2\#n"#))
        #expect(text.contains(#"okaeri_log_ins_refused_total{reason="busy"} 0\#n"#))

        passwords.set(isBusy: true)
        expect(try await server.logIn("taro", AccountTests.password), 503, .busy)
        #expect(try await metrics(of: server).contains(#"okaeri_log_ins_refused_total{reason="busy"} 1\#n"#))
    }

    @Test("tells how many passwords wait to be hashed")
    func passwordsWaiting() async throws {
        let passwords = CountingPasswords()
        let server = try await TestServer(passwords: passwords)
        #expect(try await metrics(of: server).contains("okaeri_passwords_waiting 0.0\n"))
        passwords.set(isBusy: true, waiting: 7)
        #expect(try await metrics(of: server).contains("okaeri_passwords_waiting 7.0\n"))
    }

    @Test("tells the seconds since the start, which go on")
    func uptime() async throws {
        let begin = ContinuousClock.now
        let server = try await TestServer()
        let first = try #require(try await value("okaeri_uptime_seconds", of: server))
        let second = try #require(try await value("okaeri_uptime_seconds", of: server))
        #expect(0 < first && first < second && second < begin.duration(to: .now) / .seconds(1))
    }

    @Test("tells the memory that the process has, in bytes")
    func memory() async throws {
        let server = try await TestServer()
        let reported = try #require(try await value("process_resident_memory_bytes", of: server))
        #if os(Linux)
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            let kilobytes = try #require(line.split(separator: " ").dropFirst().first.flatMap { Double($0) })
            // Other tests run in this process meanwhile.
            #expect((0.5...2).contains(reported / (kilobytes * 1024)))
        #endif
        #expect(reported > 1_000_000)
    }

    private func metrics(of server: TestServer) async throws -> String {
        try await server.metrics().text
    }

    private func value(_ name: String, of server: TestServer) async throws -> Double? {
        let line = try await metrics(of: server).split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }
}
