package import Backups
package import Domain
import Foundation
import HTTPSupport
import Logging
import ServiceLifecycle
package import StorageSQLite
import Synchronization
import Threads

/// A standby that answers what needs no write from the copy that it follows.
package struct StandbyServing: Sendable {
    package let store: StandbyStore
    /// The address of the server that takes writes, for clients; `nil` when it is not named.
    package let primary: String?
    let follower: StandbyFollower

    /// - Parameters:
    ///   - folder: The data folder.
    ///   - repository: Where the replica is.
    ///   - key: Opens it.
    ///   - hold: By which no other process works on the folder.
    ///   - maximumLag: How old the copy may be.
    ///   - primary: The address of the primary, for clients.
    ///   - now: The clock.
    package init(
        in folder: String, of repository: any BackupRepository, key: BackupSecretKey, hold: StandbyHold,
        maximumLag: Duration, primary: String?, now: @escaping @Sendable () -> Timestamp
    ) {
        let store = StandbyStore(maximumLag: maximumLag, now: now)
        self.store = store
        self.primary = primary
        follower = StandbyFollower(StandbyCopy(in: folder, of: repository, key: key, readers: store), hold)
    }

    /// Applies what the replica has and the copy has not. Blocks.
    ///
    /// - Throws: `BackupFault`.
    package func follow() throws(BackupFault) { try follower.follow() }

    /// Follows, and tells what keeps requests from being answered by a copy that is young. Blocks.
    ///
    /// - Returns: `nil` when nothing does.
    package func trouble() -> String? {
        do throws(BackupFault) {
            try follow()
        } catch {
            return error.description
        }
        guard store.isTooOld else { return nil }
        return "The copy is older than --max-lag, and nothing is answered from it: the replica has no newer part. "
            + "While nothing is written the primary stores one every \(Setting.replicaHeartbeat.variable) seconds, which has "
            + "to be less than --max-lag."
    }

    /// What the metrics show of it.
    var gauges: [ServerMetrics.Gauge] {
        let store = store
        return [
            .init(name: "okaeri_standby_lag_seconds", help: "How old the copy of this standby is.") {
                store.lag.map { $0 / .seconds(1) } ?? .infinity
            }
        ]
    }
}

/// Follows, one call at a time.
final class StandbyFollower: @unchecked Sendable {
    // Unchecked: the copy is used behind the mutex alone, but for its end.
    private let copy: StandbyCopy
    private let hold: StandbyHold
    private let turn = Mutex(())

    init(_ copy: StandbyCopy, _ hold: StandbyHold) {
        (self.copy, self.hold) = (copy, hold)
    }

    func follow() throws(BackupFault) {
        let result = turn.withLock { _ in Result { () throws(BackupFault) in _ = try copy.follow() } }
        try result.get()
    }

    func end(within time: Duration) { copy.end(within: time) }

    var isAskedToEnd: Bool { hold.isAskedFor }
    func release() { hold.release() }
}

/// Follows the replica each second while a standby serves. Its end, when this machine is to take over, is the server's.
struct StandbyWorker: Service {
    private static let interval: Duration = .seconds(1)

    let standby: StandbyServing
    let modules: Modules
    let logger: Logger

    func run() async throws {
        let threads = WorkerThreads(name: "okaeri-standby", count: 1, maximumWaiting: 1)
        await StoreTime.bounded(by: { [standby] in standby.follower.end(within: $0) }) {
            // Ends by cancellation when the server stops.
            _ = try? await cancelWhenGracefulShutdown { try await follow(on: threads) }
        }
        await threads.close()
    }

    private func follow(on threads: WorkerThreads) async throws {
        var lastFault: String?
        var hasComparedKeys = false
        while !standby.follower.isAskedToEnd {
            let fault = try await threads.run { [standby] in standby.trouble() }
            if let fault, fault != lastFault {
                logger.error("the replica cannot be followed", metadata: ["fault": .string(fault)])
            } else if fault == nil, lastFault != nil {
                logger.info("the replica is followed again")
            }
            lastFault = fault
            if fault == nil, !hasComparedKeys {
                await compareKeys()
                hasComparedKeys = true
            }
            // Uses of sessions are the primary's to write.
            modules.sessions.writeSessionActivity.drop()
            try await Task.sleep(for: Self.interval)
        }
        logger.notice("this machine is to take over: the standby ends")
    }

    /// Tells which sealing keys are missing; without them the keys that verify tokens cannot be read.
    private func compareKeys() async {
        let missing: [String]
        do throws(DomainError) {
            missing = try await modules.resealSecrets.missingKeys()
        } catch {
            return logger.warning(
                "the sealing keys were not compared with the copy", metadata: ["error": "\(error)"])
        }
        guard !missing.isEmpty else { return }
        logger.error(
            "this standby does not have all sealing keys, which it needs also to take over",
            metadata: ["keys": .string(missing.joined(separator: ", "))])
    }
}

extension Composition {
    /// What answers at a standby.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - standby: What it reads.
    /// - Throws: `StartFault.settings` without the sealing key of the installation, or with a shared database.
    package init(_ settings: ServerSettings, standby: StandbyServing) throws(StartFault) {
        guard settings.database == nil else {
            throw .settings(
                "A standby is of an embedded database: leave \(Setting.database.name) away. A shared one has standbys of its own."
            )
        }
        let file = SealingKeyFile(folder: settings.dataFolder, randomness: SystemRandomness())
        guard settings.sealingKey != nil || FileManager.default.fileExists(atPath: file.path) else {
            throw .settings(
                "The standby needs the sealing key of the installation: put it into \(file.path), or set "
                    + "\(Setting.sealingKey.variable). A new one opens nothing that is sealed.")
        }
        let key = try file.key(by: settings)
        var used = settings
        // What is written down is the primary's.
        (used.replica, used.auditStream) = (nil, nil)
        self.init(
            used, store: standby.store, clock: SystemClock(), randomness: SystemRandomness(), sealingKey: key)
        self.standby = standby
    }
}
