import ArgumentParser
import NIOCore
import NIOHTTP1
import NIOPosix

/// A SwiftNIO server without a framework: its own parser and writer of HTTP/1, and a handler that answers every request with a
/// body of a given size and the headers of a session check.
struct BareNIOCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-nio", abstract: "Serve one answer by SwiftNIO alone until stopped.")

    @Option(help: "The port to listen at on 127.0.0.1.")
    var port: Int
    @Option(help: "The length of the body.")
    var bodyBytes = 500

    func run() async throws {
        let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: bodyBytes)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
                    try channel.pipeline.syncOperations.addHandler(BareHandler(body: body))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
    }
}

private final class BareHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let body: ByteBuffer
    private let head: HTTPResponseHead

    init(body: ByteBuffer) {
        self.body = body
        head = HTTPResponseHead(
            version: .http1_1, status: .ok,
            headers: [
                "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)",
                "Cache-Control": "no-store", "X-Request-Id": "0123456789abcdef",
                "Date": "Thu, 01 Jan 1970 00:00:00 GMT",
            ])
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
