package import Domain
package import Logging
import ServiceLifecycle

/// What the server does every minute beside answering: writes down the uses of sessions, removes what has expired, and
/// chains the audit log. What ends users or sessions by their time alone waits for an hour of rounds with an even clock
/// (decision 0218).
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
        let isClockSteady = modules.isClockSteady()
        await writeActivity()
        // Each by itself: what strangers leave behind, and takes too long to remove, keeps nobody's account from its end.
        await attempt("removing what has expired") {
            try await modules.sessions.purgeExpired(isClockSteady: isClockSteady)
        }
        // By a clock that is ahead all of them are due.
        if isClockSteady { await eraseUsers() }
        await chainAudit()
        await attempt("counting the figures") { try await modules.administration.statistics.write() }
    }

    private func eraseUsers() async {
        await attempt("erasing users whose grace is over") { try await modules.deletion.eraseDeletedUsers() }
        await attempt("erasing idle guests") {
            // Who has come back is idle still where that could not be written.
            try await modules.sessions.writeSessionActivity()
            return try await modules.deletion.removeIdleUsers()
        }
    }

    private func attempt<Value>(_ name: String, _ work: () async throws -> Value) async {
        do {
            _ = try await work()
        } catch {
            logger.warning("\(name) failed, trying again in a minute", metadata: ["error": "\(error)"])
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
