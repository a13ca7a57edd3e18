import HTTPSupport
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import OkaeriServer
import Testing

@Suite("A client that asks whether it may send its body", .timeLimit(.minutes(5)))
struct ContinueTests {
    /// Statuses that went out since the last time.
    private func statuses(_ connection: EmbeddedConnection) throws -> [Int] {
        var statuses: [Int] = []
        while let part = try connection.channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let head) = part { statuses.append(head.status.code) }
        }
        return statuses
    }

    private func head(_ headers: HTTPFields) -> HTTPRequestPart {
        .head(
            HTTPRequest(
                method: .post, scheme: "http", authority: "127.0.0.1", path: "/short", headerFields: headers))
    }

    @Test(
        "is invited at once, unless the body is announced as too long or nothing was asked",
        arguments: [
            ([.expect: "100-continue", .contentLength: "2"], [100]),
            ([.expect: "100-Continue", .transferEncoding: "chunked"], [100]),
            ([.expect: "100-continue", .contentLength: "1048577"], []), ([.contentLength: "2"], []),
        ] as [(HTTPFields, [Int])])
    func invited(headers: HTTPFields, expected: [Int]) throws {
        let connection = try EmbeddedConnection()
        connection.channel.pipeline.fireChannelRead(head(headers))
        connection.settle()
        #expect(try statuses(connection) == expected)
    }

    @Test("and sends it along all the same, is answered without an invitation")
    func notNeeded() throws {
        let connection = try EmbeddedConnection()
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "127.0.0.1", path: "/short",
            headerFields: [.expect: "100-continue", .contentLength: "2"])
        connection.channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        connection.channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(string: "{}")))
        connection.channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        connection.settle()
        #expect(try statuses(connection) == [200])
    }

    @Test("behind a request that is being answered, is invited after that answer")
    func inOrder() throws {
        let connection = try EmbeddedConnection()
        connection.ask("/held")
        connection.channel.pipeline.fireChannelRead(head([.expect: "100-continue", .contentLength: "2"]))
        connection.settle()
        #expect(try statuses(connection).isEmpty)
        connection.held.answerOldest()
        connection.settle()
        #expect(try statuses(connection) == [200, 100])
    }

    @Test("gets its response from the real server behind the invitation")
    func real() async throws {
        try await RunningServer.run { server in
            let body = #"{"colour": 1}"#
            let head = server.head(
                "PATCH /v1/user", "Content-Type: application/merge-patch+json", "Expect: 100-continue",
                "Content-Length: \(body.utf8.count)")
            let last = server.lastHead("GET /health/live")
            let client = try await StreamServer(port: server.listening.port) {}.client()
            try await client.channel.writeAndFlush(ByteBuffer(string: head + "\r\n")).get()
            let invitation = String(decoding: await client.read(until: "\r\n\r\n"), as: UTF8.self)
            #expect(invitation == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.channel.writeAndFlush(ByteBuffer(string: body + last)).get()
            let answer = String(decoding: await client.read(until: "never"), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
            #expect(answer.hasSuffix(#"{"status":"live"}"#), "\(answer)")
        }
    }
}
