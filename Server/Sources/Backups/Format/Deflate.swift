import CZlib

/// Compression as a stream (RFC 1951 in the frame of RFC 1950), with bounded memory in both directions.
final class Deflate {
    enum Direction {
        case compress, expand
    }

    private static let roomBytes = 131_072

    private let direction: Direction
    // libz keeps the address of the state.
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: Deflate.roomBytes)
    /// Whether the end of what was compressed has been seen.
    private(set) var isAtEnd = false

    init(_ direction: Direction) throws(BackupFault) {
        self.direction = direction
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(clamping: MemoryLayout<z_stream>.size)
        let code =
            switch direction {
            // Level 3: databases shrink to nearly what the default makes of them, in half the time.
            case .compress: deflateInit_(stream, 3, ZLIB_VERSION, size)
            case .expand: inflateInit_(stream, ZLIB_VERSION, size)
            }
        guard code == Z_OK else { throw BackupFault("libz cannot be used.") }
    }

    deinit {
        switch direction {
        case .compress: deflateEnd(stream)
        case .expand: inflateEnd(stream)
        }
        stream.deallocate()
    }

    /// Hands on what comes of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: What is put in.
    ///   - isLast: Whether nothing follows.
    ///   - take: Gets each part of the result.
    /// - Throws: `BackupFault` when the bytes are not what was compressed, and what `take` throws.
    func put(
        _ bytes: [UInt8], isLast: Bool, _ take: (ArraySlice<UInt8>) throws(BackupFault) -> Void
    ) throws(BackupFault) {
        var input = bytes
        var used = 0
        while true {
            let (code, produced, left) = input.withUnsafeMutableBufferPointer { input in
                room.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_in = input.baseAddress.map { $0 + used }
                    stream.pointee.avail_in = UInt32(clamping: input.count - used)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(clamping: output.count)
                    let flush = isLast ? Z_FINISH : Z_NO_FLUSH
                    let code = direction == .compress ? deflate(stream, flush) : inflate(stream, Z_NO_FLUSH)
                    return (
                        code, output.count - Int(clamping: stream.pointee.avail_out),
                        Int(clamping: stream.pointee.avail_in)
                    )
                }
            }
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                throw BackupFault("what was compressed cannot be expanded")
            }
            used = bytes.count - left
            if produced > 0 { try take(room[..<produced]) }
            if code == Z_STREAM_END {
                isAtEnd = true
                guard left == 0 else { throw BackupFault("something follows its end") }
                return
            }
            // Room that was not filled means that nothing more comes of these bytes.
            if produced < room.count, left == 0, !(isLast && direction == .compress) { return }
            if produced == 0, code == Z_BUF_ERROR { return }
        }
    }
}
