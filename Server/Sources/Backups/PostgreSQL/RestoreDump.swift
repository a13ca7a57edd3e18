import Domain
import Foundation
package import StoragePostgreSQL
import StorageSQLite

/// Brings a shared database back from a backup into an empty one, or ends in one what ended since it was as it is. Blocks.
///
/// What ended after the backup stays ended, by the rules of `RestoreBackup`. No server starts on the database before all is
/// done.
package struct RestoreDump {
    private let source: RestoreSource

    package init(from source: RestoreSource) {
        self.source = source
    }

    /// Restores.
    ///
    /// - Parameters:
    ///   - name: The backup; `nil` for the newest.
    ///   - address: An empty database.
    ///   - workFolder: A folder with room for the dump.
    ///   - old: The database that was backed up, if it is still there: its journal is complete.
    ///   - keepsSessions: Whether sessions and codes stay although the journal may miss something.
    /// - Returns: what was restored.
    /// - Throws: `BackupFault`. The database is empty then, as before.
    package func callAsFunction(
        _ name: String?, to address: PostgreSQLAddress, workFolder: PrivateFolder, journalOf old: PostgreSQLAddress?,
        keepsSessions: Bool
    ) throws(BackupFault) -> RestoreReport {
        let catalogue = try BackupCatalogue(source.repository)
        let name = try catalogue.backup(name, at: source.repository)
        let reader = try SealedFileReader(source.repository.file(name))
        try RestoreBackup.check(reader.header, of: name, is: .dump)
        try reader.checkDigest { source.tell(.checking, $0, $1) }
        let journal = try journal(from: reader.header.segment, catalogue.segments, old)
        let draft = WorkFile.restore.path(in: workFolder.path, ending: "dump")
        defer { WorkFile.remove(draft) }
        let file = try OutputFile(path: draft)
        try reader.open(with: source.key, { source.tell(.opening, $0, $1) }) { part throws(BackupFault) in
            try file.write(Array(part))
        }
        let restoration = try BackupFault.reading { () throws(PostgreSQLOpenFault) in
            let restoration = try PostgreSQLRestoration(address)
            try restoration.mark()
            return restoration
        }
        do throws(BackupFault) {
            let (connection, environment) = address.forPrograms
            source.tell(.restoring, 0, 1)
            try PostgreSQLProgram("pg_restore").run(
                [
                    "--dbname=\(connection)", "--exit-on-error", "--single-transaction", "--no-owner",
                    "--no-privileges",
                    draft,
                ], environment
            ) {}
            let outcome = try finish(restoration, journal, keepsSessions: keepsSessions)
            return RestoreReport(of: outcome, name: name, time: Timestamp(milliseconds: reader.header.madeAt))
        } catch {
            restoration.abandon()
            throw error
        }
    }

    /// Ends in a database what ended since it was as it is: after PostgreSQL's own recovery to a point in time.
    ///
    /// - Parameters:
    ///   - address: The database. One that programs of Okaeri use is refused.
    ///   - old: The database that it was, if it is still there.
    ///   - keepsSessions: Whether sessions and codes stay although the journal may miss something.
    /// - Returns: what was ended.
    /// - Throws: `BackupFault`. Nothing was ended then.
    package func endRecovered(
        _ address: PostgreSQLAddress, journalOf old: PostgreSQLAddress?, keepsSessions: Bool
    ) throws(BackupFault) -> RestoreReport {
        let restoration = try BackupFault.reading { () throws(PostgreSQLOpenFault) in
            let restoration = try PostgreSQLRestoration(address)
            try restoration.requireAlone()
            return restoration
        }
        guard let segment = try BackupFault.reading({ () throws(PostgreSQLOpenFault) in try restoration.lastSegment() })
        else {
            throw BackupFault(
                "The database \(address) has no revocation journal: “okaeri backup make” had not begun one at that time. Nothing was "
                    + "changed.")
        }
        let journal = try journal(from: segment, try BackupCatalogue(source.repository).segments, old)
        let outcome = try finish(restoration, journal, keepsSessions: keepsSessions)
        return RestoreReport(of: outcome, name: nil, time: nil)
    }

    private func finish(
        _ restoration: PostgreSQLRestoration, _ journal: RestoredJournal, keepsSessions: Bool
    ) throws(BackupFault) -> RestoreReport.Outcome {
        try BackupFault.reading { () throws(PostgreSQLOpenFault) in try restoration.begin() }
        try journal.forEachText({ source.tell(.applying, $0, $1) }) { text throws(BackupFault) in
            try BackupFault.reading { () throws(PostgreSQLOpenFault) in try restoration.apply(text) }
        }
        return try BackupFault.reading { () throws(PostgreSQLOpenFault) in
            let (doubt, endsAll) = journal.ending(isDamaged: restoration.isDamaged, keepsSessions: keepsSessions)
            let revocations = restoration.changedRows
            if endsAll { try restoration.endAllShortLived() }
            let content = try restoration.finish(at: source.now)
            return RestoreReport.Outcome(
                rows: content.rows, revocations: revocations, doubt: doubt, endedAll: endsAll,
                sealingKeys: content.sealingKeys)
        }
    }

    private func journal(
        from segment: String, _ stored: [String], _ old: PostgreSQLAddress?
    ) throws(BackupFault) -> RestoredJournal {
        guard let old else {
            return RestoredJournal(
                from: segment, stored: stored, repository: source.repository, key: source.key,
                doubt: "what ended after the journal was last stored is not known without the old database")
        }
        let database = SharedDatabase(old, workFolder: nil)
        guard let chain = RevocationSegments.chain(from: segment, among: try database.segments()) else {
            return RestoredJournal(
                from: segment, stored: stored, repository: source.repository, key: source.key,
                doubt: "\(old) has no whole revocation journal since then")
        }
        var journal = RestoredJournal()
        journal.append(chain, of: database)
        return journal
    }
}
