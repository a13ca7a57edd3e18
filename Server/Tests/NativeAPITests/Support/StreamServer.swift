import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import OkaeriServer

/// A body of numbered pieces, as long as those of exports, and what became of it.
final class NumberedPieces: Sendable {
    enum Ending: Sendable {
        case proper, missing, fault
    }

    enum Outcome: Sendable {
        case whole, brokenOff
    }

    let count: Int
    private let ending: Ending
    private let made = Atomic(0)
    private let outcome: AsyncStream<Outcome>.Continuation
    /// What became of each body that was begun.
    let outcomes: AsyncStream<Outcome>

    init(_ count: Int, ending: Ending = .proper) {
        self.count = count
        self.ending = ending
        (outcomes, outcome) = AsyncStream.makeStream()
    }

    /// How many pieces were begun.
    var begun: Int { made.load(ordering: .acquiring) }

    /// All pieces.
    var whole: [UInt8] {
        var all = ByteBuffer()
        for number in 0..<count { all.writeImmutableBuffer(Self.piece(number)) }
        return Array(all.readableBytesView)
    }

    private static func piece(_ number: Int) -> ByteBuffer {
        var piece = ByteBuffer(repeating: UInt8(truncatingIfNeeded: number), count: UserFile.chunkBytes - 8)
        piece.writeInteger(UInt64(number))
        return piece
    }

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let body = ResponseBody { writer in
            do {
                for number in 0..<self.count {
                    self.made.add(1, ordering: .releasing)
                    try await writer.write(Self.piece(number))
                }
                if self.ending == .fault { throw DomainError.storageUnavailable }
                if self.ending == .proper { try await writer.finish(nil) }
                self.outcome.yield(.whole)
            } catch {
                self.outcome.yield(.brokenOff)
                throw error
            }
        }
        return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
    }
}

/// The program's own connections, with a route whose answer is made as the test says (`/pieces`) and a short one
/// (`/short`), and ones that say whether they were made on the connection's event loop (`/where`, `/where/long`).
struct StreamServer: Sendable {
    let port: Int
    /// What accepts connections.
    var listener: (any Channel)?
    /// Stops the server as SIGTERM does.
    let stop: @Sendable () async -> Void

    /// The system buffers little of a body, but more than one segment of the loopback.
    private static let socketBytes: ChannelOptions.Types.SocketOption.Value = 128 * 1024

    private static let whereMade: Route.Handler = { _, context in
        let isOnLoop = context.channel?.eventLoop.inEventLoop ?? false
        return Response(
            status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: isOnLoop ? "loop" : "elsewhere")))
    }

    /// More pieces than the two sockets can hold.
    static let mostPiecesOnTheWay = 64

    static func run(
        _ pieces: NumberedPieces, idleTimeout: Int = 600, settings: [String: String] = [:],
        isLoopbackExempt: Bool = true,
        _ body: @escaping @Sendable (StreamServer) async throws -> Void
    ) async throws {
        let settings = try ServerSettings(
            commandLine: [
                "idle-timeout": String(idleTimeout), "write-timeout": "600", "request-timeout": "600",
                "data": "/nowhere",
            ].merging(settings) { $1 },
            environment: [:])
        let rules = ConnectionRules(
            settings, metrics: ConnectionMetrics(), logger: TestServer.silence, isLoopbackExempt: isLoopbackExempt)
        let responder = serverRoutes([
            Route(.get, "/pieces", .nothing, pieces.respond), Route(.get, "/short", .nothing, Short().respond),
            Route(.post, "/where", .nothing, whereMade),
            Route(.post, "/where/long", .nothing, whereMade).withLongResponse(),
        ]).responder()
        let (listening, listens) = AsyncStream<any Channel>.makeStream()
        let application = Hummingbird.Application(
            responder: responder,
            server: settings.server(try await MalformedRequestHandler.Answers(NoWords()), responder, rules),
            configuration: ListeningSocket.configuration(host: "127.0.0.1", port: 0),
            onServerRunning: { channel in
                await ListeningSocket.prepare(channel, rules)
                // Accepted sockets are like the one that listens. Without it the bound below would be too tight.
                try? await channel.setOption(.socketOption(.so_sndbuf), value: socketBytes).get()
                listens.yield(channel)
            },
            eventLoopGroupProvider: .shared(.singletonMultiThreadedEventLoopGroup), logger: TestServer.silence)
        let services = ServiceGroup(services: [application], logger: TestServer.silence)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            group.addTask {
                let listener = try #require(await listening.first { _ in true })
                let port = listener.localAddress?.port ?? 0
                do {
                    try await body(
                        StreamServer(port: port, listener: listener) { await services.triggerGracefulShutdown() })
                } catch {
                    await services.triggerGracefulShutdown()
                    throw error
                }
                await services.triggerGracefulShutdown()
            }
            try await group.waitForAll()
        }
    }

    /// A server's routes that are these alone.
    static func serverRoutes(_ routes: [Route]) -> ServerRoutes {
        ServerRoutes(
            [Adapter(routes: routes)], metrics: ServerMetrics(), requestIds: RequestIds(seed: 1),
            proxies: TrustedProxies([]), readBody: BodyReader())
    }

    /// A client that reads only on demand.
    func client() async throws -> SlowClient {
        let reader = SlowClient.Reader()
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // Hundreds of tests share the event loops, on a crowded machine for longer than the ten seconds of before.
            .connectTimeout(.minutes(2))
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.socketOption(.so_rcvbuf), value: Self.socketBytes)
            .channelInitializer { channel in channel.pipeline.addHandler(reader) }
            .connect(host: "127.0.0.1", port: port).get()
        return SlowClient(channel: channel, reader: reader)
    }

    private struct Adapter: ProtocolAdapter {
        let surface = "test"
        let routes: [Route]
        var errors: any ErrorRenderer { NoWords() }
        func owns(path: String) -> Bool { true }
    }

    struct Short: Sendable {
        func respond(to request: Request, _ context: ServerContext) async throws -> Response {
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "short")))
        }
    }

    private struct NoWords: ErrorRenderer {
        func response(to error: any Error, requestId: String) -> Response { Response(status: .internalServerError) }
    }
}

/// A connection whose bytes are read on demand.
struct SlowClient: Sendable {
    final class Reader: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let arrived = Mutex(ByteBuffer())
        private let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            arrived.withLock { _ = $0.writeImmutableBuffer(bytes) }
            signal.yield()
        }

        func channelInactive(context: ChannelHandlerContext) { signal.finish() }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed? = event as? ChannelEvent { signal.finish() }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        /// What arrived since the last time; waits for it. `nil` when the server has hung up.
        func next() async -> ByteBuffer? {
            while true {
                let bytes = arrived.withLock { arrived in
                    defer { arrived.clear() }
                    return arrived
                }
                if bytes.readableBytes > 0 { return bytes }
                var isOver = true
                for await _ in signals {
                    isOver = false
                    break
                }
                if isOver, arrived.withLock({ $0.readableBytes }) == 0 { return nil }
            }
        }
    }

    let channel: any Channel
    fileprivate let reader: Reader

    func ask(_ lines: String..., headers: String = "") async throws {
        let requests = lines.map { "\($0) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)\r\n" }
        try await channel.writeAndFlush(ByteBuffer(string: requests.joined())).get()
    }

    func read() async -> ByteBuffer? {
        channel.read()
        return await reader.next()
    }

    /// Reads until what was read has the expected end, or the server hangs up.
    func read(until end: String) async -> [UInt8] {
        var bytes: [UInt8] = []
        while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8), let more = await read() {
            bytes += more.readableBytesView
        }
        return bytes
    }
}
