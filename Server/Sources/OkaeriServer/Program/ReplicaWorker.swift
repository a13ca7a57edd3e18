package import Backups
import Domain
import Foundation
import HTTPSupport
package import Logging
import ServiceLifecycle
import Storage
import StorageSQLite
import Threads

/// Replicates the embedded database while the server runs, and ends it when another machine has become the primary.
package struct ReplicaWorker: Service {
    private static let interval: Duration = .seconds(1)
    private static let copyInterval: Duration = .seconds(10)

    private let shipper: ReplicaShipper
    private let logger: Logger
    private let stop: @Sendable () -> Void

    /// - Parameters:
    ///   - shipper: Does the work.
    ///   - logger: The log.
    ///   - stop: Stops the server.
    package init(shipper: ReplicaShipper, logger: Logger, stop: @escaping @Sendable () -> Void) {
        self.shipper = shipper
        self.logger = logger
        self.stop = stop
    }

    package func run() async throws {
        let threads = WorkerThreads(name: "okaeri-replica", count: 3, maximumWaiting: 3)
        let last = await StoreTime.bounded(by: { [shipper] in shipper.end(within: $0) }) {
            await withTaskGroup(of: Void.self, returning: ReplicaShipper.Status?.self) { group in
                group.addTask {
                    await untilStop { try await repeated(every: Self.copyInterval, on: threads) { $0.copyIfDue() } }
                }
                await untilStop {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await repeated(every: Self.interval, on: threads) { $0.collect() } }
                        group.addTask { try await repeated(every: Self.interval, on: threads) { $0.ship() } }
                        group.addTask { try await watch() }
                        try await group.waitForAll()
                    }
                }
                // A stream is of no use without its first copy. What is left does not wait for a later one.
                if !shipper.status.hasCopy { await group.waitForAll() }
                // Refused only where the system makes no thread.
                let last = try? await threads.run { [shipper] in shipper.stop() }
                shipper.end(within: .zero)
                return last
            }
        }
        await threads.close()
        guard let last, last.phase != .fenced, !last.isComplete else { return }
        logger.error(
            "the replica lacks what was written last, and a machine that takes over has it not",
            metadata: ["seconds": "\(last.lag / .seconds(1))", "fault": .string(last.fault ?? "none")])
    }

    /// Ends by cancellation when the server stops.
    private func untilStop(_ work: @escaping @Sendable () async throws -> Void) async {
        try? await cancelWhenGracefulShutdown(work)
    }

    private func repeated(
        every interval: Duration, on threads: WorkerThreads, _ work: @escaping @Sendable (ReplicaShipper) -> Void
    ) async throws {
        while true {
            // Where the system makes no thread now, it may the next time.
            _ = try? await threads.run { [shipper] in work(shipper) }
            try await Task.sleep(for: interval)
        }
    }

    /// Logs what changes.
    private func watch() async throws {
        var last: ReplicaShipper.Status?
        while true {
            let status = shipper.status
            if status.phase != last?.phase || status.fault != last?.fault {
                let metadata: Logger.Metadata = [
                    "phase": .string(status.phase.rawValue), "fault": .string(status.fault ?? "none"),
                ]
                if status.phase == .fenced {
                    logger.critical("another machine is the primary now: this server stops", metadata: metadata)
                    stop()
                } else if status.fault != nil {
                    logger.error("the replica falls behind", metadata: metadata)
                } else {
                    logger.info("the replica", metadata: metadata)
                }
            }
            last = status
            try await Task.sleep(for: Self.interval)
        }
    }
}

extension ReplicaShipper {
    /// What the metrics show of it.
    var gauges: [ServerMetrics.Gauge] {
        [
            .init(name: "okaeri_replica_lag_seconds", help: "How much the loss of this machine would cost.") {
                self.status.lag / .seconds(1)
            },
            .init(name: "okaeri_replica_waiting_bytes", help: "What waits for the replica's repository.") {
                Double(self.status.waitingBytes)
            },
        ]
    }
}

extension ServerSettings {
    /// What replicates the embedded database; `nil` when nothing does.
    ///
    /// - Parameters:
    ///   - store: The storage; it is closed when this throws.
    ///   - role: Who opened it.
    ///   - clock: The clock.
    /// - Returns: `nil` also for commands.
    /// - Throws: `StartFault.settings` when the replica cannot be used, and when another machine is the primary.
    func replicaShipper(
        of store: any Engine, _ role: Composition.Role, _ clock: any WallClock
    ) async throws(StartFault) -> ReplicaShipper? {
        guard let replica, role == .server, let store = store as? SQLiteStore else { return nil }
        do throws(BackupFault) {
            let environment = ProcessInfo.processInfo.environment
            let repository = try replica.open(environment: environment)
            let asked = try replica.open(environment: environment, silence: ReplicaSettings.silenceAtStart)
            var limits = ReplicaShipper.Limits()
            limits.kept = replica.kept
            limits.silence = replica.heartbeat
            return ReplicaShipper(
                store, folder: dataFolder, to: repository, key: replica.key, program: ProgramVersion.current,
                claim: try PrimaryClaim.forServer(of: dataFolder, at: asked), limits: limits, now: { clock.now })
        } catch {
            await store.close()
            throw .settings("\(Setting.replica.name): \(error.description)")
        }
    }
}
