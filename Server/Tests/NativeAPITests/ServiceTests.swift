import Foundation
import HTTPSupport
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

@Suite("Health, metrics, description, and what every answer has")
struct ServiceTests {
    @Test("is live and ready", arguments: ["/health/live", "/health/ready"])
    func healthy(path: String) async throws {
        #expect(try await TestServer().send(.get, path, isNamed: false).status == 200)
    }

    @Test("is live but not ready without its storage, and says so everywhere")
    func storageGone() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        await server.composition.close()
        #expect(try await server.send(.get, "/health/live", isNamed: false).status == 200)
        let ready = try await server.send(.get, "/health/ready", isNamed: false)
        expect(ready, 503, .storageUnavailable)
        #expect(ready.headers[.retryAfter] != nil)
        expect(try await server.logIn(person.device), 503, .storageUnavailable)
        expect(try await person.send(.get, APIPath.sessions), 503, .storageUnavailable)
        expect(try await person.send(.patch, APIPath.user, body: #"{"locale": "ko"}"#), 503, .storageUnavailable)
    }

    @Test("serves the description as it stands in the repository")
    func description() async throws {
        let answer = try await TestServer().send(.get, APIPath.description, isNamed: false)
        #expect(answer.status == 200)
        #expect(answer.body == Array(try Data(contentsOf: Description.file)))
        #expect(try Description.ofTheRepository.get().danglingReferences() == [])
    }

    @Test("counts requests by route and status, and log-ins")
    func metrics() async throws {
        let server = try await TestServer(settings: ["first-launches": "1"])
        let person = try await server.person()
        _ = try await server.person(person.device)
        expect(try await server.logIn(ProofMaker()), 429, .rateLimited)
        _ = try await person.send(.get, APIPath.user)
        _ = try await server.send(.get, APIPath.user)
        _ = try await server.send(.get, "/v1/nothing?token=secret")
        let text = try await server.metrics().text
        for line in [
            #"okaeri_http_requests_total{method="POST",route="/v1/log-in/automatic",status="201"} 1"#,
            #"okaeri_http_requests_total{method="POST",route="/v1/log-in/automatic",status="429"} 1"#,
            #"okaeri_http_requests_total{method="GET",route="/v1/user",status="200"} 1"#,
            #"okaeri_http_requests_total{method="GET",route="/v1/user",status="401"} 1"#,
            #"okaeri_http_requests_total{method="other",route="none",status="404"} 1"#,
            #"okaeri_http_request_duration_seconds_count{method="GET",route="/v1/user"} 2"#,
            #"okaeri_log_ins_total{user="new"} 1"#,
            #"okaeri_log_ins_total{user="known"} 1"#,
            "okaeri_first_launches_refused_total 1",
            "okaeri_session_cache_entries 1.0",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        #expect(!text.contains("secret"))
        #expect(text.contains("process_resident_memory_bytes"))
    }

    @Test("gives each answer another request id, the same in header and problem")
    func requestIds() async throws {
        let server = try await TestServer()
        let answers = [try await server.send(.get, APIPath.user), try await server.send(.get, "/nowhere")]
        let ids = try answers.map { try $0.read(Problem.self).requestId }
        #expect(ids == answers.map { $0.headers[.requestId] })
        #expect(Set(ids).count == 2)
    }

    @Test("keeps a proxy's request id, and nobody else's")
    func foreignRequestIds() async throws {
        let server = try await TestServer(settings: ["trusted-proxies": "10.0.0.0/8"])
        func id(_ sent: String, peer: String) async throws -> String? {
            try await server.send(.get, "/health/live", [("Request-Id", sent)], peer: peer).headers[.requestId]
        }
        #expect(try await id("abc-123", peer: "10.1.2.3") == "abc-123")
        #expect(try await id("abc-123", peer: "192.0.2.1") != "abc-123")
        #expect(try await id("a b", peer: "10.1.2.3") != "a b")
        #expect(try await id(String(repeating: "a", count: 129), peer: "10.1.2.3")?.count == 15)
    }

    @Test("answers unknown paths and methods with problems")
    func unrouted() async throws {
        let server = try await TestServer()
        for path in ["/v1", "/v1/users", "/v1/user/", "/v2/user", "//v1/user", "/v1/user/sessions/a/b", "/%00"] {
            let answer = try await server.send(.get, path)
            #expect(answer.status == 404, "\(path): \(answer.text)")
        }
        let answer = try await server.send(.put, APIPath.user)
        expect(answer, 405, .methodNotAllowed)
        #expect(answer.headers[.allow] == "DELETE, GET, HEAD, OPTIONS, PATCH")
        expect(try await server.send(.get, APIPath.logInAutomatically), 405, .methodNotAllowed)
    }
}
