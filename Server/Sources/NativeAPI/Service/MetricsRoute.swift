import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /metrics`: numbers for Prometheus.
struct MetricsRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: api.metrics.text)))
    }
}
