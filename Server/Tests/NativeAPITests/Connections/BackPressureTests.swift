import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPSupport

@Suite("Back-pressure")
struct BackPressureTests {
    /// What stands behind the decoder: takes bytes, and asks for more as often as the test allows.
    private final class Taker: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = Never

        private(set) var taken: [UInt8] = []
        private(set) var slices = 0
        private(set) var ends: [Int] = []
        private(set) var completions = 0
        var allowed = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            slices += 1
            taken += bytes.readableBytesView
        }

        func channelReadComplete(context: ChannelHandlerContext) { completions += 1 }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed? = event as? ChannelEvent { ends.append(taken.count) }
        }

        func read(context: ChannelHandlerContext) {
            guard allowed > 0 else { return }
            allowed -= 1
            context.read()
        }
    }

    private static func bytes(_ count: Int) -> ByteBuffer {
        ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }

    @Test("decodes one slice of what was read for each read that is asked for, and loses nothing")
    func slices() throws {
        let (reads, front, taker) = (ReadCounter(), DecoderBackPressureHandler(), Taker())
        let channel = EmbeddedChannel(handlers: [reads, front, taker])
        let all = Self.bytes(64 * 1024)
        taker.allowed = 3
        channel.read()
        #expect(reads.count == 1)
        channel.pipeline.fireChannelRead(all)
        channel.pipeline.fireChannelReadComplete()
        // The first read brought the first slice, and the two that were still allowed one each.
        #expect(taker.slices == 3 && taker.taken.count == 3 * DecoderBackPressureHandler.sliceBytes)
        #expect(front.heldBytes == all.readableBytes - taker.taken.count)
        #expect(taker.completions == 1 && reads.count == 1)
        taker.allowed = .max
        channel.read()
        #expect(taker.taken.elementsEqual(all.readableBytesView) && front.heldBytes == 0)
        // Only now the socket is read again.
        #expect(reads.count == 2 && taker.completions == 2)
    }

    @Test("sends what fits into a slice as it came")
    func small() throws {
        let (front, taker) = (DecoderBackPressureHandler(), Taker())
        let channel = EmbeddedChannel(handlers: [front, taker])
        taker.allowed = 1
        channel.read()
        channel.pipeline.fireChannelRead(Self.bytes(800))
        channel.pipeline.fireChannelReadComplete()
        #expect(taker.slices == 1 && taker.completions == 1 && front.heldBytes == 0)
    }

    @Test("tells that a client has stopped sending after all that it sent")
    func inputEnd() throws {
        let (front, taker) = (DecoderBackPressureHandler(), Taker())
        let channel = EmbeddedChannel(handlers: [front, taker])
        // The system reads a connection to its end without being asked.
        for _ in 0..<4 {
            channel.pipeline.fireChannelRead(Self.bytes(3000))
            channel.pipeline.fireChannelReadComplete()
        }
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(taker.taken.isEmpty && taker.ends.isEmpty)
        taker.allowed = .max
        channel.read()
        #expect(taker.taken.count == 12_000 && taker.ends == [12_000])
    }

    @Test("cuts a connection that has sent more to its end than anybody waits for")
    func longEnd() throws {
        let channel = EmbeddedChannel(handlers: [DecoderBackPressureHandler(), Taker()])
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 4711)).wait()
        for _ in 0..<32 { channel.pipeline.fireChannelRead(Self.bytes(16 * 1024)) }
        #expect(channel.isActive)
        channel.pipeline.fireChannelRead(Self.bytes(1))
        #expect(!channel.isActive)
    }

    @Test("neither answers nor reads while the client takes no answer")
    func notWritable() throws {
        let connection = try EmbeddedConnection()
        connection.set(isWritable: false)
        for _ in 0..<100 { connection.ask() }
        connection.settle()
        connection.channel.read()
        #expect(try connection.answers() == 0 && connection.reads.count == 0)
        connection.set(isWritable: true)
        #expect(try connection.answers() == 100 && connection.reads.count == 1)
    }

    @Test("stops after the answer that fills the connection, and goes on where it stopped")
    func fills() throws {
        let connection = try EmbeddedConnection()
        connection.ask("/held")
        for _ in 0..<10 { connection.ask() }
        connection.settle()
        connection.set(isWritable: false)
        connection.held.answerOldest()
        connection.channel.embeddedEventLoop.run()
        // What was being answered is answered, and nothing behind it.
        #expect(try connection.answers() == 1)
        connection.set(isWritable: true)
        #expect(try connection.answers() == 10)
    }

    @Test("sends one request at a time, and the next one after its answer")
    func passedOn() throws {
        let passed = PartCounter()
        let connection = try EmbeddedConnection()
        try connection.channel.pipeline.syncOperations.addHandler(passed)
        for _ in 0..<50 { connection.ask("/nowhere") }
        connection.settle()
        for count in 1...50 {
            #expect(passed.heads == count)
            // The other way's answer.
            connection.channel.write(HTTPResponsePart.head(.init(status: .notFound)), promise: nil)
            connection.channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
            connection.channel.embeddedEventLoop.run()
        }
        let answers = try connection.answers()
        #expect(passed.heads == 50 && answers == 50)
    }

    @Test("sends a request whose parts are many without waiting for its end")
    func manyParts() throws {
        let passed = PartCounter()
        let connection = try EmbeddedConnection()
        try connection.channel.pipeline.syncOperations.addHandler(passed)
        let head = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1", path: "/short")
        connection.channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        for _ in 0..<63 { connection.channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(string: "x"))) }
        #expect(passed.heads == 0)
        connection.channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(string: "x")))
        #expect(passed.heads == 1 && passed.parts == 65)
    }

    /// Counts what is passed on.
    private final class PartCounter: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart

        private(set) var heads = 0
        private(set) var parts = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            parts += 1
            if case .head = unwrapInboundIn(data) { heads += 1 }
        }
    }
}
