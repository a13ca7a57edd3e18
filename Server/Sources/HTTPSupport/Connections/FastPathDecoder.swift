package import NIOCore

/// Stands before the decoder, and hands whole requests of the plainest form (`FastPathRequest`) to the fast path without it.
///
/// The first bytes of any other form end that for the connection: they and all that follow go to the decoder, which has then
/// seen everything since the beginning of a request. So at no time do two readers share a request.
package final class FastPathDecoder: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundOut = IOData

    private let limits: FastPathRequest.Limits
    private let names: HeaderNames
    private var context: ChannelHandlerContext?
    /// `nil` before and after the connection.
    private var fastPath: FastPathHandler?
    /// A part of a request that came with the read that is under way.
    private var held = ByteBuffer()
    /// Whether the decoder reads the connection.
    private var isHandedOver = false

    package init(_ limits: FastPathRequest.Limits, _ names: HeaderNames) {
        self.limits = limits
        self.names = names
    }

    /// Says where requests go; from then on they do.
    func connect(to fastPath: FastPathHandler) {
        self.fastPath = fastPath
    }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) { leave() }

    package func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        (context, fastPath) = (nil, nil)
        held = ByteBuffer()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isHandedOver, let fastPath else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        if held.readableBytes > 0 {
            held.writeBuffer(&bytes)
            bytes = takeHeld()
        }
        while bytes.readableBytes > 0 {
            switch FastPathRequest.take(from: &bytes, limits, names) {
            case .request(let request): fastPath.take(request)
            case .part:
                held = bytes
                return
            case .other: return handOver(bytes, context)
            }
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if held.readableBytes > 0 { handOver(takeHeld(), context) }
        context.fireChannelReadComplete()
    }

    private func takeHeld() -> ByteBuffer {
        defer { held = ByteBuffer() }
        return held
    }

    private func handOver(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        isHandedOver = true
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Writes a response, past the encoder.
    func write(_ bytes: ByteBuffer) {
        context?.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }
}
