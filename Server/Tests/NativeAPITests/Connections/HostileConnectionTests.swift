import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Testing

@testable import OkaeriServer

/// Clients that use a connection in ways that no app does, through real sockets.
@Suite("Hostile connections", .timeLimit(.minutes(5)))
struct HostileConnectionTests {
    private static let request = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let last = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    /// The head of a log-in whose body comes in chunks.
    private static func chunkedHead(_ server: RunningServer) -> String {
        server.head(
            "POST /v1/sign-up", "Content-Type: application/json", "Transfer-Encoding: chunked")
            + "\r\n"
    }

    private static func statuses(_ answer: String) -> [Substring] {
        answer.matches(of: #/HTTP/1\.1 (\d+) /#).map(\.output.1)
    }

    @Test("that pipeline ten thousand requests have as many answers, whichever way they are answered")
    func manyRequests() async throws {
        try await RunningServer.run { server in
            let quick = String(repeating: Self.request, count: 10_000)
            let quickly = try await server.exchange([quick + Self.last])
            #expect(Self.statuses(quickly).count == 10_001)
            // These go Hummingbird's way, and some between them do not.
            let other = String(repeating: "HEAD /health/live HTTP/1.1\r\nHost: x\r\n\r\n" + Self.request, count: 500)
            let otherwise = try await server.exchange([other + Self.last])
            #expect(Self.statuses(otherwise).count == 1001)
        }
    }

    @Test(
        "that name an encoding of marks without an end hold up no event loop: its bytes are compared",
        .timeLimit(.minutes(1)))
    func encodings() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: 200_000)
        for (encoding, isTaken) in [("\(marks), chunked", false), (marks, false), ("Chunked", true)] {
            let fault = try fault(of: .POST, ["Host": "a.example", "Transfer-Encoding": encoding])
            #expect((fault == nil) == isTaken)
            #expect(isTaken || fault as? HTTPParserError == .invalidHeaderToken)
        }
    }

    /// What the check of a request's head says against it, without a server.
    private func fault(of method: HTTPMethod, _ headers: HTTPHeaders) throws -> (any Error)? {
        let channel = EmbeddedChannel(handler: RequestHeadCheck(nil))
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: headers)
        var fault: (any Error)?
        do {
            _ = try channel.writeInbound(HTTPServerRequestPart.head(head))
        } catch {
            fault = error
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
        return fault
    }

    @Test("that name options of the connection without an end are refused before these are taken apart")
    func options() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: 256)
        for (fields, isTaken) in [
            ([marks], true), (["keep-alive, Upgrade", "HTTP2-Settings"], true), ([marks + ","], false),
            ([String(repeating: "a,", count: 513)], false), ([marks, "close"], false),
        ] {
            var headers: HTTPHeaders = ["Host": "a.example"]
            for field in fields { headers.add(name: "connection", value: field) }
            let fault = try fault(of: .GET, headers)
            #expect((fault == nil) == isTaken)
            #expect(isTaken || fault as? HTTPParserError == .headerOverflow)
        }
    }

    @Test("that say more of the connection than anybody does get 431")
    func longOptions() async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([
                server.head("GET /health/live", "Connection: " + String(repeating: "a,", count: 3000)) + "\r\n"
            ])
            #expect(Self.statuses(answer) == ["431"] && answer.contains("head_too_large"), "\(answer.prefix(300))")
        }
    }

    @Test("that never read are answered no further than their connection takes, and cut", arguments: ["GET", "HEAD"])
    func neverReads(method: String) async throws {
        let settings = ["write-timeout": "2", "idle-timeout": "60", "metrics-listen": "127.0.0.1:0"]
        try await RunningServer.run(settings) { server in
            let client = try await MuteClient(port: server.listening.port)
            let requests = String(repeating: "\(method) /health/live HTTP/1.1\r\nHost: x\r\n\r\n", count: 300_000)
            client.send(requests)
            let port = try #require(server.listening.metricsURL.flatMap { URL(string: $0)?.port })
            var cut = false
            while !cut {
                // Others are served meanwhile.
                #expect(try await server.exchange([Self.last]).hasPrefix("HTTP/1.1 200 "))
                let metrics = try await server.exchange([server.lastHead("GET /metrics")], port: port)
                cut = metrics.contains(#"okaeri_connections_cut_total{cause="slow_reader"} 1"# + "\n")
                let answered =
                    metrics.matches(
                        of: #/okaeri_http_requests_total\{method="GET",route="/health/live",status="200"\} (\d+)/#
                    ).compactMap { Int($0.output.1) }.first ?? 0
                // What the sockets of both ends hold, and no more.
                #expect(answered < 150_000, "\(answered)")
            }
            await client.closed()
        }
    }

    @Test("that send much at once are read four kilobytes at a time, and others on the event loop have a turn between")
    func turns() async throws {
        let (turns, counter) = AsyncStream<Int>.makeStream()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ConnectionTurn.bound(channel)
                    try channel.pipeline.syncOperations.addHandler(TurnCounter(counter))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: try #require(server.localAddress?.port)).get()
        try await client.writeAndFlush(ByteBuffer(repeating: 0x20, count: 200_000))
        try await client.close()
        var (all, most) = (0, 0)
        for await turn in turns { (all, most) = (all + turn, max(most, turn)) }
        #expect(all == 200_000 && most <= 4 * 1024, "\(all), \(most)")
        try await server.close()
    }

    /// Says how much came with each turn of a connection.
    private final class TurnCounter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let turns: AsyncStream<Int>.Continuation
        private var bytes = 0

        init(_ turns: AsyncStream<Int>.Continuation) { self.turns = turns }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += unwrapInboundIn(data).readableBytes }

        func channelReadComplete(context: ChannelHandlerContext) {
            turns.yield(bytes)
            bytes = 0
        }

        func channelInactive(context: ChannelHandlerContext) {
            turns.yield(bytes)
            turns.finish()
        }
    }

    @Test("that stop sending behind many requests have their answers")
    func halfClosed() async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([String(repeating: Self.request, count: 5000)], endsInput: true)
            #expect(Self.statuses(answer).count == 5000)
        }
    }

    @Test("that go on after their last request are hung up on", arguments: [1, 1000])
    func behindTheLast(count: Int) async throws {
        try await RunningServer.run(["idle-timeout": "600"]) { server in
            let start = ContinuousClock.now
            let client = try await MuteClient(port: server.listening.port)
            client.send(Self.last + String(repeating: Self.request, count: count))
            await client.closed()
            #expect(start.duration(to: .now) < .seconds(120))
        }
    }

    @Test("that go on after what cannot be read are refused once, and hung up on")
    func behindAnError() async throws {
        try await RunningServer.run { server in
            let bad = "GET / HTTP/1.1\r\nBad Header\r\n\r\n"
            let answer = try await server.exchange([Self.request + bad + String(repeating: Self.request, count: 1000)])
            #expect(Self.statuses(answer) == ["200", "400"])
        }
    }

    @Test(
        "that want another protocol have an answer, and no more of theirs is kept",
        arguments: [
            "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
            "CONNECT id.example.test:443 HTTP/1.1\r\nHost: id.example.test:443\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ])
    func upgrade(request: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange(
                [request]
                    + [String](repeating: "x", count: 100).map {
                        String(repeating: $0, count: 65_536)
                    })
            #expect(Self.statuses(answer).count == 1)
            #expect(answer.lowercased().contains("connection: close"), "\(answer)")
        }
    }

    @Test(
        "with lengths that are none are refused",
        arguments: [
            ("Content-Length: 99999999999999999999", "400"), ("Content-Length: 18446744073709551615", "400|408|413"),
            ("Content-Length: 9223372036854775807", "413"), ("Content-Length: 9223372036854775808", "400|408|413"),
            ("Content-Length: +5", "400"), ("Content-Length: 5, 5", "400"),
            ("Content-Length: 5\r\nContent-Length: 6", "400"), ("Content-Length: 0x10", "400"),
            ("X-Nul: a\u{0}b", "400"), ("X-\u{0}: a", "400"), ("Transfer-Encoding: chunked, identity", "400"),
        ])
    func lengths(header: String, expected: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([
                server.head("POST /v1/sign-up", header, "Connection: close") + "\r\nhello"
            ])
            let status = try #require(Self.statuses(answer).first)
            #expect(expected.split(separator: "|").contains(status), "\(answer)")
            #expect(answer.contains("urn:okaeri:problem:"), "\(answer)")
        }
    }

    @Test(
        "that name no host or two, no path, or have another encoding than chunks, are refused; whole addresses are taken",
        arguments: [
            ("GET /health/live HTTP/1.1\r\n", "400"), ("GET /health/live HTTP/1.1\r\nHost:\r\n", "400"),
            ("GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n", "400"),
            ("GET /health/live HTTP/1.1\r\nHost: x\r\nAccept: a\r\nhost: x\r\n", "400"),
            ("GET /health/live HTTP/1.0\r\nHost: x\r\nHost: y\r\n", "400"),
            ("POST /v1/sign-up HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n", "400"),
            (
                "POST /v1/sign-up HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
                "400"
            ),
            ("POST /v1/sign-up HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n", "400"),
            ("GET /health/live HTTP/1.0\r\n", "200"), ("GET /health/live HTTP/1.0\r\nHost: x\r\n", "200"),
            ("GET /health/live HTTP/1.1\r\nHost: x\r\n", "200"),
            ("GET http://id.example.test/health/live HTTP/1.1\r\nHost: x\r\n", "200"),
            ("GET HTTPS://x:443/health/live?a=http://b HTTP/1.0\r\n", "200"),
            ("GET ftp://x/health/live HTTP/1.1\r\nHost: x\r\n", "400"),
            ("GET *://x/health/live HTTP/1.1\r\nHost: x\r\n", "400"),
            ("GET http://a@x/health/live HTTP/1.1\r\nHost: x\r\n", "400"),
        ])
    func heads(head: String, expected: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([head + "Connection: close\r\n\r\n"])
            #expect(Self.statuses(answer) == [expected[...]], "\(answer)")
            #expect(expected == "200" || answer.contains("urn:okaeri:problem:"), "\(answer)")
        }
    }

    @Test(
        "that name what cannot be a host are refused, however they come",
        arguments: ["a b", "a/b", "a@b", "a\\b", "a,b c", "<a>", "a:b", "a:1:2", ":80", "[::1", "[]", "::1", "日本"])
    func wrongHost(host: String) async throws {
        try await RunningServer.run { server in
            for header in ["", "Connection: close\r\n"] {
                let answer = try await server.exchange([
                    "GET /health/live HTTP/1.1\r\nHost: \(host)\r\n\(header)\r\n"
                ])
                #expect(Self.statuses(answer) == ["400"] && answer.contains("urn:okaeri:problem:"), "\(answer)")
            }
        }
    }

    @Test(
        "that name a host in any form are taken",
        arguments: ["a", "A.example:8080", "a_b.example.", "[::1]", "[fe80::1%25en0]:80", "192.0.2.1:", "a%20b"])
    func anyHost(host: String) async throws {
        try await RunningServer.run { server in
            let plain = "GET /health/live HTTP/1.1\r\nHost: \(host)\r\n"
            let answer = try await server.exchange(["\(plain)\r\n\(plain)Connection: close\r\n\r\n"])
            #expect(Self.statuses(answer) == ["200", "200"], "\(answer)")
        }
    }

    @Test(
        "that want the head of what is not there get nothing that stands behind it",
        arguments: ["/nowhere", "/v1/sign-up", "/v1/user", "/dashboard/nothing", "/a/x/log-in", "/parse/users"])
    func headAlone(path: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.exchange([server.head("HEAD \(path)") + "\r\n" + Self.last])
            let parts = answer.components(separatedBy: "\r\n\r\n")
            #expect(parts.count == 3 && parts[0].hasPrefix("HTTP/1.1 4"), "\(answer)")
            #expect(parts.dropFirst().first?.hasPrefix("HTTP/1.1 200 OK\r\n") == true, "\(answer)")
        }
    }

    @Test(
        "that speak HTTP/1.0 have one answer, no word before it, and are hung up on",
        arguments: [
            ("GET /health/live HTTP/1.0\r\n", "", "200"),
            ("GET /health/live HTTP/1.0\r\nConnection: keep-alive\r\n", "", "200"),
            ("POST /health/live HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n", "{}", "405"),
        ])
    func outdated(head: String, body: String, expected: String) async throws {
        try await RunningServer.run(["idle-timeout": "600"]) { server in
            let start = ContinuousClock.now
            let answer = try await server.exchange([head + "\r\n", body + Self.request])
            #expect(Self.statuses(answer) == [expected[...]], "\(answer)")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
            #expect(start.duration(to: .now) < .seconds(120))
        }
    }

    @Test(
        "with chunks that are none are refused",
        arguments: [
            "ffffffffffffffff\r\n", "10000000000000000\r\n", "7fffffffffffffff\r\nhello", "-1\r\nx", "\r\n\r\n",
            "zz\r\n",
            "100001\r\n" + String(repeating: "x", count: 0x100001),
        ])
    func chunks(body: String) async throws {
        try await RunningServer.run(["request-timeout": "1"]) { server in
            let head = Self.chunkedHead(server)
            let answer = try await server.exchange([head + body])
            let status = try #require(Self.statuses(answer).first)
            #expect(["400", "408", "413"].contains(status), "\(answer)")
        }
    }

    @Test("that hide a body in the extensions of its chunks have no more time than others, and fill no memory")
    func chunkExtensions() async throws {
        try await RunningServer.run(["request-timeout": "1"]) { server in
            let head = Self.chunkedHead(server)
            let start = ContinuousClock.now
            let answer = try await server.exchange(
                [head + "1;a="] + [String](repeating: String(repeating: "x", count: 16_384), count: 2400),
                pause: .milliseconds(50))
            #expect(["400", "408"].contains(Self.statuses(answer).first), "\(answer)")
            #expect(start.duration(to: .now) < .seconds(100))
        }
    }

    @Test("with a body of one byte a chunk are answered as others are")
    func smallChunks() async throws {
        try await RunningServer.run { server in
            let head = Self.chunkedHead(server)
            let body = String(repeating: "1\r\n \r\n", count: 20_000) + "2\r\n{}\r\n0\r\n\r\n"
            let answer = try await server.exchange([head + body + Self.last])
            #expect(Self.statuses(answer) == ["400", "200"], "\(answer)")
            // No client cuts a body into that many.
            let more = String(repeating: "1\r\n \r\n", count: 40_000) + "2\r\n{}\r\n0\r\n\r\n"
            let refused = try await server.exchange([head + more + Self.last])
            #expect(Self.statuses(refused) == ["400"] && refused.contains("too many pieces"), "\(refused)")
        }
    }
}

/// A client that sends, never reads, and notices when the server has cut the connection.
final class MuteClient: Sendable {
    private let channel: any Channel

    init(port: Int) async throws {
        channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // Hundreds of tests share the event loops, on a crowded machine for longer than the ten seconds of before.
            .connectTimeout(.minutes(2))
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Sends as fast as the server takes it; what it does not take stays here.
    func send(_ text: String) {
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    func close() async {
        // The server may have hung up already.
        try? await channel.close()
    }

    /// Waits until nothing can be sent any more.
    func closed() async {
        while channel.isActive {
            // The next byte behind the server's end is answered by a reset.
            try? await channel.writeAndFlush(ByteBuffer(string: "x")).get()
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
