import StorageSQLite

/// What a backup is made of: a database that may be in use, and the journal of what ended in it.
package protocol BackupSource: CustomStringConvertible {
    /// What its copies are.
    var kind: BackupHeader.Kind { get }
    /// A folder of ours for a copy that is not sealed yet.
    var workFolder: String { get }

    /// Begins a segment of the journal, and copies the database as it was at one instant behind that.
    ///
    /// - Parameters:
    ///   - path: The file to make.
    ///   - lineage: Eight random hexadecimal digits, for an installation that has no segment yet.
    ///   - tell: Called with how much is done, and how much there is to do.
    /// - Returns: what was copied.
    /// - Throws: `BackupFault`.
    func copy(
        to path: String, lineage: String, tell: (Int, Int) -> Void
    ) throws(BackupFault) -> CopiedDatabase

    /// The names of the journal's segments, the oldest first; the last one is open.
    func segments() throws(BackupFault) -> [String]
    /// Writes the lines of a segment to a file.
    func write(segment: String, to path: String) throws(BackupFault)
    /// Removes segments that no backup needs any more.
    func removeSegments(before name: String) throws(BackupFault)
}

/// A copy of a database, and what is said of it.
package struct CopiedDatabase: Sendable {
    package let schemaVersion: Int
    package let rows: [String: Int]
    package let sealingKeys: [String]
    /// The segment of the journal that begins with the copy.
    package let segment: String
}

/// The embedded database in a data folder.
package struct EmbeddedDatabase: BackupSource {
    private let folder: String
    private let journal: RevocationSegments

    /// - Parameter folder: The data folder.
    package init(folder: String) {
        self.folder = folder
        journal = RevocationSegments(folder: folder)
    }

    package var kind: BackupHeader.Kind { .database }
    package var workFolder: String { folder }
    package var description: String { "The data folder \(folder)" }

    package func copy(
        to path: String, lineage: String, tell: (Int, Int) -> Void
    ) throws(BackupFault) -> CopiedDatabase {
        do throws(SQLiteOpenFault) {
            let segment = try journal.begin(lineage: lineage)
            let snapshot = try SQLiteSnapshot(of: folder, to: path, tell: tell)
            return CopiedDatabase(
                schemaVersion: snapshot.schemaVersion, rows: snapshot.rows, sealingKeys: snapshot.sealingKeys,
                segment: segment)
        } catch {
            throw BackupFault("\(error.description) “okaeri doctor” looks for the reason.")
        }
    }

    package func segments() throws(BackupFault) -> [String] {
        guard let open = journal.open else { return [] }
        return journal.names.filter { $0 != open } + [open]
    }

    package func write(segment: String, to path: String) throws(BackupFault) {
        let source = try LocalFile(path: journal.path(of: segment), name: segment)
        let target = try OutputFile(path: path)
        try source.forEachPart { part, _ throws(BackupFault) in try target.write(part) }
    }

    package func removeSegments(before name: String) throws(BackupFault) {
        journal.remove(before: name)
    }
}

extension LocalFile {
    private static let partBytes = 1 << 20

    /// Reads it from beginning to end.
    func forEachPart(_ take: (_ part: [UInt8], _ done: Int) throws(BackupFault) -> Void) throws(BackupFault) {
        var offset = 0
        while offset < byteCount {
            let part = try read(from: offset, count: min(Self.partBytes, byteCount - offset))
            offset += part.count
            try take(part, offset)
        }
    }

    /// Whether another file has the same bytes.
    func isSame(as other: any ReadableFile) throws(BackupFault) -> Bool {
        guard byteCount == other.byteCount else { return false }
        var isSame = true
        try forEachPart { part, done throws(BackupFault) in
            guard isSame else { return }
            isSame = try other.read(from: done - part.count, count: part.count) == part
        }
        return isSame
    }
}
