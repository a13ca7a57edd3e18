import Crypto
import Domain
import Foundation
import StorageSQLite

/// What is in a part of a replica: records, each a length, a description in JSON, and bytes.
enum ReplicaContent {
    enum Record: Sendable {
        case frames(LogFrames)
        /// Lines that were appended to a segment of the revocation journal.
        case revocations(String)
    }

    private struct Description: Codable {
        /// Where frames begin; `nil` for revocations.
        var start: LogPosition?
        var byteCount: Int
    }

    /// More than a description ever has.
    private static let maximumDescriptionBytes = 4096

    static func bytes(of record: Record) throws(BackupFault) -> [UInt8] {
        let (start, payload): (LogPosition?, [UInt8]) =
            switch record {
            case .frames(let frames): (frames.start, frames.bytes)
            case .revocations(let lines): (nil, Array(lines.utf8))
            }
        guard let json = try? JSONEncoder().encode(Description(start: start, byteCount: payload.count)) else {
            throw BackupFault("A part of the replica cannot be written.")
        }
        return BackupFrame.bigEndian(json.count) + Array(json) + payload
    }

    /// - Throws: `BackupFault` when the bytes are not what `bytes` makes.
    static func records(in bytes: [UInt8], of name: String) throws(BackupFault) -> [Record] {
        var records: [Record] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = BackupFrame.number(rest.prefix(4))
            guard rest.count >= 4, count <= maximumDescriptionBytes, rest.count >= 4 + count,
                let description = try? JSONDecoder().decode(
                    Description.self, from: Data(rest.dropFirst(4).prefix(count))),
                (0...rest.count - 4 - count).contains(description.byteCount)
            else { throw .damaged(name, "a record of it cannot be read") }
            let payload = Array(rest.dropFirst(4 + count).prefix(description.byteCount))
            rest = rest.dropFirst(4 + count + description.byteCount)
            if let start = description.start {
                records.append(.frames(LogFrames(start: start, bytes: payload)))
            } else {
                records.append(.revocations(String(decoding: payload, as: UTF8.self)))
            }
        }
        return records
    }

    /// Reads a part of a repository.
    ///
    /// - Returns: its header and records.
    /// - Throws: `BackupFault` when it is not what was written, or another part.
    static func read(
        _ part: ReplicaPart, at repository: any BackupRepository, _ key: BackupSecretKey
    ) throws(BackupFault) -> (header: BackupHeader, records: [Record]) {
        let reader = try SealedFileReader(repository.file(part.name))
        guard reader.header.kind == .replicaPart, reader.header.part?.name == part.name else {
            throw .damaged(part.name, "it is another part of the replica")
        }
        var bytes: [UInt8] = []
        try reader.open(with: key, { _, _ in }) { more throws(BackupFault) in bytes += more }
        return (reader.header, try records(in: bytes, of: part.name))
    }

    /// Seals a part into a file.
    static func seal(
        _ content: [UInt8], as header: BackupHeader, to path: String, _ key: BackupPublicKey
    ) throws(BackupFault) -> Int {
        var header = header
        header.byteCount = Int64(clamping: content.count)
        header.digest = Base64URL.text(of: Array(SHA256.hash(data: content)))
        var writer = try SealedFileWriter(path: path, header: header, key: key)
        try writer.put(content)
        // A crash ends the stream, and the file with it.
        try writer.finish(isDurable: false)
        return try LocalFile(path: path, name: path).byteCount
    }
}
