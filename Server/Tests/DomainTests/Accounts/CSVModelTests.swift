import Foundation
import TestWorld
import Testing

@testable import Domain

/// Tables drawn from a seed, written in every way that RFC 4180 allows, and read again.
@Suite("A table of comma-separated values")
struct CSVModelTests {
    /// Cells with all that has a meaning in the form, and some that has none.
    private static func cell(_ draw: inout SeededGenerator) -> String {
        draw.text(of: draw.number(below: 7), from: "ab,\"\n\r ;\té花\\\u{1}{}[]:")
    }

    private struct Table {
        var names: [String]
        /// `nil` for a cell without anything.
        var rows: [[String?]]
    }

    private static func table(_ draw: inout SeededGenerator) -> Table {
        let count = 1 + draw.number(below: 5)
        let names = (0..<count).map { "n\($0)" + draw.text(of: draw.number(below: 3), from: "x,\" \n") }
        let rows = draw.list(of: draw.number(below: 6)) { draw in
            draw.list(of: count) { draw -> String? in
                let text = cell(&draw)
                return text.isEmpty && draw.isOne(in: 2) ? nil : text
            }
        }
        return Table(names: names, rows: rows)
    }

    /// A cell as a program might write it.
    private static func written(_ cell: String?, _ draw: inout SeededGenerator) -> String {
        guard let cell else { return "" }
        let needsQuotes = cell.isEmpty || cell.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        guard needsQuotes || draw.isOne(in: 3) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    private static func written(_ table: Table, _ draw: inout SeededGenerator) -> String {
        let end = draw.pick(["\n", "\r\n", "\r"])
        var lines = [table.names.map { Self.written($0, &draw) }.joined(separator: ",")]
        for row in table.rows {
            lines.append(row.map { Self.written($0, &draw) }.joined(separator: ","))
            // Empty lines are left out.
            if draw.isOne(in: 5) { lines.append("") }
        }
        return (draw.isOne(in: 4) ? "\u{feff}" : "") + lines.joined(separator: end) + (draw.isOne(in: 2) ? end : "")
    }

    private static func read(_ text: String) throws -> [RecordFile.Record] {
        let url = FileManager.default.temporaryDirectory.appending(path: "okaeri-table-\(UUID().uuidString)")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }  // What stays of a test is cleaned up by the system.
        let file = CSVFile(try FileReader(path: url.path))
        var records: [RecordFile.Record] = []
        while let record = try file.next() { records.append(record) }
        return records
    }

    @Test("is read as it was written, whatever stands in its cells", arguments: UInt64(0)..<200)
    func roundTrip(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let table = Self.table(&draw)
        let text = Self.written(table, &draw)
        let records = try Self.read(text)
        // A row whose only cell has nothing is an empty line.
        let rows = table.rows.filter { $0 != [nil] }
        #expect(records.count == rows.count, "\(seed): \(text)")
        for (record, row) in zip(records, rows) {
            #expect(record.fault == nil, "\(seed)")
            let object = try JSONDecoder().decode([String: String].self, from: Data(record.bytes))
            var wanted: [String: String] = [:]
            for (name, cell) in zip(table.names, row) { wanted[name] = cell }
            #expect(object == wanted, "\(seed): \(text)")
        }
    }

    @Test("names the line on which each row begins, over line ends within quotes", arguments: UInt64(0)..<50)
    func lines(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        var (text, line, wanted) = ("id\n", 2, [Int]())
        for _ in 0..<8 {
            let breaks = draw.number(below: 3)
            text += "\"x" + String(repeating: "\n", count: breaks) + "\"\n"
            wanted.append(line)
            line += breaks + 1
            if draw.isOne(in: 3) {
                text += "\n"
                line += 1
            }
        }
        #expect(try Self.read(text).map(\.line) == wanted, "\(seed)")
    }

    @Test("has as many cells in each row as in its first line, or that row is none", arguments: 0..<6, 1..<5)
    func widths(cells: Int, columns: Int) throws {
        let header = (0..<columns).map { "c\($0)" }.joined(separator: ",")
        // Quotes, so that a row of one empty cell is a row.
        let row = (0..<max(cells, 1)).map { _ in "\"\"" }.joined(separator: ",")
        let records = try Self.read("\(header)\n\(row)\n\(header)\n")
        #expect(records.count == 2)
        #expect((records[0].fault == nil) == (max(cells, 1) == columns))
        #expect(records[0].bytes.isEmpty == (records[0].fault != nil))
        #expect(records[1].fault == "has the names of the columns again")
    }

    @Test("has a thousand columns at the most", arguments: [(999, true), (1000, true), (1001, false)])
    func columns(count: Int, isRead: Bool) throws {
        let header = (0..<count).map { "c\($0)" }.joined(separator: ",")
        let row = (0..<count).map { _ in "1" }.joined(separator: ",")
        guard isRead else {
            #expect(throws: RecordFile.Fault.self) { try Self.read("\(header)\n\(row)\n") }
            return
        }
        let records = try Self.read("\(header)\n\(row)\n\(row),1\n")
        #expect(records.map { $0.fault == nil } == [true, false])
    }

    @Test("takes quotes within a cell as they are, where the cell does not begin with them")
    func innerQuotes() throws {
        let records = try Self.read("a,b\nx\"y,\"z\"\"\"\n")
        #expect(records.map { String(decoding: $0.bytes, as: UTF8.self) } == [#"{"a":"x\"y","b":"z\""}"#])
    }
}

/// The scanner, which judges nothing, compared with what a reader of JSON finds.
@Suite("A scanner of JSON")
struct JSONScannerTests {
    /// A document, and the depth at each of its bytes that is no part of a text.
    private static func document(_ draw: inout SeededGenerator, _ depth: Int) -> String {
        switch draw.number(below: depth > 3 ? 3 : 6) {
        case 0: return String(draw.number(below: 100))
        case 1: return draw.pick(["true", "false", "null", "1e9", "-0.5"])
        case 2, 3: return text(&draw)
        case 4:
            return "[" + draw.list(of: draw.number(below: 4)) { document(&$0, depth + 1) }.joined(separator: ", ") + "]"
        default:
            return "{"
                + draw.list(of: draw.number(below: 4)) { text(&$0) + ": " + document(&$0, depth + 1) }
                .joined(separator: ",") + "}"
        }
    }

    private static func text(_ draw: inout SeededGenerator) -> String {
        "\""
            + draw.list(of: draw.number(below: 6)) {
                $0.pick(["a", "{", "}", "[", "]", "\\\"", "\\\\", "\\n", "\\u007b", " ", ",", "花"])
            }.joined() + "\""
    }

    @Test("closes what it opened, and at no earlier byte", arguments: UInt64(0)..<200)
    func balance(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let text = "{\"a\":" + Self.document(&draw, 0) + "}"
        var scanner = JSONScanner(depth: 0)
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            _ = scanner.step(byte)
            #expect((scanner.depth == 0) == (index == bytes.count - 1), "\(seed) at \(index): \(text)")
        }
        #expect(!scanner.isText)
    }

    @Test("finds the texts that are there, escapes and brackets among them", arguments: UInt64(0)..<100)
    func texts(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let wanted = draw.list(of: draw.number(below: 6)) { Self.text(&$0) }
        let document = "[" + wanted.joined(separator: ",") + "]"
        var (scanner, found, current) = (JSONScanner(depth: 0), [String](), [UInt8]())
        for byte in document.utf8 {
            switch scanner.step(byte) {
            case .textStart: current = [byte]
            case .text: current.append(byte)
            case .textEnd: found.append(String(decoding: current + [byte], as: UTF8.self))
            case .opening, .closing, .other: break
            }
        }
        #expect(found == wanted, "\(seed)")
    }

    @Test(
        "takes brackets of either kind for each other, and goes below nothing",
        arguments: [
            ("{]", 0), ("[}", 0), ("]", -1), ("}}", -2), ("\"}\"", 0), ("\"\\\"}\"", 0), ("[[{", 3), ("\"[", 0),
        ])
    func depth(text: String, depth: Int) {
        var scanner = JSONScanner(depth: 0)
        for byte in text.utf8 { _ = scanner.step(byte) }
        #expect(scanner.depth == depth)
        var within = JSONScanner(depth: 2)
        for byte in text.utf8 { _ = within.step(byte) }
        #expect(within.depth == depth + 2)
    }
}
