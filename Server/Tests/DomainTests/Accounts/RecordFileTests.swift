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
        var fault: String?
    }

    private static func read(_ bytes: [UInt8]) throws -> Read {
        let url = FileManager.default.temporaryDirectory.appending(path: "okaeri-records-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        let file = RecordFile(handle)
        var read = Read()
        do throws(RecordFile.Fault) {
            while let record = try file.next() {
                read.records.append(String(decoding: record.bytes, as: UTF8.self))
                read.lines.append(record.line)
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
            ("{} x", ["{}"], "line 1: an object is expected here"),
            ("{}\n\n5", ["{}"], "line 3: an object is expected here"),
            ("{}\n{\"a\":", ["{}"], "line 2: the file ends within an object"),
            ("{\"a\":\"}\"", [], "line 1: the file ends within an object"),
            ("{\"a\":\"\\\"}", [], "line 1: the file ends within an object"),
            ("[1]", [], "line 1: an object is expected here"),
        ] as [(String, [String], String)])
    func faults(text: String, records: [String], fault: String) throws {
        let read = try Self.read(text)
        #expect(read.records == records && read.fault == fault)
    }

    @Test("is empty", arguments: ["", " ", "[]", "\n[ ]\n", "{\"results\":[]}", "\u{feff}", "\u{feff} []"])
    func empty(text: String) throws {
        let read = try Self.read(text)
        #expect(read.records.isEmpty && read.fault == nil)
    }

    @Test("takes a record of 1 MiB and none that is longer")
    func longest() throws {
        func record(_ count: Int) -> [UInt8] {
            Array("{\"a\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: count - 8) + Array("\"}".utf8)
        }
        let read = try Self.read(record(RecordFile.maximumRecordBytes))
        #expect(read.records.map(\.utf8.count) == [1_048_576] && read.fault == nil)
        let tooLong = try Self.read(Array("{} ".utf8) + record(RecordFile.maximumRecordBytes + 1))
        #expect(tooLong.records == ["{}"])
        #expect(tooLong.fault == "line 1: the object is longer than 1048576 bytes")
    }
}
