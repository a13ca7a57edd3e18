package import Domain
import Foundation

/// Reads an export, sealed or open. Blocks.
package struct ExportFileReader {
    /// The most bytes of a line that is read from the end of an open file.
    private static let lastLineBytes = 4096
    /// What one piece may expand to. Lines of JSON become a tenth or so; what becomes a thousandth was made to fill memory.
    private static let maximumPieceBytes = 64 << 20
    private static let chunkBytes = 256 * 1024
    /// The most bytes of a line. The first has an application's settings, with all mails of its own.
    package static let longestLine = 64 << 20

    private let file: LocalFile
    private let sealed: (reader: SealedFileReader, key: BackupSecretKey)?

    package var byteCount: Int { file.byteCount }

    /// - Parameters:
    ///   - path: The file.
    ///   - key: Opens it; `nil` for one that is open.
    /// - Throws: `BackupFault` when it cannot be read, is no export, or is sealed and there is no key.
    package init(path: String, key: BackupSecretKey?) throws(BackupFault) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        file = try LocalFile(path: path, name: name, for: .export)
        let head = try file.read(from: 0, count: min(file.byteCount, BackupFrame.mark.count))
        guard head == BackupFrame.mark else {
            guard head.first == UInt8(ascii: "{") else { throw SealedFileUse.export.foreign(name) }
            sealed = nil
            return
        }
        let reader = try SealedFileReader(file)
        guard reader.header.kind == .application else {
            throw BackupFault("\(name) is a backup and no export. “okaeri restore” takes it.")
        }
        guard let key else {
            throw BackupFault(
                "The export \(name) is sealed to the key \(reader.header.key). Name the file of the secret key with "
                    + "--secret-key-file.")
        }
        sealed = (reader, key)
    }

    /// Reads all of it once, so that a damaged file, or another key, is known before anything is done.
    ///
    /// - Parameter tell: Called with bytes read and all bytes.
    /// - Throws: `BackupFault` for anything that is not as it was written, and a file that ends too early.
    package func check(_ tell: (Int, Int) -> Void) throws(BackupFault) {
        guard let sealed else { return try checkEnd() }
        try sealed.reader.checkDigest(tell)
        try sealed.reader.open(with: sealed.key, tell) { _ throws(BackupFault) in }
    }

    /// An open file has no checksum; its last line says that nothing is missing.
    private func checkEnd() throws(BackupFault) {
        let count = min(file.byteCount, Self.lastLineBytes)
        let bytes = try file.read(from: file.byteCount - count, count: count)
        let end = bytes.split(separator: UInt8(ascii: "\n")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard bytes.last == UInt8(ascii: "\n"), end.hasPrefix(#"{"okaeriExport":"end""#) else {
            throw SealedFileUse.export.damaged(file.name, "it ends too early")
        }
    }

    /// Its lines.
    ///
    /// - Throws: `BackupFault` for another key.
    package func records() throws(BackupFault) -> any RecordSource {
        guard let sealed else { return PlainRecords(file, chunkBytes: Self.chunkBytes) }
        return SealedRecords(
            try sealed.reader.content(with: sealed.key), maximumPieceBytes: Self.maximumPieceBytes)
    }
}

/// The lines of a sealed file.
private final class SealedRecords: RecordSource {
    private let content: SealedContent
    private let records: RecordFile

    init(_ content: SealedContent, maximumPieceBytes: Int) {
        self.content = content
        records = RecordFile(longestRecord: ExportFileReader.longestLine) { () throws(RecordFile.Fault) in
            var bytes: [UInt8] = []
            do throws(BackupFault) {
                // A piece may end before it gives anything.
                while bytes.isEmpty {
                    let goesOn = try content.readPiece { part throws(BackupFault) in
                        guard bytes.count + part.count <= maximumPieceBytes else {
                            throw BackupFault("The export holds a piece that expands beyond all measure.")
                        }
                        bytes += part
                    }
                    guard goesOn else { break }
                }
            } catch {
                throw RecordFile.Fault(description: error.description)
            }
            return bytes
        }
    }

    var readBytes: Int { content.offset }

    func next() throws(RecordFile.Fault) -> RecordFile.Record? { try records.next() }
}

/// The lines of an open file.
private final class PlainRecords: RecordSource {
    private let records: RecordFile

    init(_ file: LocalFile, chunkBytes: Int) {
        var offset = 0
        records = RecordFile(longestRecord: ExportFileReader.longestLine) { () throws(RecordFile.Fault) in
            do throws(BackupFault) {
                let bytes = try file.read(from: offset, count: min(chunkBytes, file.byteCount - offset))
                offset += bytes.count
                return bytes
            } catch {
                throw RecordFile.Fault(description: error.description)
            }
        }
    }

    var readBytes: Int { records.readBytes }

    func next() throws(RecordFile.Fault) -> RecordFile.Record? { try records.next() }
}
