package import HTTPTypes
package import Hummingbird

/// A method, a path, what the caller must bring along, and the controller's method that handles the request.
package struct Route: Sendable {
    /// - Throws: anything; the protocol's `ErrorRenderer` turns it into a response.
    package typealias Handler = @Sendable (Request, ServerContext) async throws -> Response

    package let method: HTTPRequest.Method
    /// Names in braces stand for one segment, `**` for one or more: `/v1/user/sessions/{id}`.
    package let path: String
    package let caller: RouteCaller
    /// Whether it may be asked of a standby, which answers what needs no write.
    let isForStandby: Bool
    /// The route's own words for errors; `nil` for its protocol's.
    let errors: (any ErrorRenderer)?
    let handler: Handler
    /// Whether its response may be long. Such a one is made on no event loop, where all of a loop's connections would wait for it
    /// (requirement 47).
    private(set) var hasLongResponse = false

    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path.
    ///   - caller: What the caller must bring along.
    ///   - isForStandby: Whether it may be asked of a standby; `nil` for what its method says.
    ///   - errors: Its own words for errors; `nil` for its protocol's.
    ///   - handler: Handles the request.
    package init(
        _ method: HTTPRequest.Method, _ path: String, _ caller: RouteCaller, isForStandby: Bool? = nil,
        errors: (any ErrorRenderer)? = nil, _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.caller = caller
        self.isForStandby = isForStandby ?? (method == .get)
        self.errors = errors
        self.handler = handler
    }

    /// The same route, whose response may be long: lists of users, and what shows them within each other.
    package func withLongResponse(_ hasLongResponse: Bool = true) -> Route {
        var route = self
        route.hasLongResponse = hasLongResponse
        return route
    }
}

/// What a caller must bring along. A request without it is refused.
package enum RouteCaller: String, CaseIterable, Sendable {
    case nothing
    /// The id or the key of an application.
    case application
    /// The token of a session.
    case session
    /// The token of a session whose owner logged in, or proved to be there, a short time ago.
    case recentSession
    /// The session or the key of an admin.
    case admin
    /// A secret that the operator gave to the program that asks.
    case operatorKey
}

/// One wire protocol: its routes, and its words for errors.
package protocol ProtocolAdapter: Sendable {
    /// One word that names it in lists of routes.
    var surface: String { get }
    var routes: [Route] { get }
    var errors: any ErrorRenderer { get }
    /// Whether an unknown path is this protocol's to refuse.
    func owns(path: String) -> Bool
    /// Headers on every response of the protocol, errors too, to a request that names its origin (Fetch §3.2).
    var crossOriginHeaders: [HTTPField] { get }
    /// Headers on the response to `OPTIONS`, beside those.
    var preflightHeaders: [HTTPField] { get }
    /// Headers of its own that its clients send with most requests.
    var requestHeaders: [HTTPField.Name] { get }
    /// Whether a slash at the end of a path means nothing.
    var takesFinalSlash: Bool { get }
    /// For whom its paths exist; `nil` for everybody.
    var visibility: PathVisibility? { get }
}

/// Whether a protocol's paths exist for who sent a request.
package typealias PathVisibility = @Sendable (Request, ServerContext) -> Bool

/// The page for a path that there is not; `nil` for who reads no pages.
package typealias UnknownPage = @Sendable (Request, ServerContext) -> Response?

extension ProtocolAdapter {
    package var visibility: PathVisibility? { nil }
    package var crossOriginHeaders: [HTTPField] { [] }
    package var preflightHeaders: [HTTPField] { [] }
    package var requestHeaders: [HTTPField.Name] { [] }
    package var takesFinalSlash: Bool { false }
}

/// A protocol behind a rule of its own: it is the wrapped one in all that the rule does not change.
package protocol WrappingAdapter: ProtocolAdapter {
    var adapter: any ProtocolAdapter { get }
}

extension WrappingAdapter {
    package var surface: String { adapter.surface }
    package var errors: any ErrorRenderer { adapter.errors }
    package func owns(path: String) -> Bool { adapter.owns(path: path) }
    package var crossOriginHeaders: [HTTPField] { adapter.crossOriginHeaders }
    package var preflightHeaders: [HTTPField] { adapter.preflightHeaders }
    package var requestHeaders: [HTTPField.Name] { adapter.requestHeaders }
    package var takesFinalSlash: Bool { adapter.takesFinalSlash }
    package var visibility: PathVisibility? { adapter.visibility }
}

/// Puts errors into the words of one protocol.
package protocol ErrorRenderer: Sendable {
    /// - Parameters:
    ///   - error: a `DomainError`, an `RequestError`, an error of the protocol's own, or something unexpected, about which
    ///     nothing may be disclosed.
    ///   - requestId: The id under which the request is logged; empty for what was no request.
    /// - Returns: the response, without the headers that every response has.
    func response(to error: any Error, requestId: String) -> Response
}
