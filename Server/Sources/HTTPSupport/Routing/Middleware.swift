import Domain
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OkaeriWire

// The steps of `RoutePipeline`. Each is a value that the pipeline calls by name, so that a request allocates nothing for
// them and no step is looked up.

/// Names requests.
struct RequestNaming: Sendable {
    let requestIds: RequestIds
    /// Whose request ids are kept.
    let proxies: TrustedProxies

    func id(of request: Request, _ context: ServerContext) -> String {
        if let sent = request.headers.value(of: .requestId), RequestIds.isWellFormed(sent), proxies.isProxy(context) {
            return sent
        }
        return requestIds.next()
    }
}

/// Refuses paths that two readers could understand in two ways.
struct PathCheck: Sendable {
    /// Whether a slash at the end of a path means nothing.
    let takesFinalSlash: Bool

    func callAsFunction(_ request: Request) throws(RequestError) {
        guard StreamSafeText.contains(request.head.path ?? "") else { throw .headMalformed }
        guard isPlain(request.uri.path) else { throw .pathUnknown }
    }

    /// Whether the path has no empty segment. The matcher overlooks those: `DELETE /v1/user/sessions/` with an id that a
    /// client lost on the way would end all sessions.
    private func isPlain(_ path: String) -> Bool {
        var before: UInt8 = 0
        for byte in path.utf8 {
            if byte == UInt8(ascii: "/"), before == byte { return false }
            before = byte
        }
        // The root has no segment that could be empty.
        return takesFinalSlash || before != UInt8(ascii: "/") || path.utf8.count == 1
    }
}

/// The headers of every response.
struct StandardHeaders: Sendable {
    /// The media type is what we say it is.
    private static let noGuessing = HTTPField(name: .xContentTypeOptions, value: "nosniff")
    /// Responses are about a person; only those that say otherwise may be kept.
    private static let noKeeping = HTTPField(name: .cacheControl, value: "no-store")

    func add(to response: inout Response, requestId: String) {
        let mayBeKept = response.headers.contains(.cacheControl)
        response.headers.reserveCapacity(8)
        response.headers.append(HTTPField(name: .requestId, value: requestId))
        response.headers.append(Self.noGuessing)
        if !mayBeKept { response.headers.append(Self.noKeeping) }
    }
}

/// What the protocol tells web pages of other origins.
struct CrossOriginHeaders: Sendable {
    let fields: [HTTPField]

    /// Browsers name the origin (Fetch §3.2.2); apps, which do not, are spared half a kilobyte.
    func add(to response: inout Response, of request: Request) {
        guard !fields.isEmpty, request.headers.value(of: .origin) != nil else { return }
        for field in fields { response.headers.append(field) }
    }
}

/// Reads and forgets a body that no handler wanted.
struct BodyDrain: Sendable {
    let readBody: BodyReader

    func callAsFunction(_ request: Request, _ context: ServerContext, _ response: inout Response) async {
        guard context.body != nil, !(await readBody.drain(request, context)) else { return }
        response.endConnection(context.channel)
    }
}

/// What the log says of requests. The path is the route's, so that ids and queries of requests stay out of it.
struct RequestLog: Sendable {
    let method: String
    let path: String
    /// Of the spans of its requests.
    let name: String

    init(method: String, path: String) {
        self.method = method
        self.path = path
        name = "\(method) \(path)"
    }

    func note(_ status: HTTPResponse.Status, _ duration: Duration, _ context: ServerContext) {
        guard context.logger.logLevel <= .debug else { return }
        var metadata = metadata(status, context)
        metadata["duration"] = .stringConvertible(duration)
        context.logger.debug("answered", metadata: metadata)
    }

    /// Faults of the server. What is not served is refused as such, and is no fault.
    func note(
        _ error: any Error, _ status: HTTPResponse.Status, _ context: ServerContext, _ unavailable: UnavailableLog
    ) {
        guard status.code >= 500, status != .notImplemented,
            let left = unavailable.left(out: error, status: status.code)
        else { return }
        var metadata = metadata(status, context)
        if left > 0 { metadata["left_out"] = .stringConvertible(left) }
        metadata["error"] = .string(String(describing: error))
        context.logger.error("request failed", metadata: metadata)
    }

    private func metadata(_ status: HTTPResponse.Status, _ context: ServerContext) -> Logger.Metadata {
        [
            "request_id": .string(context.requestId), "method": .string(method), "route": .string(path),
            "status": .stringConvertible(status.code),
        ]
    }
}

extension Response {
    /// The response to `HEAD`: the length is the body's, and a body without one is said to be sent in chunks, as it is for `GET`
    /// (RFC 9110 §8.6 and §9.3.2, RFC 9112 §6.1). The connection leaves out their end.
    func headAlone() -> Response {
        guard body.contentLength == nil else { return createHeadResponse() }
        var headers = headers
        headers[.transferEncoding] = "chunked"
        return Response(status: status, headers: headers, body: ResponseBody { writer in try await writer.finish(nil) })
    }

    /// Announces the end of the connection, and closes it soon after the response, whether or not the client has stopped
    /// sending.
    ///
    /// The writing side is closed first: to close both at once, with bytes unread, would destroy the response on its way
    /// (RFC 9112 §9.6).
    fileprivate mutating func endConnection(_ channel: (any Channel)?) {
        headers[.connection] = "close"
        guard let channel else { return }
        let content = body
        body = ResponseBody(contentLength: content.contentLength) { writer in
            try await content.write(writer)
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }
    }
}
