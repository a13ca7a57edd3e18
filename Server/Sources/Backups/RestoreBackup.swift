package import Domain
import Foundation
import StorageSQLite

/// Keeps servers, copies and other restores out of a data folder while one is restored there.
package final class RestoreHold: Sendable {
    private let lock: ServerLock

    /// - Parameter folder: The data folder, which is made if missing.
    /// - Throws: `BackupFault` when the folder has a database, or something else writes there.
    package init(_ folder: String) throws(BackupFault) {
        try RestoreBackup.checkIsFree(folder)
        try RestoreBackup.makeFolder(folder)
        lock = try RestoreBackup.opening { () throws(SQLiteOpenFault) in try ServerLock(folder: folder) }
    }

    /// Lets others in.
    package func release() { lock.release() }
}

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

/// Brings a database back from a backup. Blocks.
///
/// What ended after the backup stays ended as far as a revocation journal says so. Where no journal is known to be complete,
/// everything ends that could have ended unseen: sessions, codes, transfer codes, merge tickets, log-ins of admins and keys of the admin API.
package struct RestoreBackup {
    package enum Step: String, Sendable {
        case checking, opening, restoring, applying
    }

    private let source: RestoreSource

    package init(from source: RestoreSource) {
        self.source = source
    }

    /// Restores.
    ///
    /// - Parameters:
    ///   - name: The backup; `nil` for the newest.
    ///   - folder: The data folder, without a database.
    ///   - oldFolder: The data folder that was backed up, if it is still there: its journal is complete.
    ///   - keepsSessions: Whether sessions and codes stay although the journal may miss something.
    /// - Returns: what was restored.
    /// - Throws: `BackupFault`. The folder has no database then, as before.
    package func callAsFunction(
        _ name: String?, to folder: String, journalOf oldFolder: String?, keepsSessions: Bool
    ) throws(BackupFault) -> RestoreReport {
        try Self.checkIsFree(folder)
        try Self.checkCanBeRead(oldFolder)
        let catalogue = try BackupCatalogue(source.repository)
        let name = try catalogue.backup(name, at: source.repository)
        let reader = try SealedFileReader(source.repository.file(name))
        let header = reader.header
        try Self.check(header, of: name, is: .database)
        try reader.checkDigest { source.tell(.checking, $0, $1) }
        try Self.makeFolder(folder)
        let draft = WorkFile.restore.path(in: folder, ending: "sqlite")
        defer { WorkFile.remove(draft) }
        try write(reader, to: draft)
        let journal = try RestoredJournal(
            from: header.segment, stored: catalogue.segments, oldFolder: oldFolder, repository: source.repository,
            key: source.key)
        let outcome = try Self.end(journal, in: draft, keepsSessions: keepsSessions, keepsKeys: false, at: source.now) {
            source.tell(.applying, $0, $1)
        }
        try Self.moveIn(draft, in: folder)
        return RestoreReport(of: outcome, name: name, time: Timestamp(milliseconds: header.madeAt))
    }

    /// Sees whether a backup is of a kind and of a version that can be restored.
    static func check(
        _ header: BackupHeader, of name: String, is kind: BackupHeader.Kind
    ) throws(BackupFault) {
        if header.kind != kind, [.database, .dump].contains(header.kind) {
            throw BackupFault(
                kind == .database
                    ? "\(name) is of a shared database: name an empty PostgreSQL database with --database."
                    : "\(name) is of an embedded database: restore it into a folder with --data, without --database; “okaeri copy” "
                        + "brings it from there into PostgreSQL.")
        }
        guard header.kind == kind else { throw .damaged(name, "it holds no database") }
        guard header.schemaVersion <= SQLiteInspection.latestSchemaVersion else {
            throw BackupFault(
                "The backup \(name) has schema version \(header.schemaVersion), made by Okaeri \(header.program); this program "
                    + "knows up to \(SQLiteInspection.latestSchemaVersion). Restore it with the newer program.")
        }
    }

    /// Looks through a restored database, and ends in it what the journal says, or all that could have ended unseen; keys of
    /// the admin API where more than seconds may be unknown.
    static func end(
        _ journal: RestoredJournal, in draft: String, keepsSessions: Bool, keepsKeys: Bool, at now: Timestamp,
        _ tell: (Int, Int) -> Void
    ) throws(BackupFault) -> RestoreReport.Outcome {
        let replay = try opening { () throws(SQLiteOpenFault) in
            _ = try SQLiteSnapshot(checking: draft)
            return try RevocationReplay(path: draft)
        }
        try journal.forEachText(tell) { text throws(BackupFault) in
            try opening { () throws(SQLiteOpenFault) in try replay.apply(text) }
        }
        return try opening { () throws(SQLiteOpenFault) in
            let (doubt, endsAll) = journal.ending(isDamaged: replay.isDamaged, keepsSessions: keepsSessions)
            if endsAll { try replay.endAllShortLived(withKeys: !keepsKeys) }
            try replay.finish(at: now)
            let snapshot = try SQLiteSnapshot(checking: draft)
            return RestoreReport.Outcome(
                rows: snapshot.rows, revocations: replay.changedRows, doubt: doubt, endedAll: endsAll,
                sealingKeys: snapshot.sealingKeys)
        }
    }

    private func write(_ reader: SealedFileReader, to path: String) throws(BackupFault) {
        let file = try OutputFile(path: path)
        try reader.open(with: source.key, { source.tell(.opening, $0, $1) }) { part throws(BackupFault) in
            try file.write(Array(part))
        }
    }

    /// A folder with a database is never written to.
    static func checkIsFree(_ folder: String) throws(BackupFault) {
        for name in ["okaeri.sqlite", "okaeri.sqlite-wal", "revocations"] {
            guard FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { continue }
            throw BackupFault(
                "The folder \(folder) is not empty: \(name) is there, and nothing was changed. Name another folder with --data, "
                    + "or move that one away: “mv \(folder) \(folder).before”.")
        }
    }

    /// Sees whether the journal of an old data folder can be looked for. Without a journal all sessions end, which is for a folder
    /// that has none, and not for a slip in its name or for somebody who may not read it.
    static func checkCanBeRead(_ oldFolder: String?) throws(BackupFault) {
        guard let oldFolder else { return }
        for path in [oldFolder, "\(oldFolder)/revocations"] where access(path, R_OK | X_OK) != 0 {
            let fault = SystemFault(number: errno)
            // No backup was made there.
            if path != oldFolder, fault.number == ENOENT { return }
            throw BackupFault(
                "\(path) cannot be read: \(fault). Nothing was changed. Name the data folder that was backed up with "
                    + "--revocations-of, as a user who may read it; without the option all sessions end.")
        }
    }

    static func makeFolder(_ folder: String) throws(BackupFault) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw BackupFault("The folder \(folder) cannot be made. Name another one with --data.")
        }
    }

    static func moveIn(_ draft: String, in folder: String) throws(BackupFault) {
        if let path = FolderOwner.give([draft, "\(folder)/server.lock"], of: folder) { throw OutputFile.fault(path) }
        let file = open(draft, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw OutputFile.fault(draft) }
        defer { close(file) }
        let path = SQLiteStore.databasePath(in: folder)
        // A link and not a rename: what came there meanwhile is not overwritten.
        guard fsync(file) == 0, link(draft, path) == 0 else {
            let fault = OutputFile.fault(path)
            try checkIsFree(folder)
            throw fault
        }
        let directory = open(folder, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { throw OutputFile.fault(folder) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw OutputFile.fault(folder) }
    }

    static func opening<Value>(_ body: () throws(SQLiteOpenFault) -> Value) throws(BackupFault) -> Value {
        do throws(SQLiteOpenFault) {
            return try body()
        } catch {
            throw BackupFault("\(error.description) “okaeri backup list” shows other backups.")
        }
    }
}
