import NIOCore

/// One keep-alive connection: sends a request, waits for the whole answer, sends the next.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: LoadState
    private var started = NIODeadline.now()
    private var isWaiting = false
    private var head: AnswerHead?
    /// What came of an answer that is not whole yet.
    private var received = ByteBuffer()

    init(_ state: LoadState) {
        self.state = state
    }

    func channelActive(context: ChannelHandlerContext) {
        sendNext(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        if received.readableBytes == 0 { received = arrived } else { received.writeBuffer(&arrived) }
        do {
            if head == nil { head = try AnswerHead.read(from: received) }
        } catch {
            state.noteBrokenConnection()
            context.close(promise: nil)
            return
        }
        guard let head, received.readableBytes >= head.headBytes + head.bodyBytes else { return }
        // Without pipelining nothing can follow the answer.
        received = ByteBuffer()
        self.head = nil
        state.note(head, started: started)
        isWaiting = false
        sendNext(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isWaiting { state.noteBrokenConnection() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func sendNext(_ context: ChannelHandlerContext) {
        guard let request = state.nextRequest() else {
            context.close(promise: nil)
            return
        }
        isWaiting = true
        started = .now()
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }
}
