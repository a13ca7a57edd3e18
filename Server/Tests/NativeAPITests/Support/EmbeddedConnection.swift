import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization

/// Counts how often more is read from the connection.
final class ReadCounter: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Never

    private let reads = Atomic(0)
    var count: Int { reads.load(ordering: .relaxed) }

    func read(context: ChannelHandlerContext) { reads.add(1, ordering: .relaxed) }
}

/// Requests whose answers the test makes when it likes.
final class HeldAnswers: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
        return Response(status: .ok)
    }

    func answerOldest() {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.resume()
    }
}

/// A socket whose client takes what the test says: answers are bytes, and wait until then.
final class StuckSocket: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    /// How many bytes each answer has.
    static let answerBytes = 1000

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return }
        context.write(wrapOutboundOut(ByteBuffer(repeating: 0x78, count: Self.answerBytes)), promise: promise)
    }

    /// Nothing leaves the server's memory.
    func flush(context: ChannelHandlerContext) {}
}

/// The handler of a connection on a loop whose time and tasks the test moves.
struct EmbeddedConnection {
    let channel: EmbeddedChannel
    let metrics = ConnectionMetrics()
    let held = HeldAnswers()
    let reads = ReadCounter()

    /// - Parameters:
    ///   - limits: What may last how long.
    ///   - socket: What stands where the socket would be.
    /// - Throws: what a pipeline throws.
    init(
        _ limits: ConnectionTimeouts.Limits = .init(idle: .seconds(30), write: .seconds(30)),
        socket: [any ChannelHandler] = []
    ) throws {
        let routes = StreamServer.serverRoutes([
            Route(.get, "/held", .nothing, held.respond),
            Route(.get, "/short", .nothing, StreamServer.Short().respond),
        ]).responder()
        let handler = FastPathHandler(
            routes, timeouts: ConnectionTimeouts(limits, metrics: metrics), logger: TestServer.silence)
        let handlers: [any ChannelHandler] = [reads] + socket + [handler]
        channel = EmbeddedChannel(handlers: handlers)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 4711)).wait()
    }

    /// A whole request arrives.
    func ask(_ path: String = "/short") {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: path)
        channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
    }

    /// What was read is complete, and all that can be done now is done.
    func settle() {
        channel.pipeline.fireChannelReadComplete()
        channel.embeddedEventLoop.run()
    }

    /// How many answers went out since the last time.
    func answers() throws -> Int {
        var count = 0
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head = part { count += 1 }
        }
        return count
    }

    func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    /// Says to the handlers whether the client takes answers.
    func set(isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.run()
    }
}
