import HTTPTypes
import Hummingbird
import NIOCore

/// The routes whose requests can be answered on the event loop: paths without names in braces, answers without streams.
package struct WholeRequestRoutes: Sendable {
    private let endpoints: [String: [HTTPRequest.Method: Endpoint]]
    private let date = HTTPDate()

    init(_ endpoints: [String: [HTTPRequest.Method: Endpoint]]) {
        self.endpoints = endpoints
    }

    /// Who answers a request here; `nil` for what Hummingbird shall have: other routes, and requests that want more
    /// than an answer.
    func endpoint(for head: HTTPRequest) -> Endpoint? {
        guard let path = head.path, let endpoint = endpoints[path]?[head.method],
            !head.headerFields.contains(.expect), head.keepsConnection
        else { return nil }
        return endpoint
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

extension HTTPRequest {
    /// Whether nothing is said of the connection but that it stays, as Apple's systems do (RFC 9110 §7.6.1).
    fileprivate var keepsConnection: Bool {
        guard let options = headerFields.value(of: .connection) else { return true }
        return options.lowercased() == "keep-alive"
    }
}
