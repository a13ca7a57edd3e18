package import Foundation

/// The records of an export, one after the other, whatever the size of the file: a JSON array of objects, a list within an
/// object, or objects one behind the other, as in JSON lines.
package final class RecordFile: RecordSource {
    /// The longest record.
    package static let maximumRecordBytes = 1024 * 1024
    private static let maximumNameBytes = 64

    /// One object, and where it begins.
    package struct Record: Sendable {
        /// Counts from 1.
        package let line: Int
        /// The object as JSON; empty when there is a fault.
        package let bytes: [UInt8]
        /// Why this one record cannot be read. The next one can.
        package let fault: String?

        init(line: Int, bytes: [UInt8], fault: String? = nil) {
            self.line = line
            self.bytes = fault == nil ? bytes : []
            self.fault = fault
        }
    }

    /// The member of an object around everything that holds the records.
    package struct List: Sendable {
        let name: [UInt8]
        /// Whether other members may stand before it. Where they may not, a record can have a field of this name.
        let mayFollow: Bool

        package init(_ name: String, mayFollow: Bool) {
            self.name = Array(name.utf8)
            self.mayFollow = mayFollow
        }

        /// `{"results": […]}`
        package static let results = List("results", mayFollow: false)
    }

    /// Something that cannot be read.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    private let bytes: ExportBytes
    private let list: List
    private var isBegun = false
    package var readBytes: Int { bytes.readBytes }

    package init(_ handle: FileHandle, list: List = .results) {
        bytes = ExportBytes(handle)
        self.list = list
    }

    /// - Parameter read: Gives the next bytes of the file; none at the end.
    package init(reading read: @escaping () throws(Fault) -> [UInt8]) {
        bytes = ExportBytes(read)
        list = .results
    }

    /// The next record; `nil` behind the last.
    ///
    /// - Throws: `Fault`.
    package func next() throws(Fault) -> Record? {
        if !isBegun {
            isBegun = true
            try bytes.begin()
            while let byte = try bytes.peek(), Self.isSpace(byte) { bytes.advance() }
            switch try bytes.peek() {
            case UInt8(ascii: "["): bytes.advance()
            case UInt8(ascii: "{"): if let record = try object(seeking: list) { return record }
            default: break
            }
        }
        while let byte = try bytes.peek(), Self.isBetween(byte) { bytes.advance() }
        guard let first = try bytes.peek(), first != UInt8(ascii: "]") else { return nil }
        guard first == UInt8(ascii: "{") else {
            throw Fault(description: "line \(bytes.line): an object is expected here")
        }
        return try object(seeking: nil)
    }

    /// Reads to the end of an object, or into the list that it has. What is too long is read and not kept.
    ///
    /// - Returns: `nil` at the first element of the list.
    private func object(seeking list: List?) throws(Fault) -> Record? {
        let start = bytes.line
        var (object, depth, isText, isEscaped, isTooLong) = ([UInt8](), 0, false, false, false)
        var (list, member, isValue) = (list, [UInt8](), false)
        while let byte = try bytes.peek() {
            if isValue, !Self.isSpace(byte) {
                isValue = false
                if byte == UInt8(ascii: "["), member == list?.name {
                    bytes.advance()
                    return nil
                }
                if list?.mayFollow == false { list = nil }
            }
            bytes.advance()
            if object.count < Self.maximumRecordBytes {
                object.append(byte)
            } else {
                isTooLong = true
            }
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                    continue
                }
                if list != nil, depth == 1, member.count <= Self.maximumNameBytes { member.append(byte) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isText = true
                if depth == 1 { member = [] }
            case UInt8(ascii: ":"): isValue = list != nil && depth == 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                guard depth == 0 else { continue }
                let fault = isTooLong ? "is longer than \(Self.maximumRecordBytes) bytes" : nil
                return Record(line: start, bytes: object, fault: fault)
            default: break
            }
        }
        throw Fault(description: "line \(start): the file ends within an object")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

    private static func isBetween(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }
}
