import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import NIOCore
import OkaeriServer
import OkaeriWire
import Testing

@Suite("Requests that come whole", .timeLimit(.minutes(5)))
struct FastPathTests {
    /// What a route without names in braces answers, one with them, and nobody.
    private static let paths = [
        ("GET /v1/user", "session_required"), ("GET /v1/user/sessions", "session_required"),
        ("DELETE /v1/user/sessions/abc", "session_required"), ("GET /v1/nowhere", "path_unknown"),
        ("POST /v1/log-in/automatic", "proof_required"), ("HEAD /v1/user", "401"),
        ("PUT /v1/user", "method_not_allowed"),
    ]

    @Test("are answered in the order in which they came, by either path")
    func order() async throws {
        try await RunningServer.run { server in
            // The last one closes the connection, which ends the exchange.
            let paths = Self.paths + Self.paths.reversed() + [("GET /health/live", "live")]
            let requests = paths.enumerated().map { index, path in
                server.keptHead(path.0) + (index == paths.count - 1 ? "Connection: close\r\n\r\n" : "\r\n")
            }
            let answers = try await server.exchange([requests.joined()]).components(separatedBy: "HTTP/1.1 ")
                .dropFirst()
            #expect(answers.count == paths.count)
            for (answer, path) in zip(answers, paths) { #expect(answer.contains(path.1), "\(path.0): \(answer)") }
        }
    }

    @Test("are answered alike when they come in pieces, with a body in chunks, or with one read")
    func pieces() async throws {
        try await RunningServer.run { server in
            let body = #"{"colour": 1}"#
            let head = server.keptHead("PATCH /v1/user") + "Content-Type: application/merge-patch+json\r\n"
            let last = server.keptHead("GET /health/live") + "Connection: close\r\n\r\n"
            let whole = head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
            let chunked = head + "Transfer-Encoding: chunked\r\n\r\nd\r\n\(body)\r\n0\r\n\r\n"
            for pieces in [
                [whole + last], [String(whole.dropLast(4)), String(whole.suffix(4)) + last],
                [String(whole.prefix(30)), String(whole.dropFirst(30)) + last], [chunked + last],
            ] {
                let answer = try await server.exchange(pieces, pause: .milliseconds(20))
                #expect(answer.components(separatedBy: "\"code\":\"session_required\"").count == 2, "\(answer)")
                #expect(answer.hasSuffix(#"{"status":"live"}"#), "\(answer)")
            }
        }
    }

    @Test(
        "are answered on their connection's event loop, unless their body or their response is long",
        arguments: [
            ("/where", 0, "loop"), ("/where", 1, "loop"), ("/where", 1000, "loop"), ("/where", 5000, "elsewhere"),
            ("/where", 60_000, "elsewhere"), ("/where/long", 0, "elsewhere"), ("/where/long", 1000, "elsewhere"),
        ])
    func loop(path: String, bodyBytes: Int, answeredOn: String) async throws {
        try await StreamServer.run(NumberedPieces(1)) { server in
            let client = try await server.client()
            let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(bodyBytes)\r\n\r\n"
            let request = ByteBuffer(string: head + String(repeating: "x", count: bodyBytes))
            // The connection goes on behind either.
            for _ in 0..<2 {
                try await client.channel.writeAndFlush(request).get()
                let answer = String(decoding: await client.read(until: answeredOn), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK"), "\(answer)")
            }
            try await client.channel.close()
        }
    }

    @Test("show a proof that does not hold before a long body is read")
    func proofFirst() async throws {
        let server = try await TestServer()
        for (bytes, code) in [(10, "malformed_body"), (5000, "proof_invalid")] {
            let answer = try await server.send(
                .post, APIPath.logInAutomatically, [("DPoP", "x")], body: String(repeating: "[", count: bytes))
            #expect(try answer.read(Problem.self).code.rawValue == code, "\(answer.text)")
        }
    }

    @Test("keep their connection when they ask for that, as Apple's systems do")
    func keepAlive() async throws {
        try await RunningServer.run { server in
            let kept = server.keptHead("GET /health/live") + "Connection: Keep-Alive\r\n\r\n"
            let last = server.keptHead("GET /health/live") + "Connection: close\r\n\r\n"
            let answer = try await server.exchange([kept + last])
            #expect(answer.components(separatedBy: #"{"status":"live"}"#).count == 3, "\(answer)")
        }
    }

    @Test("have their answer before a request behind them that cannot be read is refused")
    func garbageBehind() async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([server.keptHead("GET /v1/user") + "\r\nGARBAGE\r\n\r\n"])
            let refused = try #require(answer.range(of: "malformed_head"))
            let answered = try #require(answer.range(of: "401 Unauthorized"))
            #expect(answered.lowerBound < refused.lowerBound)
        }
    }

    @Test("do not let their connection count as idle")
    func busyIsNotIdle() async throws {
        try await RunningServer.run(["idle-timeout": "1"]) { server in
            var (isCut, longest) = (true, Duration.seconds(1))
            // Where the machine itself stood still between two requests, the connection was idle: then once more.
            while isCut, longest > .milliseconds(500) {
                (isCut, longest) = try await Self.stayBusy(at: server.listening.port)
            }
            #expect(!isCut, "with a request every \(longest)")
        }
    }

    @Test("leave a listed proxy its connection for longer than others have it")
    func keptByProxy() async throws {
        try await RunningServer.run(["idle-timeout": "1", "trusted-proxies": "127.0.0.1"]) { server in
            let client = try await StreamServer(port: server.listening.port) {}.client()
            try await client.ask("GET /health/live")
            let first = await client.read(until: #"{"status":"live"}"#)
            // Others are cut after a second and a quarter of one.
            try await Task.sleep(for: .seconds(3))
            try? await client.ask("GET /health/live")
            let second = await client.read(until: #"{"status":"live"}"#)
            #expect(!first.isEmpty && !second.isEmpty)
            try? await client.channel.close()
        }
    }

    /// Asks on one connection for three seconds: whether the server cut it, and the longest time between two answers.
    private static func stayBusy(at port: Int) async throws -> (isCut: Bool, longest: Duration) {
        let client = try await StreamServer(port: port) {}.client()
        let end = ContinuousClock.now + .seconds(3)
        var (last, longest, isCut) = (ContinuousClock.now, Duration.zero, false)
        while !isCut, last < end {
            // A connection that was cut is noticed where nothing comes.
            try? await client.ask("GET /health/live")
            isCut = await client.read(until: #"{"status":"live"}"#).isEmpty
            longest = max(longest, last.duration(to: .now))
            last = .now
            if !isCut { try await Task.sleep(for: .milliseconds(100)) }
        }
        try? await client.channel.close()
        return (isCut, longest)
    }

    @Test("are written by hand as the encoder would write them")
    func writtenByHand() throws {
        let time = try #require(WireTime("2026-11-21T09:15:42.123Z"))
        let bare = UserBody(id: "a", isAnonymous: true, createdAt: time, updatedAt: time)
        var full = UserBody(
            id: "a\"\\\n", isAnonymous: false, displayName: "Hana", locale: "ja",
            fields: ["level": 3, "tags": ["a", nil, 1.5], "deep": ["x": true]],
            identities: [
                IdentityBody(provider: "device", subject: "s", linkedAt: time),
                IdentityBody(provider: "apple", subject: "t", linkedAt: time),
            ], createdAt: time, updatedAt: time)
        (full.username, full.email, full.phone) = ("花", "h@example.com", "+81312345678")
        (full.emailVerified, full.phoneVerified, full.hasPassword) = (true, true, true)
        (full.lastLogInAt, full.previousLogInAt) = (time, time)
        let session = NewSessionBody(id: "s", token: "oks_x", expiresAt: time, idleSeconds: 60)
        for user in [bare, full] {
            for previous in [nil, time] {
                let answer = LogInResponse(
                    isNew: previous == nil, user: user, previousLogInAt: previous, session: session)
                #expect(try tree(ofWritten: answer) == tree(ofEncoded: answer))
            }
            #expect(try tree(ofWritten: user) == tree(ofEncoded: user))
        }
    }

    private func tree(ofWritten value: some JSONWritten) throws -> JSONValue {
        try JSONValue(parsing: Array(JSONBytes.buffer(of: value).readableBytesView))
    }

    private func tree(ofEncoded value: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: Array(JSONEncoder().encode(value)))
    }
}

extension RunningServer {
    /// The head of a request that keeps its connection, without the empty line.
    func keptHead(_ line: String) -> String {
        "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(listening.port)\r\n"
            + "Okaeri-Application: \(application.id.rawValue)\r\n"
    }
}
