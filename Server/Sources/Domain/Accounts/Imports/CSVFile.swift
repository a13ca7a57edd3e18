/// The rows of a file with comma-separated values (RFC 4180), whose first line names the columns. A row becomes an object of
/// texts; a cell without anything, not even quotes, is left out.
package final class CSVFile: RecordSource {
    /// The most columns.
    package static let maximumColumns = 1000

    private let bytes: ExportBytes
    private var columns: [[UInt8]]?
    package var readBytes: Int { bytes.readBytes }

    /// One row as it stands there.
    private struct Row {
        var line: Int
        /// `nil` for a cell without anything.
        var cells: [[UInt8]?] = []
        var count = 0
        var isTooLong = false

        mutating func add(_ cell: [UInt8]?) {
            count += cell?.count ?? 0
            isTooLong = isTooLong || count > RecordFile.maximumRecordBytes || cells.count >= CSVFile.maximumColumns
            if !isTooLong { cells.append(cell) }
        }
    }

    package init(_ file: FileReader) {
        bytes = ExportBytes(file)
    }

    /// - Parameter read: Gives the next bytes of the file; none at the end.
    package init(reading read: @escaping () throws(RecordFile.Fault) -> [UInt8]) {
        bytes = ExportBytes(read)
    }

    /// The next row as a record; `nil` behind the last.
    ///
    /// - Throws: `Fault`.
    package func next() throws(RecordFile.Fault) -> RecordFile.Record? {
        if columns == nil { columns = try header() }
        guard let columns, let row = try row() else { return nil }
        guard !row.isTooLong else {
            let limits = "\(RecordFile.maximumRecordBytes) bytes or \(Self.maximumColumns) cells"
            return RecordFile.Record(line: row.line, bytes: [], fault: "is longer than \(limits)")
        }
        guard row.cells.count == columns.count else {
            let fault = "has \(row.cells.count) cells, not \(columns.count) as the first line"
            return RecordFile.Record(line: row.line, bytes: [], fault: fault)
        }
        guard !row.cells.elementsEqual(columns, by: { $0 == $1 }) else {
            return RecordFile.Record(line: row.line, bytes: [], fault: "has the names of the columns again")
        }
        var object: [UInt8] = [UInt8(ascii: "{")]
        for (name, cell) in zip(columns, row.cells) {
            guard let cell else { continue }
            if object.count > 1 { object.append(UInt8(ascii: ",")) }
            Self.append(name, to: &object)
            object.append(UInt8(ascii: ":"))
            Self.append(cell, to: &object)
        }
        object.append(UInt8(ascii: "}"))
        return RecordFile.Record(line: row.line, bytes: object)
    }

    private func header() throws(RecordFile.Fault) -> [[UInt8]] {
        try bytes.begin()
        guard let row = try row(), !row.isTooLong else {
            throw RecordFile.Fault(description: "line 1: the names of the columns are expected here")
        }
        let names = row.cells.map { $0 ?? [] }
        guard
            names.count > 1
                || !names.contains(where: { $0.contains(UInt8(ascii: ";")) || $0.contains(UInt8(ascii: "\t")) })
        else {
            throw RecordFile.Fault(
                description: "line 1: commas are expected between the columns, no semicolons or tabs")
        }
        guard !names.contains([]), Set(names).count == names.count else {
            throw RecordFile.Fault(description: "line 1: each column needs a name of its own")
        }
        return names
    }

    /// Reads a row; empty lines are left out. What is too long is read and not kept.
    private func row() throws(RecordFile.Fault) -> Row? {
        while let byte = try bytes.peek(), byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { bytes.advance() }
        guard try bytes.peek() != nil else { return nil }
        var row = Row(line: bytes.line)
        while true {
            row.add(try cell(in: row))
            let byte = try bytes.peek()
            if byte == UInt8(ascii: ",") {
                bytes.advance()
                continue
            }
            return row
        }
    }

    /// Reads up to a comma, the end of the line or of the file.
    private func cell(in row: Row) throws(RecordFile.Fault) -> [UInt8]? {
        var (cell, isQuoted, isText) = ([UInt8](), false, false)
        while let byte = try bytes.peek() {
            let isEnd = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            if isEnd, !isText { break }
            bytes.advance()
            if byte == UInt8(ascii: "\"") {
                if isText, try bytes.peek() == byte {
                    bytes.advance()
                } else if isText || cell.isEmpty {
                    (isText, isQuoted) = (!isText, true)
                    continue
                }
            }
            // One byte more than fits says that it is too long.
            if !row.isTooLong, cell.count <= RecordFile.maximumRecordBytes { cell.append(byte) }
        }
        guard !isText else {
            throw RecordFile.Fault(description: "line \(row.line): the file ends within quotes")
        }
        return cell.isEmpty && !isQuoted ? nil : cell
    }

    /// As a text of JSON. Bytes that are no UTF-8 stay, so that the record is refused.
    private static func append(_ text: [UInt8], to object: inout [UInt8]) {
        object.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): object += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                object += Array("\\u00".utf8) + [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
            default: object.append(byte)
            }
        }
        object.append(UInt8(ascii: "\""))
    }
}
