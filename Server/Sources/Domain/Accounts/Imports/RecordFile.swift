package import Foundation

/// The records of an export, one after the other, whatever the size of the file: a JSON array of objects, the array
/// `results` of an object, or objects one behind the other, as in JSON lines.
package final class RecordFile {
    /// The longest record.
    package static let maximumRecordBytes = 1024 * 1024
    private static let chunkBytes = 256 * 1024

    /// One object, and where it begins.
    package struct Record: Sendable {
        /// Counts from 1.
        package let line: Int
        package let bytes: [UInt8]
    }

    /// Something that cannot be read.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    private let handle: FileHandle
    private var chunk: [UInt8] = []
    private var position = 0
    private var line = 1
    private var isBegun = false
    /// How many bytes of the file were read.
    package private(set) var readBytes = 0

    package init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// The next record; `nil` behind the last.
    ///
    /// - Throws: `Fault`.
    package func next() throws(Fault) -> Record? {
        if !isBegun {
            isBegun = true
            try begin()
        }
        while let byte = try peek(), Self.isBetween(byte) { advance() }
        guard let first = try peek(), first != UInt8(ascii: "]") else { return nil }
        guard first == UInt8(ascii: "{") else { throw Fault(description: "line \(line): an object is expected here") }
        let start = line
        var (bytes, depth, isText, isEscaped) = ([UInt8](), 0, false, false)
        while let byte = try peek() {
            advance()
            bytes.append(byte)
            guard bytes.count <= Self.maximumRecordBytes else {
                throw Fault(description: "line \(start): the object is longer than \(Self.maximumRecordBytes) bytes")
            }
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return Record(line: start, bytes: bytes) }
            default: break
            }
        }
        throw Fault(description: "line \(start): the file ends within an object")
    }

    /// Goes into the list, when there is one.
    private func begin() throws(Fault) {
        _ = try peek()
        if chunk.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
        let head = chunk.prefix(256).filter { !Self.isSpace($0) && $0 < 0x80 }
        if head.starts(with: Array("{\"results\":[".utf8)) {
            while let byte = try peek(), byte != UInt8(ascii: "[") { advance() }
            advance()
        } else if head.first == UInt8(ascii: "[") {
            while let byte = try peek(), byte != UInt8(ascii: "[") { advance() }
            advance()
        }
    }

    private func peek() throws(Fault) -> UInt8? {
        if position < chunk.count { return chunk[position] }
        do {
            chunk = Array(try handle.read(upToCount: Self.chunkBytes) ?? Data())
        } catch {
            throw Fault(description: "line \(line): the file cannot be read on")
        }
        readBytes += chunk.count
        position = 0
        return chunk.first
    }

    private func advance() {
        if position < chunk.count, chunk[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

    private static func isBetween(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }
}
