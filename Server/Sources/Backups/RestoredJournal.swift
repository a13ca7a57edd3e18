import StorageSQLite

/// The lines that are to be applied to a backup, and whether they are all. They are read while they are applied, a part at a
/// time: a journal has a line for each log-in of a known device, and can be larger than the memory.
struct RestoredJournal {
    private enum Source {
        /// A segment of the old data folder, from a byte on.
        case file(String, named: String, from: Int)
        /// What was committed in the old data folder before its server was killed, and not written to its journal any more.
        case waiting(folder: String)
        /// A segment that was stored with the backups.
        case stored(String, any BackupRepository, BackupSecretKey)
        case replica(ReplicaPart, any BackupRepository, BackupSecretKey)
        /// Segments of the old database.
        case database(SharedDatabase, [String])
    }

    private static let partBytes = 1 << 20

    private var sources: [Source] = []
    /// Why something that ended may be missing.
    private(set) var doubt: String?

    /// - Parameter doubt: Why something may be missing.
    init(doubt: String? = nil) {
        self.doubt = doubt
    }

    /// The journal of the old data folder where it is whole, or else the one that was stored.
    init(
        from segment: String, stored: [String], oldFolder: String?, repository: any BackupRepository,
        key: BackupSecretKey
    ) throws(BackupFault) {
        guard let oldFolder else {
            self = Self(
                from: segment, stored: stored, repository: repository, key: key,
                doubt: "what ended after the journal was last stored is not known without the old data folder")
            return
        }
        let segments = RevocationSegments(folder: oldFolder)
        guard let chain = RevocationSegments.chain(from: segment, among: segments.names), chain.last == segments.open
        else {
            self = Self(
                from: segment, stored: stored, repository: repository, key: key,
                doubt: "\(oldFolder) has no whole revocation journal since this backup")
            return
        }
        for name in chain { append(segments.path(of: name), named: name, from: 0) }
        appendWaiting(in: oldFolder)
    }

    /// The journal that was stored with the backups, and why it may miss something.
    init(
        from segment: String, stored: [String], repository: any BackupRepository, key: BackupSecretKey, doubt: String
    ) {
        self.doubt = doubt
        guard let chain = RevocationSegments.chain(from: segment, among: stored) else {
            self.doubt = "no whole revocation journal since this backup is at \(repository)"
            return
        }
        sources = chain.map { .stored($0, repository, key) }
    }

    mutating func append(_ path: String, named name: String, from offset: Int) {
        sources.append(.file(path, named: name, from: offset))
    }

    mutating func appendWaiting(in oldFolder: String) { sources.append(.waiting(folder: oldFolder)) }

    mutating func append(_ part: ReplicaPart, at repository: any BackupRepository, _ key: BackupSecretKey) {
        sources.append(.replica(part, repository, key))
    }

    mutating func append(_ segments: [String], of database: SharedDatabase) {
        sources.append(.database(database, segments))
    }

    /// What ends beside what the lines say: all that could have ended unseen, where a line may be missing.
    ///
    /// - Parameters:
    ///   - isDamaged: Whether a line could not be read.
    ///   - keepsSessions: Whether sessions and codes stay all the same.
    /// - Returns: why something may be missing, and whether everything ends.
    func ending(isDamaged: Bool, keepsSessions: Bool) -> (doubt: String?, endsAll: Bool) {
        let doubt = doubt ?? (isDamaged ? "a line of the revocation journal is damaged" : nil)
        return (doubt, doubt != nil && !keepsSessions)
    }

    /// Reads all lines in their order.
    ///
    /// - Parameters:
    ///   - tell: Called with how many sources are done, and how many there are.
    ///   - take: Gets whole lines, some at a time. They can be believed only when this function has returned.
    /// - Throws: `BackupFault`.
    func forEachText(
        _ tell: (Int, Int) -> Void, _ take: (String) throws(BackupFault) -> Void
    ) throws(BackupFault) {
        for (number, source) in sources.enumerated() {
            try Self.read(source, take)
            tell(number + 1, sources.count)
        }
    }

    private static func read(
        _ source: Source, _ take: (String) throws(BackupFault) -> Void
    ) throws(BackupFault) {
        var lines = WholeLines()
        switch source {
        case .file(let path, let name, let offset):
            let file = try LocalFile(path: path, name: name)
            var position = offset
            while position < file.byteCount {
                let part = try file.read(from: position, count: min(partBytes, file.byteCount - position))
                position += part.count
                if let text = lines.text(behind: part[...]) { try take(text) }
            }
        case .waiting(let folder): try take(PendingRevocations.text(of: folder))
        case .stored(let name, let repository, let key):
            let reader = try reader(ofSegment: name, at: repository)
            try reader.checkDigest { _, _ in }
            try reader.open(with: key, { _, _ in }) { part throws(BackupFault) in
                if let text = lines.text(behind: part) { try take(text) }
            }
        case .replica(let part, let repository, let key):
            for case .revocations(let text) in try ReplicaContent.read(part, at: repository, key).records {
                try take(text)
            }
        case .database(let database, let segments): try database.forEachPart(of: segments, take)
        }
        if let text = lines.rest { try take(text) }
    }

    /// Reads the beginning of a segment that was stored with the backups.
    ///
    /// - Parameters:
    ///   - name: The segment's name in a data folder.
    ///   - repository: Where the backups are.
    /// - Returns: a reader of its lines.
    /// - Throws: `BackupFault`, also when another segment has the name.
    static func reader(
        ofSegment name: String, at repository: any BackupRepository
    ) throws(BackupFault) -> SealedFileReader {
        let file = JournalFile(try repository.file(BackupCatalogue.storedName(ofSegment: name)))
        let reader = try SealedFileReader(file)
        guard reader.header.kind == .revocations, reader.header.segment == name else {
            throw file.use.damaged(file.name, "it is another part of the journal")
        }
        return reader
    }
}

/// A segment that was stored with the backups. What is wrong with it is said of the journal: no other backup helps.
private struct JournalFile: ReadableFile {
    private let file: any ReadableFile

    init(_ file: any ReadableFile) {
        self.file = file
    }

    var name: String { file.name }
    var byteCount: Int { file.byteCount }
    var use: SealedFileUse { .journal }

    func read(from offset: Int, count: Int) throws(BackupFault) -> [UInt8] {
        try file.read(from: offset, count: count)
    }
}

/// Puts lines together again that were cut where the parts of a file end.
struct WholeLines {
    private var bytes: [UInt8] = []

    /// The lines that are whole with the next part; `nil` when it ends none.
    mutating func text(behind part: ArraySlice<UInt8>) -> String? {
        guard let end = part.lastIndex(of: UInt8(ascii: "\n")) else {
            bytes += part
            return nil
        }
        bytes += part[...end]
        defer { bytes = Array(part[(end + 1)...]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What stands behind the last line's end; `nil` for nothing.
    var rest: String? { bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
}
