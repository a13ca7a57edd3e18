import HTTPTypes
import Hummingbird
package import Logging
package import NIOCore
package import NIOHTTPTypes

/// Answers requests that came whole, with one read from the connection, on the connection's own event loop.
///
/// Most requests are that small. Hummingbird's way would carry their parts through a sequence to another thread and
/// back. All other requests, and those of routes that are not in `WholeRequestRoutes`, pass on to Hummingbird
/// untouched. Answers keep the order of their requests: while either way has one under way, what follows waits.
///
/// An answer whose length is known goes out whole. All others are written piece by piece, no faster than they are taken,
/// by a task that is on no loop.
package final class WholeRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let routes: WholeRequestRoutes
    private let logger: Logger
    private var executor: LoopExecutor?
    /// Parts that wait: of a request that is not whole yet, or behind one that is being answered.
    private var waiting = CircularBuffer<HTTPRequestPart>()
    /// Whether a request is being answered here.
    private var isAnswering = false
    /// Whether the head of that answer went out, and its end has not.
    private var isStreaming = false
    /// Requests that were passed on and are not answered yet.
    private var passedOn = 0
    /// Whether the parts of a request that is passed on are still coming.
    private var isPassingOn = false
    /// Whether somebody wants to read on as soon as the answer is made.
    private var isReadHeld = false
    /// A fault of the connection that came while a request was being answered.
    private var heldError: (any Error)?
    /// Whether the client stopped sending while a request was being answered.
    private var isInputEndHeld = false

    package init(_ routes: WholeRequestRoutes, logger: Logger) {
        self.routes = routes
        self.logger = logger
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isPassingOn {
            passOn(part, context)
        } else {
            waiting.append(part)
            if case .end = part { work(context) }
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if !isAnswering, !isPassingOn, !waiting.isEmpty { passOnAll(context) }
        context.fireChannelReadComplete()
    }

    /// No more is read while requests wait: a client that does not wait for answers fills its own memory, not ours. Behind
    /// the one that is being answered, one more read may happen: to forbid it and to allow it again would cost two calls
    /// to the system for every answer that waits for the database.
    package func read(context: ChannelHandlerContext) {
        if isAnswering, !waiting.isEmpty { isReadHeld = true } else { context.read() }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        // Hummingbird also answers a head that cannot be read, which was never passed on.
        if case .end = unwrapOutboundIn(data), passedOn > 0 { passedOn -= 1 }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isAnswering {
            heldError = error
        } else {
            context.fireErrorCaught(error)
        }
    }

    /// Hummingbird, which waits for requests, would hang up when there will be no more: before the answer was out.
    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isAnswering, case ChannelEvent.inputClosed? = event as? ChannelEvent {
            isInputEndHeld = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Answers the whole requests that wait, one after the other, and passes on those that are not answered here.
    private func work(_ context: ChannelHandlerContext) {
        while !isAnswering, let parts = waiting.firstIndex(where: \.isEnd).map({ waiting.prefix(through: $0).count }) {
            guard passedOn == 0, case .head(let head) = waiting.first, let found = routes.endpoint(for: head) else {
                for _ in 0..<parts { passOn(waiting.removeFirst(), context) }
                continue
            }
            var body = ByteBuffer()
            for _ in 0..<parts {
                guard case .body(var bytes) = waiting.removeFirst() else { continue }
                if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
            }
            answer(head, body, found, context)
        }
    }

    private func passOnAll(_ context: ChannelHandlerContext) {
        while !waiting.isEmpty { passOn(waiting.removeFirst(), context) }
    }

    private func passOn(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head:
            passedOn += 1
            isPassingOn = true
        case .body: break
        case .end: isPassingOn = false
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func answer(
        _ head: HTTPRequest, _ body: ByteBuffer, _ found: RouteTree.Found, _ context: ChannelHandlerContext
    ) {
        isAnswering = true
        let executor = executor ?? LoopExecutor(context.eventLoop)
        self.executor = executor
        let request = Request(head: head, body: RequestBody(buffer: body))
        var serverContext = ServerContext(logger: logger, channel: context.channel, wholeBody: body)
        for (name, value) in found.parameters { serverContext.coreContext.parameters[name] = value }
        let (endpoint, whole) = (found.endpoint, serverContext)
        let place = NIOLoopBound(
            AnswerPieces.Place(handler: self, context: context), eventLoop: context.eventLoop)
        let routes = routes
        // Nobody waits for it: it ends by writing the answer. It runs on the loop, where `place` may be touched.
        Task(executorPreference: executor) {
            let answer = await routes.answer(to: request, whole, endpoint)
            place.value.handler.send(answer, place)
        }
    }

    private func send(_ answer: WholeRequestRoutes.Answer?, _ place: NIOLoopBound<AnswerPieces.Place>) {
        let context = place.value.context
        switch answer {
        case .whole(let head, let body):
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(body)), promise: nil) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            finish(context)
        case .streamed(let head, let body):
            isStreaming = true
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            AnswerPieces(place, of: context.channel, requestId: head.headerFields[.requestId], logger: logger)
                .begin(body)
        case nil:
            isAnswering = false
            context.close(promise: nil)
        }
    }

    /// Writes a part of a body that is streamed.
    func stream(_ part: HTTPResponsePart, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>) {
        guard isStreaming else { return promise.fail(ChannelError.outputClosed) }
        if case .end = part { isStreaming = false }
        context.writeAndFlush(wrapOutboundOut(part), promise: promise)
    }

    /// Goes on after an answer that was streamed. One that broke off must not look like a whole one.
    func finishStream(_ context: ChannelHandlerContext) {
        if isStreaming {
            context.close(promise: nil)
        } else {
            finish(context)
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        isAnswering = false
        work(context)
        if !isAnswering { passOnAll(context) }
        // What was passed on outside a read is delivered at its end.
        if passedOn > 0 { context.fireChannelReadComplete() }
        guard !isAnswering else { return }
        if let heldError {
            self.heldError = nil
            context.fireErrorCaught(heldError)
        } else if isReadHeld {
            isReadHeld = false
            context.read()
        }
        if isInputEndHeld {
            isInputEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }
}

extension HTTPRequestPart {
    fileprivate var isEnd: Bool {
        if case .end = self { true } else { false }
    }
}
