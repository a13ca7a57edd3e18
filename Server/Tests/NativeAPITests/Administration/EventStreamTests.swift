import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import OkaeriServer
import OkaeriWire
import Testing

@testable import NativeAPI

/// Server-sent events, through real sockets.
@Suite("The stream of events", .timeLimit(.minutes(5)))
struct EventStreamTests {
    /// A program with a stream, and the key of the application.
    private static func run(
        _ body: @escaping @Sendable (_ server: RunningServer, _ key: String) async throws -> Void
    ) async throws {
        try await RunningServer.run { server in
            let modules = server.composition.modules
            _ = try await modules.events.changeSettings(
                of: server.application.id, isStreamed: true, retentionDays: nil, by: .local)
            let made = try await modules.administration.admins.create(
                name: "events", role: .owner, applications: nil, by: .local)
            let access = AdminAccess(made, authenticatedAt: nil)
            let key = try await modules.administration.keys.create(
                .init(name: "events", scopes: [.readUsers], applications: nil, networks: [], life: .days(1)),
                of: access, by: .local)
            try await body(server, key.secret.revealed)
        }
    }

    private static func open(
        _ server: RunningServer, _ key: String, query: String = "", headers: String = ""
    ) async throws -> SlowClient {
        let client = try await StreamServer(port: server.listening.port) {}.client()
        try await client.ask(
            "GET /v1/admin/applications/\(server.application.id)/events\(query)",
            headers: "Authorization: Bearer \(key)\r\nAccept: text/event-stream\r\n\(headers)")
        return client
    }

    /// Reads until a text came, or the server hung up.
    private static func read(_ client: SlowClient, until end: String) async -> String {
        var bytes: [UInt8] = []
        var text = ""
        while !text.contains(end), let more = await client.read() {
            bytes += more.readableBytesView
            text = String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    private static func signUp(_ server: RunningServer, _ name: String) async throws {
        let body = #"{"username": "\#(name)", "password": "four quiet words"}"#
        let head = server.head(
            "POST /v1/sign-up", "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
            "Connection: close")
        let answer = try await server.exchange(["\(head)\r\n\(body)"])
        try #require(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")
    }

    @Test("sends what was and what comes, and reads on behind Last-Event-ID")
    func stream() async throws {
        try await Self.run { server, key in
            try await Self.signUp(server, "hana")
            let client = try await Self.open(server, key)
            let first = await Self.read(client, until: #""position":1"#)
            #expect(first.contains("200 OK"), "\(first)")
            #expect(first.lowercased().contains("content-type: text/event-stream"), "\(first)")
            #expect(first.lowercased().contains("x-accel-buffering: no\r\n"), "a proxy gathers nothing: \(first)")
            #expect(first.contains("retry: 2000\n\n"), "\(first)")
            #expect(first.contains("id: 1\nevent: user.created\ndata: {"), "\(first)")
            try await Self.signUp(server, "taro")
            let second = await Self.read(client, until: "event: user.created")
            #expect(second.contains("event: user.created") && !second.contains("id: 1\n"), "\(second)")
            try await client.channel.close()

            let again = try await Self.open(server, key, query: "?after=0", headers: "Last-Event-ID: 1\r\n")
            let rest = await Self.read(again, until: "event: user.created")
            #expect(rest.contains("event: user.created") && !rest.contains("id: 1\n"), "\(rest)")
            try await again.channel.close()
        }
    }

    @Test("refuses a Last-Event-ID that is no position", arguments: ["x", "-1", "1.5", "99999999999999999999"])
    func wrongPosition(text: String) async throws {
        try await Self.run { server, key in
            let client = try await Self.open(server, key, headers: "Last-Event-ID: \(text)\r\n")
            #expect(await Self.read(client, until: "invalid_member").contains("400 Bad Request"))
            try await client.channel.close()
        }
    }

    @Test("ends whole when its key is removed")
    func removedKey() async throws {
        try await Self.run { server, key in
            let client = try await Self.open(server, key)
            _ = await Self.read(client, until: "retry: 2000")
            let keys = server.composition.modules.administration.keys
            for listed in try await keys.list() { try await keys.remove(listed.id, by: .local) }
            #expect(await Self.read(client, until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            try await client.channel.close()
        }
    }

    @Test("ends whole when the server stops, and does not hold it up")
    func shutdown() async throws {
        try await Self.run { server, key in
            let client = try await Self.open(server, key)
            _ = await Self.read(client, until: "retry: 2000")
            let begin = ContinuousClock.now
            server.listening.stop()
            #expect(await Self.read(client, until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            #expect(ContinuousClock.now - begin < .seconds(60))
        }
    }

    @Test(
        "ends, and waits for nothing, when its client has gone",
        arguments: ["text/event-stream", "application/json"])
    func abandoned(mediaType: String) async throws {
        try await Self.run { server, key in
            let path = "/v1/admin/applications/\(server.application.id)/events?wait=25"
            let request = Request(
                head: HTTPRequest(
                    method: .get, scheme: "http", authority: "127.0.0.1", path: path,
                    headerFields: [.authorization: "Bearer \(key)", .accept: mediaType]),
                body: RequestBody(buffer: ByteBuffer()))
            // A connection that was never opened is as good as one that is gone.
            let context = ServerContext(
                source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: TestServer.silence))
            let start = ContinuousClock.now
            let response = try await server.composition.responders().all.respond(to: request, context: context)
            let collector = BodyCollector()
            try await response.body.write(collector)
            #expect(response.status == .ok && collector.bytes.readableBytes > 0)
            #expect(start.duration(to: .now) < .seconds(20))
            #expect(server.composition.modules.events.readers.waiting == 0)
        }
    }

    @Test("is refused beyond the number of an application, and possible again when one has ended")
    func bounded() async throws {
        try await Self.run { server, key in
            let readers = server.composition.modules.events.readers
            for _ in 0..<WaitingReaders.maximumStreamsPerApplication {
                #expect(readers.beginStream(of: server.application.id))
            }
            let refused = try await Self.open(server, key)
            #expect(await Self.read(refused, until: "rate_limited").contains("429 Too Many Requests"))
            try await refused.channel.close()
            readers.endStream(of: server.application.id)
            let client = try await Self.open(server, key)
            #expect(await Self.read(client, until: "retry: 2000").contains("200 OK"))
            try await client.channel.close()
        }
    }

    @Test("leaves streams to other applications, and takes none once it is closed")
    func readers() async throws {
        let server = try await TestServer()
        let readers = server.modules.events.readers
        let own = Identifier<Domain.Application>(rawValue: "own")
        while readers.beginStream(of: own) {}
        #expect(readers.beginStream(of: Identifier(rawValue: "other")))
        readers.endStream(of: own)
        #expect(readers.beginStream(of: own) && !readers.beginStream(of: own))
        readers.close()
        readers.endStream(of: own)
        #expect(!readers.beginStream(of: own) && !readers.enter(own))
    }
}
