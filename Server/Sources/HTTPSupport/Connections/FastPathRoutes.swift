import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriWire

/// The routes whose requests can be answered on the event loop, which none of ours blocks.
///
/// A path without names in braces is found by itself, the others by their segments. Hummingbird's router knows the same routes, and has the requests that come in pieces.
package struct FastPathRoutes: Sendable {
    private var endpoints: [String: [HTTPRequest.Method: Endpoint]] = [:]
    private var named = RouteTree()
    private let date = HTTPDate()

    init() {}

    mutating func add(_ endpoint: Endpoint, for route: Route) {
        if route.path.contains("{") {
            named.add(endpoint, for: route)
        } else {
            endpoints[route.path, default: [:]][route.method] = endpoint
        }
    }

    /// Who answers a request here; `nil` for what Hummingbird shall have: other routes, and requests that want more
    /// than an answer.
    func endpoint(for head: HTTPRequest) -> RouteTree.Found? {
        guard let path = head.path, StreamSafeText.contains(path), !head.headerFields.contains(.expect),
            head.keepsConnection
        else { return nil }
        let question = path.utf8.firstIndex(of: UInt8(ascii: "?"))
        // A path that a route without names has belongs to that route, whatever its methods.
        if let methods = endpoints[question.map { String(path[..<$0]) } ?? path] {
            return methods[head.method].map { RouteTree.Found(endpoint: $0) }
        }
        return named.route(head.method, question.map { path[..<$0] } ?? path[...])
    }

    /// - Returns: the answer; `nil` when its body broke off, so that the connection is of no use.
    func answer(to request: Request, _ context: ServerContext, _ endpoint: Endpoint) async -> Answer? {
        do {
            let response = try await endpoint.respond(to: request, context: context)
            var head = response.head
            head.headerFields.append(HTTPField(name: .date, value: date.now))
            let content = response.body
            guard content.contentLength != nil else { return .streamed(head, content) }
            let body = BodyCollector()
            try await content.write(body)
            return .whole(head, body.bytes)
        } catch {
            // An endpoint answers its errors itself; only a body can fail here, after its head was made.
            return nil
        }
    }
}

extension FastPathRoutes {
    /// What a request is answered with.
    enum Answer: Sendable {
        /// Everything at once.
        case whole(HTTPResponse, ByteBuffer)
        /// A body whose length nobody knows before it is made: it may be too long to be held.
        case streamed(HTTPResponse, ResponseBody)
    }
}

extension HTTPRequest {
    /// Whether nothing is said of the connection but that it stays, as Apple's systems do (RFC 9110 §7.6.1).
    fileprivate var keepsConnection: Bool {
        guard let options = headerFields.value(of: .connection) else { return !headerFields.contains(.connection) }
        return options.lowercased() == "keep-alive"
    }

    /// Whether nothing behind it is a request: its sender says so (RFC 9112 §9.6), or the decoder expects another protocol
    /// there, and would keep all bytes that come.
    var endsConnection: Bool {
        if method == .connect || headerFields.contains(.upgrade) { return true }
        guard let options = headerFields.value(of: .connection) else { return false }
        return options.lowercased().split(separator: ",").contains {
            $0.drop { $0 == " " }.prefix { $0 != " " } == "close"
        }
    }
}
