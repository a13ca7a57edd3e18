package import Domain
import Foundation

/// Asks other servers, and shows in the traces of requests how long that takes. It stands before what asks only while
/// traces are made.
///
/// A span names the other server's host and never the rest of its address, where tokens and mail addresses can stand.
package struct TracedCaller: WebCaller {
    private let call: any WebCaller
    private let tracer: Tracer
    private let tellsTrace: Bool

    /// - Parameters:
    ///   - call: Asks.
    ///   - tracer: Begins a trace for what no request waits for, as the delivery of events.
    ///   - tellsTrace: Whether the other server learns of the trace by `traceparent`: those of the operator and of the apps
    ///     do, identity providers do not.
    package init(_ call: any WebCaller, _ tracer: Tracer, tellsTrace: Bool) {
        self.call = call
        self.tracer = tracer
        self.tellsTrace = tellsTrace
    }

    package func mayAsk(_ url: String) -> Bool { call.mayAsk(url) }

    package func callAsFunction(_ request: WebCall) async throws(WebFault) -> WebResponse {
        let span = tracer.beginCall(request.method.rawValue)
        var request = request
        if tellsTrace { request.headers += TraceHeaders.of(span) }
        do throws(WebFault) {
            let response = try await call(request)
            span.endCall(request, status: response.status)
            return response
        } catch {
            span.endCall(request, fault: error)
            throw error
        }
    }
}

/// What another server learns of a trace (W3C Trace Context).
package enum TraceHeaders {
    package static func of(_ span: TraceSpan) -> [(name: String, value: String)] {
        let state = span.context.state
        return [(name: "traceparent", value: span.context.traceparent)]
            + (state.isEmpty ? [] : [(name: "tracestate", value: state)])
    }
}

extension Tracer {
    /// The span of a call to another server: under the request that waits for it, or a trace of its own.
    package func beginCall(_ method: String) -> TraceSpan {
        guard let current = CurrentSpan.value else { return begin(method, .client) }
        // Without room for another span the other server still learns that there is a trace.
        return current.child(method, .client) ?? current.silent
    }
}

extension TraceSpan {
    /// Ends the span of a call to another server.
    package func endCall(_ request: WebCall, status: Int? = nil, fault: WebFault? = nil) {
        guard context.isSampled else { return }
        var attributes = [
            SpanAttribute("http.request.method", request.method.rawValue),
            SpanAttribute("server.address", EgressPolicy.host(of: request.url)),
        ]
        if let status { attributes.append(SpanAttribute("http.response.status_code", status)) }
        end(attributes, error: fault?.word ?? status.flatMap { $0 >= 400 ? String($0) : nil })
    }
}

extension WebFault {
    fileprivate var word: String {
        switch self {
        case .addressRefused: "address_refused"
        case .unreachable: "unreachable"
        case .tooBusy: "too_busy"
        }
    }
}
