import Synchronization

/// Begins traces, and decides which of them are recorded.
package final class Tracer: Sendable {
    package let queue: SpanQueue
    /// A trace is recorded when half of its low number is below it: every program that samples by the trace's id at the same
    /// ratio decides alike.
    private let bound: UInt64
    private let seeds: (trace: UInt64, span: UInt64)
    private let count = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - ratio: Which part of the traces that begin here is recorded, from 0 to 1.
    ///   - seeds: Any numbers that differ between server starts. Ids are names, not secrets.
    ///   - queue: Where finished spans go.
    package init(ratio: Double, seeds: (trace: UInt64, span: UInt64), queue: SpanQueue) {
        bound = UInt64(exactly: (min(max(ratio, 0), 1) * 0x1p63).rounded(.down)) ?? 0
        self.seeds = seeds
        self.queue = queue
    }

    /// Begins a trace, or goes on with a caller's. Its caller decides whether that is recorded.
    package func begin(_ name: String, _ kind: TraceSpan.Kind, after caller: TraceContext? = nil) -> TraceSpan {
        let context: TraceContext
        if let caller {
            context = TraceContext(
                trace: caller.trace, span: spanID(), isSampled: caller.isSampled, state: caller.state)
        } else {
            let number = next()
            let trace = TraceID(
                high: Self.mixed(seeds.trace &+ number), low: Self.mixed(seeds.span ^ Self.mixed(number)) | 1)
            context = TraceContext(trace: trace, span: spanID(), isSampled: trace.low >> 1 < bound)
        }
        return TraceSpan(context, name, kind, parent: caller?.span, self)
    }

    /// An id of a span, never 0.
    func spanID() -> UInt64 {
        let id = Self.mixed(seeds.span &+ next())
        return id == 0 ? 1 : id
    }

    private func next() -> UInt64 { count.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).oldValue }

    /// SplitMix64 (Steele, Lea, Flood, 2014): every number becomes another one, evenly spread.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Finished spans that wait to be sent. Beyond a bound they are dropped and counted: nothing waits for a collector.
package final class SpanQueue: Sendable {
    private let capacity: Int
    private let state: Mutex<State>

    private struct State: Sendable {
        var spans: [FinishedSpan] = []
        var dropped: UInt64 = 0
    }

    package init(capacity: Int = 8192) {
        self.capacity = max(1, capacity)
        state = Mutex(State())
    }

    /// How many spans were dropped because the queue was full.
    package var dropped: UInt64 { state.withLock { $0.dropped } }

    package var count: Int { state.withLock { $0.spans.count } }

    func add(_ span: FinishedSpan) {
        state.withLock { state in
            if state.spans.count < capacity { state.spans.append(span) } else { state.dropped += 1 }
        }
    }

    /// Takes the oldest spans out.
    package func take(_ maximum: Int) -> [FinishedSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(maximum))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }
}
