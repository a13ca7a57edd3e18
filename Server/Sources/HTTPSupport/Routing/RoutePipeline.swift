import Domain
import HTTPTypes
import Hummingbird
import Logging

/// Everything that a request of one route passes through, on the fast path and on Hummingbird's alike: it gets an id, its
/// path is checked, the handler makes the response or the protocol words the error, headers are added, the body is left out for
/// `HEAD`, a request's body that nobody wanted is read, and the response is counted and logged.
///
/// A class, so that a request holds one reference to all of it.
final class RoutePipeline: Sendable {
    private let handler: Route.Handler
    private let errors: any ErrorRenderer
    private let naming: RequestNaming
    private let checkPath: PathCheck
    private let standardHeaders = StandardHeaders()
    private let crossOriginHeaders: CrossOriginHeaders
    private let drainBody: BodyDrain
    private let metrics: RouteMetrics
    private let log: RequestLog
    private let unavailable: UnavailableLog
    /// `nil` for what everybody may see, which is all that a request then learns of it.
    private let visibility: PathVisibility?
    /// The words for who must not learn that there is such a path.
    private let unknownPaths: any ErrorRenderer
    /// What browsers show in their place; `nil` for the words for programs.
    private let unknownPages: UnknownPages?
    /// `nil` while no traces are made, which is all that a request then learns of them.
    private let tracing: RequestTracing?
    /// Whether its response is made on no event loop.
    let hasLongResponse: Bool

    /// - Parameters:
    ///   - adapter: The protocol.
    ///   - shared: What all routes share.
    ///   - metrics: Where its requests are counted.
    ///   - errors: The route's own words for errors; `nil` for the protocol's.
    ///   - unknownPages: What browsers show of a path that does not exist for them; `nil` for the words for programs.
    ///   - isRoute: Whether it stands for a route of the protocol, which exists for some alone; else for what no route fits.
    ///   - hasLongResponse: Whether its response may be long.
    ///   - handler: Handles the request.
    init(
        _ adapter: any ProtocolAdapter, _ shared: Shared, _ metrics: RouteMetrics,
        errors: (any ErrorRenderer)? = nil, unknownPages: UnknownPages? = nil, isRoute: Bool = true,
        hasLongResponse: Bool = false, _ handler: @escaping Route.Handler
    ) {
        self.hasLongResponse = hasLongResponse
        self.handler = handler
        self.metrics = metrics
        self.errors = errors ?? adapter.errors
        naming = shared.naming
        checkPath = PathCheck(takesFinalSlash: adapter.takesFinalSlash)
        crossOriginHeaders = CrossOriginHeaders(fields: adapter.crossOriginHeaders)
        drainBody = shared.drainBody
        tracing = shared.tracing
        unavailable = shared.unavailable
        visibility = isRoute ? adapter.visibility : nil
        unknownPaths = shared.unknownPaths ?? adapter.errors
        self.unknownPages = unknownPages
        log = RequestLog(method: metrics.method, path: metrics.path)
    }

    /// What all routes share.
    struct Shared: Sendable {
        var naming: RequestNaming
        var drainBody: BodyDrain
        var tracing: RequestTracing?
        var unavailable = UnavailableLog()
        /// The words for paths that no protocol owns; `nil` for the route's own.
        var unknownPaths: (any ErrorRenderer)?
    }

    /// The path of its route.
    var path: String { metrics.path }

    func respond(to request: Request, _ context: ServerContext) async -> Response {
        let start = ContinuousClock.now
        var context = context
        context.requestId = naming.id(of: request, context)
        context.body = BodyProgress(request)
        let span = tracing?.begin(request, context, log.name)
        if let span, span.context.isSampled {
            context.logger[metadataKey: "trace_id"] = .string(span.context.trace.text)
        }
        var response: Response
        do {
            if let visibility, !visibility(request, context) { throw HiddenPath() }
            try checkPath(request)
            if let span {
                response = try await CurrentSpan.$value.withValue(span) { [handler, context] in
                    try await handler(request, context)
                }
            } else {
                response = try await handler(request, context)
            }
        } catch is HiddenPath {
            let page = unknownPages?.response(to: request, context, of: path)
            response =
                page ?? unknownPaths.response(to: RequestError.pathUnknown, requestId: context.requestId)
        } catch {
            response = errors.response(to: error, requestId: context.requestId)
            log.note(error, response.status, context, unavailable)
        }
        standardHeaders.add(to: &response, requestId: context.requestId)
        crossOriginHeaders.add(to: &response, of: request)
        for field in context.responseHeaders.all { response.headers.append(field) }
        // A client would take what stands behind the head for the next response (RFC 9112 §6.3).
        if request.method == .head { response = response.headAlone() }
        if context.body != nil { await drainBody(request, context, &response) }
        let duration = start.duration(to: .now)
        metrics.note(status: response.status.code, duration)
        log.note(response.status, duration, context)
        span?.end(metrics.method, metrics.path, response.status.code, requestId: context.requestId)
        return response
    }
}

/// A path that does not exist for who asks, or for anybody.
struct HiddenPath: Error {}

/// What browsers show of paths that do not exist for them.
struct UnknownPages: Sendable {
    let page: UnknownPage
    /// The protocols that refuse in their own words what they own, without a page.
    var others: [any ProtocolAdapter] = []

    /// - Returns: `nil` for the words for programs.
    func response(to request: Request, _ context: ServerContext, of path: String) -> Response? {
        others.contains { $0.owns(path: path) } ? nil : page(request, context)
    }
}
