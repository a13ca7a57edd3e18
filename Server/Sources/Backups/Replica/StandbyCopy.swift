package import Domain
import Foundation
package import StorageSQLite

/// A copy of a replicated database on another machine, which follows the replica part by part. Blocks.
package struct StandbyCopy {
    /// How far it is; stands in `standby.json`, behind what is in the copy.
    private struct State: Codable {
        var part: String
        var position: LogPosition?
        var journal: [String: Int]
        /// Whether frames behind that part were being written: the copy is whole again when they are written anew.
        var isChanging: Bool?
    }

    package struct Report: Sendable {
        /// The state is that of this time; `nil` when the folder had a database of its own.
        package let time: Timestamp?
        package let claim: Int
        package let revocations: Int
        package let endedAll: Bool
    }

    /// How much of a part is fetched at a time.
    private static let fetchBytes = 1 << 20
    /// How many parts, beside those of one commit, are fetched before they are written.
    private static let fetchedParts = 64

    private let folder: String
    private let repository: any BackupRepository
    private let key: BackupSecretKey
    /// Who reads the copy meanwhile; `nil` when nobody does.
    private let readers: StandbyStore?

    private var copyPath: String { SQLiteStore.standbyPath(in: folder) }
    private var statePath: String { "\(folder)/standby.json" }
    /// Parts that are here, and not in the copy yet.
    private var partsFolder: String { "\(folder)/standby.parts" }

    /// - Parameters:
    ///   - folder: The data folder of this machine, in which no server runs.
    ///   - repository: Where the replica is.
    ///   - key: Opens it.
    ///   - readers: Who reads the copy while it is followed.
    package init(
        in folder: String, of repository: any BackupRepository, key: BackupSecretKey, readers: StandbyStore? = nil
    ) {
        self.folder = folder
        self.repository = repository
        self.key = key
        self.readers = readers
    }

    /// The time of what the copy of a folder holds; `nil` when there is none.
    package static func time(in folder: String) -> Timestamp? { state(at: "\(folder)/standby.json")?.part.time }

    /// What has not come after a time does not come any more. Any thread may call it.
    package func end(within time: Duration) { repository.end(within: time) }

    /// Applies what the replica has and the copy has not.
    ///
    /// - Returns: the time of what the copy holds now.
    /// - Throws: `BackupFault`. The copy is what it was, or goes on from there the next time.
    @discardableResult
    package func follow() throws(BackupFault) -> Timestamp {
        let time = try followParts()
        // Nothing is written to it before the next call.
        if let readers, readers.lag == nil {
            try RestoreBackup.opening { () throws(SQLiteOpenFault) in try readers.resume(copyPath, at: time) }
        }
        return time
    }

    private func followParts() throws(BackupFault) -> Timestamp {
        try RestoreBackup.checkIsFree(folder)
        guard let (state, part) = Self.state(at: statePath), FileManager.default.fileExists(atPath: copyPath) else {
            return try begin()
        }
        let new = try repository.names(beginningWith: ReplicaPart.beginning, after: part.name)
            .compactMap { ReplicaPart($0) }
        // A server that started anew writes another stream.
        if new.contains(where: { $0.isBase && $0.stream > part.stream }),
            try ReplicaCatalogue(repository).plan(upTo: nil, at: repository).base.stream > part.stream
        {
            return try begin()
        }
        var parts = new.filter { $0.stream == part.stream && !$0.isBase && $0.number > part.number }
            .sorted { $0.number < $1.number }
        for (index, next) in parts.enumerated() where next.number != part.number + index + 1 {
            throw BackupFault("The replica at \(repository) has no part \(part.number + index + 1) of \(part.stream).")
        }
        while let last = parts.last, last.kind != .frames(endsBatch: true) { parts.removeLast() }
        guard let last = parts.last else {
            // What the copy misses to be whole is not there any more.
            return state.isChanging == true ? try begin() : part.time
        }
        guard readers != nil else {
            try write(parts, behind: state, from: repository)
            return last.time
        }
        // Requests wait while the copy changes, and so not for the repository: what is written is here, and can be opened,
        // before.
        var (known, batch) = (state, [ReplicaPart]())
        for next in parts {
            batch.append(next)
            guard next.kind == .frames(endsBatch: true), next == last || batch.count >= Self.fetchedParts else {
                continue
            }
            known = try write(batch, behind: known)
            batch = []
        }
        return last.time
    }

    /// Fetches parts that end with a commit, and then writes them while nobody reads.
    private func write(_ batch: [ReplicaPart], behind state: State) throws(BackupFault) -> State {
        // What an earlier attempt left is of no use.
        try? FileManager.default.removeItem(atPath: partsFolder)
        try RestoreBackup.makeFolder(partsFolder)
        defer { try? FileManager.default.removeItem(atPath: partsFolder) }
        let fetched = FolderRepository(partsFolder)
        var (next, hasFrames) = (state, false)
        for part in batch {
            try fetch(part)
            let (header, records) = try ReplicaContent.read(part, at: fetched, key)
            for case .frames in records { hasFrames = true }
            (next.part, next.journal) = (part.name, header.part?.journal ?? next.journal)
        }
        guard hasFrames || state.isChanging == true else {
            // Only time has passed.
            try save(next)
            if let time = batch.last?.time { readers?.note(time) }
            return next
        }
        readers?.suspend()
        let written: State
        do throws(BackupFault) {
            written = try write(batch, behind: state, from: fetched)
        } catch {
            // Half of the batch is in it, perhaps: nobody reads it before it is whole.
            try? readers?.resume(nil, at: nil)
            throw error
        }
        try RestoreBackup.opening { () throws(SQLiteOpenFault) in
            try readers?.resume(copyPath, at: batch.last?.time)
        }
        return written
    }

    private func fetch(_ part: ReplicaPart) throws(BackupFault) {
        let source = try repository.file(part.name)
        let target = try OutputFile(path: "\(partsFolder)/\(part.name)")
        var offset = 0
        while offset < source.byteCount {
            let bytes = try source.read(from: offset, count: min(Self.fetchBytes, source.byteCount - offset))
            try target.write(bytes)
            offset += bytes.count
        }
    }

    @discardableResult
    private func write(
        _ parts: [ReplicaPart], behind state: State, from source: any BackupRepository
    ) throws(BackupFault) -> State {
        guard let last = parts.last else { return state }
        var changing = state
        changing.isChanging = true
        try save(changing)
        let copy = try ReplicaCopy(at: copyPath, after: state.position, journal: state.journal, from: source, key)
        for next in parts { try copy.apply(next) }
        try copy.finish()
        return try save(copy, at: last)
    }

    /// Makes this machine the primary with what the copy holds, or with the database that the folder has.
    ///
    /// - Parameters:
    ///   - keepsSessions: Whether sessions and codes stay although something may have ended unseen.
    ///   - now: The clock: device proofs of before are refused afterwards.
    ///   - wait: Called after the claim, while the old primary notices it.
    /// - Returns: what this machine has.
    /// - Throws: `BackupFault`.
    package func takeOver(
        keepsSessions: Bool, now: () -> Timestamp, wait: () -> Void
    ) throws(BackupFault) -> Report {
        if FileManager.default.fileExists(atPath: SQLiteStore.databasePath(in: folder)) {
            let claim = try PrimaryClaim.take(at: repository, for: folder)
            return Report(time: nil, claim: claim.number, revocations: 0, endedAll: false)
        }
        // All but the last seconds, while the old primary still works.
        try follow()
        let claim = try PrimaryClaim.take(at: repository, for: folder)
        wait()
        let time = try follow()
        // What follows changes the copy: another attempt begins anew.
        unlink(statePath)
        let journal = RestoredJournal(doubt: "what ended after the replica's last part is not known")
        // Programs cannot make keys again by themselves, and only the last seconds are unknown.
        let outcome = try RestoreBackup.end(
            journal, in: copyPath, keepsSessions: keepsSessions, keepsKeys: true, at: now()
        ) { _, _ in }
        try RestoreBackup.moveIn(copyPath, in: folder)
        unlink(copyPath)
        return Report(
            time: time, claim: claim.number, revocations: outcome.revocations, endedAll: outcome.endedAll)
    }

    private func begin() throws(BackupFault) -> Timestamp {
        let plan = try ReplicaCatalogue(repository).plan(upTo: nil, at: repository)
        try RestoreBackup.makeFolder(folder)
        let draft = WorkFile.standby.path(in: folder, ending: "sqlite")
        defer { WorkFile.remove(draft) }
        let copy = try ReplicaCopy(of: plan.base, to: draft, from: repository, key) { _, _ in }
        for part in plan.parts { try copy.apply(part) }
        try copy.finish()
        // Without a state the next attempt begins anew.
        unlink(statePath)
        // Requests read the one that it replaces until they get the new one.
        guard let last = plan.parts.last, rename(draft, copyPath) == 0 else { throw OutputFile.fault(copyPath) }
        try save(copy, at: last)
        if let readers {
            readers.suspend()
            try RestoreBackup.opening { () throws(SQLiteOpenFault) in try readers.resume(copyPath, at: last.time) }
        }
        return last.time
    }

    @discardableResult
    private func save(_ copy: ReplicaCopy, at part: ReplicaPart) throws(BackupFault) -> State {
        let state = State(part: part.name, position: copy.position, journal: copy.journal)
        try save(state)
        return state
    }

    private func save(_ state: State) throws(BackupFault) {
        guard let json = try? JSONEncoder().encode(state) else { throw BackupFault("The standby's state is none.") }
        let draft = statePath + ".new"
        let file = try OutputFile(path: draft)
        try file.write(Array(json))
        try file.synchronize()
        guard rename(draft, statePath) == 0 else { throw OutputFile.fault(statePath) }
    }

    private static func state(at path: String) -> (state: State, part: ReplicaPart)? {
        // Without the file there is no copy.
        guard let bytes = FileManager.default.contents(atPath: path),
            let state = try? JSONDecoder().decode(State.self, from: bytes), let part = ReplicaPart(state.part)
        else { return nil }
        return (state, part)
    }
}
