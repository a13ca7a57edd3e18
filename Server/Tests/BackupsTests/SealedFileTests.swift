@testable import Backups
import Crypto
import Domain
import Foundation
import Testing

@Suite("Sealed files")
struct SealedFileTests {
    private let folder = TemporaryFolder()

    @Test("give back what was put in, whatever its length", arguments: [0, 1, 4096, 262_144, 1_500_000])
    func roundTrip(count: Int) throws {
        let key = try BackupSecretKey()
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let file = try seal(content, to: key.publicKey)
        let reader = try SealedFileReader(file)
        try reader.checkDigest { _, _ in }
        #expect(try opened(reader, key) == content)
        #expect(reader.header.segment == "0a1b2c3d-00000001")
    }

    @Test(
        "give an export's first line back, however long the application's settings make it", arguments: [1, 3_000_000])
    func longLine(count: Int) throws {
        try folder.make()
        let path = folder.path + "/export.okaeri"
        let first = #"{"okaeriExport":"application","mails":"\#(String(repeating: "m", count: count))"}"#
        try Data("\(first)\n{\"okaeriExport\":\"end\",\"users\":0}\n".utf8).write(to: URL(fileURLWithPath: path))
        let reader = try ExportFileReader(path: path, key: nil)
        try reader.check { _, _ in }
        let record = try reader.records().next()
        #expect(record?.fault == nil && record?.bytes.count == first.utf8.count)
    }

    @Test("are refused with any byte of theirs changed, with the key and without it")
    func everyByte() throws {
        let key = try BackupSecretKey()
        let sealed = try seal(Array("おかえり ".utf8) + [UInt8](repeating: 7, count: 200), to: key.publicKey)
        for index in sealed.bytes.indices {
            var changed = sealed
            changed.bytes[index] ^= 0x41
            #expect(throws: BackupFault.self, "byte \(index), by its checksum") {
                try SealedFileReader(changed).checkDigest { _, _ in }
            }
            // The checksum at the end is for those who have no key; all before it the encryption guards by itself.
            guard index < sealed.bytes.count - BackupFrame.digestBytes else { continue }
            #expect(throws: BackupFault.self, "byte \(index), by its encryption") {
                try opened(SealedFileReader(changed), key)
            }
        }
    }

    @Test("are refused when they end too early, or something follows")
    func everyLength() throws {
        let key = try BackupSecretKey()
        let sealed = try seal([1, 2, 3], to: key.publicKey)
        for count in 0..<sealed.bytes.count {
            #expect(throws: BackupFault.self, "\(count) bytes") {
                let reader = try SealedFileReader(MemoryFile(bytes: Array(sealed.bytes[..<count])))
                try reader.checkDigest { _, _ in }
            }
        }
        let longer = MemoryFile(bytes: sealed.bytes + [0])
        #expect(throws: BackupFault.self) { try SealedFileReader(longer).checkDigest { _, _ in } }
        #expect(throws: BackupFault.self) { try opened(SealedFileReader(longer), key) }
    }

    @Test(
        "are made anew, for their owner alone, where somebody has put a file that all may read, or a link",
        arguments: [true, false], [true, false])
    func preMade(isSealed: Bool, isLink: Bool) throws {
        try folder.make()
        let (path, target) = ("\(folder.path)/export", "\(folder.path)/target")
        let draft = path + ".unfinished"
        try Data("kept".utf8).write(to: URL(fileURLWithPath: target))
        if isLink {
            #expect(symlink(target, draft) == 0)
        } else {
            try Data("before".utf8).write(to: URL(fileURLWithPath: draft))
            #expect(chmod(draft, 0o666) == 0)
        }
        let writer = try ExportFileWriter(
            path: path, sealedTo: isSealed ? try BackupSecretKey().publicKey : nil, program: "test",
            at: Timestamp(milliseconds: 0))
        try writer.put(Array("a secret\n".utf8))
        _ = try writer.finish()
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o777 == 0o600)
        #expect(FileManager.default.contents(atPath: target) == Data("kept".utf8))
    }

    @Test("that are not sealed yet are in a folder of their owner alone; it goes, and so do those of killed processes")
    func privateFolder() throws {
        let parent = "\(folder.path)/parent"
        let (abandoned, link) = ("\(parent)/.folder-2147483647.abc", "\(parent)/.folder-2147483646.abc")
        let elsewhere = "\(folder.path)/elsewhere"
        for path in [abandoned, elsewhere] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data("a dump".utf8).write(to: URL(fileURLWithPath: "\(path)/dump"))
        }
        #expect(symlink(elsewhere, link) == 0)
        let made = try privateFolder(in: parent)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == [])
        #expect(!FileManager.default.fileExists(atPath: made))
        #expect(FileManager.default.fileExists(atPath: "\(elsewhere)/dump"))
    }

    /// Makes a folder, puts a file there, and lets it go.
    private func privateFolder(in parent: String) throws -> String {
        let made = try PrivateFolder(in: parent)
        var status = stat()
        #expect(lstat(made.path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o777 == 0o700)
        try OutputFile(path: "\(made.path)/dump").write([1])
        return made.path
    }

    @Test("say whose key they need")
    func otherKey() throws {
        let (key, other) = (try BackupSecretKey(), try BackupSecretKey())
        let reader = try SealedFileReader(try seal([1, 2, 3], to: key.publicKey))
        let fault = #expect(throws: BackupFault.self) { try opened(reader, other) }
        #expect(fault?.description.contains(key.publicKey.id) == true)
        #expect(fault?.description.contains(other.publicKey.id) == true)
        // After a change of keys the file of the secret key has both.
        for texts in [[key.text, other.text], [other.text, "", key.text + "\r"]] {
            let both = try #require(BackupSecretKey(texts.joined(separator: "\n") + "\n"))
            #expect(try opened(reader, both) == [1, 2, 3])
        }
        #expect(BackupSecretKey(key.text + "\n" + other.publicKey.text) == nil)
    }

    @Test("of later formats are not taken for foreign ones")
    func foreign() throws {
        let text = MemoryFile(bytes: Array("SQLite format 3\0 and much more than that".utf8))
        let notOurs = #expect(throws: BackupFault.self) { try SealedFileReader(text) }
        #expect(notOurs?.description.contains("is no backup of Okaeri") == true)
        var later = try seal([1], to: try BackupSecretKey().publicKey)
        later.bytes[BackupFrame.mark.count] = 2
        let newer = #expect(throws: BackupFault.self) { try SealedFileReader(later) }
        #expect(newer?.description.contains("has format 2") == true)
    }

    @Test("cannot be sealed to a key with a slip in it")
    func slippedKey() throws {
        let text = try BackupSecretKey().publicKey.text
        #expect(BackupPublicKey(text)?.text == text)
        for (index, character) in text.enumerated() {
            let position = text.index(text.startIndex, offsetBy: index)
            let other: Character = character == "A" ? "B" : "A"
            #expect(BackupPublicKey(text.replacingCharacters(in: position...position, with: String(other))) == nil)
        }
        #expect(BackupPublicKey("") == nil && BackupSecretKey(text) == nil)
    }

    private func opened(_ reader: SealedFileReader, _ key: BackupSecretKey) throws -> [UInt8] {
        var content: [UInt8] = []
        try reader.open(with: key, { _, _ in }) { part throws(BackupFault) in content += part }
        return content
    }

    private func seal(_ content: [UInt8], to key: BackupPublicKey) throws -> MemoryFile {
        try folder.make()
        let path = folder.path + "/sealed"
        let header = BackupHeader(
            kind: .database, madeAt: 1_795_252_542_000, program: "1", schemaVersion: 23, segment: "0a1b2c3d-00000001",
            rows: ["users": 2], byteCount: Int64(content.count),
            digest: Base64URL.text(of: Array(SHA256.hash(data: content))), key: key.id)
        var writer = try SealedFileWriter(path: path, header: header, key: key)
        try writer.put(content)
        try writer.finish()
        return MemoryFile(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
    }
}

/// A file in memory.
struct MemoryFile: ReadableFile {
    let name = "backup"
    var bytes: [UInt8]
    var byteCount: Int { bytes.count }

    func read(from offset: Int, count: Int) throws(BackupFault) -> [UInt8] {
        guard offset >= 0, count >= 0, offset + count <= bytes.count else { throw BackupFault("read beyond the end") }
        return Array(bytes[offset..<offset + count])
    }
}

/// A folder that goes away with this object.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-\(UUID().uuidString)").path

    deinit {
        // The folder may never have been made.
        try? FileManager.default.removeItem(atPath: path)
    }

    func make() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
}
