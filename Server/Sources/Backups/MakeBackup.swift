import Crypto
package import Domain
import Foundation
import StorageSQLite

/// Makes a backup of the embedded database, beside a server that may be running: copies it page by page, looks through the
/// copy, seals it, stores it, and reads it back. Blocks.
package struct MakeBackup {
    /// How far it is.
    package enum Step: String, Sendable {
        case copying, checking, sealing, storing, reading
    }

    package struct Report: Sendable {
        package let name: String
        package let header: BackupHeader
        /// How long the sealed file is.
        package let byteCount: Int
        /// Older backups that went.
        package let removed: [String]
    }

    private static let partBytes = 1 << 20

    private let folder: String
    private let repository: any BackupRepository
    private let key: BackupPublicKey
    private let program: String
    private let tell: (Step, Int, Int) -> Void

    /// - Parameters:
    ///   - folder: The data folder.
    ///   - repository: Where the backup goes.
    ///   - key: What it is sealed to.
    ///   - program: The program's version.
    ///   - tell: Called with how much of a step is done.
    package init(
        of folder: String, to repository: any BackupRepository, key: BackupPublicKey, program: String,
        tell: @escaping (Step, Int, Int) -> Void
    ) {
        self.folder = folder
        self.repository = repository
        self.key = key
        self.program = program
        self.tell = tell
    }

    /// Makes a backup, and stores what ended since the ones before.
    ///
    /// - Parameters:
    ///   - kept: How many backups stay, this one included; `nil` for all.
    ///   - secretKey: Opens the stored file to see whether it can be opened; without it its digest is compared.
    ///   - time: Now.
    /// - Returns: what was made.
    /// - Throws: `BackupFault`. Nothing half made is left.
    package func callAsFunction(
        keeping kept: Int?, checkedWith secretKey: BackupSecretKey?, at time: Timestamp
    ) throws(BackupFault) -> Report {
        // The repository is asked first: a mistake there is found before the work.
        let before = try BackupCatalogue(repository)
        let segments = RevocationSegments(folder: folder)
        let lineage = try Sodium.hexadecimalDigits(count: 8)
        let segment = try storing { () throws(SQLiteOpenFault) in try segments.begin(lineage: lineage) }
        removeAbandonedCopies()
        let copy = "\(folder)/.backup-\(getpid()).sqlite"
        defer { for ending in ["", "-wal", "-shm", "-journal"] { unlink(copy + ending) } }
        let snapshot = try storing { () throws(SQLiteOpenFault) in
            try SQLiteSnapshot(of: folder, to: copy) { tell(.copying, $0, $1) }
        }
        var header = BackupHeader(
            kind: .database, madeAt: time.milliseconds, program: program, schemaVersion: snapshot.schemaVersion,
            segment: segment, rows: snapshot.rows, byteCount: 0, digest: "", key: key.id,
            sealingKeys: snapshot.sealingKeys)
        let name = BackupCatalogue.newName(at: time)
        let byteCount = try store(copy, as: name, &header, checkedWith: secretKey)
        try storeRevocations(at: time, known: before)
        return Report(
            name: name, header: header, byteCount: byteCount, removed: try prune(keeping: kept))
    }

    /// Stores the segments of the revocation journal that the repository does not have, and the open one anew.
    ///
    /// - Returns: how many were stored.
    /// - Throws: `BackupFault`.
    @discardableResult
    package func storeRevocations(at time: Timestamp, known: BackupCatalogue? = nil) throws(BackupFault) -> Int {
        let segments = RevocationSegments(folder: folder)
        guard let open = segments.open else {
            throw BackupFault(
                "The data folder \(folder) has no revocation journal yet: it begins with the first backup. “okaeri backup make” "
                    + "makes one.")
        }
        let stored: [String]
        if let known { stored = known.segments } else { stored = try BackupCatalogue(repository).segments }
        let all = segments.names
        // The last closed one may have been open when it was stored.
        let wanted = all.filter { $0 == open || !stored.contains($0) || all.suffix(2).contains($0) }
        for name in wanted {
            var header = BackupHeader(
                kind: .revocations, madeAt: time.milliseconds, program: program, schemaVersion: 0, segment: name,
                rows: [:], byteCount: 0, digest: "", key: key.id)
            // What is appended while it is read is in the next store; a torn last line is passed over by the reader.
            let copy = "\(folder)/.revocations-\(getpid())"
            defer { unlink(copy) }
            try duplicate(segments.path(of: name), to: copy)
            _ = try store(copy, as: BackupCatalogue.storedName(ofSegment: name), &header, checkedWith: nil)
        }
        return wanted.count
    }

    /// Seals a file, stores it and reads it back.
    ///
    /// - Returns: how long the stored file is.
    func store(
        _ path: String, as name: String, _ header: inout BackupHeader, checkedWith secretKey: BackupSecretKey?
    ) throws(BackupFault) -> Int {
        let file = try LocalFile(path: path, name: name)
        var digest = SHA256()
        try forEachPart(of: file) { part, done throws(BackupFault) in
            digest.update(data: part)
            tell(.checking, done, file.byteCount)
        }
        header.byteCount = Int64(clamping: file.byteCount)
        header.digest = Base64URL.text(of: Array(digest.finalize()))
        let draft = "\(repository.draftFolder ?? folder)/.\(name).\(getpid())"
        // Taken over by the repository, or useless.
        defer { unlink(draft) }
        var writer = try SealedFileWriter(path: draft, header: header, key: key)
        try forEachPart(of: file) { part, done throws(BackupFault) in
            try writer.put(part)
            tell(.sealing, done, file.byteCount)
        }
        try writer.finish()
        try repository.store(draft, as: name) { tell(.storing, $0, $1) }
        return try readBack(name, header, secretKey)
    }

    private func readBack(
        _ name: String, _ header: BackupHeader, _ secretKey: BackupSecretKey?
    ) throws(BackupFault) -> Int {
        let stored = try repository.file(name)
        let reader = try SealedFileReader(stored)
        guard reader.header == header else { throw .damaged(name, "its header is not what was written") }
        try reader.checkDigest { tell(.reading, $0, $1) }
        if let secretKey { try reader.open(with: secretKey, { tell(.reading, $0, $1) }) { _ throws(BackupFault) in } }
        return stored.byteCount
    }

    /// Copies of processes that were killed: they are not encrypted, and large.
    func removeAbandonedCopies() {
        // A folder that cannot be listed is found out when the copy is made.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let parts = name.split(separator: ".")
            guard let first = parts.first, first.hasPrefix("backup-"), name.hasPrefix("."),
                let process = pid_t(first.dropFirst("backup-".utf8.count), radix: 10), process > 0,
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }

    private func prune(keeping kept: Int?) throws(BackupFault) -> [String] {
        guard let kept else { return [] }
        let all = try BackupCatalogue(repository)
        let removed = Array(all.backups.dropLast(max(1, kept)))
        guard !removed.isEmpty, let oldest = all.backups.dropFirst(removed.count).first else { return [] }
        // Asked before anything goes.
        let needed = try SealedFileReader(repository.file(oldest)).header.segment
        for name in removed { try repository.remove(name) }
        let lineage = RevocationSegments.lineage(of: needed)
        for name in all.segments where RevocationSegments.lineage(of: name) == lineage && name < needed {
            try repository.remove(BackupCatalogue.storedName(ofSegment: name))
        }
        RevocationSegments(folder: folder).remove(before: needed)
        return removed
    }

    private func forEachPart(
        of file: LocalFile, _ take: (_ part: [UInt8], _ done: Int) throws(BackupFault) -> Void
    ) throws(BackupFault) {
        var offset = 0
        while offset < file.byteCount {
            let part = try file.read(from: offset, count: min(Self.partBytes, file.byteCount - offset))
            offset += part.count
            try take(part, offset)
        }
    }

    private func duplicate(_ path: String, to copy: String) throws(BackupFault) {
        let source = try LocalFile(path: path, name: path)
        let target = try OutputFile(path: copy)
        try forEachPart(of: source) { part, _ throws(BackupFault) in try target.write(part) }
    }

    private func storing<Value>(_ body: () throws(SQLiteOpenFault) -> Value) throws(BackupFault) -> Value {
        do throws(SQLiteOpenFault) {
            return try body()
        } catch {
            throw BackupFault("\(error.description) “okaeri doctor” looks for the reason.")
        }
    }
}
