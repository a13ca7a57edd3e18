import Foundation
import Testing

@testable import Domain

@Suite("A file that is read piece by piece")
struct FileReaderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "okaeri-reader-\(UUID().uuidString)")
        .path

    private func path(_ bytes: [UInt8]) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/file"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("has all its bytes, in pieces of up to a size", arguments: [0, 1, 65_536, 200_001])
    func pieces(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = try path(bytes)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // The system cleans up what stays.
        let (whole, part, pieces) = (
            try FileReader(path: path), try FileReader(path: path), try FileReader(path: path)
        )
        #expect(try whole.readAll(upTo: count + 1) == bytes && whole.byteCount == UInt64(count))
        #expect(try part.readAll(upTo: count / 2) == Array(bytes.prefix(count / 2)))
        var read: [UInt8] = []
        while true {
            let piece = try pieces.read(upTo: 1000)
            if piece.isEmpty { break }
            #expect(piece.count <= 1000)
            read += piece
        }
        #expect(read == bytes)
    }

    @Test("says in the system's words why it cannot be read")
    func faults() throws {
        let missing = #expect(throws: SystemFault.self) { try FileReader(path: "/nowhere/file") }
        #expect(missing?.description == "No such file or directory")
        let folder = #expect(throws: SystemFault.self) { try FileReader(path: "/").read(upTo: 1) }
        #expect(folder?.number == EISDIR)
    }

    @Test("is no file but a pipe, and stays its maker's")
    func pipe() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("ab".utf8))
        try pipe.fileHandleForWriting.close()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        do {
            let reader = FileReader(descriptor: descriptor)
            #expect(try reader.byteCount == nil && reader.readAll(upTo: 10) == Array("ab".utf8))
        }
        #expect(fcntl(descriptor, F_GETFD) >= 0)
    }

    @Test("tells the reason of Foundation's errors in the system's words")
    func reasons() {
        let error = #expect(throws: (any Error).self) { try Data(contentsOf: URL(fileURLWithPath: "/nowhere/file")) }
        #expect(error?.systemReason == "No such file or directory")
        let folder = #expect(throws: (any Error).self) {
            try FileManager.default.contentsOfDirectory(atPath: "/nowhere")
        }
        #expect(folder?.systemReason == "No such file or directory")
        #expect(POSIXError(.EACCES).systemReason == "Permission denied")
        #expect(CocoaError(.fileWriteFileExists).systemReason == "File exists")
        #expect(SystemFault(number: EIO).systemReason == "Input/output error")
    }
}
