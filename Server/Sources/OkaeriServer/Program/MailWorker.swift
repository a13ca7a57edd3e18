package import Domain
import HTTPSupport
package import Logging
import ServiceLifecycle

/// Sends mail while the server runs: at once when there is new mail, and when a mail is to be tried again.
///
/// Several lanes work side by side, so that one mail that takes its time holds up one lane alone, and the mails of one application
/// two of them.
package struct MailWorker: Service {
    /// How many mails are sent side by side.
    static let lanes = DeliverMail.lanes
    /// How long a lane waits at the most: mails of a node that died are taken over then.
    static let longestWait: Duration = .seconds(60)
    /// The wait after a round that failed as a whole, that is, while the storage is away.
    static let waitAfterFault: Duration = .seconds(5)

    private let modules: Modules
    private let clock: any WallClock
    private let tracing: RoundTracing
    private let logger: Logger
    private let faults: FaultLog

    package init(modules: Modules, clock: any WallClock, tracing: RoundTracing, logger: Logger) {
        self.modules = modules
        self.clock = clock
        self.tracing = tracing
        self.logger = logger
        faults = FaultLog(logger, .warning, "sending mail failed, trying again soon")
    }

    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.lanes { group.addTask { await work() } }
        }
    }

    private func work() async {
        await modules.messaging.mailQueueSignal.makeRounds {
            // The mail under way is sent; the carrier waits less long for the mail server's word on it.
            await cancelWhenGracefulShutdown { await round() }
        }
    }

    /// Sends what is due.
    ///
    /// - Returns: how long to wait for the next round, unless there is new mail.
    package func round() async -> Duration { await tracing("round of mails") { await deliver() } }

    private func deliver() async -> Duration {
        do throws(DomainError) {
            let round = try await modules.messaging.deliverMail(while: {
                // The mail under way is sent; the others wait for the next start.
                !Task.isShuttingDownGracefully && !Task.isCancelled
            })
            tell(round)
            guard let next = round.nextAt else { return Self.longestWait }
            return min(max(next - clock.now, .zero), Self.longestWait)
        } catch {
            faults.note("\(error)")
            return Self.waitAfterFault
        }
    }

    private func tell(_ round: DeliverMail.Round) {
        if round.delivered > 0 {
            logger.debug("mail was sent", metadata: ["mails": .stringConvertible(round.delivered)])
        }
        guard let fault = round.fault else { return }
        logger.warning(
            "mail could not be sent",
            metadata: [
                "later": .stringConvertible(round.postponed), "given_up": .stringConvertible(round.givenUp),
                "fault": .string(fault),
            ])
    }
}
