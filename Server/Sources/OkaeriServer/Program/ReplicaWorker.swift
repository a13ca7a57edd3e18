import Backups
import Domain
import Foundation
import HTTPSupport
import Logging
import ServiceLifecycle
import Storage
import StorageSQLite
import Threads

/// Replicates the embedded database while the server runs, and ends it when another machine has become the primary.
struct ReplicaWorker: Service {
    static let interval: Duration = .seconds(1)
    private static let copyInterval: Duration = .seconds(10)
    /// How long the store has for what is under way and what is left once the server stops. Who waits for the process ends it soon.
    static let stopLimit: Duration = .seconds(10)

    let shipper: ReplicaShipper
    let logger: Logger
    /// Stops the server.
    let stop: @Sendable () -> Void

    func run() async throws {
        let threads = WorkerThreads(name: "okaeri-replica", count: 3, maximumWaiting: 3)
        // Ends by cancellation when the server stops.
        try? await withGracefulShutdownHandler {
            try await cancelWhenGracefulShutdown {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await repeated(every: Self.interval, on: threads) { $0.collect() } }
                    group.addTask { try await repeated(every: Self.interval, on: threads) { $0.ship() } }
                    group.addTask { try await repeated(every: Self.copyInterval, on: threads) { $0.copyIfDue() } }
                    group.addTask { try await watch() }
                    try await group.waitForAll()
                }
            }
        } onGracefulShutdown: { [shipper] in
            shipper.end(within: Self.stopLimit)
        }
        // Refused only by threads that are closed.
        let last = try? await threads.run { [shipper] in shipper.stop() }
        await threads.close()
        guard let last, last.phase != .fenced, !last.isComplete else { return }
        logger.error(
            "the replica lacks what was written last, and a machine that takes over has it not",
            metadata: ["seconds": "\(last.lag / .seconds(1))", "fault": .string(last.fault ?? "none")])
    }

    private func repeated(
        every interval: Duration, on threads: WorkerThreads, _ work: @escaping @Sendable (ReplicaShipper) -> Void
    ) async throws {
        while true {
            try await threads.run { [shipper] in work(shipper) }
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
