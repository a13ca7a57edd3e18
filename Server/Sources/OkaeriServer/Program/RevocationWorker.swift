import Domain
import HTTPSupport
import Logging
import ServiceLifecycle

/// Tells providers to end grants, while the server runs: soon after a user has unlinked one, and again when it failed.
struct RevocationWorker: Service {
    /// How long a revocation waits at the most after it has become due; looking costs one query of an index.
    static let interval: Duration = .seconds(5)

    private let modules: Modules
    private let tracing: RoundTracing
    private let logger: Logger
    private let faults: FaultLog

    init(modules: Modules, tracing: RoundTracing, logger: Logger) {
        self.modules = modules
        self.tracing = tracing
        self.logger = logger
        faults = FaultLog(logger, .warning, "looking for grants to revoke failed, trying again soon")
    }

    func run() async throws {
        // Ends by cancellation when the server stops; a failed round never ends it.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: Self.interval)
                await tracing("round of revocations") { await round() }
            }
        }
    }

    private func round() async {
        do throws(DomainError) {
            let outcome = try await modules.providers.revokeGrants()
            if outcome.postponed > 0 {
                logger.warning(
                    "providers could not be asked to revoke grants, trying again later",
                    metadata: ["grants": .stringConvertible(outcome.postponed)])
            }
            if outcome.givenUp > 0 {
                logger.error(
                    "providers were not asked to revoke grants for 30 days; given up",
                    metadata: ["grants": .stringConvertible(outcome.givenUp)])
            }
        } catch {
            faults.note("\(error)")
        }
    }
}
