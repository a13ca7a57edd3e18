import Domain
package import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

extension ParseAPI {
    /// All paths under all prefixes lead to one endpoint, because a body often names the method, and a batch names
    /// further paths.
    package var routes: [Route] {
        let paths = operations.paths.sorted() + ["/health", "/apps/**", "/**"]
        let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .patch, .options]
        return requests.prefixes.flatMap { prefix in
            paths.flatMap { path in
                methods.map { method in
                    Route(
                        method, prefix + path, method == .options || path == "/health" ? .nothing : .application,
                        ParseEndpoint(
                            api: self, prefix: prefix,
                            // The body of a POST may name another method.
                            operation: method == .post || path.contains("{")
                                ? nil : operations[method, path]
                        ).respond
                    ).withLongResponse(Self.longPaths.contains(path))
                }
            }
        }
    }

    /// What shows many users, or those whom others point at.
    private static let longPaths: Set<String> = [
        "/users", "/classes/_User", "/users/{objectId}", "/classes/_User/{objectId}", "/aggregate/{objectId}", "/batch",
        "/sessions", "/classes/_Session", "/roles", "/classes/_Role", "/**",
    ]
}

/// Where all requests of a prefix go.
struct ParseEndpoint: Sendable {
    let api: ParseAPI
    let prefix: String
    /// The operation that method and path name by themselves; `nil` when they leave it open.
    let operation: ParseOperation?

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        if let operation {
            return try await api.operations.answer(
                try await api.requests.call(request, context, prefix, operation.segments), by: operation
            ).response()
        }
        if request.method == .options { return Response(status: .ok) }
        let segments = request.uri.path.dropFirst(prefix.utf8.count).pieces(at: "/")
        switch segments.first {
        case "health" where segments.count == 1: return try ParseResponse(["status": "ok"]).response()
        case "apps": return try await api.pages.respond(Array(segments.dropFirst()), prefix, request, context)
        default: break
        }
        return try await api.operations.answer(try await api.requests.call(request, context, prefix, segments))
            .response()
    }
}
