package import Domain
import HTTPSupport
import Logging
package import OutboundServices
import PasswordHashes
import Storage

/// What makes and sends traces and metrics. Without a collector there is none, and nothing of a request asks for it: what is
/// traced is wrapped when the program is composed.
package struct Telemetry: Sendable {
    let settings: TelemetrySettings
    /// `nil` when no traces are made.
    package let tracer: Tracer?
    package let exporter: TelemetryExporter
    private let caller: CurlCaller

    /// - Returns: `nil` without a collector.
    init?(_ settings: TelemetrySettings?, clock: any WallClock, randomness: any Randomness) {
        guard let settings else { return nil }
        self.settings = settings
        let numbers = randomness.bytes(24)
        func number(_ position: Int) -> UInt64 {
            numbers[position..<(position + 8)].reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
        }
        let queue = settings.sendsTraces ? SpanQueue() : nil
        tracer = queue.map { Tracer(ratio: settings.traceRatio, seeds: (number(0), number(8)), queue: $0) }
        caller = CurlCaller(
            limits: TelemetrySettings.limits,
            policy: EgressPolicy(privateNetworks: [], operatorURLs: [settings.collector.url]))
        let own = [
            SpanAttribute("service.name", "okaeri"), SpanAttribute("service.version", ProgramVersion.current),
            SpanAttribute("service.instance.id", TraceContext.text(of: number(16))),
        ]
        let given = settings.resource
        exporter = TelemetryExporter(
            to: settings.collector,
            from: TelemetrySource(
                resource: own.filter { one in !given.contains { $0.name == one.name } } + given,
                version: ProgramVersion.current),
            queue: queue, clock: clock, call: caller)
    }

    /// Sends while the server runs.
    func worker(_ metrics: ServerMetrics, _ logger: Logger) -> TelemetryWorker {
        TelemetryWorker(exporter, settings, families: { metrics.families }, logger: logger)
    }

    /// Ends the threads.
    func close() async { await caller.close() }
}

extension Telemetry? {
    private var tracer: Tracer? { self?.tracer }

    func traced(_ engine: any Engine, _ dialect: Dialect) -> any Engine {
        tracer == nil ? engine : TracedEngine(engine, dialect)
    }

    func traced(_ hashing: any PasswordHashing) -> any PasswordHashing {
        tracer == nil ? hashing : TracedPasswords(hashing)
    }

    /// - Parameters:
    ///   - caller: Asks other servers.
    ///   - tellsTrace: Whether these learn of the trace.
    /// - Returns: the same, with spans where traces are made.
    func traced(_ caller: any WebCaller, tellsTrace: Bool) -> any WebCaller {
        guard let tracer else { return caller }
        return TracedCaller(caller, tracer, tellsTrace: tellsTrace)
    }

    /// What makes the spans of requests; `nil` when there are none.
    var requests: RequestTracing? {
        guard let self, let tracer = self.tracer else { return nil }
        return RequestTracing(tracer, callers: self.settings.traceCallers)
    }
}
