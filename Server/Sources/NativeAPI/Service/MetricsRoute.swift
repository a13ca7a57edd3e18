import Domain
package import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /metrics`: numbers for Prometheus.
struct MetricsRoute: RouteHandler {
    let metrics: ServerMetrics
    /// Who knows it may read; everybody may without one.
    let key: Secret?

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        // Strangers do not learn that there is something to read.
        if let key, !Self.names(key, request) { throw RequestError.pathUnknown }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }

    private static func names(_ key: Secret, _ request: Request) -> Bool {
        let words = request.headers.value(of: .authorization)?.split(separator: " ") ?? []
        return words.count == 2 && words[0].lowercased() == "bearer" && Secret(String(words[1])) == key
    }
}

/// `/metrics` alone, for a listener that only its operator reaches.
package struct MetricsAPI: ProtocolAdapter {
    private let metrics: ServerMetrics

    package init(_ metrics: ServerMetrics) {
        self.metrics = metrics
    }

    package var surface: String { "metrics" }
    package var routes: [Route] { [Route(.get, "/metrics", MetricsRoute(metrics: metrics, key: nil))] }
    package var errors: any ErrorRenderer { NativeAPI.errors }
    package func owns(path: String) -> Bool { true }
}
