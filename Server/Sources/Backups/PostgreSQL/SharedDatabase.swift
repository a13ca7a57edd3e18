import Foundation
package import StoragePostgreSQL
import StorageSQLite

/// A shared database, copied by PostgreSQL's own `pg_dump` as one snapshot sees it.
package struct SharedDatabase: BackupSource {
    private let address: PostgreSQLAddress
    private let folder: PrivateFolder?

    /// - Parameters:
    ///   - address: Where the database is.
    ///   - folder: A folder with room for the dump, which is not encrypted while it is there; `nil` to read the journal alone.
    package init(_ address: PostgreSQLAddress, workFolder folder: PrivateFolder?) {
        self.address = address
        self.folder = folder
    }

    package var workFolder: String { folder?.path ?? "" }

    package var kind: BackupHeader.Kind { .dump }
    package var description: String { "The database \(address)" }

    package func copy(
        to path: String, lineage: String, tell: (Int, Int) -> Void
    ) throws(BackupFault) -> CopiedDatabase {
        let (snapshot, segment) = try BackupFault.reading { () throws(PostgreSQLOpenFault) in
            let journal = try PostgreSQLJournal(address)
            try journal.install()
            let snapshot = try PostgreSQLSnapshot(of: address)
            let name = RevocationSegments.name(after: try journal.segmentNames().last, lineage: lineage)
            try journal.begin(name, behind: snapshot)
            return (snapshot, name)
        }
        // An empty file of ours, so that nobody else ever reads the dump.
        try OutputFile(path: path).write([])
        let (connection, environment) = address.forPrograms
        // What ended is in the journal, which has a file of its own.
        try PostgreSQLProgram("pg_dump").run(
            [
                "--dbname=\(connection)", "--snapshot=\(snapshot.name)", "--format=custom", "--compress=0",
                "--no-owner",
                "--no-privileges", "--no-publications", "--no-subscriptions", "--exclude-table-data=revocations",
                "--exclude-table-data=revocation_segments", "--lock-wait-timeout=60000", "--file=\(path)",
            ], environment
        ) {
            // A dump has no indexes: what the database has on disk is more than it will be.
            let done = (try? LocalFile(path: path, name: path).byteCount) ?? 0
            tell(min(done, snapshot.byteCount), snapshot.byteCount)
        }
        tell(snapshot.byteCount, snapshot.byteCount)
        return CopiedDatabase(
            schemaVersion: snapshot.schemaVersion, rows: snapshot.rows, sealingKeys: snapshot.sealingKeys,
            segment: segment)
    }

    package func segments() throws(BackupFault) -> [String] {
        try BackupFault.reading { () throws(PostgreSQLOpenFault) in
            try PostgreSQLJournal(address, isForReading: true).segmentNames()
        }
    }

    package func write(segment: String, to path: String) throws(BackupFault) {
        let target = try OutputFile(path: path)
        try forEachPart(of: [segment]) { text throws(BackupFault) in try target.write(Array(text.utf8)) }
    }

    package func removeSegments(before name: String) throws(BackupFault) {
        try BackupFault.reading { () throws(PostgreSQLOpenFault) in try PostgreSQLJournal(address).remove(before: name)
        }
    }

    /// Lines of segments as they are at one instant, some thousand or some mebibytes at a time.
    func forEachPart(of segments: [String], _ take: (String) throws(BackupFault) -> Void) throws(BackupFault) {
        let journal = try BackupFault.reading { () throws(PostgreSQLOpenFault) in
            let journal = try PostgreSQLJournal(address, isForReading: true)
            try journal.holdStill()
            return journal
        }
        for segment in segments {
            var last: Int64 = 0
            while true {
                let page = try BackupFault.reading { () throws(PostgreSQLOpenFault) in
                    try journal.lines(of: segment, after: last)
                }
                guard !page.lines.isEmpty else { break }
                last = page.last
                try take(page.lines.map { $0 + "\n" }.joined())
            }
        }
    }
}

extension BackupFault {
    /// Says what PostgreSQL's engine says.
    static func reading<Value>(_ body: () throws(PostgreSQLOpenFault) -> Value) throws(BackupFault) -> Value {
        do throws(PostgreSQLOpenFault) {
            return try body()
        } catch {
            throw BackupFault(error.description)
        }
    }
}
