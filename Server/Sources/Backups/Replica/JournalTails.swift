import Foundation
import StorageSQLite

/// What was appended to the revocation journal of a data folder since the last look.
///
/// The last two segments are read each time: a commit that opened the older one may still write to it. How far each was
/// stored stands in a file, so that nothing between two runs of a server is missed.
struct JournalTails {
    private static let readBytes = 1 << 20

    private let segments: RevocationSegments
    /// Bytes that were read, by segment.
    private(set) var positions: [String: Int]

    /// - Parameters:
    ///   - folder: The data folder.
    ///   - path: The file with the positions. Without it, all that is there counts as read.
    /// - Throws: `BackupFault` when a segment cannot be read.
    init(of folder: String, positionsAt path: String) throws(BackupFault) {
        segments = RevocationSegments(folder: folder)
        positions = [:]
        // Without the file, this is the first replica of this folder.
        let known = FileManager.default.contents(atPath: path).flatMap {
            try? JSONDecoder().decode([String: Int].self, from: $0)
        }
        if let known {
            positions = known
        } else {
            for name in segments.names.suffix(2) {
                positions[name] = try LocalFile(path: segments.path(of: name), name: name).byteCount
            }
        }
    }

    /// Reads what is new.
    ///
    /// - Returns: whole lines, in their order.
    mutating func read() throws(BackupFault) -> [String] {
        var texts: [String] = []
        let oldest = positions.keys.min() ?? ""
        let names = segments.names.filter { $0 >= oldest }
        for name in names {
            // Also one that has no line yet: what ends later is behind its beginning.
            positions[name] = positions[name] ?? 0
            let file = try LocalFile(path: segments.path(of: name), name: name)
            while let position = Optional(positions[name] ?? 0), position < file.byteCount {
                let left = file.byteCount - position
                var bytes = try file.read(from: position, count: min(Self.readBytes, left))
                // A line has twice the length of an application's settings, with all mails of its own.
                while bytes.count < left, !bytes.contains(UInt8(ascii: "\n")) {
                    bytes += try file.read(from: position + bytes.count, count: min(bytes.count, left - bytes.count))
                }
                // What is behind the last line's end is still being written.
                guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { break }
                bytes.removeSubrange((end + 1)...)
                positions[name] = position + bytes.count
                texts.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        positions = positions.filter { names.suffix(2).contains($0.key) }
        return texts
    }

    /// Keeps positions for the next run, when what is before them is stored.
    static func save(_ positions: [String: Int], at path: String) throws(BackupFault) {
        guard let json = try? JSONEncoder().encode(positions) else { return }
        let draft = path + ".new"
        try OutputFile(path: draft).write(Array(json))
        guard rename(draft, path) == 0 else { throw OutputFile.fault(path) }
    }
}
