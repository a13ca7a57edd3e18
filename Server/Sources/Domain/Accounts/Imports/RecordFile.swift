/// The records of an export, one after the other, whatever the size of the file: a JSON array of objects, a list within an
/// object, or objects one behind the other, as in JSON lines.
///
/// Outside of a list a line that is no JSON, such as one that was cut off, is a fault of that line, and reading goes on behind
/// it. A file that ends within an object, or before the end of its list, is not whole, which is a fault of the file. So is
/// something behind the list, such as another export: nobody is left behind without a word.
package final class RecordFile: RecordSource {
    /// The longest record of other services' exports.
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

    /// How the objects stand in the file.
    private enum Form {
        /// Not known before the first object.
        case unknown
        /// In an array: nothing but commas is between them.
        case list
        /// Each on a line of its own.
        case lines
        /// Over several lines each, one behind the other.
        case spread
    }

    private let bytes: ExportBytes
    private let list: List
    private let longestRecord: Int
    private var isBegun = false
    private var isOver = false
    /// Whether the list is a member of an object.
    private var isWithinObject = false
    private var form = Form.unknown
    package var readBytes: Int { bytes.readBytes }

    package init(_ file: FileReader, list: List = .results) {
        bytes = ExportBytes(file)
        self.list = list
        longestRecord = Self.maximumRecordBytes
    }

    /// - Parameters:
    ///   - longestRecord: The most bytes of a record.
    ///   - read: Gives the next bytes of the file; none at the end.
    package init(
        longestRecord: Int = RecordFile.maximumRecordBytes, reading read: @escaping () throws(Fault) -> [UInt8]
    ) {
        bytes = ExportBytes(read)
        list = .results
        self.longestRecord = longestRecord
    }

    /// The next record; `nil` behind the last.
    ///
    /// - Throws: `Fault`.
    package func next() throws(Fault) -> Record? {
        guard !isOver else { return nil }
        if !isBegun {
            isBegun = true
            try bytes.begin()
            while let byte = try bytes.peek(), Self.isSpace(byte) { bytes.advance() }
            switch try bytes.peek() {
            case UInt8(ascii: "["):
                bytes.advance()
                form = .list
            case UInt8(ascii: "{"):
                if let record = try object(seeking: list) { return record }
                (form, isWithinObject) = (.list, true)
            case nil: return nil
            default: throw noObject()
            }
        }
        while let byte = try bytes.peek(), Self.isBetween(byte) { bytes.advance() }
        guard let first = try bytes.peek() else {
            guard form == .list else { return nil }
            throw Fault(description: "line \(bytes.line): the file ends before the end of its list")
        }
        if first == UInt8(ascii: "{") { return try object(seeking: nil) }
        guard form == .list else { return try rest() }
        guard first == UInt8(ascii: "]") else { throw noObject() }
        isOver = true
        try end()
        return nil
    }

    /// Reads what stands behind the list.
    private func end() throws(Fault) {
        bytes.advance()
        var scanner = JSONScanner(depth: isWithinObject ? 1 : 0)
        while let byte = try bytes.peek() {
            guard scanner.depth > 0 || Self.isSpace(byte) else {
                throw Fault(
                    description:
                        "line \(bytes.line): something stands behind the end of the list; import each file by itself")
            }
            bytes.advance()
            _ = scanner.step(byte)
        }
    }

    private func noObject() -> Fault { Fault(description: "line \(bytes.line): an object is expected here") }

    /// What stands on a line where an object should begin.
    private func rest() throws(Fault) -> Record {
        let line = bytes.line
        while let byte = try bytes.peek(), byte != Self.lineFeed { bytes.advance() }
        return Record(line: line, bytes: [], fault: "is no object")
    }

    /// Reads to the end of an object, or into the list that it has. What is too long is read and not kept.
    ///
    /// - Returns: the object, or what is wrong with its line; `nil` at the first element of the list.
    private func object(seeking list: List?) throws(Fault) -> Record? {
        let start = bytes.line
        var (object, scanner, isTooLong) = ([UInt8](), JSONScanner(depth: 0), false)
        var (list, member, isValue) = (list, [UInt8](), false)
        // The last byte that is no space, and whether a space with a line's end is behind it.
        var (last, isLineStart): (UInt8, Bool) = (0, false)
        while let byte = try bytes.peek() {
            if form != .list {
                if byte == Self.lineFeed, scanner.isText || (form == .lines && scanner.depth > 0) {
                    bytes.advance()
                    let what = scanner.isText ? "a text" : "an object"
                    return Record(line: start, bytes: [], fault: "ends within \(what)")
                }
                // An object within an object has a colon, a comma or a bracket in front of it.
                if byte == UInt8(ascii: "{"), isLineStart, !":,[".utf8.contains(last) {
                    return Record(line: start, bytes: [], fault: "ends within an object")
                }
                isLineStart = byte == Self.lineFeed || (isLineStart && Self.isSpace(byte))
                if !Self.isSpace(byte) { last = byte }
            }
            if isValue, !Self.isSpace(byte) {
                isValue = false
                if byte == UInt8(ascii: "["), member == list?.name {
                    bytes.advance()
                    return nil
                }
                if list?.mayFollow == false { list = nil }
            }
            bytes.advance()
            if object.count < longestRecord {
                object.append(byte)
            } else {
                isTooLong = true
            }
            switch scanner.step(byte) {
            case .text:
                if list != nil, scanner.depth == 1, member.count <= Self.maximumNameBytes { member.append(byte) }
            case .textStart:
                if scanner.depth == 1 { member = [] }
            case .other:
                if byte == UInt8(ascii: ":") { isValue = list != nil && scanner.depth == 1 }
            case .closing:
                guard scanner.depth == 0 else { continue }
                if form == .unknown { form = bytes.line == start ? .lines : .spread }
                let fault = isTooLong ? "is longer than \(longestRecord) bytes" : nil
                return Record(line: start, bytes: object, fault: fault)
            case .textEnd, .opening: break
            }
        }
        throw Fault(description: "line \(start): the file ends within an object")
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

    private static func isBetween(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }
}
