import Synchronization

/// Something that takes time, as a trace shows it: a request, a transaction, a call.
///
/// A span of a trace that is not sampled records nothing; it only tells those whom it calls so.
package final class TraceSpan: Sendable {
    package let context: TraceContext
    private let name: String
    private let kind: Kind
    private let parent: UInt64?
    private let start: ContinuousClock.Instant
    private let tracer: Tracer
    private let records: Bool
    private let children = Atomic<Int>(0)

    /// What a span is to the program (OTLP's numbers).
    package enum Kind: Int, Sendable {
        case `internal` = 1
        /// It answers somebody else's request.
        case server = 2
        /// It asks somebody else.
        case client = 3
    }

    /// The most spans directly under one: a transaction that changes thousands of rows is no reason to drop others.
    private static let mostChildren = 100

    init(
        _ context: TraceContext, _ name: String, _ kind: Kind, parent: UInt64?, _ tracer: Tracer, records: Bool = true
    ) {
        self.context = context
        self.name = name
        self.kind = kind
        self.parent = parent
        self.tracer = tracer
        self.records = records && context.isSampled
        start = .now
    }

    /// A span under this one; `nil` when nothing is recorded.
    ///
    /// - Parameters:
    ///   - name: What it does. No id, address or query of a request: names are few.
    ///   - kind: What it is to the program.
    /// - Returns: a span that has begun.
    package func child(_ name: String, _ kind: Kind = .internal) -> TraceSpan? {
        guard context.isSampled, children.add(1, ordering: .relaxed).oldValue < Self.mostChildren else { return nil }
        return TraceSpan(
            TraceContext(trace: context.trace, span: tracer.spanID(), isSampled: true, state: context.state), name,
            kind, parent: context.span, tracer)
    }

    /// A span that stands for this one and records nothing when it ends.
    package var silent: TraceSpan { TraceSpan(context, name, kind, parent: parent, tracer, records: false) }

    /// Ends the span, once. What it tells must not be about a person.
    ///
    /// - Parameters:
    ///   - attributes: What is known of it, by names of OpenTelemetry's conventions.
    ///   - error: A word for what went wrong; `nil` when nothing did.
    package func end(_ attributes: [SpanAttribute] = [], error: String? = nil) {
        guard records else { return }
        tracer.queue.add(
            FinishedSpan(
                context: context, parent: parent, name: name, kind: kind, start: start, end: .now,
                attributes: attributes, error: error))
    }
}

/// The span under which something happens now.
package enum CurrentSpan {
    /// Set for the length of a request, or of a worker's round, while traces are made, and never read while they are not. A task-local value has to be
    /// static.
    @TaskLocal package static var value: TraceSpan?
}

/// Something that is known of a span.
package struct SpanAttribute: Hashable, Sendable {
    package var name: String
    package var value: Value

    package enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    package init(_ name: String, _ text: String) {
        self.name = name
        value = .text(text)
    }

    package init(_ name: String, _ number: Int) {
        self.name = name
        value = .number(number)
    }
}

/// A span that is over, and waits to be sent.
package struct FinishedSpan: Sendable {
    package var context: TraceContext
    /// The span above it; `nil` for the first one of a trace.
    package var parent: UInt64?
    package var name: String
    package var kind: TraceSpan.Kind
    package var start: ContinuousClock.Instant
    package var end: ContinuousClock.Instant
    package var attributes: [SpanAttribute]
    package var error: String?
}
