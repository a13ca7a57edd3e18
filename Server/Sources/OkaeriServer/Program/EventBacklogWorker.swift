package import Domain
package import HTTPSupport
package import Logging
import ServiceLifecycle

/// Counts what waits of events while the server runs. There is one where somebody reads the metrics: elsewhere nothing is
/// counted.
package struct EventBacklogWorker: Service {
    /// The wait between two counts.
    static let interval: Duration = .seconds(15)

    private let modules: Modules
    private let metrics: EventMetrics
    private let faults: FaultLog

    /// - Parameters:
    ///   - modules: Has the events.
    ///   - metrics: Keeps the last count.
    ///   - logger: The log.
    package init(modules: Modules, metrics: EventMetrics, logger: Logger) {
        self.modules = modules
        self.metrics = metrics
        faults = FaultLog(logger, .warning, "counting the events that wait failed, trying again soon")
    }

    package func run() async throws {
        // Ends by cancellation when the server stops.
        try? await cancelWhenGracefulShutdown {
            while true {
                await round()
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Counts once. Beside the deliveries, so that a round of them that takes long is seen.
    package func round() async {
        do throws(DomainError) {
            metrics.note(try await modules.events.countBacklog())
        } catch {
            faults.note("\(error)")
        }
    }
}
