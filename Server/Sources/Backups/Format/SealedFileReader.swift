import CSodium
import Crypto
import Domain
import Foundation

/// A file at the repository of backups, read in parts.
package protocol ReadableFile {
    var name: String { get }
    var byteCount: Int { get }
    var use: SealedFileUse { get }

    /// - Returns: `count` bytes from `offset` on.
    /// - Throws: `BackupFault` when they cannot be read.
    func read(from offset: Int, count: Int) throws(BackupFault) -> [UInt8]
}

extension ReadableFile {
    package var use: SealedFileUse { .backup }
}

/// Reads and checks sealed files. Blocks.
package struct SealedFileReader {
    fileprivate let file: any ReadableFile
    package let header: BackupHeader
    private let sealedKey: [UInt8]
    /// The SHA-256 of all before the stream, to which each piece is bound.
    private let bound: [UInt8]
    private let bodyOffset: Int

    /// Reads the beginning.
    ///
    /// - Throws: `BackupFault` when this is no backup, a newer one, or one that is damaged there.
    package init(_ file: any ReadableFile) throws(BackupFault) {
        try Sodium.prepare()
        self.file = file
        let fixed = BackupFrame.mark.count + 5
        guard file.byteCount >= fixed else { throw file.use.foreign(file.name) }
        let head = try file.read(from: 0, count: fixed)
        guard head.starts(with: BackupFrame.mark) else { throw file.use.foreign(file.name) }
        let version = head[BackupFrame.mark.count]
        guard version == BackupFrame.version else {
            throw file.use.unknownFormat(file.name, version, known: BackupFrame.version)
        }
        let headerBytes = BackupFrame.number(head[(BackupFrame.mark.count + 1)...])
        let keyBytes =
            Int(clamping: crypto_secretstream_xchacha20poly1305_keybytes()) + Int(clamping: crypto_box_sealbytes())
        guard headerBytes <= BackupFrame.maximumHeaderBytes,
            file.byteCount >= fixed + headerBytes + keyBytes + BackupFrame.digestBytes
        else { throw file.use.damaged(file.name, "it ends too early, or its header is") }
        let rest = try file.read(from: fixed, count: headerBytes + keyBytes)
        guard let header = try? JSONDecoder().decode(BackupHeader.self, from: Data(rest[..<headerBytes])) else {
            throw file.use.damaged(file.name, "its header cannot be read")
        }
        self.header = header
        sealedKey = Array(rest[headerBytes...])
        bound = Array(SHA256.hash(data: head + rest))
        bodyOffset = fixed + headerBytes + keyBytes
    }

    /// Whether all bytes are those that were written: their digest, for which no key is needed.
    ///
    /// - Parameter tell: Called with bytes read and all bytes.
    /// - Throws: `BackupFault` when they are not.
    package func checkDigest(_ tell: (Int, Int) -> Void) throws(BackupFault) {
        var hash = SHA256()
        let end = file.byteCount - BackupFrame.digestBytes
        var offset = 0
        while offset < end {
            let bytes = try file.read(from: offset, count: min(8 << 20, end - offset))
            hash.update(data: bytes)
            offset += bytes.count
            tell(offset, end)
        }
        guard try file.read(from: end, count: BackupFrame.digestBytes) == Array(hash.finalize()) else {
            throw file.use.damaged(file.name, "its checksum is another one")
        }
    }

    /// Opens the content.
    ///
    /// - Parameters:
    ///   - key: The secret key that it was sealed to.
    ///   - tell: Called with bytes read and all bytes.
    ///   - take: Gets the content, part by part. It can be believed only when this function has returned.
    /// - Throws: `BackupFault` for another key, and for anything that is not as it was written.
    package func open(
        with key: BackupSecretKey, _ tell: (Int, Int) -> Void, _ take: (ArraySlice<UInt8>) throws(BackupFault) -> Void
    ) throws(BackupFault) {
        let content = try content(with: key)
        while try content.readPiece(take) { tell(content.offset, content.end) }
    }

    /// The content, to be read piece by piece.
    ///
    /// - Parameter key: The secret key that it was sealed to.
    /// - Returns: the content, of which nothing was read.
    /// - Throws: `BackupFault` for another key.
    package func content(with key: BackupSecretKey) throws(BackupFault) -> SealedContent {
        var body = BufferedBody(file: file, offset: bodyOffset)
        let state = try begunStream(key, header: try body.next(streamHeaderBytes))
        return try SealedContent(of: self, body, state)
    }

    private var streamHeaderBytes: Int { Int(clamping: crypto_secretstream_xchacha20poly1305_headerbytes()) }

    private func begunStream(
        _ keys: BackupSecretKey, header: [UInt8]
    ) throws(BackupFault) -> crypto_secretstream_xchacha20poly1305_state {
        let key = keys.key(self.header.key)
        var dataKey = [UInt8](repeating: 0, count: Int(clamping: crypto_secretstream_xchacha20poly1305_keybytes()))
        guard
            crypto_box_seal_open(&dataKey, sealedKey, UInt64(clamping: sealedKey.count), key.publicKey.bytes, key.bytes)
                == 0
        else {
            if self.header.key != key.publicKey.id {
                throw file.use.otherKey(file.name, needs: self.header.key, given: keys.ids)
            }
            throw file.use.damaged(file.name, "its key cannot be opened")
        }
        var state = crypto_secretstream_xchacha20poly1305_state()
        guard crypto_secretstream_xchacha20poly1305_init_pull(&state, header, dataKey) == 0 else {
            throw file.use.damaged(file.name, "its encryption cannot be begun")
        }
        return state
    }

    fileprivate func nextPiece(
        _ body: inout BufferedBody, _ state: inout crypto_secretstream_xchacha20poly1305_state
    ) throws(BackupFault) -> (bytes: [UInt8], isLast: Bool) {
        let overhead = Int(clamping: crypto_secretstream_xchacha20poly1305_abytes())
        let count = BackupFrame.number(try body.next(4))
        guard (overhead...BackupFrame.pieceBytes + overhead).contains(count) else {
            throw file.use.damaged(file.name, "a piece has an impossible length")
        }
        let encrypted = try body.next(count)
        var bytes = [UInt8](repeating: 0, count: count - overhead)
        var tag: UInt8 = 0
        guard
            crypto_secretstream_xchacha20poly1305_pull(
                &state, &bytes, nil, &tag, encrypted, UInt64(clamping: encrypted.count), bound,
                UInt64(clamping: bound.count)) == 0
        else { throw file.use.damaged(file.name, "a piece was changed") }
        return (bytes, tag == crypto_secretstream_xchacha20poly1305_tag_final())
    }
}

/// The content of a sealed file. It can be believed as a whole only when the last piece was read.
package final class SealedContent {
    private let reader: SealedFileReader
    private var body: BufferedBody
    private var state: crypto_secretstream_xchacha20poly1305_state
    private let expander: Deflate
    private var digest = SHA256()
    private var byteCount: Int64 = 0
    private var isAtEnd = false

    fileprivate init(
        of reader: SealedFileReader, _ body: BufferedBody, _ state: crypto_secretstream_xchacha20poly1305_state
    ) throws(BackupFault) {
        (self.reader, self.body, self.state) = (reader, body, state)
        expander = try Deflate(.expand)
    }

    /// How far it was read, in bytes of the file.
    package var offset: Int { body.offset }
    package var end: Int { body.end }

    /// Reads one piece.
    ///
    /// - Parameter take: Gets what is in it, part by part.
    /// - Returns: `false` when all was read before.
    /// - Throws: `BackupFault` for anything that is not as it was written.
    package func readPiece(
        _ take: (ArraySlice<UInt8>) throws(BackupFault) -> Void
    ) throws(BackupFault) -> Bool {
        guard !isAtEnd else { return false }
        let (file, header) = (reader.file, reader.header)
        // An export was not measured before it was written.
        let isMeasured = header.kind != .application
        let piece = try reader.nextPiece(&body, &state)
        isAtEnd = piece.isLast
        do throws(BackupFault) {
            try expander.put(piece.bytes, isLast: false) { bytes throws(BackupFault) in
                byteCount += Int64(clamping: bytes.count)
                guard !isMeasured || byteCount <= header.byteCount else {
                    throw BackupFault("its content is longer than it says")
                }
                if isMeasured { digest.update(data: Array(bytes)) }
                try take(bytes)
            }
        } catch {
            throw error.description.hasSuffix(".") ? error : file.use.damaged(file.name, error.description)
        }
        guard isAtEnd else { return true }
        guard expander.isAtEnd, body.offset == body.end,
            !isMeasured
                || byteCount == header.byteCount && Base64URL.text(of: Array(digest.finalize())) == header.digest
        else { throw file.use.damaged(file.name, "its content is not what its header says") }
        return true
    }
}

/// The stream of a sealed file, without the digest behind it; 8 MiB at a time are in memory.
private struct BufferedBody {
    private let file: any ReadableFile
    private(set) var offset: Int
    let end: Int
    private var buffer: [UInt8] = []
    private var bufferOffset = 0

    init(file: any ReadableFile, offset: Int) {
        self.file = file
        self.offset = offset
        end = file.byteCount - BackupFrame.digestBytes
    }

    mutating func next(_ count: Int) throws(BackupFault) -> [UInt8] {
        guard count <= end - offset else { throw file.use.damaged(file.name, "it ends too early") }
        if offset < bufferOffset || offset + count > bufferOffset + buffer.count {
            bufferOffset = offset
            buffer = try file.read(from: offset, count: max(count, min(8 << 20, end - offset)))
        }
        defer { offset += count }
        let begin = offset - bufferOffset
        return Array(buffer[begin..<begin + count])
    }
}
