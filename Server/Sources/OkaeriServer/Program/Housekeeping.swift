package import Domain
package import Logging
import ServiceLifecycle

/// What the server does every minute beside answering: writes down the uses of sessions, removes what has expired, and
/// chains the audit log.
package struct Housekeeping: Service {
    static let interval: Duration = .seconds(60)

    private let modules: Modules
    private let tracing: RoundTracing
    private let logger: Logger

    package init(modules: Modules, tracing: RoundTracing, logger: Logger) {
        self.modules = modules
        self.tracing = tracing
        self.logger = logger
    }

    package func run() async throws {
        // Ends by cancellation when the server stops; a failed round never ends it.
        try? await cancelWhenGracefulShutdown {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in modules.sessions.writeSessionActivity.signal.listen() {
                        await tracing("round of session activity") { await writeActivity() }
                    }
                }
                while true {
                    try await Task.sleep(for: Self.interval)
                    await round()
                }
            }
        }
        await writeActivity()
        await chainAudit()
    }

    /// What is done once a minute. Failures are logged; the next round tries again.
    package func round() async { await tracing("round of housekeeping") { await tidy() } }

    private func tidy() async {
        await writeActivity()
        do {
            try await modules.sessions.purgeExpired()
            try await modules.deletion.eraseDeletedUsers()
            try await modules.deletion.removeIdleUsers()
        } catch {
            logger.warning(
                "removing what has expired failed, trying again in a minute", metadata: ["error": "\(error)"])
        }
        await chainAudit()
        await writeStatistics()
    }

    private func writeStatistics() async {
        do {
            try await modules.administration.statistics.write()
        } catch {
            logger.warning("counting the figures failed, trying again in a minute", metadata: ["error": "\(error)"])
        }
    }

    private func writeActivity() async {
        do {
            try await modules.sessions.writeSessionActivity()
        } catch {
            logger.warning("writing session activity failed, it is kept", metadata: ["error": "\(error)"])
        }
    }

    private func chainAudit() async {
        do {
            try await modules.administration.audit.chain()
        } catch {
            logger.warning("chaining the audit log failed, its entries wait", metadata: ["error": "\(error)"])
        }
    }
}
