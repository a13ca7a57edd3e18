import HTTPTypes
package import Hummingbird

/// Brings the routes of all protocols together, and answers what none of them has.
package struct ServerRoutes: Sendable {
    private let adapters: [any ProtocolAdapter]
    private let metrics: ServerMetrics
    private let shared: Endpoint.Shared

    /// - Parameters:
    ///   - adapters: The protocols; the first one answers paths that none owns.
    ///   - metrics: Where requests are counted.
    ///   - requestIds: Names requests.
    ///   - proxies: Whose request ids are kept.
    ///   - readBody: Reads bodies that no route wanted.
    package init(
        _ adapters: [any ProtocolAdapter], metrics: ServerMetrics, requestIds: RequestIds, proxies: TrustedProxies,
        readBody: BodyReader
    ) {
        self.adapters = adapters
        self.metrics = metrics
        shared = Endpoint.Shared(requestIds: requestIds, proxies: proxies, readBody: readBody)
    }

    /// Every route of every protocol, in the order in which they are looked up.
    package var table: [RouteDescription] {
        adapters.flatMap { adapter in
            adapter.routes.map {
                RouteDescription(surface: adapter.surface, method: $0.method.rawValue, path: $0.path)
            }
        }
    }

    /// What answers requests: all of them, and the whole ones among them on the event loop.
    package func responders() -> (all: RouterResponder<ServerContext>, whole: FastPathRoutes) {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        var whole = FastPathRoutes()
        for adapter in adapters {
            for route in adapter.routes {
                let endpoint = Endpoint(
                    handler: route.handler, errors: adapter.errors,
                    metrics: metrics.route(method: route.method.rawValue, path: route.path), shared: shared,
                    crossOriginHeaders: adapter.crossOriginHeaders, takesFinalSlash: adapter.takesFinalSlash)
                router.on(RouterPath(route.path), method: route.method, responder: endpoint)
                whole.add(endpoint, for: route)
            }
        }
        // Middleware added after the routes is asked only when no route fits.
        router.add(middleware: Unrouted(adapters: adapters, metrics: metrics, shared: shared))
        return (router.buildResponder(), whole)
    }
}

/// A route as a list shows it.
package struct RouteDescription: Hashable, Sendable, Encodable {
    /// The protocol, or which pages: `native`, `admin`, `ncmb`, `parse`, `kii`, `envelope`, `pages`, `dashboard`.
    package let surface: String
    package let method: String
    /// Names in braces stand for one segment, `**` for any number of them.
    package let path: String
}

/// Answers requests that no route fits: 405 with the methods that the path has, `OPTIONS`, and 404.
private struct Unrouted: RouterMiddleware {
    typealias Context = ServerContext

    private let endpoints: [(adapter: any ProtocolAdapter, endpoint: Endpoint)]

    init(adapters: [any ProtocolAdapter], metrics: ServerMetrics, shared: Endpoint.Shared) {
        let routes = adapters.flatMap(\.routes)
        let unrouted = metrics.route(method: "other", path: "none")
        endpoints = adapters.map { adapter in
            (
                adapter,
                Endpoint(
                    handler: NoRoute(routes: routes, preflightHeaders: adapter.preflightHeaders),
                    errors: adapter.errors, metrics: unrouted, shared: shared,
                    crossOriginHeaders: adapter.crossOriginHeaders,
                    takesFinalSlash: adapter.takesFinalSlash)
            )
        }
    }

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard let found = endpoints.first(where: { $0.adapter.owns(path: path) }) ?? endpoints.first else {
            return try await next(request, context)
        }
        return try await found.endpoint.respond(to: request, context: context)
    }
}

private struct NoRoute: RouteHandler {
    let routes: [Route]
    let preflightHeaders: [HTTPField]

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let segments = request.uri.path.split(separator: "/")
        var methods = Set(routes.filter { $0.fits(segments) }.map(\.method.rawValue))
        guard !methods.isEmpty else { throw RequestError.pathUnknown }
        methods.insert(HTTPRequest.Method.options.rawValue)
        if methods.contains(HTTPRequest.Method.get.rawValue) { methods.insert(HTTPRequest.Method.head.rawValue) }
        let allow = methods.sorted().joined(separator: ", ")
        guard request.method == .options else { throw RequestError.methodNotAllowed(allow: allow) }
        var headers: HTTPFields = [.allow: allow]
        for field in preflightHeaders { headers.append(field) }
        return Response(status: .noContent, headers: headers)
    }
}

extension Route {
    fileprivate func fits(_ segments: [Substring]) -> Bool {
        let pattern = path.split(separator: "/")
        return pattern.count == segments.count
            && zip(pattern, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
