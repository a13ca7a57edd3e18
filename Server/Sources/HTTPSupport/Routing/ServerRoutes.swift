import HTTPTypes
package import Hummingbird
import OkaeriWire

/// The routes of all protocols, and what answers requests that none of them has.
package struct ServerRoutes: Sendable {
    private let adapters: [any ProtocolAdapter]
    private let metrics: ServerMetrics
    private let shared: RoutePipeline.Shared
    private let unknownPage: UnknownPage?

    /// - Parameters:
    ///   - adapters: The protocols; the first one refuses paths that none owns.
    ///   - metrics: Where requests are counted.
    ///   - requestIds: Names requests.
    ///   - proxies: Whose request ids are kept.
    ///   - readBody: Reads bodies that no route wanted.
    ///   - tracing: Makes the spans of requests; `nil` when there are no traces.
    ///   - unknownPage: What browsers show of a path that no protocol owns; `nil` when they read what programs read.
    package init(
        _ adapters: [any ProtocolAdapter], metrics: ServerMetrics, requestIds: RequestIds, proxies: TrustedProxies,
        readBody: BodyReader, tracing: RequestTracing? = nil, unknownPage: UnknownPage? = nil
    ) {
        self.adapters = adapters
        self.metrics = metrics
        shared = RoutePipeline.Shared(
            naming: RequestNaming(requestIds: requestIds, proxies: proxies), drainBody: BodyDrain(readBody: readBody),
            tracing: tracing, unknownPaths: adapters.first?.errors)
        self.unknownPage = unknownPage
    }

    /// Every route of every protocol.
    package var table: [RouteDescription] {
        adapters.flatMap { adapter in adapter.routes.map { RouteDescription(adapter.surface, $0) } }
    }

    /// What answers requests.
    package func responder() -> RouteResponder {
        var matcher = RouteMatcher()
        for (part, adapter) in adapters.enumerated() {
            let unknownPages = unknownPage.map { page in
                UnknownPages(page: page, others: adapters.filter { $0.surface != adapter.surface })
            }
            for route in adapter.routes {
                let metrics = metrics.route(method: route.method.rawValue, path: route.path)
                let pipeline = RoutePipeline(
                    adapter, shared, metrics, errors: route.errors, unknownPages: unknownPages,
                    hasLongResponse: route.hasLongResponse, route.handler)
                matcher.add(pipeline, for: route, of: part)
            }
        }
        let unrouted = metrics.route(method: "other", path: "none")
        let visibilities = adapters.map(\.visibility)
        let refusals: [(any ProtocolAdapter, RoutePipeline)] = adapters.map { [matcher] adapter in
            let noRoute = NoRoute(
                matcher: matcher, visibilities: visibilities, preflightHeaders: adapter.preflightHeaders,
                isReadElsewhere: !adapter.crossOriginHeaders.isEmpty)
            return (adapter, RoutePipeline(adapter, shared, unrouted, isRoute: false, noRoute.respond))
        }
        let unowned = adapters.first.map { [matcher] adapter in
            let noRoute = NoRoute(
                matcher: matcher, visibilities: visibilities, preflightHeaders: adapter.preflightHeaders,
                isUnowned: true)
            return RoutePipeline(
                adapter, shared, unrouted, unknownPages: unknownPage.map { UnknownPages(page: $0) }, isRoute: false,
                noRoute.respond)
        }
        return RouteResponder(
            matcher, unrouted: refusals, unowned: unowned, headerNames: HeaderNames(adapters.flatMap(\.requestHeaders)))
    }
}

/// A route as a list shows it.
package struct RouteDescription: Hashable, Sendable, Encodable {
    /// The protocol, or which pages: `native`, `admin`, `ncmb`, `parse`, `kii`, `envelope`, `pages`, `dashboard`.
    package let surface: String
    package let method: String
    /// Names in braces stand for one segment, `**` for any number of them.
    package let path: String
    /// What the caller must bring along. It is not part of the printed list.
    package let caller: RouteCaller
    /// Whether its response is made on no event loop. It is not part of the printed list.
    package let hasLongResponse: Bool

    init(_ surface: String, _ route: Route) {
        self.surface = surface
        method = route.method.rawValue
        path = route.path
        caller = route.caller
        hasLongResponse = route.hasLongResponse
    }

    private enum CodingKeys: CodingKey {
        case surface, method, path
    }
}

/// Answers the requests of a server: those of the fast path, and those that Hummingbird hands over.
package final class RouteResponder: HTTPResponder {
    package typealias Context = ServerContext

    private let matcher: RouteMatcher
    let date = HTTPDate()
    private let unrouted: [(adapter: any ProtocolAdapter, pipeline: RoutePipeline)]
    /// For paths that no protocol owns.
    private let unowned: RoutePipeline?
    /// The headers that requests have most often.
    package let headerNames: HeaderNames

    /// The protocols, each of which refuses in its own words what it owns.
    package var adapters: [any ProtocolAdapter] { unrouted.map { $0.adapter } }

    init(
        _ matcher: RouteMatcher, unrouted: [(any ProtocolAdapter, RoutePipeline)], unowned: RoutePipeline?,
        headerNames: HeaderNames
    ) {
        self.matcher = matcher
        self.unrouted = unrouted
        self.unowned = unowned
        self.headerNames = headerNames
    }

    /// The route of a request that can be answered on the event loop; `nil` for requests without a route, and for those
    /// that want more than a response.
    func fastPathMatch(_ head: HTTPRequest) -> RouteMatcher.Match? {
        guard let path = head.path, StreamSafeText.contains(path), head.keepsConnection else { return nil }
        let question = path.utf8.firstIndex(of: UInt8(ascii: "?"))
        return matcher.match(head.method, question.map { String(path[..<$0]) } ?? path)
    }

    /// The response to a request that Hummingbird read.
    package func respond(to request: Request, context: ServerContext) async throws -> Response {
        let path = request.uri.path
        guard StreamSafeText.contains(path) else { return try await refuse(request, context) }
        if let match = matcher.match(request.method, path) {
            return await match.pipeline.respond(to: request, context.with(match.parameters))
        }
        // What answers GET answers HEAD (RFC 9110 §9.3.2).
        if request.method == .head, let match = matcher.match(.get, path) {
            return await match.pipeline.respond(to: request, context.with(match.parameters))
        }
        return try await refuse(request, context)
    }

    private func refuse(_ request: Request, _ context: ServerContext) async throws -> Response {
        let path = request.uri.path
        let owner = unrouted.first { adapter, _ in
            adapter.owns(path: path) && (adapter.visibility?(request, context) ?? true)
        }
        guard let pipeline = owner?.pipeline ?? unowned else { throw HTTPError(.notFound) }
        return await pipeline.respond(to: request, context)
    }
}

extension ServerContext {
    /// The same context with what the names in the route's path stand for.
    func with(_ parameters: [(name: Substring, value: Substring)]) -> ServerContext {
        var context = self
        for (name, value) in parameters { context.coreContext.parameters[name] = value }
        return context
    }
}

/// Answers requests that no route fits: 405 with the methods that the path has for who asks, `OPTIONS`, and 404.
///
/// At a protocol whose answers pages of other origins read, browsers may ask first also where there is nothing: to an
/// app a refused preflight is an error of the network, and it never reads the 404.
private struct NoRoute: Sendable {
    let matcher: RouteMatcher
    /// Who sees the routes of each protocol; `nil` for everybody.
    let visibilities: [PathVisibility?]
    let preflightHeaders: [HTTPField]
    /// Whether pages of other origins may read a 404.
    var isReadElsewhere = false
    /// Whether no protocol owns the paths, so that browsers may show a page of theirs.
    var isUnowned = false

    @Sendable func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        var methods = matcher.methods(at: request.uri.path) { part in
            visibilities[part].map { $0(request, context) } ?? true
        }
        if methods.isEmpty, isUnowned { throw HiddenPath() }
        let isPreflight = request.method == .options
        guard !methods.isEmpty || isPreflight && isReadElsewhere else { throw RequestError.pathUnknown }
        methods.insert(.options)
        if methods.contains(.get) { methods.insert(.head) }
        let allow = methods.map(\.rawValue).sorted().joined(separator: ", ")
        guard isPreflight else { throw RequestError.methodNotAllowed(allow: allow) }
        var headers: HTTPFields = [.allow: allow]
        for field in preflightHeaders { headers.append(field) }
        return Response(status: .noContent, headers: headers)
    }
}
