import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

/// What the decoder would get.
private final class DecoderSpy: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let bytes = Mutex("")
    var text: String { bytes.withLock { $0 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let read = String(buffer: unwrapInboundIn(data))
        bytes.withLock { $0 += read }
    }
}

@Suite("Requests that are read before the decoder")
struct FastPathDecoderTests {
    private let spy = DecoderSpy()
    private let held = HeldAnswers()
    private let channel: EmbeddedChannel

    private static let plain = "GET /short HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let chunked = "POST /short HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"

    init() throws {
        let routes = StreamServer.serverRoutes([
            Route(.get, "/short", .nothing, StreamServer.Short().respond), Route(.get, "/held", .nothing, held.respond),
        ]).responder()
        let timeouts = ConnectionTimeouts(
            .init(idle: .seconds(30), write: .seconds(30)), metrics: ConnectionMetrics())
        channel = EmbeddedChannel(
            handlers: [
                FastPathDecoder(.init(headBytes: 16_384, fields: 64), HeaderNames([])), spy,
                FastPathHandler(routes, timeouts: timeouts, logger: TestServer.silence),
            ])
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 4711)).wait()
    }

    /// Some texts arrive, each by itself, with one turn of the loop.
    private func arrive(_ texts: String...) {
        for text in texts { channel.pipeline.fireChannelRead(ByteBuffer(string: text)) }
        channel.pipeline.fireChannelReadComplete()
        channel.embeddedEventLoop.run()
    }

    private func answers() throws -> Int {
        var bytes = ""
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = data { bytes += String(buffer: buffer) }
        }
        return bytes.components(separatedBy: "HTTP/1.1 200 OK\r\n").count - 1
    }

    @Test("are answered without the decoder, also when several come at once or one comes in two reads of a turn")
    func whole() throws {
        arrive(Self.plain)
        #expect(try answers() == 1)
        arrive(Self.plain + Self.plain)
        #expect(try answers() == 2)
        arrive(String(Self.plain.prefix(20)), String(Self.plain.dropFirst(20)))
        #expect(try answers() == 1)
        #expect(spy.text.isEmpty)
    }

    @Test("are the decoder's from the first one on that is of another form, behind those that were answered")
    func handedOver() throws {
        arrive(Self.plain + Self.chunked + Self.plain)
        arrive(Self.plain)
        #expect(try answers() == 1)
        #expect(spy.text == Self.chunked + Self.plain + Self.plain)
    }

    @Test("are the decoder's from their first byte on when their end does not come with the same turn")
    func inPieces() throws {
        arrive(Self.plain, String(Self.plain.prefix(9)))
        #expect(spy.text == Self.plain.prefix(9))
        arrive(String(Self.plain.dropFirst(9)))
        #expect(try answers() == 1)
        #expect(spy.text == Self.plain)
    }

    @Test("wait for the answer to the one before, and are answered in order")
    func order() throws {
        arrive("GET /held HTTP/1.1\r\nHost: a\r\n\r\n" + Self.plain)
        #expect(try answers() == 0)
        held.answerOldest()
        channel.embeddedEventLoop.run()
        #expect(try answers() == 2)
        #expect(spy.text.isEmpty)
    }

    @Test("are not answered any more when the connection is gone")
    func gone() throws {
        channel.pipeline.fireChannelInactive()
        arrive(Self.plain)
        #expect(try answers() == 0)
    }
}
