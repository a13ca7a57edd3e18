import Foundation

/// The bytes of an export, a chunk at a time, with the line that was reached.
final class ExportBytes {
    private static let chunkBytes = 256 * 1024

    /// The next bytes; none at the end.
    private let read: () throws(RecordFile.Fault) -> [UInt8]
    private var chunk: [UInt8] = []
    private var position = 0
    /// Counts from 1.
    private(set) var line = 1
    /// How many bytes of the file were read.
    private(set) var readBytes = 0

    init(_ read: @escaping () throws(RecordFile.Fault) -> [UInt8]) {
        self.read = read
    }

    convenience init(_ handle: FileHandle) {
        self.init { () throws(RecordFile.Fault) in
            do {
                return Array(try handle.read(upToCount: Self.chunkBytes) ?? Data())
            } catch {
                throw RecordFile.Fault(description: "the file cannot be read on")
            }
        }
    }

    /// Leaves out a byte order mark, and refuses what is packed.
    ///
    /// - Throws: `RecordFile.Fault`.
    func begin() throws(RecordFile.Fault) {
        _ = try peek()
        if chunk.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
        guard !chunk.starts(with: [0x50, 0x4b, 0x03, 0x04]), !chunk.starts(with: [0x1f, 0x8b]) else {
            throw RecordFile.Fault(description: "line 1: the file is packed (zip, gzip): unpack it first")
        }
    }

    /// The next byte; `nil` at the end.
    func peek() throws(RecordFile.Fault) -> UInt8? {
        if position < chunk.count { return chunk[position] }
        do throws(RecordFile.Fault) {
            chunk = try read()
        } catch {
            throw RecordFile.Fault(description: "line \(line): \(error)")
        }
        readBytes += chunk.count
        position = 0
        return chunk.first
    }

    func advance() {
        if position < chunk.count, chunk[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }
}

/// Where an importer takes records from.
package protocol RecordSource: AnyObject {
    /// How many bytes of the file were read.
    var readBytes: Int { get }

    /// The next record; `nil` behind the last.
    ///
    /// - Throws: `Fault` when nothing behind this can be read.
    func next() throws(RecordFile.Fault) -> RecordFile.Record?
}
