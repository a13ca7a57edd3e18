import CSQLite
import Dispatch
import Domain
import Synchronization

/// Moves the write-ahead log of a server into the database beside the writer, so that no commit waits for it.
///
/// A pass on a connection and a thread of its own moves what was there when it began, while commits go on. What came
/// meanwhile is little: further passes move it until hardly anything is left, and then the writer moves the rest itself between
/// two commits, after which the log begins anew. Decision 0134.
final class CheckpointThread: Sendable {
    /// So few frames, or fewer, are left to the writer.
    static let framesForWriter = 256
    /// Passes in a row: each takes a fraction of the one before, unless the disk is slower than the writer.
    static let maximumPasses = 4

    private let queue = DispatchQueue(label: "okaeri.sqlite.checkpoints", qos: .utility)
    // Touched on `queue` only.
    nonisolated(unsafe) private let connection: SQLiteConnection
    private let log: LogLength
    private let state: Mutex<State>

    private struct State: Sendable {
        /// How long the log becomes; 0 while somebody else moves it.
        var limit: Int
        /// At how many frames the next pass begins.
        var next: Int
        var isRunning = false
        /// Whether the rest is the writer's.
        var isReady = false
        var isClosed = false
    }

    /// The frames in the log, as the writer's last commit left it.
    private final class LogLength: Sendable {
        let frames = Atomic<Int>(0)
    }

    /// - Parameters:
    ///   - path: The database.
    ///   - writer: Whose commits are counted. It moves the log at no commit by itself any more.
    ///   - limit: How many frames the log has before it is moved.
    ///   - reportFault: Gets what SQLite says when it cannot do something.
    /// - Throws: `SQLiteOpenFault` when the database cannot be opened.
    init(
        path: String, writer: SQLiteConnection, limit: Int32 = SQLiteSetUp.checkpointPages,
        reportFault: @escaping @Sendable (String) -> Void
    ) throws(SQLiteOpenFault) {
        connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE, reportFault: reportFault)
        do throws(DomainError) {
            try connection.execute("PRAGMA synchronous = FULL")
        } catch {
            throw SQLiteOpenFault("The database \(path) cannot be prepared for checkpoints.")
        }
        log = LogLength()
        state = Mutex(State(limit: Int(limit), next: Int(limit)))
        // The hook replaces SQLite's own checkpoints. `log` lives as long as this, and the writer no longer.
        sqlite3_wal_hook(
            writer.handle,
            { length, _, _, frames in
                guard let length else { return SQLITE_OK }
                Unmanaged<LogLength>.fromOpaque(length).takeUnretainedValue().frames
                    .store(Int(frames), ordering: .relaxed)
                return SQLITE_OK
            }, Unmanaged.passUnretained(log).toOpaque())
    }

    /// How many frames the log has before it is moved; 0 leaves that to somebody else.
    func setLimit(_ limit: Int32) {
        state.withLock { state in
            state.limit = Int(limit)
            state.next = Int(limit)
            state.isReady = false
        }
    }

    /// Begins or ends moving the log, when it is time. The writer calls it behind each commit, when that is answered.
    func afterCommit(on writer: SQLiteConnection) {
        let frames = log.frames.load(ordering: .relaxed)
        enum Step { case nothing, begin, end }
        let step = state.withLock { state -> Step in
            guard state.limit > 0, !state.isRunning, !state.isClosed else { return .nothing }
            if state.isReady {
                state.isReady = false
                return .end
            }
            // The log began anew: the next pass is far.
            if frames < state.limit { state.next = state.limit }
            guard frames >= state.next else { return .nothing }
            state.isRunning = true
            return .begin
        }
        switch step {
        case .nothing: break
        case .begin: queue.async { self.pass() }
        case .end:
            _ = Self.checkpoint(writer)
            // Readers may keep the log from beginning anew: not each commit is to try that.
            state.withLock { $0.next = frames + max(1, $0.limit / 8) }
        }
    }

    /// Waits for a pass under way; there is none afterwards.
    func close() {
        state.withLock { $0.isClosed = true }
        queue.sync { connection.close() }
    }

    private func pass() {
        for _ in 0..<Self.maximumPasses {
            guard !state.withLock({ $0.isClosed }), let moved = Self.checkpoint(connection),
                log.frames.load(ordering: .relaxed) - moved > Self.framesForWriter
            else { break }
        }
        state.withLock { state in
            state.isRunning = false
            state.isReady = true
        }
    }

    /// Moves what no reader needs; `nil` when that fails. The next one tries again.
    private static func checkpoint(_ connection: SQLiteConnection) -> Int? {
        var (length, moved) = (Int32(-1), Int32(-1))
        guard
            sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, &length, &moved) == SQLITE_OK,
            moved >= 0
        else { return nil }
        return Int(moved)
    }
}
