package import Domain
import Foundation
import StorageSQLite

/// Brings a database back from a replica, as it was at a time. Blocks.
///
/// What ended later stays ended, as after a restore of a backup.
package struct RestoreReplica {
    private let source: RestoreSource

    package init(from source: RestoreSource) {
        self.source = source
    }

    /// Restores.
    ///
    /// - Parameters:
    ///   - folder: The data folder, without a database.
    ///   - time: The latest time; `nil` for the newest state.
    ///   - oldFolder: The data folder that was replicated, if it is still there: its journal is complete.
    ///   - keepsSessions: Whether sessions and codes stay although something may have ended unseen.
    /// - Returns: what was restored.
    /// - Throws: `BackupFault`. The folder has no database then, as before.
    package func callAsFunction(
        to folder: String, upTo time: Timestamp?, journalOf oldFolder: String?, keepsSessions: Bool
    ) throws(BackupFault) -> RestoreReport {
        try RestoreBackup.checkIsFree(folder)
        try RestoreBackup.checkCanBeRead(oldFolder)
        let plan = try ReplicaCatalogue(source.repository).plan(upTo: time, at: source.repository)
        try RestoreBackup.makeFolder(folder)
        let draft = WorkFile.restore.path(in: folder, ending: "sqlite")
        defer { WorkFile.remove(draft) }
        let copy = try ReplicaCopy(of: plan.base, to: draft, from: source.repository, source.key) {
            source.tell(.opening, $0, $1)
        }
        for (number, part) in plan.parts.enumerated() {
            try copy.apply(part)
            source.tell(.opening, number + 1, plan.parts.count)
        }
        try copy.finish()
        let journal = try journal(after: plan, copy.journal, oldFolder)
        let outcome = try RestoreBackup.end(
            journal, in: draft, keepsSessions: keepsSessions, keepsKeys: false, at: source.now
        ) {
            source.tell(.applying, $0, $1)
        }
        try RestoreBackup.moveIn(draft, in: folder)
        return RestoreReport(of: outcome, name: nil, time: plan.time)
    }

    private func journal(
        after plan: ReplicaCatalogue.Plan, _ known: [String: Int], _ oldFolder: String?
    ) throws(BackupFault) -> RestoredJournal {
        if let oldFolder, let complete = try Self.journal(of: oldFolder, after: known) { return complete }
        var journal = RestoredJournal(
            doubt: oldFolder.map { "\($0) has no whole revocation journal since this state" }
                ?? "what ended after the replica's last part is not known without the old data folder")
        for part in plan.later { journal.append(part, at: source.repository, source.key) }
        return journal
    }

    /// What the journal of a data folder says behind what is known; `nil` when it is not whole.
    private static func journal(
        of folder: String, after known: [String: Int]
    ) throws(BackupFault) -> RestoredJournal? {
        let segments = RevocationSegments(folder: folder)
        guard let first = known.keys.min(), let chain = RevocationSegments.chain(from: first, among: segments.names),
            chain.last == segments.open
        else { return nil }
        var journal = RestoredJournal()
        for name in chain {
            let file = try LocalFile(path: segments.path(of: name), name: name)
            let offset = known[name] ?? 0
            guard (0...file.byteCount).contains(offset) else { return nil }
            journal.append(segments.path(of: name), named: name, from: offset)
        }
        journal.appendWaiting(in: folder)
        return journal
    }
}

/// A copy of the database that is made of a replica's parts.
final class ReplicaCopy {
    private let repository: any BackupRepository
    private let key: BackupSecretKey
    private let replay: LogReplay
    /// How far the revocation journal is in what was applied.
    private(set) var journal: [String: Int]

    /// Fetches the base.
    ///
    /// - Throws: `BackupFault` when it is damaged, or of a newer version.
    init(
        of base: ReplicaPart, to path: String, from repository: any BackupRepository, _ key: BackupSecretKey,
        _ tell: (Int, Int) -> Void
    ) throws(BackupFault) {
        (self.repository, self.key) = (repository, key)
        let reader = try SealedFileReader(repository.file(base.name))
        let header = reader.header
        guard header.kind == .replicaBase, let part = header.part, part.name == base.name else {
            throw .damaged(base.name, "it is another part of the replica")
        }
        guard header.schemaVersion <= SQLiteInspection.latestSchemaVersion else {
            throw BackupFault(
                "The replica has schema version \(header.schemaVersion), made by Okaeri \(header.program); this program knows "
                    + "up to \(SQLiteInspection.latestSchemaVersion). Restore it with the newer program.")
        }
        let file = try OutputFile(path: path)
        try reader.open(with: key, tell) { bytes throws(BackupFault) in try file.write(Array(bytes)) }
        journal = part.journal
        replay = try RestoreBackup.opening { () throws(SQLiteOpenFault) in try LogReplay(path: path, after: nil) }
    }

    /// Goes on with a copy that was finished before.
    init(
        at path: String, after position: LogPosition?, journal: [String: Int], from repository: any BackupRepository,
        _ key: BackupSecretKey
    ) throws(BackupFault) {
        (self.repository, self.key, self.journal) = (repository, key, journal)
        replay = try RestoreBackup.opening { () throws(SQLiteOpenFault) in try LogReplay(path: path, after: position) }
    }

    var position: LogPosition? { replay.position }

    /// - Throws: `BackupFault` when the part is damaged, or not the next one.
    func apply(_ part: ReplicaPart) throws(BackupFault) {
        let (header, records) = try ReplicaContent.read(part, at: repository, key)
        for case .frames(let frames) in records {
            do throws(SQLiteOpenFault) {
                try replay.apply(frames)
            } catch {
                throw .damaged(part.name, error.description)
            }
        }
        if let found = header.part?.journal { journal = found }
    }

    func finish() throws(BackupFault) {
        try RestoreBackup.opening { () throws(SQLiteOpenFault) in try replay.finish() }
    }
}
