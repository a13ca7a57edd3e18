package import Domain
import Foundation
import Synchronization

/// Sends traces and metrics to a collector by OTLP over HTTP, in JSON.
///
/// Metrics are cumulative, so that a message that is lost costs nothing. Spans of a message that could not be sent are kept
/// and sent again, later each time; those that come meanwhile wait in the bounded queue.
package final class TelemetryExporter: Sendable {
    /// Where to, by which headers.
    package struct Collector: Sendable {
        /// Without a slash at its end: `/v1/traces` and `/v1/metrics` follow.
        package var url: String
        package var headers: [(name: String, value: Secret)]

        package init(url: String, headers: [(name: String, value: Secret)]) {
            self.url = url
            self.headers = headers
        }
    }

    /// What became of a round.
    package struct Round: Hashable, Sendable {
        /// When to try next.
        package var wait: Duration
        /// What went wrong; `nil` when nothing did.
        package var fault: String?

        package init(wait: Duration, fault: String? = nil) {
            self.wait = wait
            self.fault = fault
        }
    }

    /// Spans in one message.
    package static let batchSize = 512
    /// The wait while there is nothing to send.
    package static let pause: Duration = .seconds(1)
    private static let firstRetry: Duration = .seconds(5)
    package static let longestRetry: Duration = .seconds(300)

    private let collector: Collector
    private let source: TelemetrySource
    private let queue: SpanQueue?
    private let clock: any WallClock
    private let call: any WebCaller
    private let start: TimeAnchor
    package let counts: TelemetryCounts
    private let state = Mutex(State())

    private struct State: Sendable {
        /// Spans of a message that is to be sent again.
        var kept: [FinishedSpan] = []
        var retries: [TelemetryCounts.Signal: Int] = [:]
    }

    /// - Parameters:
    ///   - collector: Where to.
    ///   - source: Who sends.
    ///   - queue: Where spans wait; `nil` without traces.
    ///   - clock: The time of day.
    ///   - call: Asks the collector. Its calls make no spans.
    package init(
        to collector: Collector, from source: TelemetrySource, queue: SpanQueue?, clock: any WallClock,
        call: any WebCaller
    ) {
        self.collector = collector
        self.source = source
        self.queue = queue
        self.clock = clock
        self.call = call
        counts = TelemetryCounts(queue: queue)
        start = TimeAnchor(milliseconds: clock.now.milliseconds)
    }

    /// Sends what waits, message by message, until nothing does or one is not taken.
    package func sendSpans() async -> Round {
        guard let queue else { return Round(wait: Self.longestRetry) }
        while !Task.isCancelled {
            let kept = state.withLock { $0.kept }
            let spans = kept.isEmpty ? queue.take(Self.batchSize) : kept
            guard !spans.isEmpty else { return Round(wait: Self.pause) }
            let message = TracesMessage(spans, from: source, TimeAnchor(milliseconds: clock.now.milliseconds))
            let outcome = await send(message, to: "/v1/traces", .traces)
            state.withLock { state in
                if case .later = outcome { state.kept = spans } else { state.kept = [] }
            }
            switch outcome {
            case .taken(let refused):
                let refused = min(refused, spans.count)
                counts.noteSent(spans: spans.count - refused)
                counts.noteRefused(spans: refused)
                // How many is counted and not in words: the log has a line for each other fault.
                if refused > 0 { return Round(wait: Self.pause, fault: "the collector refused spans") }
            case .refused(let fault):
                counts.noteRefused(spans: spans.count)
                return Round(wait: Self.pause, fault: fault)
            case .later(let wait, let fault): return Round(wait: wait, fault: fault)
            }
        }
        return Round(wait: Self.pause)
    }

    /// Sends what is measured.
    ///
    /// - Parameters:
    ///   - families: The values, as they are now.
    ///   - interval: The wait for the next message, unless this one is not taken.
    /// - Returns: when to send the next.
    package func sendMetrics(_ families: [MetricFamily], every interval: Duration) async -> Round {
        let message = MetricsMessage(
            families, from: source, since: start, now: TimeAnchor(milliseconds: clock.now.milliseconds))
        switch await send(message, to: "/v1/metrics", .metrics) {
        case .taken(0): return Round(wait: interval)
        case .taken: return Round(wait: interval, fault: "the collector refused values")
        case .refused(let fault): return Round(wait: interval, fault: fault)
        case .later(let wait, let fault): return Round(wait: max(wait, interval), fault: fault)
        }
    }

    /// Counts spans that stay behind when the server stops.
    package func giveUp() {
        let kept = state.withLock { state in
            defer { state.kept = [] }
            return state.kept.count
        }
        counts.noteLeft(spans: kept + (queue?.take(.max).count ?? 0))
    }

    private enum Outcome {
        /// All but some.
        case taken(refused: Int)
        /// The same message would be refused again.
        case refused(String)
        case later(Duration, String)
    }

    private func send(_ message: some Encodable, to path: String, _ signal: TelemetryCounts.Signal) async -> Outcome {
        var request = WebCall(.post, collector.url + path)
        request.headers = [(name: "Content-Type", value: "application/json")]
        request.headers += collector.headers.map { (name: $0.name, value: $0.value.revealed) }
        do {
            request.bytes = Array(try JSONEncoder().encode(message))
        } catch {
            counts.noteFault(signal)
            return .refused("it cannot be written as JSON")
        }
        let outcome: Outcome
        do throws(WebFault) {
            let response = try await call(request)
            switch response.status {
            case 200..<300: outcome = .taken(refused: Self.refused(response.body))
            // What OTLP says may be sent again.
            case 429, 502, 503, 504:
                let asked = response.headers["retry-after"].flatMap { Int($0, radix: 10) }
                outcome = .later(retry(signal, asked), "the collector answered \(response.status)")
            default: outcome = .refused("the collector answered \(response.status)")
            }
        } catch {
            outcome = .later(retry(signal, nil), error.telemetryWords)
        }
        switch outcome {
        case .taken: state.withLock { $0.retries[signal] = nil }
        case .refused:
            state.withLock { $0.retries[signal] = nil }
            counts.noteFault(signal)
        case .later: counts.noteFault(signal)
        }
        return outcome
    }

    /// Twice as long each time, and as long as the collector asks for; bounded.
    private func retry(_ signal: TelemetryCounts.Signal, _ asked: Int?) -> Duration {
        let count = state.withLock { state in
            defer { state.retries[signal, default: 0] += 1 }
            return min(state.retries[signal, default: 0], 10)
        }
        let own = Self.firstRetry * (1 << count)
        return min(max(own, .seconds(min(max(asked ?? 0, 0), 3600))), Self.longestRetry)
    }

    /// How much of a message the collector did not take (`partialSuccess`).
    static func refused(_ body: [UInt8]) -> Int {
        guard let members = try? JSONDecoder().decode(PartialResponse.self, from: Data(body)) else {
            // A response without a body, or in another form, took everything.
            return 0
        }
        let success = members.partialSuccess
        return max(0, (success?.rejectedSpans ?? success?.rejectedDataPoints)?.value ?? 0)
    }

    private struct PartialResponse: Decodable {
        var partialSuccess: Rejected?

        struct Rejected: Decodable {
            var rejectedSpans: Number?
            var rejectedDataPoints: Number?
        }

        /// A number, or one as a text, as the encoding wants it.
        struct Number: Decodable {
            var value: Int

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                // Also the number may stand in a text.
                if let number = try? container.decode(Int.self) {
                    value = number
                } else {
                    value = Int(try container.decode(String.self), radix: 10) ?? 0
                }
            }
        }
    }
}

extension WebFault {
    fileprivate var telemetryWords: String {
        switch self {
        case .addressRefused: "the collector's address cannot be asked"
        case .unreachable(let reason): "the collector cannot be reached: \(reason)"
        case .tooBusy: SharedLanes.full
        }
    }
}
