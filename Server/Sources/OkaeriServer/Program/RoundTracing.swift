package import Domain
import ServiceLifecycle

/// What gives the rounds of workers spans: no request waits for them, so that without it nobody sees what they ask of the
/// storage and of other servers. Of each kind of round there is one, and its name is that of the span.
package struct RoundTracing: Sendable {
    private let tracer: Tracer?

    /// - Parameter tracer: Makes the spans; `nil` when no traces are made.
    package init(_ tracer: Tracer?) {
        self.tracer = tracer
    }

    /// Does a round, in a trace of its own. Of a long round the first hundred steps are shown.
    ///
    /// - Parameters:
    ///   - name: What is done: a name, without ids.
    ///   - work: The round.
    /// - Returns: what it returned.
    package func callAsFunction<Value: Sendable>(
        _ name: String, _ work: @Sendable () async -> Value
    ) async -> Value {
        guard let tracer else { return await work() }
        let span = tracer.begin(name, .internal)
        let value = await CurrentSpan.$value.withValue(span) { await work() }
        span.end()
        return value
    }
}

extension QueueSignal {
    /// Makes rounds until the server stops: one for each signal, and one when the wait after the last round is over.
    ///
    /// - Parameters:
    ///   - pause: After how long it rings while a round is under way, again and again; a round that takes long and listens finds
    ///     what has fallen due meanwhile. `nil` for rounds that do not listen.
    ///   - round: Does what is due, and returns how long to wait for the next round.
    package func makeRounds(ringingEvery pause: Duration? = nil, _ round: () async -> Duration) async {
        var timer: Task<Void, any Error>?
        for await _ in listen().cancelOnGracefulShutdown() {
            timer?.cancel()
            // It ends with the round, which cancels it.
            let ringing: Task<Void, any Error>? = pause.map { pause in
                Task {
                    while true {
                        try await Task.sleep(for: pause)
                        self.ring()
                    }
                }
            }
            let wait = await round()
            ringing?.cancel()
            // Rings once and ends; the next round, or the end of the server, cancels it.
            timer = Task {
                try await Task.sleep(for: wait)
                self.ring()
            }
        }
        timer?.cancel()
    }
}
