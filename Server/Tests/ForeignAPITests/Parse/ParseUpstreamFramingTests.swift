import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import OutboundServices
import Testing

@testable import ParseAPI

/// An app's own Parse Server that sends the same bytes to all who ask, whatever they mean.
private final class RawParseServer: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ByteBuffer

    private init(_ answer: String) {
        self.answer = ByteBuffer(string: answer)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        context.close(promise: nil)
    }

    /// Serves until the process ends.
    static func start(_ answer: String) async throws -> String {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in channel.pipeline.addHandler(RawParseServer(answer)) }
            .bind(host: "127.0.0.1", port: 0).get()
        return "http://127.0.0.1:\(listener.localAddress?.port ?? 9)"
    }
}

/// Where a response of an app's own Parse Server ends: one that seems to end early would bring a second one, which a proxy takes
/// for the response to somebody else's request.
@Suite("The end of what an app's own Parse Server answers", .timeLimit(.minutes(5)))
struct ParseUpstreamFramingTests {
    private static let second = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"

    @Test(
        "is that of its chunks, whatever length it announces beside them",
        arguments: [
            "Content-Length: 2\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 2",
            "Content-Length: 0\r\nTransfer-Encoding: Chunked",
        ])
    func chunks(headers: String) async throws {
        let body = "{}" + Self.second
        let size = String(body.utf8.count, radix: 16)
        let address = try await RawParseServer.start(
            "HTTP/1.1 200 OK\r\n\(headers)\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n")
        let world = try await ForeignWorld(caller: .ofTests(private: IPNetwork.loopback))
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id, to: ["upstream": .texts(["\(address)/parse"])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        let response = try await world.respond(
            "GET", "/parse/classes/Game", [("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest")],
            body: RequestBody(buffer: ByteBuffer()), byteCount: nil)
        #expect(response.status == .ok && response.body.contentLength == nil)
        let collector = BodyCollector()
        try await response.body.write(collector)
        #expect(String(buffer: collector.bytes) == body)
    }

    @Test("is that of a part of a film, with the words by which a player asks for the next one")
    func part() async throws {
        let address = try await RawParseServer.start(
            "HTTP/1.1 206 Partial Content\r\nContent-Type: video/mp4\r\nContent-Range: bytes 0-1/10\r\n"
                + "Accept-Ranges: bytes\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nab")
        let world = try await ForeignWorld(caller: .ofTests(private: IPNetwork.loopback))
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id, to: ["upstream": .texts(["\(address)/parse"])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        let response = try await world.respond(
            "GET", "/parse/files/app1/film.mp4", [("Range", "bytes=0-1")], body: RequestBody(buffer: ByteBuffer()),
            byteCount: nil)
        #expect(response.status.code == 206 && response.headers[.contentType] == "video/mp4")
        #expect(response.headers[.contentRange] == "bytes 0-1/10" && response.headers[.acceptRanges] == "bytes")
        #expect(response.headers[.setCookie] == nil)
        let collector = BodyCollector()
        try await response.body.write(collector)
        #expect(String(buffer: collector.bytes) == "ab")
    }

    @Test(
        "is where it was announced, or the connection breaks off",
        arguments: [
            (4, ["{", "  }"], true), (4, ["{}"], false), (2, ["{}", Self.second], false), (2, ["{}EVIL"], false),
        ])
    func length(announced: Int, pieces: [String], isWhole: Bool) async throws {
        let (left, source) = AsyncStream<String>.makeStream()
        for piece in pieces { source.yield(piece) }
        source.finish()
        let response = try ParseResponse(
            .pieces(byteCount: announced) { await left.first { _ in true }.map { ByteBuffer(string: $0) } }
        ).response()
        let collector = BodyCollector()
        var isWritten = true
        do {
            try await response.body.write(collector)
        } catch {
            isWritten = false
        }
        #expect(response.body.contentLength == announced && isWritten == isWhole)
        #expect(collector.bytes.readableBytes <= announced)
    }
}
