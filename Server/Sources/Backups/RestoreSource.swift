package import Domain

/// What every restore needs: from where, what opens it, and whom it tells how far it is.
package struct RestoreSource {
    let repository: any BackupRepository
    let key: BackupSecretKey
    let now: Timestamp
    let tell: (RestoreBackup.Step, Int, Int) -> Void

    /// - Parameters:
    ///   - repository: Where the backups or the replica are.
    ///   - key: Opens them.
    ///   - now: Device proofs of before are refused afterwards.
    ///   - tell: Called with how much of a step is done.
    package init(
        _ repository: any BackupRepository, key: BackupSecretKey, at now: Timestamp,
        tell: @escaping (RestoreBackup.Step, Int, Int) -> Void
    ) {
        self.repository = repository
        self.key = key
        self.now = now
        self.tell = tell
    }
}
