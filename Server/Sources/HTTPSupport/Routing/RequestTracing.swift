package import Domain
import HTTPTypes
import Hummingbird

/// Makes the span of each request, and goes on with the traces of callers that are listed.
///
/// It tells the route's path and never the request's, so that ids, queries and what people type stay out of traces.
package struct RequestTracing: Sendable {
    private let tracer: Tracer
    private let callers: [IPNetwork]

    /// - Parameters:
    ///   - tracer: Makes spans.
    ///   - callers: Whose `traceparent` counts. Of anybody else it would let strangers choose what is recorded.
    package init(_ tracer: Tracer, callers: [IPNetwork]) {
        self.tracer = tracer
        self.callers = callers
    }

    func begin(_ request: Request, _ context: ServerContext, _ name: String) -> TraceSpan {
        tracer.begin(name, .server, after: caller(of: request, context))
    }

    private func caller(of request: Request, _ context: ServerContext) -> TraceContext? {
        guard !callers.isEmpty, let parent = request.headers.value(of: .traceparent),
            let peer = context.peer.flatMap({ IPAddress($0) }), callers.contains(where: { $0.contains(peer) })
        else { return nil }
        return TraceContext(traceparent: parent, tracestate: request.headers.values(of: .tracestate))
    }
}

extension TraceSpan {
    /// Ends the span of a request.
    func end(_ method: String, _ route: String, _ status: Int, requestId: String) {
        end(
            [
                SpanAttribute("http.request.method", method), SpanAttribute("http.route", route),
                SpanAttribute("http.response.status_code", status), SpanAttribute("okaeri.request_id", requestId),
            ], error: status >= 500 ? String(status) : nil)
    }
}
