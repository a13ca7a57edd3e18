import StorageSQLite

/// Reads a backup from beginning to end, and what every restore of it reads beside it: the journal that was stored. Blocks.
package struct CheckBackup {
    package enum Step: String, Sendable {
        case checking, opening
    }

    private let repository: any BackupRepository
    private let tell: (Step, Int, Int) -> Void

    /// - Parameters:
    ///   - repository: Where the backups are.
    ///   - tell: Called with how much of a step is done.
    package init(at repository: any BackupRepository, tell: @escaping (Step, Int, Int) -> Void) {
        self.repository = repository
        self.tell = tell
    }

    /// Reads.
    ///
    /// - Parameters:
    ///   - name: The backup; `nil` for the newest.
    ///   - key: Opens it; `nil` to compare checksums alone.
    /// - Returns: the backup's name.
    /// - Throws: `BackupFault` when something is not as it was written.
    package func callAsFunction(_ name: String?, with key: BackupSecretKey?) throws(BackupFault) -> String {
        let catalogue = try BackupCatalogue(repository)
        let name = try catalogue.backup(name, at: repository)
        let backup = try SealedFileReader(repository.file(name))
        try read(backup, with: key)
        let segments = RevocationSegments.chain(from: backup.header.segment, among: catalogue.segments) ?? []
        for segment in segments { try read(RestoredJournal.reader(ofSegment: segment, at: repository), with: key) }
        return name
    }

    private func read(_ reader: SealedFileReader, with key: BackupSecretKey?) throws(BackupFault) {
        try reader.checkDigest { tell(.checking, $0, $1) }
        guard let key else { return }
        try reader.open(with: key, { tell(.opening, $0, $1) }) { _ throws(BackupFault) in }
    }
}
