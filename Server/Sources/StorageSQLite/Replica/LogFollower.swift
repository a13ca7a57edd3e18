import CSQLite
import Foundation
import Storage

/// Reads the write-ahead log of a server's database as it grows, and is the one that has it moved into the database.
///
/// One of two connections always has a reading transaction open. While it began behind frames that are not in the database
/// yet, SQLite begins the log anew for nobody; while it began with an empty or a moved log, SQLite moves nothing, so
/// that the log is begun anew once at the most. Commands beside the server keep to the same locks. So no frame is
/// overwritten before it was read; a log that is neither the one that was read nor its successor shows that it happened
/// all the same. Used by one thread at a time; blocks.
package final class LogFollower: @unchecked Sendable {
    // Unchecked: one thread at a time uses it. The writer's queue does while that thread waits for it.

    /// What was found behind the position.
    package enum Look: Sendable {
        case nothing
        /// Whole commits, up to there.
        case commits(LogPosition)
        /// Something was committed that cannot be read any more.
        case gap(String)
    }

    /// How long the writer waits for readers before the log goes on growing.
    private static let patience: Int32 = 20
    private static let readBytes = 1 << 20

    private let store: SQLiteStore
    private let path: String
    private let longestLog: Int
    private var holders: [SQLiteConnection] = []
    private var log: Int32 = -1
    /// The end of the log that was moved last; nothing was written behind it while it is the position.
    private var moved: LogPosition?
    /// Up to where frames were read; `nil` while the log has never had any.
    package private(set) var position: LogPosition?

    /// - Parameters:
    ///   - store: The server's.
    ///   - folder: Its data folder.
    ///   - longestLog: How many frames the log has before it is moved.
    package init(_ store: SQLiteStore, folder: String, longestLog: Int = Int(SQLiteSetUp.checkpointPages)) {
        self.store = store
        self.longestLog = longestLog
        path = SQLiteStore.databasePath(in: folder)
    }

    deinit {
        if log >= 0 { close(log) }
    }

    /// Follows the log from its end on. The writer does not move it any more.
    ///
    /// - Throws: `SQLiteOpenFault`. Nothing is followed then.
    package func begin() throws(SQLiteOpenFault) {
        for _ in 0..<2 { holders.append(try ReaderPool.connection(path: path, reportFault: { _ in })) }
        log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard log >= 0, hold() else {
            end()
            throw SQLiteOpenFault("The log of the database \(path) cannot be read.")
        }
        setCheckpoints(by: 0)
        position = nil
        if case .commits(let end) = look() { position = end }
    }

    /// Leaves the log to the writer.
    package func end() {
        for holder in holders { holder.close() }
        holders = []
        // No lock is on this file: closing it takes none from SQLite.
        if log >= 0 { close(log) }
        log = -1
        setCheckpoints(by: SQLiteSetUp.checkpointPages)
    }

    /// Looks for commits behind the position.
    package func look() -> Look {
        guard let begin = LogPosition(header: bytes(at: 0, count: LogPosition.headerBytes)) else { return .nothing }
        if let known = position, begin.isOfSameLog(as: known) {
            guard known.frames == 0 || known.isStillBehind(lastFrameHeader(before: known)) else {
                return .gap("a commit that was read was taken back")
            }
        } else if let known = position, !begin.isInSuccessor(of: known) {
            return .gap("the log was begun anew unseen")
        } else {
            position = begin
        }
        guard let position else { return .nothing }
        var (cursor, committed) = (position, position)
        while true {
            let frames = bytes(at: cursor.offset, count: max(1, Self.readBytes / cursor.frameBytes) * cursor.frameBytes)
            var rest = frames[...]
            while let frame = cursor.pass(rest.prefix(cursor.frameBytes)) {
                rest = rest.dropFirst(cursor.frameBytes)
                if frame.pagesAfterCommit != 0 { committed = cursor }
            }
            guard frames.count >= cursor.frameBytes, rest.isEmpty else { break }
        }
        return committed == position ? .nothing : .commits(committed)
    }

    /// Reads what `look` found, and goes on behind it.
    ///
    /// - Parameters:
    ///   - end: What it found.
    ///   - maximumBytes: The most that is read at a time.
    /// - Returns: The next frames; `nil` at the end, or when they are not what they were.
    package func read(to end: LogPosition, maximumBytes: Int) -> LogFrames? {
        guard let start = position, start.isOfSameLog(as: end), start.frames < end.frames else { return nil }
        let count = min(end.frames - start.frames, max(1, maximumBytes / start.frameBytes))
        let bytes = bytes(at: start.offset, count: count * start.frameBytes)
        guard bytes.count == count * start.frameBytes else { return nil }
        var cursor = start
        for index in 0..<count {
            guard cursor.pass(bytes[index * start.frameBytes..<(index + 1) * start.frameBytes]) != nil else {
                return nil
            }
        }
        position = cursor
        return LogFrames(start: start, bytes: bytes)
    }

    /// Moves the log into the database when it is long, and lets it begin anew.
    ///
    /// Most of the work is done beside the writer. Then, between two commits, what was committed meanwhile is read, and the
    /// log is given back.
    ///
    /// - Returns: What was committed meanwhile, and the fault when it is not all.
    package func shorten() -> (frames: [LogFrames], gap: String?) {
        guard let position, position.frames >= longestLog, position != moved, hold() else { return ([], nil) }
        // What is left for the writer to wait for is what comes during this.
        sqlite3_wal_checkpoint_v2(holders[1].handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        return store.writer.between { [self] writer in
            var frames: [LogFrames] = []
            if let gap = readAll(into: &frames) { return (frames, gap) }
            release(holders[0])
            sqlite3_busy_timeout(writer.handle, Self.patience)
            var found: Int32 = -1
            let code = sqlite3_wal_checkpoint_v2(writer.handle, nil, SQLITE_CHECKPOINT_RESTART, &found, nil)
            sqlite3_busy_timeout(writer.handle, 10_000)
            var gap = readAll(into: &frames)
            let read = self.position?.frames ?? 0
            if gap == nil, found >= 0, self.position?.isOfSameLog(as: position) == true, read != Int(found) {
                gap = "the log has \(found) frames, and \(read) were read"
            }
            if gap == nil, code == SQLITE_OK { moved = self.position }
            if gap == nil, !begin(holders[0]) { gap = "the log cannot be held" }
            return (frames, gap)
        } ?? ([], nil)
    }

    private func readAll(into frames: inout [LogFrames]) -> String? {
        switch look() {
        case .nothing: return nil
        case .gap(let reason): return reason
        case .commits(let end):
            while let next = read(to: end, maximumBytes: Self.readBytes) { frames.append(next) }
            return position == end ? nil : "frames changed while they were read"
        }
    }

    /// Begins a reading transaction on the second connection, then ends that of the first.
    private func hold() -> Bool {
        guard holders.count == 2, begin(holders[1]) else { return false }
        holders.swapAt(0, 1)
        release(holders[1])
        return true
    }

    private func begin(_ holder: SQLiteConnection) -> Bool {
        // The transaction begins with its first question.
        sqlite3_exec(holder.handle, "BEGIN; SELECT COUNT(*) FROM schema_migrations", nil, nil, nil) == SQLITE_OK
    }

    private func release(_ holder: SQLiteConnection) {
        if !holder.isOutsideTransaction { sqlite3_exec(holder.handle, "ROLLBACK", nil, nil, nil) }
    }

    private func setCheckpoints(by pages: Int32) {
        store.writer.setCheckpoints(by: pages)
    }

    private func lastFrameHeader(before position: LogPosition) -> [UInt8] {
        bytes(at: position.offset - position.frameBytes, count: LogPosition.frameHeaderBytes)
    }

    /// What is there of so many bytes.
    private func bytes(at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            while length < count, let start = buffer.baseAddress {
                let part = pread(log, start + length, count - length, off_t(offset + length))
                if part < 0, errno == EINTR { continue }
                guard part > 0 else { return }
                length += part
            }
        }
    }
}
