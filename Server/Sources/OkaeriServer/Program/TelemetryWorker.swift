package import Domain
import HTTPSupport
package import Logging
package import OutboundServices
import ServiceLifecycle

/// Sends traces and metrics while the server runs, and what is left of them when it stops. It stops as the last service, so
/// that the others' last spans are sent too.
package struct TelemetryWorker: Service {
    /// How long sending what is left may take when the server stops, beside a message under way.
    static let shutdownTimeout: Duration = .seconds(4)

    private let exporter: TelemetryExporter
    private let settings: TelemetrySettings
    private let families: @Sendable () -> [MetricFamily]
    private let logger: Logger

    /// - Parameters:
    ///   - exporter: Sends.
    ///   - settings: Which signals, how often.
    ///   - families: What is measured, as it is now.
    ///   - logger: The log.
    package init(
        _ exporter: TelemetryExporter, _ settings: TelemetrySettings,
        families: @escaping @Sendable () -> [MetricFamily],
        logger: Logger
    ) {
        self.exporter = exporter
        self.settings = settings
        self.families = families
        self.logger = logger
    }

    package func run() async throws {
        // Ends by cancellation when the server stops.
        try? await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if settings.sendsTraces {
                    group.addTask { try await repeated("traces") { await exporter.sendSpans() } }
                }
                if settings.sendsMetrics {
                    group.addTask {
                        try await repeated("metrics") {
                            await exporter.sendMetrics(families(), every: settings.metricsInterval)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        await finish()
    }

    private func repeated(_ signal: String, _ round: @Sendable () async -> TelemetryExporter.Round) async throws {
        var fault: String?
        while true {
            let ended = await round()
            if ended.fault != fault { tell(ended.fault, signal) }
            fault = ended.fault
            try await Task.sleep(for: ended.wait)
        }
    }

    private func tell(_ fault: String?, _ signal: String) {
        guard let fault else { return logger.info("telemetry is sent again", metadata: ["signal": .string(signal)]) }
        logger.warning("telemetry is not taken", metadata: ["signal": .string(signal), "fault": .string(fault)])
    }

    /// Sends what is left, each signal once, while there is time.
    private func finish() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if settings.sendsMetrics {
                    _ = await exporter.sendMetrics(families(), every: settings.metricsInterval)
                }
                if settings.sendsTraces { _ = await exporter.sendSpans() }
            }
            group.addTask {
                // Cancelled when everything was sent before.
                try? await Task.sleep(for: Self.shutdownTimeout)
            }
            await group.next()
            group.cancelAll()
        }
        exporter.giveUp()
    }
}
