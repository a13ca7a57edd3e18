package import Backups
import Foundation
package import OutboundServices

/// Where the embedded database is replicated.
package struct ReplicaSettings: Sendable {
    /// A folder, or `s3://bucket/prefix`.
    package var repository: String
    package var key: BackupPublicKey
    /// How far back the replica goes.
    var kept: Duration
    /// How long nothing is stored while nothing is written.
    var heartbeat: Duration

    /// - Returns: `nil` when there is no replica.
    /// - Throws: `SettingFault` for values that break their rules.
    init?(_ reader: SettingReader, hasDatabase: Bool) throws(SettingFault) {
        let days = try reader.number(.replicaDays, 1...3650)
        heartbeat = .seconds(try reader.number(.replicaHeartbeat, 1...60))
        let repository = try reader.optional(.replica) { $0.isEmpty ? nil : $0 }
        let key = try reader.optional(.replicaKey) { BackupPublicKey($0) }
        guard repository != nil || key != nil else { return nil }
        guard let repository, let key, !hasDatabase else {
            throw SettingFault("\(Setting.replica.name) must be \(Setting.replica.rule).")
        }
        self.repository = repository
        self.key = key
        kept = .seconds(86_400) * days
    }

    /// How long a store may say nothing to a server that starts: nobody is served before it is asked for the primary, three times.
    static let silenceAtStart = S3Bucket.SilenceLimits(reading: .seconds(5), storing: .seconds(5))

    /// Opens the repository; a store's keys come from the environment.
    ///
    /// - Parameters:
    ///   - environment: Has the variables of `S3Repository`.
    ///   - silence: How long a store may say nothing.
    /// - Returns: the repository.
    /// - Throws: `BackupFault` when its name or keys cannot be used.
    package func open(
        environment: [String: String], silence: S3Bucket.SilenceLimits = S3Bucket.SilenceLimits()
    ) throws(BackupFault) -> any BackupRepository {
        repository.hasPrefix("s3://")
            ? try S3Repository(repository, environment: environment, silence: silence) : FolderRepository(repository)
    }
}
