import Domain
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import OutboundServices
import Testing

@Suite("Traces of requests")
struct RequestTracingTests {
    private static let settings = ["otlp-endpoint": "http://127.0.0.1:9", "trace-ratio": "1"]
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func spans(_ server: TestServer) throws -> [FinishedSpan] {
        try #require(server.composition.telemetry?.tracer).queue.take(10_000)
    }

    @Test("show request, transaction, statements and password, each under what it belongs to")
    func logIn() async throws {
        let server = try await TestServer(settings: Self.settings)
        #expect(try await server.signUp("hana").status == 201)
        _ = try spans(server)
        let answer = try await server.logIn("hana", AccountTests.password)
        #expect(answer.status == 200)
        let spans = try spans(server)
        let request = try #require(spans.last)
        #expect(request.name == "POST /v1/log-in/password" && request.kind == .server && request.parent == nil)
        #expect(request.attributes.contains(SpanAttribute("http.route", APIPath.logInWithPassword)))
        #expect(request.attributes.contains(SpanAttribute("http.response.status_code", 200)))
        let header = try #require(HTTPField.Name("Request-Id"))
        let id = try #require(answer.headers[header])
        #expect(request.attributes.contains(SpanAttribute("okaeri.request_id", id)))
        #expect(Set(spans.map(\.context.trace)).count == 1)
        let compare = try #require(spans.first { $0.name == "password compare" })
        #expect(compare.parent == request.context.span && compare.attributes.isEmpty)
        let transactions = spans.filter { $0.name.hasPrefix("transaction ") }
        #expect(!transactions.isEmpty && transactions.allSatisfy { $0.parent == request.context.span })
        let statements = spans.filter { $0.kind == .client }
        let names = Set(transactions.map(\.context.span))
        #expect(!statements.isEmpty && statements.allSatisfy { $0.parent.map(names.contains) == true })
        #expect(statements.contains { $0.name.hasPrefix("SELECT ") })
        for statement in statements {
            let text = statement.attributes.first { $0.name == "db.query.text" }
            guard case .text(let text)? = text?.value else {
                Issue.record("\(statement)")
                continue
            }
            #expect(!text.isEmpty && text.utf8.count <= 1000)
        }
    }

    @Test("tell nothing of people: no identifier, password, token, query or path of a request")
    func noPersonalData() async throws {
        let server = try await TestServer(settings: Self.settings)
        let body = #"{"username": "hanako", "email": "hana@example.com", "password": "\#(AccountTests.password)"}"#
        let new = try await server.send(.post, APIPath.signUp, body: body).read(LogInResponse.self)
        let person = try await server.person()
        _ = try await server.logIn("hana@example.com", "a wrong secret")
        _ = try await person.send(.get, APIPath.sessions)
        _ = try await server.send(.get, "/v1/user?secret=in-the-query", [("Authorization", "Bearer nobodys-token")])
        _ = try await server.send(.delete, "/v1/user/sessions/id-of-a-session", peer: "203.0.113.7")
        _ = try await server.send(.get, "/v1/nothing/hana@example.com", isNamed: false)
        let spans = try spans(server)
        let written = spans.map { "\($0.name) \($0.attributes) \($0.error ?? "") \($0.context.state)" }
            .joined(separator: "\n")
        let hidden = [
            "hanako", "hana@example.com", AccountTests.password, "a wrong secret", new.user.id, new.session.token,
            person.logIn.user.id, person.token, "in-the-query", "nobodys-token", "id-of-a-session", "203.0.113.7",
            server.application.id.rawValue,
        ]
        for text in hidden { #expect(!written.contains(text), "\(text)") }
        #expect(spans.contains { $0.name == "DELETE /v1/user/sessions/{id}" })
        #expect(spans.contains { $0.name == "other none" })
    }

    @Test("go on with the trace of a caller that is listed, and with nobody else's", arguments: [true, false])
    func callers(isListed: Bool) async throws {
        let server = try await TestServer(
            settings: Self.settings.merging(["trace-callers": isListed ? "192.0.2.0/24" : "198.51.100.7"]) { $1 })
        let headers = [("traceparent", Self.parent), ("tracestate", "rojo=1"), ("tracestate", "congo=2")]
        #expect(try await server.send(.get, "/health/live", headers, isNamed: false).status == 200)
        let span = try #require(try spans(server).last)
        #expect((span.context.trace.text == "0af7651916cd43dd8448eb211c80319c") == isListed)
        #expect((span.parent == 0xb7ad_6b71_6920_3331) == isListed)
        #expect(span.context.state == (isListed ? "rojo=1,congo=2" : ""))
    }

    @Test("leave the decision to record to a listed caller, and to the ratio otherwise")
    func sampling() async throws {
        let server = try await TestServer(
            settings: ["otlp-endpoint": "http://127.0.0.1:9", "trace-ratio": "0", "trace-callers": "192.0.2.0/24"])
        #expect(try await server.send(.get, "/health/ready", isNamed: false).status == 200)
        #expect(try spans(server).isEmpty)
        #expect(
            try await server.send(.get, "/health/ready", [("traceparent", Self.parent)], isNamed: false).status == 200)
        #expect(try !spans(server).isEmpty)
    }

    @Test(
        "answer requests whose headers are no trace as all others",
        arguments: ["", "00-", "\u{e9}", String(repeating: "0", count: 5000), "ff-\(parent.dropFirst(3))"])
    func hostile(_ parent: String) async throws {
        let server = try await TestServer(settings: Self.settings.merging(["trace-callers": "192.0.2.0/24"]) { $1 })
        let answer = try await server.send(
            .get, "/health/live", [("traceparent", parent), ("tracestate", parent)], isNamed: false)
        #expect(answer.status == 200)
        let span = try #require(try spans(server).last)
        #expect(span.parent == nil && span.context.state.isEmpty)
    }

    @Test("are not made without a collector, nor with one that wants metrics alone")
    func off() async throws {
        #expect(try await TestServer().composition.telemetry == nil)
        let metrics = try await TestServer(settings: Self.settings.merging(["otlp-signals": "metrics"]) { $1 })
        let telemetry = try #require(metrics.composition.telemetry)
        #expect(telemetry.tracer == nil)
        #expect(try await metrics.signUp("hana").status == 201)
        let text = try await metrics.metrics().text
        #expect(text.contains("okaeri_telemetry_faults_total") && !text.contains("okaeri_spans"))
        #expect(try await !TestServer().metrics().text.contains("okaeri_telemetry"))
    }

    @Test("show at /metrics what was dropped")
    func counted() async throws {
        let server = try await TestServer(settings: Self.settings)
        let queue = try #require(server.composition.telemetry?.tracer).queue
        #expect(try await server.metrics().text.contains("\nokaeri_spans_dropped_total{reason=\"queue_full\"} 0\n"))
        #expect(queue.count > 0)
        server.composition.telemetry?.exporter.giveUp()
        let text = try await server.metrics().text
        #expect(!text.contains("\nokaeri_spans_dropped_total{reason=\"stop\"} 0\n"))
    }
}
