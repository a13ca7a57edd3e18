package import Domain

/// `ExportTraceServiceRequest`.
package struct TracesMessage: Encodable {
    private var resourceSpans: [ResourceSpans]

    private struct ResourceSpans: Encodable {
        var resource: OTLP.Resource
        var scopeSpans: [ScopeSpans]
    }

    private struct ScopeSpans: Encodable {
        var scope: OTLP.Scope
        var spans: [SpanBody]
    }

    private struct SpanBody: Encodable {
        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var traceState: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [OTLP.KeyValue]
        var status: Status?

        init(_ span: FinishedSpan, _ anchor: TimeAnchor) {
            traceId = span.context.trace.text
            spanId = TraceContext.text(of: span.context.span)
            parentSpanId = span.parent.map(TraceContext.text(of:))
            traceState = span.context.state.isEmpty ? nil : span.context.state
            name = span.name
            kind = span.kind.rawValue
            startTimeUnixNano = anchor.nanoseconds(of: span.start)
            endTimeUnixNano = anchor.nanoseconds(of: span.end)
            attributes = span.attributes.map(OTLP.KeyValue.init(_:))
            if let error = span.error {
                attributes.append(OTLP.KeyValue("error.type", error))
                status = Status()
            }
        }
    }

    private struct Status: Encodable {
        /// `STATUS_CODE_ERROR`.
        var code = 2
    }

    package init(_ spans: [FinishedSpan], from source: TelemetrySource, _ anchor: TimeAnchor) {
        resourceSpans = [
            ResourceSpans(
                resource: OTLP.Resource(source.resource),
                scopeSpans: [
                    ScopeSpans(
                        scope: OTLP.Scope(version: source.version), spans: spans.map { SpanBody($0, anchor) })
                ])
        ]
    }
}
