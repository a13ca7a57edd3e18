import Foundation
import NIOCore
import NIOPosix

/// Challenges for passkeys, asked for before a run: what is measured is the log-in.
enum Challenges {
    /// Asks on a few connections, so that many are there before the first is too old.
    ///
    /// - Parameters:
    ///   - request: What asks for one.
    ///   - port: The server's.
    ///   - count: How many are needed.
    /// - Returns: The challenges, base64url.
    /// - Throws: When the server refuses.
    static func ask(_ request: ByteBuffer, port: Int, count: Int) throws -> [String] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let connections = 16
        let asked = (0..<connections).map { number -> EventLoopFuture<[String]> in
            let own = count / connections + (number < count % connections ? 1 : 0)
            let promise = loop.makePromise(of: [String].self)
            ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Asker(request, count: own, promise))
                    }
                }
                .connect(host: "127.0.0.1", port: port).whenFailure { promise.fail($0) }
            return promise.futureResult
        }
        return try EventLoopFuture.whenAllSucceed(asked, on: loop).wait().flatMap { $0 }
    }
}

/// One connection that asks again and again.
private final class Asker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct Refused: Error {}

    private let request: ByteBuffer
    private let count: Int
    private let promise: EventLoopPromise<[String]>
    private var received = ByteBuffer()
    private var challenges: [String] = []

    init(_ request: ByteBuffer, count: Int, _ promise: EventLoopPromise<[String]>) {
        self.request = request
        self.count = count
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) { next(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        received.writeBuffer(&arrived)
        do {
            guard let head = try AnswerHead.read(from: received),
                received.readableBytes >= head.headBytes + head.bodyBytes
            else { return }
            let text = String(buffer: received)
            guard let start = text.range(of: #""challenge":""#)?.upperBound,
                let end = text.range(of: "\"", range: start..<text.endIndex)?.lowerBound
            else { throw Refused() }
            challenges.append(String(text[start..<end]))
            received.clear()
            next(context)
        } catch {
            promise.fail(error)
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Nothing to fail where it has succeeded.
        if challenges.count < count { promise.fail(Refused()) }
    }

    private func next(_ context: ChannelHandlerContext) {
        guard challenges.count < count else {
            promise.succeed(challenges)
            context.close(promise: nil)
            return
        }
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }
}
