package import Domain
import HTTPSupport
package import Logging
import ServiceLifecycle

/// Orders and sends events while the server runs: at once when this node wrote one, and every few seconds for what other
/// nodes wrote, what is to be tried again, and what a node that died has left, also while one receiver takes its time.
package struct EventWorker: Service {
    /// The wait between two looks at the queue.
    static let pause: Duration = .seconds(5)

    private let modules: Modules
    private let tracing: RoundTracing
    private let logger: Logger
    private let faults: FaultLog

    package init(modules: Modules, tracing: RoundTracing, logger: Logger) {
        self.modules = modules
        self.tracing = tracing
        self.logger = logger
        faults = FaultLog(logger, .warning, "sending events failed, trying again soon")
    }

    package func run() async throws {
        await modules.events.signal.makeRounds(ringingEvery: Self.pause) {
            await round()
            return Self.pause
        }
    }

    /// Sends what is due.
    package func round() async { await tracing("round of events") { await deliver() } }

    private func deliver() async {
        do throws(DomainError) {
            let round = try await modules.events.deliverEvents(while: {
                // What is under way ends by itself within the time of a call; all else waits for the next start.
                !Task.isShuttingDownGracefully && !Task.isCancelled
            })
            if round.delivered > 0 {
                logger.debug("events were sent", metadata: ["events": .stringConvertible(round.delivered)])
            }
            guard let fault = round.fault else { return }
            logger.warning(
                "events could not be sent",
                metadata: [
                    "later": .stringConvertible(round.postponed), "given_up": .stringConvertible(round.givenUp),
                    "fault": .string(fault),
                ])
        } catch {
            faults.note("\(error)")
        }
    }
}

/// Ends the streams of events when the server stops: it would wait for them with all other requests.
package struct EventStreamCloser: Service {
    private let modules: Modules

    package init(modules: Modules) {
        self.modules = modules
    }

    package func run() async throws {
        try await gracefulShutdown()
        modules.events.readers.close()
    }
}
