import HTTPTypes
import Hummingbird
import NIOCore

/// The routes whose requests can be answered on the event loop, which none of ours blocks.
///
/// A path without names in braces is found by itself; the others are tried one after the other among those with as many
/// segments. Hummingbird's router knows the same routes, and has the requests that come in pieces.
package struct WholeRequestRoutes: Sendable {
    private var endpoints: [String: [HTTPRequest.Method: Endpoint]] = [:]
    private var patterns: [Int: [Pattern]] = [:]
    private let date = HTTPDate()

    struct Pattern: Sendable {
        var segments: [Substring]
        var method: HTTPRequest.Method
        var endpoint: Endpoint
    }

    /// Who answers a request, and what the names in its path stand for.
    struct Found: Sendable {
        var endpoint: Endpoint
        var parameters: [(name: Substring, value: Substring)] = []
    }

    init() {}

    mutating func add(_ endpoint: Endpoint, for route: Route) {
        guard route.path.contains("{") else {
            endpoints[route.path, default: [:]][route.method] = endpoint
            return
        }
        let segments = route.path.split(separator: "/")
        patterns[segments.count, default: []].append(
            Pattern(segments: segments, method: route.method, endpoint: endpoint))
    }

    /// Who answers a request here; `nil` for what Hummingbird shall have: other routes, and requests that want more
    /// than an answer.
    func endpoint(for head: HTTPRequest) -> Found? {
        guard let path = head.path, !head.headerFields.contains(.expect), head.keepsConnection else { return nil }
        if let endpoint = endpoints[path]?[head.method] { return Found(endpoint: endpoint) }
        let plain = path.utf8.firstIndex(of: UInt8(ascii: "?")).map { path[..<$0] } ?? path[...]
        if plain.endIndex != path.endIndex, let endpoint = endpoints[String(plain)]?[head.method] {
            return Found(endpoint: endpoint)
        }
        let segments = plain.split(separator: "/")
        guard let candidates = patterns[segments.count] else { return nil }
        // A path that a route without names has belongs to that route, whatever its methods.
        guard endpoints[String(plain)] == nil else { return nil }
        for pattern in candidates where pattern.method == head.method {
            if let parameters = pattern.parameters(of: segments) {
                return Found(endpoint: pattern.endpoint, parameters: parameters)
            }
        }
        return nil
    }

    /// - Returns: the answer; `nil` when its body broke off, so that the connection is of no use.
    func answer(to request: Request, _ context: ServerContext, _ endpoint: Endpoint) async -> WholeAnswer? {
        do {
            let response = try await endpoint.respond(to: request, context: context)
            var head = response.head
            head.headerFields.append(HTTPField(name: .date, value: date.now))
            let body = BodyCollector()
            try await response.body.write(body)
            return WholeAnswer(head: head, body: body.bytes)
        } catch {
            // An endpoint answers its errors itself; only a body can fail here, after its head was made.
            return nil
        }
    }
}

/// An answer in one piece.
struct WholeAnswer: Sendable {
    let head: HTTPResponse
    let body: ByteBuffer
}

extension WholeRequestRoutes.Pattern {
    /// What the names stand for; `nil` when the path is another one.
    func parameters(of path: [Substring]) -> [(name: Substring, value: Substring)]? {
        var parameters: [(name: Substring, value: Substring)] = []
        for (segment, sent) in zip(segments, path) {
            if segment.hasPrefix("{") {
                parameters.append((segment.dropFirst().dropLast(), sent))
            } else if segment != sent {
                return nil
            }
        }
        return parameters
    }
}

extension HTTPRequest {
    /// Whether nothing is said of the connection but that it stays, as Apple's systems do (RFC 9110 §7.6.1).
    fileprivate var keepsConnection: Bool {
        guard let options = headerFields.value(of: .connection) else { return true }
        return options.lowercased() == "keep-alive"
    }
}
