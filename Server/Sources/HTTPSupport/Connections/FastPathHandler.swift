import HTTPTypes
import Hummingbird
package import Logging
package import NIOCore
package import NIOHTTPTypes

/// The fast path: answers requests that came with one read from the connection, on the connection's own event loop.
///
/// Most requests are that small. Hummingbird would carry their parts through a sequence to another thread and back. All
/// other requests, and those that no route fits, go to Hummingbird untouched. Both use the same `RouteResponder`. Answers
/// keep the order of their requests: while either has one under way, what follows waits.
///
/// An answer whose length is known goes out whole. All others are written piece by piece, no faster than they are taken,
/// by a task that is on no loop.
///
/// No request is answered, passed on or read while the client does not take the answers before it (requirement 48).
/// `ConnectionTimeouts` cuts a connection that rests in any state for too long.
package final class FastPathHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// A request of more parts than these is passed on before its end came.
    private static let mostPartsOfWhole = 64

    private let routes: RouteResponder
    private let timeouts: ConnectionTimeouts
    private let logger: Logger
    private var executor: LoopExecutor?
    /// What reads whole requests before the decoder, and writes their responses past the encoder.
    private var whole: FastPathDecoder?
    /// `nil` before and after the connection.
    private var context: ChannelHandlerContext?
    private var sweep: ConnectionSweep?
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
    /// Whether the client takes answers.
    private var isWritable = true
    /// Whether no further request is taken.
    private var isLast = false
    /// Whether the connection ends after the answer to what was passed on.
    private var endsAfterAnswer = false
    /// When the server said that it sends no more.
    private var outputClosedAt: NIODeadline?
    /// Whether the server stops, and the connection ends with the requests that were read.
    private var isQuiescing = false
    /// Whether somebody wants to read on as soon as the answer is made.
    private var isReadHeld = false
    /// A fault of the connection that came while requests waited for their answers.
    private var heldError: (any Error)?
    /// Whether the client stopped sending while requests waited for their answers.
    private var isInputEndHeld = false
    /// When the last part came or went that the time limits look at.
    private var lastActivity = NIODeadline.uptimeNanoseconds(0)
    /// How often something was written.
    private var writes = 0
    private var progress = WriteProgress()

    package init(_ routes: RouteResponder, timeouts: ConnectionTimeouts, logger: Logger) {
        self.routes = routes
        self.timeouts = timeouts
        self.logger = logger
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
        let sweep = timeouts.sweep(of: context.eventLoop)
        sweep.add(self)
        lastActivity = sweep.now
        self.sweep = sweep
        // Without one every request comes from the decoder.
        whole = try? context.pipeline.syncOperations.handler(type: FastPathDecoder.self)
        whole?.connect(to: self)
    }

    package func handlerRemoved(context: ChannelHandlerContext) { leave() }

    package func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        (context, whole) = (nil, nil)
        waiting.removeAll()
        sweep?.remove(self)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isPassingOn {
            noteActivity()
            passOn(part, context)
        } else if !isLast {
            waiting.append(part)
            if case .end = part {
                work(context)
            } else if waiting.count > Self.mostPartsOfWhole, isFree {
                passOnAll(context)
            }
        }
    }

    /// Takes a request that came whole, and not through the decoder.
    func take(_ request: FastPathRequest) {
        guard let context, !isLast else { return }
        waiting.append(.head(request.head))
        if request.body.readableBytes > 0 { waiting.append(.body(request.body)) }
        waiting.append(.end(nil))
        work(context)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if isFree, !isPassingOn, !waiting.isEmpty { passOnAll(context) }
        context.fireChannelReadComplete()
    }

    /// No more is read while requests wait, or the client does not take their answers: it then fills its own memory, not
    /// ours. Behind the one that is being answered, one more read may happen: to forbid it and to allow it again would
    /// cost two calls to the system for every answer that waits for the database.
    package func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { isReadHeld = true }
    }

    private var mayRead: Bool { isPassingOn || isWritable && !isLast && (waiting.isEmpty || !isBusy) }

    /// Whether a request is being answered, here or by Hummingbird.
    private var isBusy: Bool { isAnswering || passedOn > 0 }

    /// Whether the next request can be answered.
    private var isFree: Bool { !isBusy && isWritable && !isLast }

    private func noteActivity() {
        if let sweep { lastActivity = sweep.now }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        writes &+= 1
        let part = unwrapOutboundIn(data)
        if endsAfterAnswer, passedOn == 1, case .head(var head) = part {
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        } else {
            context.write(data, promise: promise)
        }
        // Hummingbird also answers a head that cannot be read, which was never passed on.
        guard case .end = part, passedOn > 0 else { return }
        passedOn -= 1
        noteActivity()
        guard passedOn == 0, endsAfterAnswer || isReadHeld || isQuiescing || !waiting.isEmpty else { return }
        // The writer has not flushed yet.
        context.eventLoop.assumeIsolated().execute {
            guard let context = self.context, !self.isBusy else { return }
            if self.endsAfterAnswer {
                self.close(context: context, mode: .output, promise: nil)
            } else {
                self.proceed(context)
            }
        }
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output, outputClosedAt == nil {
            outputClosedAt = context.eventLoop.now
            isLast = true
            waiting.removeAll()
        }
        context.close(mode: mode, promise: promise)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        sweep?.note(self, unreadBytes: isWritable ? 0 : pendingBytes)
        context.fireChannelWritabilityChanged()
        if isWritable { proceed(context) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isAnswering || hasWholeRequest {
            heldError = heldError ?? error
        } else if !endsAfterAnswer || isPassingOn {
            // What comes behind a last request is nothing that anybody waits for.
            isLast = true
            context.fireErrorCaught(error)
        }
    }

    private var hasWholeRequest: Bool { waiting.contains(where: \.isEnd) }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isQuiescing = true
            quiesce(context)
        } else if isAnswering || !waiting.isEmpty, case ChannelEvent.inputClosed? = event as? ChannelEvent {
            // Hummingbird, which waits for requests, would hang up when there will be no more: before the answer was out.
            isInputEndHeld = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Answers the whole requests that wait, one after the other, and sends on those that are not answered here.
    private func work(_ context: ChannelHandlerContext) {
        while isFree, let parts = waiting.firstIndex(where: \.isEnd).map({ waiting.prefix(through: $0).count }) {
            guard case .head(let head) = waiting.first, let match = routes.fastPathMatch(head) else {
                for _ in 0..<parts { passOn(waiting.removeFirst(), context) }
                continue
            }
            var body = ByteBuffer()
            for _ in 0..<parts {
                guard case .body(var bytes) = waiting.removeFirst() else { continue }
                if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
            }
            respond(to: head, body, match, context)
        }
    }

    private func passOnAll(_ context: ChannelHandlerContext) {
        while !waiting.isEmpty { passOn(waiting.removeFirst(), context) }
    }

    private func passOn(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            passedOn += 1
            isPassingOn = true
            noteActivity()
            if head.endsConnection { (isLast, endsAfterAnswer) = (true, true) }
            if head.awaitsContinue, !hasWholeRequest { invite(context) }
        case .body: break
        case .end:
            isPassingOn = false
            if isLast { waiting.removeAll() }
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Lets the client send the body for which it waits (RFC 9110 §10.1.1). Requests before it have been answered.
    private func invite(_ context: ChannelHandlerContext) {
        writes &+= 1
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    private func respond(
        to head: HTTPRequest, _ body: ByteBuffer, _ match: RouteMatcher.Match, _ context: ChannelHandlerContext
    ) {
        isAnswering = true
        let executor = executor ?? LoopExecutor(context.eventLoop)
        self.executor = executor
        let request = Request(head: head, body: RequestBody(buffer: body))
        let serverContext = ServerContext(logger: logger, channel: context.channel, wholeBody: body)
            .with(match.parameters)
        let (pipeline, date) = (match.pipeline, routes.date)
        let connection = NIOLoopBound(
            ResponseStreamer.Connection(handler: self, context: context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let isOnLoop = body.readableBytes <= BodyReader.maximumBytesOnLoop && !pipeline.hasLongResponse
        // Nobody waits for it: it ends by writing the response. It runs on the loop, where `connection` may be touched, unless
        // a long body or response would hold up the others there.
        Task(executorPreference: isOnLoop ? executor : nil) {
            let response = await FastPathResponse(to: request, serverContext, pipeline, date)
            guard !isOnLoop else { return connection.value.handler.send(response, connection) }
            loop.execute { connection.value.handler.send(response, connection) }
        }
    }

    private func send(_ response: FastPathResponse?, _ connection: NIOLoopBound<ResponseStreamer.Connection>) {
        let context = connection.value.context
        writes &+= 1
        switch response {
        case .complete(let head, let body):
            if let whole, let bytes = SerializedResponse.bytes(head, body) {
                whole.write(bytes)
                return finish(context)
            }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(body)), promise: nil) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            finish(context)
        case .streamed(let head, let body):
            isStreaming = true
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            ResponseStreamer(connection, on: context.channel, requestId: head.headerFields[.requestId], logger: logger)
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
        writes &+= 1
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
        noteActivity()
        guard self.context != nil else { return }
        proceed(context)
    }

    /// Goes on with what waited: for an answer to be made, or for the client to take one.
    private func proceed(_ context: ChannelHandlerContext) {
        work(context)
        if isReadHeld, mayRead, !isBusy || isPassingOn {
            isReadHeld = false
            // What was read and not decoded yet comes at once.
            context.read()
        }
        if isFree, !isPassingOn { passOnAll(context) }
        // What was passed on outside a read is delivered at its end.
        if passedOn > 0 { context.fireChannelReadComplete() }
        guard !isAnswering, !hasWholeRequest else { return }
        if let heldError {
            self.heldError = nil
            isLast = true
            context.fireErrorCaught(heldError)
        }
        if isInputEndHeld, waiting.isEmpty {
            isInputEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        quiesce(context)
    }

    /// Ends the connection of a server that stops, when nothing of it is under way.
    private func quiesce(_ context: ChannelHandlerContext) {
        guard isQuiescing, !isBusy, waiting.isEmpty else { return }
        if pendingBytes == 0 {
            context.close(promise: nil)
        } else if outputClosedAt == nil {
            close(context: context, mode: .output, promise: nil)
        }
    }
}

extension FastPathHandler {
    /// What was written and not yet handed to the system.
    var pendingBytes: Int {
        guard let channel = context?.channel else { return 0 }
        do {
            return try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        } catch {
            return 0  // The connection is closed.
        }
    }

    func drop() { context?.close(promise: nil) }

    /// Closes the connection when it rests for too long.
    ///
    /// - Returns: why, or `nil` for a connection that stays.
    func cut(at now: NIODeadline, _ limits: ConnectionTimeouts.Limits) -> ConnectionTimeouts.Cause? {
        let limits = isQuiescing ? limits.whileStopping : limits
        guard let context, let cause = overdue(at: now, limits) else { return nil }
        context.close(promise: nil)
        return cause
    }

    private func overdue(at now: NIODeadline, _ limits: ConnectionTimeouts.Limits) -> ConnectionTimeouts.Cause? {
        let pending = pendingBytes
        if progress.isStalled(at: now, pending: pending, writes: writes, limits) { return .slowReader }
        if let outputClosedAt {
            return pending == 0 && now - outputClosedAt > ConnectionTimeouts.Limits.lingering ? .lingering : nil
        }
        // What takes the server its time is no fault of the client's.
        guard !isBusy || isPassingOn, pending == 0 || isPassingOn else { return nil }
        let resting = isPassingOn || !waiting.isEmpty ? nil : context?.channel
        return limits.isIdle(for: now - lastActivity, between: resting) ? .idle : nil
    }
}

extension HTTPRequestPart {
    fileprivate var isEnd: Bool {
        if case .end = self { true } else { false }
    }
}
