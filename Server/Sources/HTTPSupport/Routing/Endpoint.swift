import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OkaeriWire

/// The one frame around each route: request id, errors in the protocol's words, headers, numbers, log.
struct Endpoint: HTTPResponder {
    typealias Context = ServerContext

    let handler: any RouteHandler
    let errors: any ErrorRenderer
    let metrics: RouteMetrics
    let shared: Shared
    /// What the protocol tells web pages of other origins.
    var crossOriginHeaders: [HTTPField] = []
    /// Whether a slash at the end of a path means nothing.
    var takesFinalSlash = false

    /// What all routes share.
    struct Shared: Sendable {
        var requestIds: RequestIds
        var proxies: TrustedProxies
        var readBody: BodyReader
    }

    /// The media type is what we say it is.
    private static let noGuessing = HTTPField(name: .xContentTypeOptions, value: "nosniff")
    /// Answers are about somebody; only those that say otherwise may be kept.
    private static let noKeeping = HTTPField(name: .cacheControl, value: "no-store")

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let start = ContinuousClock.now
        var context = context
        context.requestId = requestId(of: request, context)
        context.body = BodyProgress(request)
        var response: Response
        do {
            guard StreamSafeText.contains(request.head.path ?? "") else { throw RequestError.headMalformed }
            guard request.hasPlainPath(takesFinalSlash: takesFinalSlash) else { throw RequestError.pathUnknown }
            response = try await handler.respond(to: request, context)
        } catch {
            response = errors.answer(to: error, requestId: context.requestId)
            // What is not served is told as such, and is no fault.
            if response.status.code >= 500, response.status != .notImplemented {
                log(error, response.status, context)
            }
        }
        complete(&response, request, context)
        if context.body != nil, !(await shared.readBody.drain(request, context)) {
            response.endConnection(context.channel)
        }
        let duration = start.duration(to: .now)
        metrics.note(status: response.status.code, duration)
        if context.logger.logLevel <= .debug { log(response.status, duration, context) }
        return response
    }

    private func requestId(of request: Request, _ context: ServerContext) -> String {
        if let sent = request.headers.value(of: .requestId), RequestIds.isWellFormed(sent),
            shared.proxies.isProxy(context)
        {
            return sent
        }
        return shared.requestIds.next()
    }

    private func complete(_ response: inout Response, _ request: Request, _ context: ServerContext) {
        let mayBeKept = response.headers.contains(.cacheControl)
        response.headers.reserveCapacity(8)
        response.headers.append(HTTPField(name: .requestId, value: context.requestId))
        response.headers.append(Self.noGuessing)
        if !mayBeKept { response.headers.append(Self.noKeeping) }
        // Browsers name the origin (Fetch §3.2.2); apps, which do not, are spared half a kilobyte.
        if !crossOriginHeaders.isEmpty, request.headers.value(of: .origin) != nil {
            for field in crossOriginHeaders { response.headers.append(field) }
        }
        for field in context.responseHeaders.all { response.headers.append(field) }
    }

    /// The path in the log is the route's, so that ids and queries of requests stay out of it.
    private func log(_ status: HTTPResponse.Status, _ duration: Duration, _ context: ServerContext) {
        context.logger.debug(
            "answered",
            metadata: [
                "request_id": .string(context.requestId), "method": .string(metrics.method),
                "route": .string(metrics.path), "status": .stringConvertible(status.code),
                "duration": .stringConvertible(duration),
            ])
    }

    private func log(_ error: any Error, _ status: HTTPResponse.Status, _ context: ServerContext) {
        context.logger.error(
            "request failed",
            metadata: [
                "request_id": .string(context.requestId), "method": .string(metrics.method),
                "route": .string(metrics.path), "status": .stringConvertible(status.code),
                "error": .string(String(describing: error)),
            ])
    }
}

extension Request {
    /// Whether the path has no empty segment. The router overlooks those: `DELETE /v1/user/sessions/` with an id that a
    /// client lost on the way would end all sessions.
    fileprivate func hasPlainPath(takesFinalSlash: Bool) -> Bool {
        var before: UInt8 = 0
        for byte in uri.path.utf8 {
            if byte == UInt8(ascii: "/"), before == byte { return false }
            before = byte
        }
        return takesFinalSlash || before != UInt8(ascii: "/")
    }
}

extension Response {
    /// Says goodbye after the answer, and hangs up soon after, whether or not the client has stopped sending.
    ///
    /// The writing side is closed first: to close both at once, with bytes unread, would destroy the answer on its way
    /// (RFC 9112 §9.6).
    fileprivate mutating func endConnection(_ channel: (any Channel)?) {
        headers[.connection] = "close"
        guard let channel else { return }
        let answer = body
        body = ResponseBody(contentLength: answer.contentLength) { writer in
            try await answer.write(writer)
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }
    }
}
