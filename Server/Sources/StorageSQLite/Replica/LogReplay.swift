import Foundation

/// Writes frames of a write-ahead log into a copy of the database that nobody has open. Blocks.
///
/// Frames must come without a gap and end with a commit. What is written twice is the same afterwards, so that a replay that
/// broke off is done again from where it was last finished.
package final class LogReplay {
    private let file: Int32
    private let path: String
    /// Behind what was written; `nil` before the first frames.
    package private(set) var position: LogPosition?
    private var pagesAfterCommit: UInt32 = 0
    private var isBehindCommit = true

    /// - Parameters:
    ///   - path: The copy.
    ///   - position: Where an earlier replay on it ended; `nil` for a new copy.
    /// - Throws: `SQLiteOpenFault` when it cannot be written.
    package init(path: String, after position: LogPosition?) throws(SQLiteOpenFault) {
        self.path = path
        self.position = position
        file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw fault("cannot be written: \(String(cString: strerror(errno)))") }
    }

    deinit {
        close(file)
    }

    /// - Throws: `SQLiteOpenFault` for frames that are damaged or not the next ones.
    package func apply(_ frames: LogFrames) throws(SQLiteOpenFault) {
        var cursor = frames.start
        if let position, !cursor.follows(position) { throw fault("misses frames before number \(cursor.frames)") }
        var rest = frames.bytes[...]
        while !rest.isEmpty {
            let bytes = rest.prefix(cursor.frameBytes)
            guard let frame = cursor.pass(bytes) else { throw fault("gets a frame whose checksum is another one") }
            try write(bytes.dropFirst(LogPosition.frameHeaderBytes), at: (Int(frame.page) - 1) * cursor.pageBytes)
            if frame.pagesAfterCommit != 0 { pagesAfterCommit = frame.pagesAfterCommit }
            isBehindCommit = frame.pagesAfterCommit != 0
            rest = rest.dropFirst(cursor.frameBytes)
        }
        position = cursor
    }

    /// Gives the copy the length that it has behind the last commit, and waits for the disk.
    ///
    /// - Throws: `SQLiteOpenFault` when the last commit is not whole.
    package func finish() throws(SQLiteOpenFault) {
        guard isBehindCommit else { throw fault("ends within a transaction") }
        if let position, pagesAfterCommit > 0 {
            let length = Int(pagesAfterCommit) * position.pageBytes
            guard ftruncate(file, off_t(length)) == 0 else {
                throw fault("cannot be cut: \(String(cString: strerror(errno)))")
            }
            pagesAfterCommit = 0
        }
        guard fsync(file) == 0 else { throw fault("cannot be written: \(String(cString: strerror(errno)))") }
    }

    private func write(_ page: ArraySlice<UInt8>, at offset: Int) throws(SQLiteOpenFault) {
        var done = 0
        while done < page.count {
            let part = page.withUnsafeBytes { bytes in
                bytes.baseAddress.map { pwrite(file, $0 + done, bytes.count - done, off_t(offset + done)) } ?? -1
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { throw fault("cannot be written: \(String(cString: strerror(errno)))") }
            done += part
        }
    }

    private func fault(_ what: String) -> SQLiteOpenFault { SQLiteOpenFault("The copy \(path) \(what).") }
}
