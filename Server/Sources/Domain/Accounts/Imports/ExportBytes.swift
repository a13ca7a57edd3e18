/// The bytes of an export, a chunk at a time, with the line that was reached.
final class ExportBytes {
    private static let chunkBytes = 256 * 1024
    /// How files begin that have to be unpacked: zip, gzip, bzip2, xz, Zstandard, 7z.
    private static let packed: [[UInt8]] = [
        [0x50, 0x4b, 0x03, 0x04], [0x50, 0x4b, 0x05, 0x06], [0x1f, 0x8b], [0x42, 0x5a, 0x68], [0xfd, 0x37, 0x7a, 0x58],
        [0x28, 0xb5, 0x2f, 0xfd], [0x37, 0x7a, 0xbc, 0xaf],
    ]
    /// How many bytes tell them.
    private static let markBytes = 4

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

    convenience init(_ file: FileReader) {
        self.init { () throws(RecordFile.Fault) in
            do throws(SystemFault) {
                return try file.read(upTo: Self.chunkBytes)
            } catch {
                throw RecordFile.Fault(description: "the file cannot be read on")
            }
        }
    }

    /// Leaves out a byte order mark, and refuses what is packed or not UTF-8.
    ///
    /// - Throws: `RecordFile.Fault`.
    func begin() throws(RecordFile.Fault) {
        _ = try peek()
        // A pipe may give less at first.
        while (1..<Self.markBytes).contains(chunk.count) {
            let more = try read()
            guard !more.isEmpty else { break }
            chunk += more
            readBytes += more.count
        }
        if chunk.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
        guard !Self.packed.contains(where: { chunk.starts(with: $0) }) else {
            throw RecordFile.Fault(description: "line 1: the file is packed (zip, gzip): unpack it first")
        }
        // The mark of UTF-16, or a letter of ASCII with zeros beside it.
        guard !chunk.starts(with: [0xff, 0xfe]), !chunk.starts(with: [0xfe, 0xff]),
            !chunk.prefix(Self.markBytes).contains(0)
        else { throw RecordFile.Fault(description: "line 1: the file is UTF-16 or UTF-32: write it as UTF-8") }
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
