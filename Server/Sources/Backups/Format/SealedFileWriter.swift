import CSodium
import Crypto
import Foundation

/// Writes a sealed file: compresses, encrypts and digests what is put in. Blocks.
struct SealedFileWriter {
    private let file: OutputFile
    private let compressor: Deflate
    private var state = crypto_secretstream_xchacha20poly1305_state()
    private let bound: [UInt8]
    private var digest = SHA256()
    private var waiting: [UInt8] = []

    /// Writes the beginning.
    ///
    /// - Throws: `BackupFault` when the file cannot be written.
    init(path: String, header: BackupHeader, key: BackupPublicKey) throws(BackupFault) {
        try Sodium.prepare()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(header), json.count <= BackupFrame.maximumHeaderBytes else {
            throw BackupFault("The header of the backup cannot be written.")
        }
        var dataKey = [UInt8](repeating: 0, count: Int(clamping: crypto_secretstream_xchacha20poly1305_keybytes()))
        crypto_secretstream_xchacha20poly1305_keygen(&dataKey)
        var sealed = [UInt8](repeating: 0, count: dataKey.count + Int(clamping: crypto_box_sealbytes()))
        guard crypto_box_seal(&sealed, dataKey, UInt64(clamping: dataKey.count), key.bytes) == 0 else {
            throw BackupFault("The backup cannot be sealed to the key \(key.id): it is no public key.")
        }
        let begin =
            BackupFrame.mark + [BackupFrame.version] + BackupFrame.bigEndian(json.count) + Array(json) + sealed
        bound = Array(SHA256.hash(data: begin))
        var streamHeader = [UInt8](
            repeating: 0, count: Int(clamping: crypto_secretstream_xchacha20poly1305_headerbytes()))
        guard crypto_secretstream_xchacha20poly1305_init_push(&state, &streamHeader, dataKey) == 0 else {
            throw BackupFault("The backup cannot be encrypted.")
        }
        compressor = try Deflate(.compress)
        file = try OutputFile(path: path)
        try write(begin + streamHeader)
    }

    /// Puts content in.
    mutating func put(_ bytes: [UInt8]) throws(BackupFault) {
        var compressed: [UInt8] = []
        try compressor.put(bytes, isLast: false) { compressed += $0 }
        try add(compressed)
    }

    /// Ends the file.
    ///
    /// - Parameter isDurable: Whether to wait until the disk has it.
    /// - Throws: `BackupFault` when it cannot be written.
    mutating func finish(isDurable: Bool = true) throws(BackupFault) {
        var compressed: [UInt8] = []
        try compressor.put([], isLast: true) { compressed += $0 }
        try add(compressed)
        try push(waiting, isLast: true)
        try file.write(Array(digest.finalize()))
        if isDurable { try file.synchronize() }
    }

    private mutating func add(_ compressed: [UInt8]) throws(BackupFault) {
        waiting += compressed
        while waiting.count > BackupFrame.pieceBytes {
            try push(Array(waiting[..<BackupFrame.pieceBytes]), isLast: false)
            waiting.removeFirst(BackupFrame.pieceBytes)
        }
    }

    private mutating func push(_ piece: [UInt8], isLast: Bool) throws(BackupFault) {
        let overhead = Int(clamping: crypto_secretstream_xchacha20poly1305_abytes())
        var encrypted = [UInt8](repeating: 0, count: piece.count + overhead)
        let tag =
            isLast
            ? crypto_secretstream_xchacha20poly1305_tag_final() : crypto_secretstream_xchacha20poly1305_tag_message()
        guard
            crypto_secretstream_xchacha20poly1305_push(
                &state, &encrypted, nil, piece, UInt64(clamping: piece.count), bound, UInt64(clamping: bound.count), tag
            ) == 0
        else { throw BackupFault("The backup cannot be encrypted.") }
        try write(BackupFrame.bigEndian(encrypted.count) + encrypted)
    }

    private mutating func write(_ bytes: [UInt8]) throws(BackupFault) {
        digest.update(data: bytes)
        try file.write(bytes)
    }
}

/// A file that is made anew, for its owner alone. What is there of that name goes: an unfinished file of ours, or what somebody put
/// there to read along, or to lead the bytes elsewhere.
final class OutputFile {
    private let descriptor: Int32
    private let path: String

    init(path: String) throws(BackupFault) {
        self.path = path
        var descriptor = Self.made(path)
        // Another process may make one of the name at the same time.
        for _ in 0..<3 where descriptor < 0 && errno == EEXIST {
            guard Self.isReplaceable(path) else {
                errno = EEXIST
                break
            }
            unlink(path)
            descriptor = Self.made(path)
        }
        guard descriptor >= 0 else { throw Self.fault(path) }
        self.descriptor = descriptor
    }

    /// - Returns: a file that was not there, or -1.
    private static func made(_ path: String) -> Int32 {
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }

    /// Whether a file, or a link, is what the name leads to.
    private static func isReplaceable(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT)
    }

    deinit {
        close(descriptor)
    }

    func write(_ bytes: [UInt8]) throws(BackupFault) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { Foundation.write(descriptor, $0 + written, bytes.count - written) } ?? -1
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.fault(path) }
            written += count
        }
    }

    func synchronize() throws(BackupFault) {
        guard fsync(descriptor) == 0 else { throw Self.fault(path) }
    }

    static func fault(_ path: String) -> BackupFault {
        let reason = String(cString: strerror(errno))
        let advice = errno == ENOSPC ? " Make room there and run the command again." : ""
        return BackupFault("\(path) cannot be written: \(reason).\(advice)")
    }
}
