import Crypto
package import Domain
import Foundation
import StorageSQLite

/// Makes a backup, beside servers that may be running: copies the database, looks through the copy, seals it, stores it, and
/// reads it back. Blocks.
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

    private let source: any BackupSource
    private let repository: any BackupRepository
    private let key: BackupPublicKey
    private let program: String
    private let tell: (Step, Int, Int) -> Void

    /// - Parameters:
    ///   - source: What a backup is made of.
    ///   - repository: Where the backup goes.
    ///   - key: What it is sealed to.
    ///   - program: The program's version.
    ///   - tell: Called with how much of a step is done.
    package init(
        of source: any BackupSource, to repository: any BackupRepository, key: BackupPublicKey, program: String,
        tell: @escaping (Step, Int, Int) -> Void
    ) {
        self.source = source
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
        let lineage = try Sodium.hexadecimalDigits(count: 8)
        let copy = WorkFile.backup.path(in: source.workFolder, ending: "copy")
        defer { WorkFile.remove(copy) }
        let copied = try source.copy(to: copy, lineage: lineage) { tell(.copying, $0, $1) }
        var header = BackupHeader(
            kind: source.kind, madeAt: time.milliseconds, program: program, schemaVersion: copied.schemaVersion,
            segment: copied.segment, rows: copied.rows, byteCount: 0, digest: "", key: key.id,
            sealingKeys: copied.sealingKeys)
        let name = before.newName(at: time)
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
        let all = try source.segments()
        guard let open = all.last else {
            throw BackupFault(
                "\(source) has no revocation journal yet: it begins with the first backup. “okaeri backup make” makes one."
            )
        }
        let stored: [String]
        if let known { stored = known.segments } else { stored = try BackupCatalogue(repository).segments }
        // The last closed one may have been open when it was stored.
        let wanted = all.filter { $0 == open || !stored.contains($0) || all.suffix(2).contains($0) }
        for name in wanted {
            var header = BackupHeader(
                kind: .revocations, madeAt: time.milliseconds, program: program, schemaVersion: 0, segment: name,
                rows: [:], byteCount: 0, digest: "", key: key.id)
            // What is appended while it is read is in the next store; a torn last line is passed over by the reader.
            let copy = WorkFile.revocations.path(in: source.workFolder, ending: "lines")
            defer { unlink(copy) }
            try source.write(segment: name, to: copy)
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
        try file.forEachPart { part, done throws(BackupFault) in
            digest.update(data: part)
            tell(.checking, done, file.byteCount)
        }
        header.byteCount = Int64(clamping: file.byteCount)
        header.digest = Base64URL.text(of: Array(digest.finalize()))
        let draft = "\(repository.draftFolder ?? source.workFolder)/.\(name).\(getpid())"
        // Taken over by the repository, or useless.
        defer { unlink(draft) }
        var writer = try SealedFileWriter(path: draft, header: header, key: key)
        try file.forEachPart { part, done throws(BackupFault) in
            try writer.put(part)
            tell(.sealing, done, file.byteCount)
        }
        try writer.finish()
        // A segment of the journal grows, and is stored again under its name.
        try repository.store(draft, as: name, replacing: header.kind == .revocations) { tell(.storing, $0, $1) }
        do throws(BackupFault) {
            return try readBack(name, header, secretKey)
        } catch {
            // Nobody restores what is damaged. A segment stays: the next store writes it anew.
            if header.kind != .revocations { try? repository.remove(name) }
            throw error
        }
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
        try source.removeSegments(before: needed)
        return removed
    }
}
