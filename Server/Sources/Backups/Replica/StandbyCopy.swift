package import Domain
import Foundation
import StorageSQLite

/// A copy of a replicated database on another machine, which follows the replica part by part. Blocks.
package struct StandbyCopy {
    /// How far it is; stands in `standby.json`, behind what is in the copy.
    private struct State: Codable {
        var part: String
        var position: LogPosition?
        var journal: [String: Int]
    }

    package struct Report: Sendable {
        /// The state is that of this time; `nil` when the folder had a database of its own.
        package let time: Timestamp?
        package let claim: Int
        package let revocations: Int
        package let endedAll: Bool
    }

    private let folder: String
    private let repository: any BackupRepository
    private let key: BackupSecretKey

    private var copyPath: String { "\(folder)/standby.sqlite" }
    private var statePath: String { "\(folder)/standby.json" }

    /// - Parameters:
    ///   - folder: The data folder of this machine, in which no server runs.
    ///   - repository: Where the replica is.
    ///   - key: Opens it.
    package init(in folder: String, of repository: any BackupRepository, key: BackupSecretKey) {
        self.folder = folder
        self.repository = repository
        self.key = key
    }

    /// The time of what the copy of a folder holds; `nil` when there is none.
    package static func time(in folder: String) -> Timestamp? { state(at: "\(folder)/standby.json")?.part.time }

    /// Applies what the replica has and the copy has not.
    ///
    /// - Returns: the time of what the copy holds now.
    /// - Throws: `BackupFault`. The copy is what it was, or goes on from there the next time.
    @discardableResult
    package func follow() throws(BackupFault) -> Timestamp {
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
        guard let last = parts.last else { return part.time }
        let copy = try ReplicaCopy(
            at: copyPath, after: state.position, journal: state.journal, from: repository, key)
        for next in parts { try copy.apply(next) }
        try finish(copy, at: last)
        return last.time
    }

    /// Makes this machine the primary with what the copy holds, or with the database that the folder has.
    ///
    /// - Parameters:
    ///   - keepsSessions: Whether sessions and codes stay although something may have ended unseen.
    ///   - wait: Called after the claim, while the old primary notices it.
    /// - Returns: what this machine has.
    /// - Throws: `BackupFault`.
    package func takeOver(keepsSessions: Bool, wait: () -> Void) throws(BackupFault) -> Report {
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
        let outcome = try RestoreBackup.end(journal, in: copyPath, keepsSessions: keepsSessions) { _, _ in }
        try RestoreBackup.moveIn(copyPath, in: folder)
        unlink(copyPath)
        return Report(
            time: time, claim: claim.number, revocations: outcome.revocations, endedAll: outcome.endedAll)
    }

    private func begin() throws(BackupFault) -> Timestamp {
        let plan = try ReplicaCatalogue(repository).plan(upTo: nil, at: repository)
        try RestoreBackup.makeFolder(folder)
        let draft = "\(folder)/.standby-\(getpid()).sqlite"
        defer { unlink(draft) }
        let copy = try ReplicaCopy(of: plan.base, to: draft, from: repository, key) { _, _ in }
        for part in plan.parts { try copy.apply(part) }
        try copy.finish()
        // Without a state the next attempt begins anew.
        unlink(statePath)
        guard let last = plan.parts.last, rename(draft, copyPath) == 0 else { throw OutputFile.fault(copyPath) }
        try save(copy, at: last)
        return last.time
    }

    private func finish(_ copy: ReplicaCopy, at part: ReplicaPart) throws(BackupFault) {
        try copy.finish()
        try save(copy, at: part)
    }

    private func save(_ copy: ReplicaCopy, at part: ReplicaPart) throws(BackupFault) {
        let state = State(part: part.name, position: copy.position, journal: copy.journal)
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
