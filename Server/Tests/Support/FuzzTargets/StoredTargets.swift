import Domain
import Storage

@testable import Backups
@testable import OutboundServices
@testable import PasswordHashes
@testable import StoragePostgreSQL
@testable import StorageSQLite

/// A file that is in memory.
private struct FuzzFile: ReadableFile {
    let bytes: [UInt8]

    var name: String { "a file" }
    var byteCount: Int { bytes.count }

    func read(from offset: Int, count: Int) throws(BackupFault) -> [UInt8] {
        guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else {
            throw use.damaged(name, "it ends too early")
        }
        return Array(bytes[offset..<offset + count])
    }
}

extension FuzzTarget {
    /// What comes out of databases that others write to as well, and of repositories of backups.
    static let stored = [
        FuzzTarget("password-hash", maximumBytes: 1500) { input in
            // To compare takes long by design; here it is only read.
            let text = String(input: input)
            _ = StoredHash(PasswordHash(text: text))
            if let hash = OldPasswordHash.stored(text), FastHash(hash) != nil {
                expect(StoredHash(hash) == nil, "a fast hash is not stored")
            }
        },
        FuzzTarget("postgresql-notice", maximumBytes: 1024) { input in
            let (sender, notice) = ChangeNotice.read(String(input: input))
            guard case .changes(let changes) = notice, !changes.isEmpty else { return }
            for payload in ChangeNotice.payloads(changes, from: sender.isEmpty ? "node" : sender) {
                expect(ChangeNotice.read(payload).notice != .anything, "a notice is read as it was written")
            }
        },
        FuzzTarget("postgresql-address", maximumBytes: 1024) { input in
            _ = PostgreSQLAddress(String(input: input))?.database
        },
        FuzzTarget("sealed-file") { input in
            guard let reader = try? SealedFileReader(FuzzFile(bytes: input)) else { return }
            try? reader.checkDigest { _, _ in }
            guard let key = try? BackupSecretKey(), let content = try? reader.content(with: key) else { return }
            _ = try? content.readPiece { _ throws(BackupFault) in }
        },
        FuzzTarget("replica-part", maximumBytes: 8192) { input in
            for case .frames(let frames) in (try? ReplicaContent.records(in: input, of: "a part")) ?? [] {
                var (position, rest) = (frames.start, frames.bytes[...])
                while !rest.isEmpty, position.pass(rest.prefix(position.frameBytes)) != nil {
                    rest = rest.dropFirst(position.frameBytes)
                }
                expect(position.offset >= LogPosition.headerBytes, "a position is behind the header of its log")
            }
        },
        FuzzTarget("repository-name", maximumBytes: 300) { input in
            let name = String(input: input)
            if let part = ReplicaPart(name) {
                expect(ReplicaPart(part.name) == part, "a name is read as it was written")
            }
            _ = (BackupCatalogue.time(of: name), BackupCatalogue.isPlain(name), RevocationSegments.isName(name))
        },
        FuzzTarget("object-store-answer") { input in
            for name in ["Key", "NextContinuationToken", "ETag", "Message", "Code", "UploadId"] {
                _ = S3Bucket.elements(name, in: input)
            }
            guard String(validating: input, as: UTF8.self) != nil else { return }
            var document = Array("<Key>".utf8)
            for byte in input {
                switch byte {
                case UInt8(ascii: "&"): document += Array("&amp;".utf8)
                case UInt8(ascii: "<"): document += Array("&lt;".utf8)
                default: document.append(byte)
                }
            }
            let keys = S3Bucket.elements("Key", in: document + Array("</Key>".utf8))
            expect(keys.count == 1 && keys[0].utf8.elementsEqual(input), "a key is read as it was written")
        },
        FuzzTarget("revocation-line", maximumBytes: 2048) { input in
            let line = String(input: input)[...]
            for dialect in [Dialect.sqlite, .postgresql] {
                let statements = RevocationStatements(shapes, dialect)
                _ = RevocationLine.opened(line).map { statements.statements(of: $0) }
                _ = statements.statements(of: line)
            }
        },
    ]

    /// Tables that lines of the journal name.
    private static let shapes = [
        ("users", ["application_id", "id"]), ("members", ["application_id", "grant_id", "user_id"]),
        ("sessions", ["application_id", "user_id", "token_digest"]),
    ].map { name, key in TableShape(name: name, columns: key.map { TableShape.Column($0, .text) }, key: key) }
}
