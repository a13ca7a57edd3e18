import Foundation
import Testing

@Suite("Clients that do not speak as they should", .timeLimit(.minutes(5)))
struct HostileClientTests {
    @Test("refuses a flood of headers, and one that is too long")
    func headerFloods() async throws {
        try await RunningServer.run { server in
            let many = (0..<500).map { "X-Flood-\($0): 1\r\n" }.joined()
            let long = "X-Long: " + String(repeating: "x", count: 20_000) + "\r\n"
            let path = "GET /" + String(repeating: "p", count: 100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"
            for flood in [server.head("GET /v1/user") + many, server.head("GET /v1/user") + long, path] {
                let answer = try await server.exchange([flood + "\r\n"])
                #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
                #expect(answer.contains(#""code":"head_too_large""#))
                #expect(answer.lowercased().contains("connection: close"))
            }
        }
    }

    @Test(
        "refuses a head that is too long, or is none, in the words of the old protocol whose path it begins with",
        arguments: [
            ("/2013-09-01/users?where=", "414", #"{"code":"E414000","error":""#, #"{"code":"E400000","error":""#),
            ("/parse/classes/_User?where=", "400", #""code":107"#, #""code":107"#),
            ("/api/apps/a1b2c3d4/users/me?a=", "431", #""errorCode":"BAD_REQUEST""#, #""errorCode":"BAD_REQUEST""#),
        ])
    func oldProtocols(path: String, longStatus: String, longWords: String, oddWords: String) async throws {
        try await RunningServer.run { server in
            let long = server.head("GET \(path)" + String(repeating: "x", count: 20_000)) + "\r\n"
            let odd = server.head("GET \(path)") + "Bad Header\r\n\r\n"
            for (head, status, words) in [(long, longStatus, longWords), (odd, "400", oddWords)] {
                let answer = try await server.exchange([head])
                #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains(words), "\(answer)")
                #expect(answer.lowercased().contains("access-control-allow-origin: *"), "\(answer)")
            }
        }
    }

    @Test(
        "refuses what is no HTTP",
        arguments: [
            "nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nBad Header\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
        ])
    func noRequest(text: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([text])
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.contains("urn:okaeri:problem:"), "\(answer)")
        }
    }

    @Test(
        "survives odd request targets",
        arguments: [
            "*", "http://", "http://x", "http://x:99999/v1/user", "//x", "/?", "/%zz", "x:y", "?", "/v1/user?%",
            "/..//../v1/user", "https://evil.example/v1/user", "http://[::1/v1/user", "http:///", "://", "/v1/user/%2e",
        ])
    func oddTargets(target: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([server.head("GET \(target)", "Connection: close") + "\r\n"])
            // These are the root, which is a page.
            let isRoot = ["http://x", "/?"].contains(target)
            #expect(answer.hasPrefix(isRoot ? "HTTP/1.1 200 " : "HTTP/1.1 4"), "\(answer)")
            #expect(answer.contains(isRoot ? "<!DOCTYPE html>" : "urn:okaeri:problem:"), "\(answer)")
        }
    }

    @Test(
        "takes a path with an empty segment for no other path",
        arguments: ["DELETE /v1/user/sessions/", "GET /v1/user/", "GET /v1//user", "GET //v1/user"])
    func emptySegments(target: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([server.head(target, "Connection: close") + "\r\n"])
            #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(answer)")
            #expect(answer.contains("path_unknown"), "\(answer)")
        }
    }

    @Test("answers 408 to a body that comes too slowly, and hangs up")
    func slowBody() async throws {
        try await RunningServer.run(["request-timeout": "1"]) { server in
            let head = server.head("POST /v1/log-in/automatic", "DPoP: x", "Content-Length: 1200") + "\r\n"
            let start = ContinuousClock.now
            let answer = try await server.exchange(
                [head] + [String](repeating: "{", count: 1200), pause: .milliseconds(100))
            #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
            #expect(answer.contains(#""code":"request_timeout""#))
            // All of it would have taken two minutes.
            #expect(start.duration(to: .now) < .seconds(100))
        }
    }

    @Test("hangs up on a head that comes too slowly, and on a connection without a request", arguments: [true, false])
    func slowHead(sendsBytes: Bool) async throws {
        try await RunningServer.run(["idle-timeout": "1"]) { server in
            let start = ContinuousClock.now
            let drops = [String](repeating: "X: y\r\n", count: 1200)
            let pieces = sendsBytes ? ["GET /v1/user HTTP/1.1\r\n"] + drops : []
            let answer = try await server.exchange(pieces, pause: .milliseconds(100))
            #expect(answer == "")
            // All of it would have taken two minutes; without the setting nothing is waited for longer than 30 seconds.
            #expect(start.duration(to: .now) < .seconds(sendsBytes ? 100 : 28))
        }
    }

    @Test("stops reading a body that is too long, whether or not its length was declared", arguments: [true, false])
    func longBody(isChunked: Bool) async throws {
        try await RunningServer.run { server in
            let length = 1024 * 1024 + 1
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(length)"
            let body = String(repeating: " ", count: length)
            let answer = try await server.exchange([
                server.head("POST /v1/sign-up", framing) + "\r\n",
                isChunked ? String(length, radix: 16) + "\r\n" + body : body,
            ])
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
            #expect(answer.contains(#""code":"body_too_large""#))
        }
    }

    @Test("hangs up on a body that a path does not want, however long it goes on")
    func unwantedBody() async throws {
        try await RunningServer.run(["request-timeout": "1"]) { server in
            let start = ContinuousClock.now
            let answer = try await server.exchange(
                [server.head("GET /health/live", "Transfer-Encoding: chunked") + "\r\n"]
                    + [String](repeating: "1\r\nx\r\n", count: 1200), pause: .milliseconds(100))
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(start.duration(to: .now) < .seconds(100))
        }
    }

    @Test("keeps a connection whose unwanted body came to its end")
    func unwantedShortBody() async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([
                server.head("PATCH /v1/user", "Content-Length: 2") + "\r\n{}"
                    + server.head("GET /health/live", "Connection: close") + "\r\n"
            ])
            let statuses = answer.matches(of: #/HTTP/1\.1 (\d+) /#).map(\.output.1)
            #expect(statuses == ["401", "200"], "\(answer)")
        }
    }

    @Test("answers requests that come together, in their order")
    func pipelining() async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([
                server.head("GET /health/live") + "\r\n" + server.head("GET /nowhere") + "\r\n"
                    + server.head("GET /health/ready", "Connection: close") + "\r\n"
            ])
            let statuses = answer.matches(of: #/HTTP/1\.1 (\d+) /#).map(\.output.1)
            #expect(statuses == ["200", "404", "200"], "\(answer)")
        }
    }

    @Test("goes on serving others while a hundred connections do nothing")
    func idleConnections() async throws {
        try await RunningServer.run(["idle-timeout": "10"]) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { _ = try await server.exchange(["GET / HT"]) } }
                let answer = try await server.exchange([server.head("GET /health/live", "Connection: close") + "\r\n"])
                #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
                try await group.waitForAll()
            }
        }
    }
}
