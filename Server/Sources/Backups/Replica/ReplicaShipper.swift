package import Domain
import Foundation
package import StorageSQLite
import Synchronization

/// Sends what is written to a server's database to a repository, as it is written.
///
/// Three threads work beside the server: `collect` seals what is new in the log into files of the data folder, `ship` stores
/// these in their order, `copyIfDue` makes the copies from which the frames go on. A store that is away stops neither the
/// server nor its log: when the files take too much room they are given up, and a new stream begins when it is back.
package final class ReplicaShipper: @unchecked Sendable {
    // Unchecked: `shared` is guarded by its mutex; `follower`, `tails` and `carried` are used by the thread of `collect` alone.

    package struct Limits: Sendable {
        /// The most that waits in the data folder.
        package var spoolBytes = 256 << 20
        /// How much of the log is in one part.
        package var partBytes = 4 << 20
        /// How old a copy becomes before there is a new one.
        package var copyAge: Duration = .seconds(86_400)
        /// How far back the replica goes.
        package var kept: Duration = .seconds(7 * 86_400)
        /// How long nothing is stored while nothing is written.
        package var silence: Duration = .seconds(60)
        /// How long a machine that is no primary any more may go unnoticed while the repository can be reached.
        package var claimAge: Duration = .seconds(5)

        package init() {}
    }

    private struct Item: Hashable, Sendable {
        let part: ReplicaPart
        let path: String
        let byteCount: Int
        /// How far the revocation journal is in it.
        let journal: [String: Int]
    }

    private struct Shared: Sendable {
        var phase = Phase.away
        var stream = ""
        /// The number of the last part.
        var number = 0
        var lastTime = Timestamp.earliest
        var journal: [String: Int] = [:]
        var queue: [Item] = []
        var waitingBytes = 0
        /// A stream that is called as if it began later than now.
        var laterStream: Timestamp?
        var copiedAt: Timestamp?
        var collectedAt: Timestamp?
        var partAt: Timestamp?
        /// When the last copy and the last part were made, by the clock: the times that they have only go forward.
        var copyMadeAt: Timestamp?
        var partMadeAt: Timestamp?
        var safeAt: Timestamp
        var claimCheckedAt = Timestamp.earliest
        var fault: String?
    }

    private let folder: String
    private let spool: String
    private let repository: any BackupRepository
    private let key: BackupPublicKey
    private let program: String
    private let claim: PrimaryClaim
    private let limits: Limits
    private let now: @Sendable () -> Timestamp
    private let follower: LogFollower
    private var tails: JournalTails?
    /// Read from the log, and in no part yet.
    private var carried: [LogFrames] = []
    private let shared: Mutex<Shared>

    /// - Parameters:
    ///   - store: The server's.
    ///   - folder: Its data folder.
    ///   - repository: Where the replica goes.
    ///   - key: What it is sealed to.
    ///   - program: The program's version.
    ///   - claim: By which this machine is the primary.
    ///   - limits: Times and sizes.
    ///   - now: The clock.
    package init(
        _ store: SQLiteStore, folder: String, to repository: any BackupRepository, key: BackupPublicKey,
        program: String, claim: PrimaryClaim, limits: Limits, now: @escaping @Sendable () -> Timestamp
    ) {
        self.folder = folder
        spool = folder + "/replica"
        self.repository = repository
        self.key = key
        self.program = program
        self.claim = claim
        self.limits = limits
        self.now = now
        follower = LogFollower(store, folder: folder)
        shared = Mutex(Shared(safeAt: now()))
    }

    package var status: Status {
        let now = now()
        return shared.withLock { shared in
            let isCurrent =
                shared.phase == .following && shared.queue.isEmpty
                && shared.copiedAt.map { $0 <= shared.partAt ?? .earliest } ?? false
            let safe = isCurrent ? shared.collectedAt ?? shared.safeAt : shared.safeAt
            return Status(
                phase: shared.phase, lag: max(.zero, now - safe), waitingBytes: shared.waitingBytes,
                fault: shared.fault, hasCopy: shared.copiedAt != nil, isComplete: isCurrent)
        }
    }

    // MARK: The first thread

    /// Seals what is new since the last call.
    package func collect() {
        do throws(BackupFault) {
            switch shared.withLock({ $0.phase }) {
            case .wanted: try begin()
            case .following: try gather()
            case .fenced: if tails != nil { abandon("another machine is the primary", as: .fenced) }
            case .away: break
            }
        } catch {
            abandon(error.description, as: .away)
        }
    }

    /// What the store has not taken after a time stays behind; see `stop`.
    package func end(within time: Duration) { repository.end(within: time) }

    /// Seals and stores what is left, and leaves the log to the writer.
    ///
    /// - Returns: what there was before that.
    @discardableResult
    package func stop() -> Status {
        collect()
        ship()
        defer { if tails != nil { abandon(nil, as: .away) } }
        return status
    }

    private func begin() throws(BackupFault) {
        do {
            try FileManager.default.createDirectory(
                atPath: spool, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for name in try FileManager.default.contentsOfDirectory(atPath: spool) where ReplicaPart(name) != nil {
                try FileManager.default.removeItem(atPath: "\(spool)/\(name)")
            }
        } catch {
            throw BackupFault("The folder \(spool) cannot be used: \(error.systemReason).")
        }
        let lineage = try Sodium.hexadecimalDigits(count: 8)
        var tails = try JournalTails(of: folder, positionsAt: spool + "/journal.json")
        let segments = RevocationSegments(folder: folder)
        _ = try RestoreBackup.opening { () throws(SQLiteOpenFault) in try segments.begin(lineage: lineage) }
        carried = []
        let first = try tails.read().joined()
        try RestoreBackup.opening { () throws(SQLiteOpenFault) in try follower.begin() }
        self.tails = tails
        let (journal, start) = (tails.positions, now())
        shared.withLock { shared in
            shared.phase = .following
            let time = shared.laterStream.map { max(start, $0 + .milliseconds(1)) } ?? start
            shared.stream = "\(BackupCatalogue.text(of: time))-\(lineage)"
            (shared.number, shared.journal, shared.copiedAt) = (0, journal, nil)
            (shared.collectedAt, shared.partAt, shared.partMadeAt) = (nil, nil, nil)
        }
        // Lines that an earlier stream did not take along.
        if !first.isEmpty {
            try seal(try ReplicaContent.bytes(of: .revocations(first)), endsBatch: true, at: nextTime())
        }
    }

    private func gather() throws(BackupFault) {
        let time = nextTime()
        var content: [UInt8] = []
        // The journal first: a line is written behind its commit, which therefore is among the frames.
        var lines = try tails?.read() ?? []
        lines.removeAll(where: \.isEmpty)
        for text in lines { content += try ReplicaContent.bytes(of: .revocations(text)) }
        for frames in carried { content += try ReplicaContent.bytes(of: .frames(frames)) }
        carried = []
        switch follower.look() {
        case .nothing: break
        case .gap(let reason): throw BackupFault(Self.gap(reason))
        case .commits(let end):
            while let frames = follower.read(to: end, maximumBytes: limits.partBytes) {
                if content.count >= limits.partBytes {
                    try seal(content, endsBatch: false, at: time)
                    content = []
                }
                content += try ReplicaContent.bytes(of: .frames(frames))
            }
            guard follower.position == end else { throw BackupFault(Self.gap("frames changed while they were read")) }
        }
        // A copy is of use with a part behind it.
        let now = now()
        let isDue = shared.withLock { shared in
            Self.isOver(limits.silence, since: shared.partMadeAt, at: now)
                || shared.partAt ?? .earliest < shared.copiedAt ?? .earliest
        }
        if !content.isEmpty || isDue { try seal(content, endsBatch: true, at: time) }
        shared.withLock { $0.collectedAt = time }
        let (frames, gap) = follower.shorten()
        if let gap { throw BackupFault(Self.gap(gap)) }
        carried = frames
    }

    /// Whether so much time has passed. A clock that was set back since does not say how much has, and waits for nothing.
    private static func isOver(_ span: Duration, since last: Timestamp?, at now: Timestamp) -> Bool {
        last.map { now < $0 || $0 + span <= now } ?? true
    }

    /// Every time is later than the ones before, whatever the clock does.
    private func nextTime() -> Timestamp {
        let now = now()
        return shared.withLock { shared in
            shared.lastTime = max(now, shared.lastTime + .milliseconds(1))
            return shared.lastTime
        }
    }

    private func seal(_ content: [UInt8], endsBatch: Bool, at time: Timestamp) throws(BackupFault) {
        let journal = tails?.positions ?? [:]
        let part = shared.withLock { shared in
            ReplicaPart(
                stream: shared.stream, number: shared.number + 1, time: time, kind: .frames(endsBatch: endsBatch))
        }
        let header = header(.replicaPart, of: part, journal)
        let path = "\(spool)/\(part.name)"
        let byteCount = try ReplicaContent.seal(content, as: header, to: path, key)
        let now = now()
        let isTooMuch = shared.withLock { shared in
            guard shared.phase == .following else { return false }
            (shared.number, shared.journal) = (part.number, journal)
            (shared.partAt, shared.partMadeAt) = (time, now)
            shared.queue.append(Item(part: part, path: path, byteCount: byteCount, journal: journal))
            shared.waitingBytes += byteCount
            return shared.waitingBytes > limits.spoolBytes
        }
        if isTooMuch {
            throw BackupFault(
                "The repository \(repository) takes less than is written: what waited for it is given up, and a new copy is made "
                    + "when it can be reached.")
        }
    }

    /// Leaves the log to the writer, and removes what waits.
    private func abandon(_ reason: String?, as phase: Phase) {
        follower.end()
        tails = nil
        carried = []
        let items = shared.withLock { shared in
            defer { (shared.queue, shared.waitingBytes) = ([], 0) }
            // What another machine has stays with it.
            if shared.phase != .fenced { shared.phase = phase }
            if let reason { shared.fault = reason }
            shared.copiedAt = nil
            return shared.queue
        }
        for item in items { unlink(item.path) }
    }

    private static func gap(_ reason: String) -> String {
        "The write-ahead log cannot be followed: \(reason). A new copy is made."
    }

    // MARK: The second thread

    /// Stores what waits, in its order, as long as this machine is the primary.
    package func ship() {
        do throws(BackupFault) {
            guard try isPrimary() else { return }
            while let item = shared.withLock({ $0.phase == .following ? $0.queue.first : nil }) {
                try store(item)
                try JournalTails.save(item.journal, at: spool + "/journal.json")
                shared.withLock { shared in
                    guard shared.queue.first == item else { return }
                    shared.queue.removeFirst()
                    shared.waitingBytes -= item.byteCount
                    if shared.copiedAt != nil, item.part.kind == .frames(endsBatch: true) {
                        shared.safeAt = item.part.time
                    }
                    shared.fault = nil
                }
                unlink(item.path)
                guard try isPrimary() else { return }
            }
        } catch {
            shared.withLock { shared in
                // A part that was given up meanwhile is no fault.
                if shared.phase != .fenced { shared.fault = error.description }
            }
        }
    }

    /// Whether this machine's claim is the one that counts; asked every few seconds, and before a stream begins.
    private func isPrimary() throws(BackupFault) -> Bool {
        let now = now()
        let (phase, checkedAt) = shared.withLock { ($0.phase, $0.claimCheckedAt) }
        let isKnown = phase != .away && !Self.isOver(limits.claimAge, since: checkedAt, at: now)
        if phase == .fenced || isKnown { return phase != .fenced }
        let counts = try claim.counts(at: repository)
        let laterStream = phase == .away ? try ReplicaPart.laterStream(than: now, at: repository) : nil
        return shared.withLock { shared in
            shared.claimCheckedAt = now
            if !counts { shared.phase = .fenced }
            if phase == .away, shared.phase == .away { (shared.phase, shared.laterStream) = (.wanted, laterStream) }
            return shared.phase != .fenced
        }
    }

    private func store(_ item: Item) throws(BackupFault) {
        guard let drafts = repository.draftFolder else {
            // The repository takes the file over, and the next attempt needs it.
            return try store(item, by: "\(item.path).draft")
        }
        try store(item, by: "\(drafts)/.\(item.part.name).\(getpid())")
    }

    private func store(_ item: Item, by draft: String) throws(BackupFault) {
        defer { unlink(draft) }
        let source = try LocalFile(path: item.path, name: item.part.name)
        let target = try OutputFile(path: draft)
        try target.write(try source.read(from: 0, count: source.byteCount))
        try target.synchronize()
        try repository.store(draft, as: item.part.name, replacing: false) { _, _ in }
    }

    // MARK: The third thread

    /// Makes a copy of the database where the stream has none, or an old one.
    package func copyIfDue() {
        let now = now()
        let due = shared.withLock { shared -> (stream: String, number: Int, journal: [String: Int])? in
            let madeAt = shared.copiedAt == nil ? nil : shared.copyMadeAt
            guard shared.phase == .following, Self.isOver(limits.copyAge, since: madeAt, at: now) else { return nil }
            return (shared.stream, shared.number, shared.journal)
        }
        guard let due else { return }
        do throws(BackupFault) {
            let part = try copy(behind: due.number, of: due.stream, due.journal)
            shared.withLock { shared in
                guard shared.stream == due.stream, shared.phase == .following else { return }
                (shared.copiedAt, shared.copyMadeAt) = (part.time, now)
                shared.fault = nil
            }
            for old in try ReplicaCatalogue(repository).unneeded(since: now - limits.kept) {
                try repository.remove(old.name)
            }
        } catch {
            shared.withLock { $0.fault = error.description }
        }
    }

    private func copy(
        behind number: Int, of stream: String, _ journal: [String: Int]
    ) throws(BackupFault) -> ReplicaPart {
        let source = EmbeddedDatabase(folder: folder)
        let backup = MakeBackup(of: source, to: repository, key: key, program: program, tell: { _, _, _ in })
        let path = WorkFile.backup.path(in: folder, ending: "copy")
        defer { WorkFile.remove(path) }
        var time: Timestamp?
        let snapshot = try RestoreBackup.opening { () throws(SQLiteOpenFault) in
            // The first step comes after the copy's view of the database has begun.
            try SQLiteSnapshot(of: folder, to: path) { _, _ in time = time ?? nextTime() }
        }
        let part = ReplicaPart(stream: stream, number: number, time: time ?? nextTime(), kind: .base)
        var header = header(.replicaBase, of: part, journal)
        (header.schemaVersion, header.rows) = (snapshot.schemaVersion, snapshot.rows)
        header.sealingKeys = snapshot.sealingKeys
        _ = try backup.store(path, as: part.name, &header, checkedWith: nil)
        return part
    }

    private func header(_ kind: BackupHeader.Kind, of part: ReplicaPart, _ journal: [String: Int]) -> BackupHeader {
        BackupHeader(
            kind: kind, madeAt: part.time.milliseconds, program: program, schemaVersion: 0, segment: "", rows: [:],
            byteCount: 0, digest: "", key: key.id, part: BackupHeader.Part(name: part.name, journal: journal))
    }
}
