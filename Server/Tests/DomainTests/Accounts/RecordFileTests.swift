import Domain
import Foundation
import OkaeriWire
import TestWorld
import Testing

/// Files of exports, read from a disk.
@Suite("A file of records")
struct RecordFileTests {
    private struct Read: Equatable {
        var records: [String] = []
        var lines: [Int] = []
        var recordFaults: [String] = []
        var fault: String?
    }

    private static func read(
        _ bytes: [UInt8], list: RecordFile.List = .results, isCSV: Bool = false
    ) throws -> Read {
        let url = FileManager.default.temporaryDirectory.appending(path: "okaeri-records-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let reader = try FileReader(path: url.path)
        let file: any RecordSource = isCSV ? CSVFile(reader) : RecordFile(reader, list: list)
        var read = Read()
        do throws(RecordFile.Fault) {
            while let record = try file.next() {
                read.records.append(String(decoding: record.bytes, as: UTF8.self))
                read.lines.append(record.line)
                if let fault = record.fault { read.recordFaults.append(fault) }
            }
        } catch {
            read.fault = error.description
        }
        return read
    }

    private static func read(_ text: String) throws -> Read { try read(Array(text.utf8)) }

    @Test("gives the same records in every form that exports have", arguments: UInt64(0)..<60)
    func forms(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        var records: [String] = []
        for _ in 0..<draw.number(below: 5) {
            let text = draw.text(of: draw.number(below: 8), from: "ab{}[],\\\"\n 花")
            let value = JSONValue.object(["t": .string(text), "l": [.string(text), ["in": [1, [:]]]]])
            records.append(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
        }
        func space(_ draw: inout SeededGenerator) -> String { draw.text(of: draw.number(below: 4), from: " \t\r\n") }
        var inner: [String] = []
        for record in records { inner.append("\(space(&draw))\(record)\(space(&draw))") }
        let list = inner.joined(separator: ",")
        let (before, behind) = (space(&draw), space(&draw))
        let texts: [String] = [
            list, inner.joined(separator: "\n"), inner.joined(), "\(before)[\(list)]\(behind)",
            "{\"results\":[\(list)]}", "{ \"results\" :\n [\(list) ] }\n", "\u{feff}[\(list)]",
        ]
        for text in texts {
            let read = try Self.read(text)
            #expect(read.records == records && read.fault == nil, "\(text.debugDescription)")
        }
    }

    @Test(
        "counts the lines on which records begin",
        arguments: [("{}\n{}\n\n{}", [1, 2, 4]), ("[\n{\n},\n{}]", [2, 4]), ("{\"a\":\"\\n\"}\n{}", [1, 2])])
    func lines(text: String, lines: [Int]) throws {
        #expect(try Self.read(text).lines == lines)
    }

    @Test(
        "says where it cannot be read on, and gives what stands before",
        arguments: [
            ("x {}", [], "line 1: an object is expected here"), ("[{} x", ["{}"], "line 1: an object is expected here"),
            ("[{},\n\n5", ["{}"], "line 3: an object is expected here"),
            ("{}\n{\"a\":", ["{}"], "line 2: the file ends within an object"),
            ("{\"a\":\"}\"", [], "line 1: the file ends within an object"),
            ("{\"a\":\"\\\"}", [], "line 1: the file ends within an object"),
            ("[1]", [], "line 1: an object is expected here"),
            // A download that broke off between two records.
            ("[{},\n{}", ["{}", "{}"], "line 2: the file ends before the end of its list"),
            ("[{},", ["{}"], "line 1: the file ends before the end of its list"),
            ("[", [], "line 1: the file ends before the end of its list"),
            ("{\"results\":[{}\n", ["{}"], "line 2: the file ends before the end of its list"),
        ] as [(String, [String], String)])
    func faults(text: String, records: [String], fault: String) throws {
        let read = try Self.read(text)
        #expect(read.records == records && read.fault == fault)
    }

    @Test(
        "of JSON lines goes on behind a line that is none, such as one that was cut off",
        arguments: [
            // Within a text.
            ("{\"a\":1}\n{\"b\":\"x\n{\"c\":1}\n{\"d\":1}", [1, 2, 3, 4], [2]),
            ("{\"a\":\"x\n{\"b\":1}\n{\"c\":1}\n", [1, 2, 3], [1]),
            // A line break in a text leaves its second half on a line of its own.
            ("{\"a\":1}\n{\"b\":\"x\ny\"}\n{\"c\":1}", [1, 2, 3, 4], [2, 3]),
            // Within an object.
            ("{\"a\":1}\n{\"b\":\n{\"c\":1}\n", [1, 2, 3], [2]), ("{}\n{\"b\":[1,\n{}\n{}", [1, 2, 3, 4], [2]),
            ("{\"a\":1\n{\"b\":1}\n", [1, 2], [1]), ("{\"a\"\n  {\"b\":1}", [1, 2], [1]),
            // What the first line loses behind a colon is seen on the third line.
            ("{\"a\":\n{\"b\":1}\n{\"c\":1}\n{\"d\":1}", [1, 3, 4], [1]),
            // What is no object.
            ("{}\nnull\n{}", [1, 2, 3], [2]), ("{} x {}\n{}", [1, 1, 2], [1]),
            ("{}\n]\n[{}]\n{}", [1, 2, 3, 4], [2, 3]),
            ("{\n\"a\":1\n}\n{\n\"b\":1\n}\nx\n{}", [1, 4, 7, 8], [7]),
        ])
    func brokenLines(text: String, lines: [Int], faulty: [Int]) throws {
        let read = try Self.read(text)
        #expect(read.lines == lines && read.fault == nil)
        let empty = zip(read.lines, read.records).filter { $0.1.isEmpty }.map(\.0)
        #expect(empty == faulty && read.recordFaults.count == faulty.count)
    }

    @Test("is empty", arguments: ["", " ", "[]", "\n[ ]\n", "{\"results\":[]}", "\u{feff}", "\u{feff} []"])
    func empty(text: String) throws {
        let read = try Self.read(text)
        #expect(read.records.isEmpty && read.fault == nil)
    }

    @Test("takes a record of 1 MiB, says that a longer one is none, and goes on behind it")
    func longest() throws {
        func record(_ count: Int) -> [UInt8] {
            Array("{\"a\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: count - 8) + Array("\"}".utf8)
        }
        let read = try Self.read(record(RecordFile.maximumRecordBytes))
        #expect(read.records.map(\.utf8.count) == [1_048_576] && read.fault == nil)
        let tooLong = try Self.read(
            Array("{} ".utf8) + record(RecordFile.maximumRecordBytes + 1) + Array("\n{\"b\":1}".utf8))
        #expect(tooLong.records == ["{}", "", #"{"b":1}"#] && tooLong.lines == [1, 1, 2])
        #expect(tooLong.recordFaults == ["is longer than 1048576 bytes"] && tooLong.fault == nil)
    }

    @Test(
        "finds the list that a document has behind other members, and takes a document without it for a record",
        arguments: [
            (
                #"{"realm":"a","users\"":[1],"keys":[{"users":[{"no":1}]}], "#
                    + #""users" : [{"a":1},{"b":{"users":[]}}],"z":1}"#,
                [#"{"a":1}"#, #"{"b":{"users":[]}}"#]
            ),
            (#"{"users":[]}"#, []), (#"{"realm":"a","users":[{"a":1}]}"#, [#"{"a":1}"#]),
            (#"{"a":"users","b":{"users":1},"users":[{"a":1}]}"#, [#"{"a":1}"#]),
            ("{\"localId\":\"1\"}\n{\"localId\":\"2\"}", [#"{"localId":"1"}"#, #"{"localId":"2"}"#]),
            (#"[{"users":[{"a":1}]}]"#, [#"{"users":[{"a":1}]}"#]),
            (#"{"users":{"a":1}}"#, [#"{"users":{"a":1}}"#]),
        ])
    func lists(document: String, records: [String]) throws {
        let read = try Self.read(Array(document.utf8), list: RecordFile.List("users", mayFollow: true))
        #expect(read.records == records && read.fault == nil)
    }

    @Test(
        "that is packed says so",
        arguments: [
            [0x50, 0x4b, 0x03, 0x04, 0], [0x50, 0x4b, 0x05, 0x06], [0x1f, 0x8b, 8, 0], Array("BZh91AY".utf8),
            [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], [0x28, 0xb5, 0x2f, 0xfd, 4], [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c],
        ] as [[UInt8]], [false, true])
    func packed(bytes: [UInt8], isCSV: Bool) throws {
        #expect(try Self.read(bytes, isCSV: isCSV).fault?.contains("unpack it first") == true)
    }

    @Test(
        "that is not UTF-8, as some shells write what a command prints, says so",
        arguments: [.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian] as [String.Encoding],
        ["[{\"id\":\"1\"}]", "id,name\n1,a"])
    func wide(encoding: String.Encoding, text: String) throws {
        let bytes = Array(try #require(text.data(using: encoding)))
        let fault = try Self.read(bytes, isCSV: text.hasPrefix("id")).fault
        #expect(fault?.contains("write it as UTF-8") == true, "\(bytes)")
    }

    @Test(
        "that begins with the mark of UTF-16 in either order says so, whether or not a zero follows",
        arguments: [[0xff, 0xfe], [0xfe, 0xff]] as [[UInt8]], [false, true])
    func marks(mark: [UInt8], isCSV: Bool) throws {
        for rest in [[0x82, 0xb1, 0x5b, 0x50, 0x0a, 0x0a], [0x82, 0xb1], [0, 0x5b, 0, 0x5d], []] as [[UInt8]] {
            #expect(try Self.read(mark + rest, isCSV: isCSV).fault?.contains("write it as UTF-8") == true, "\(rest)")
        }
    }

    @Test("that comes a byte at a time is the same")
    func dribble() throws {
        var rest = Array("\u{feff}[{}]".utf8)
        let file = RecordFile { () throws(RecordFile.Fault) in rest.isEmpty ? [] : [rest.removeFirst()] }
        #expect(try file.next()?.bytes == Array("{}".utf8))
        #expect(try file.next() == nil)
        var packed: [UInt8] = [0x1f, 0x8b, 8, 0]
        let other = RecordFile { () throws(RecordFile.Fault) in packed.isEmpty ? [] : [packed.removeFirst()] }
        #expect(throws: RecordFile.Fault.self) { try other.next() }
    }

    @Test(
        "with something behind its list, such as another export, says so",
        arguments: [
            ("[{}]\n[{}]", "line 2"), ("[{}] x", "line 1"),
            ("{\"users\":[{}],\"z\":{\"a\":\"]}\\\"\"}}\n{\"users\":[{}]}", "line 2"),
            ("{\"users\":[{}]},{}", "line 1"),
        ])
    func twoLists(text: String, line: String) throws {
        let read = try Self.read(Array(text.utf8), list: RecordFile.List("users", mayFollow: true))
        #expect(read.records == ["{}"])
        #expect(read.fault == "\(line): something stands behind the end of the list; import each file by itself")
    }

    @Test(
        "of comma-separated values gives a record for each row, and a fault for one of another length",
        arguments: [
            (
                "id,name\r\n1,Hana\r\n2,\r\n3,\"\"\r\n",
                [#"{"id":"1","name":"Hana"}"#, #"{"id":"2"}"#, #"{"id":"3","name":""}"#]
            ),
            ("id,\"na\"\"me\"\n1,\"a,\"\"b\"\"\nc\\\"\n", [#"{"id":"1","na\"me":"a,\"b\"\u000ac\\"}"#]),
            ("id,name\n1\n2,a,b\n3,c", ["", "", #"{"id":"3","name":"c"}"#]),
            // Two files, one behind the other.
            ("id,name\n1,a\nid,name\n2,b", [#"{"id":"1","name":"a"}"#, "", #"{"id":"2","name":"b"}"#]),
            ("id\n", []),
        ])
    func rows(text: String, records: [String]) throws {
        let read = try Self.read(Array(text.utf8), isCSV: true)
        #expect(read.records == records && read.fault == nil)
        #expect(read.recordFaults.count == records.count(where: \.isEmpty))
    }

    @Test(
        "of comma-separated values that cannot be read on says so",
        arguments: [
            "", "id,id\n1,2", "id,\n1,2", "id\n\"1", String(repeating: "a,", count: 2000), "id;name\n1;2",
            "id\tname\n1\t2",
        ])
    func brokenRows(text: String) throws {
        #expect(try Self.read(Array(text.utf8), isCSV: true).fault != nil)
    }

    @Test("of comma-separated values goes on behind a row that is too long")
    func longRow() throws {
        let text = "id\n\"" + String(repeating: "x", count: RecordFile.maximumRecordBytes + 1) + "\"\n2\n"
        let read = try Self.read(Array(text.utf8), isCSV: true)
        #expect(read.records == ["", #"{"id":"2"}"#] && read.recordFaults.count == 1 && read.fault == nil)
    }
}
