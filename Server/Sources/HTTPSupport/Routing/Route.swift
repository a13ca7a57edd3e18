package import HTTPTypes
package import Hummingbird

/// Answers the requests of one route.
package protocol RouteHandler: Sendable {
    /// - Throws: anything; the protocol's `ErrorRenderer` turns it into an answer.
    func respond(to request: Request, _ context: ServerContext) async throws -> Response
}

/// A method, a path, and who answers.
package struct Route: Sendable {
    let method: HTTPRequest.Method
    /// Names in braces stand for one segment: `/v1/user/sessions/{id}`.
    let path: String
    let handler: any RouteHandler

    package init(_ method: HTTPRequest.Method, _ path: String, _ handler: any RouteHandler) {
        self.method = method
        self.path = path
        self.handler = handler
    }
}

/// One wire protocol: its routes, and its words for errors.
package protocol ProtocolAdapter: Sendable {
    /// One word that names it in lists of routes.
    var surface: String { get }
    var routes: [Route] { get }
    var errors: any ErrorRenderer { get }
    /// Whether an unknown path is this protocol's to refuse.
    func owns(path: String) -> Bool
    /// Headers on every answer of the protocol, errors too, to a request that names its origin (Fetch §3.2).
    var crossOriginHeaders: [HTTPField] { get }
    /// Headers on the answer to `OPTIONS`, beside those.
    var preflightHeaders: [HTTPField] { get }
    /// Whether a slash at the end of a path means nothing.
    var takesFinalSlash: Bool { get }
}

extension ProtocolAdapter {
    package var crossOriginHeaders: [HTTPField] { [] }
    package var preflightHeaders: [HTTPField] { [] }
    package var takesFinalSlash: Bool { false }
}

/// Puts errors into the words of one protocol.
package protocol ErrorRenderer: Sendable {
    /// - Parameters:
    ///   - error: a `DomainError`, an `RequestError`, an error of the protocol's own, or something unexpected, about which
    ///     nothing may be told.
    ///   - requestId: The id under which the request is logged; empty for what was no request.
    /// - Returns: the answer, without the headers that every answer has.
    func answer(to error: any Error, requestId: String) -> Response
}
