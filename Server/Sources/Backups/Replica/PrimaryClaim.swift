import Domain
import Foundation
import StorageSQLite

/// Which machine writes to a replica: the one with the highest claim at its repository.
///
/// A claim is a file `okaeri-primary-NUMBER` that is made once and never changes. A machine keeps its own in the data
/// folder; as soon as there is a higher one it is no primary any more, and never becomes one again without a new claim.
/// A repository without claims, such as one that the replica moves to, gets the server's: the next one is higher there.
/// A folder that was copied has the claim of the other one, and is no primary by it (decision 0237).
package struct PrimaryClaim: Codable, Hashable, Sendable {
    private static let beginning = "okaeri-primary-"
    private static let digits = 10
    private static let numbers = 1...9_999_999_999
    private static let tries = 20

    package let number: Int
    /// Tells two claims of one number apart: who asked again after a lost answer finds its own.
    private let id: String

    private static func path(in folder: String) -> String { "\(folder)/replica-primary.json" }
    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return beginning + String(repeating: "0", count: max(0, Self.digits - digits.utf8.count)) + digits
    }

    /// The claim of a data folder; `nil` when it has none.
    package static func held(in folder: String) -> PrimaryClaim? {
        // Without the file nothing was claimed.
        FileManager.default.contents(atPath: path(in: folder)).flatMap {
            try? JSONDecoder().decode(PrimaryClaim.self, from: $0)
        }
    }

    /// Whether the claim of a data folder was copied there, by hand or out of a backup of files: the folder that it was made for may
    /// have gone on since.
    package static func isCopied(in folder: String) -> Bool {
        guard let mark = keptMark(in: folder), let present = FileMark(of: path(in: folder)) else { return false }
        return present.isCopy(of: mark)
    }

    private static func keptMark(in folder: String) -> FileMark? {
        // What cannot be understood has no mark either.
        FileManager.default.contents(atPath: path(in: folder)).flatMap {
            try? JSONDecoder().decode(Held.self, from: $0).file
        }
    }

    /// The highest number at a repository; `nil` when nobody has claimed anything. Files that only begin like a claim are none.
    ///
    /// - Throws: `BackupFault` when the repository cannot be asked.
    package static func highest(at repository: any BackupRepository) throws(BackupFault) -> Int? {
        try repository.names(beginningWith: beginning, after: nil).compactMap { name -> Int? in
            guard let number = Int(name.dropFirst(beginning.count), radix: 10), numbers.contains(number),
                Self.name(number) == name
            else { return nil }
            return number
        }.max()
    }

    /// The claim of a server that starts: its own, or the first one of all.
    ///
    /// A server whose repository cannot be asked starts with the claim that it has; it stops when it learns of a higher one.
    ///
    /// - Throws: `BackupFault` when another machine is the primary.
    package static func forServer(
        of folder: String, at repository: any BackupRepository
    ) throws(BackupFault) -> PrimaryClaim {
        guard let held = held(in: folder) else {
            guard try highest(at: repository) == nil else { throw refusal(of: folder, at: repository) }
            return try take(at: repository, for: folder)
        }
        // Also where the repository cannot be asked.
        guard !isCopied(in: folder) else {
            throw BackupFault(
                "this data folder \(folder) was copied from another one, or comes from a backup of files; the other one may be the "
                    + "primary of the replica at \(repository), and may have more. “okaeri standby take-over --data \(folder)” makes "
                    + "this one the primary; what only the other one has is lost then. A copy to try something starts without "
                    + "a replica.")
        }
        let counts: Bool
        do throws(BackupFault) {
            counts = try held.counts(at: repository)
        } catch {
            // It is asked again while the server runs.
            return held
        }
        guard counts else { throw refusal(of: folder, at: repository) }
        // The claim of an older program. Where that fails, the next start does it.
        if keptMark(in: folder) == nil { try? held.save(in: folder) }
        return held
    }

    private static func refusal(of folder: String, at repository: any BackupRepository) -> BackupFault {
        BackupFault(
            "another machine is the primary of the replica at \(repository), and this data folder \(folder) may be older. "
                + "“okaeri standby take-over --data \(folder)” makes this machine the primary; what only the other one has "
                + "is lost then.")
    }

    /// Whether this is the claim of the primary at a repository; one without claims gets it.
    ///
    /// The number alone does not tell: two repositories may have given the same one, and one may have given fewer.
    ///
    /// - Throws: `BackupFault` when the repository cannot be asked.
    package func counts(at repository: any BackupRepository) throws(BackupFault) -> Bool {
        guard let highest = try Self.highest(at: repository) else {
            guard let json = try? JSONEncoder().encode(self) else { return false }
            if try repository.claim(Self.name(number), Array(json)) { return true }
            return try isStored(at: repository)
        }
        return try isHighest(highest, at: repository)
    }

    /// Whether the claim of the highest number at a repository is this one.
    ///
    /// - Throws: `BackupFault` when it cannot be read.
    package func isHighest(_ highest: Int, at repository: any BackupRepository) throws(BackupFault) -> Bool {
        guard highest == number else { return false }
        return try isStored(at: repository)
    }

    /// - Throws: `BackupFault` also for what is no claim: a store that gives a part of one, or somebody else's page, does not say that
    ///   another machine is the primary.
    private func isStored(at repository: any BackupRepository) throws(BackupFault) -> Bool {
        let name = Self.name(number)
        let file = try repository.file(name)
        let bytes = try file.read(from: 0, count: min(file.byteCount, 4096))
        // What is wrong with it helps nobody.
        guard let stored = try? JSONDecoder().decode(PrimaryClaim.self, from: Data(bytes)) else {
            throw BackupFault(
                "The claim \(name) at \(repository) cannot be read, which says which machine is the primary of the replica: see "
                    + "that the repository gives what was stored there. Where the file is damaged, “okaeri standby take-over” makes "
                    + "another claim.")
        }
        return stored == self
    }

    /// Makes this machine the primary; every other one stops as soon as it looks.
    ///
    /// - Throws: `BackupFault`. Nothing is claimed then.
    package static func take(at repository: any BackupRepository, for folder: String) throws(BackupFault)
        -> PrimaryClaim
    {
        let id = try Sodium.hexadecimalDigits(count: 16)
        for _ in 0..<tries {
            // In range: a number of ten digits is the highest.
            let number = (try highest(at: repository) ?? 0) + 1
            guard numbers.contains(number) else {
                throw BackupFault(
                    "\(repository) has the claim \(name(numbers.upperBound)), above which there is none. Remove it there, and try "
                        + "again.")
            }
            let claim = PrimaryClaim(number: number, id: id)
            guard let json = try? JSONEncoder().encode(claim) else { break }
            if try !repository.claim(name(number), Array(json)), try !claim.isStored(at: repository) { continue }
            try claim.save(in: folder)
            return claim
        }
        throw BackupFault("\(repository) gives nobody a claim: others claim it at the same time. Try again.")
    }

    /// Writes the claim to a data folder, with the mark of the file that it is in.
    private func save(in folder: String) throws(BackupFault) {
        let (draft, path) = (Self.path(in: folder) + ".new", Self.path(in: folder))
        let file = try OutputFile(path: draft)
        guard let json = try? JSONEncoder().encode(Held(number: number, id: id, file: FileMark(of: draft))) else {
            throw OutputFile.fault(draft)
        }
        try file.write(Array(json))
        try file.synchronize()
        if let path = FolderOwner.give([draft], of: folder) { throw OutputFile.fault(path) }
        guard rename(draft, path) == 0 else { throw OutputFile.fault(path) }
    }

    /// The claim as it is in a data folder.
    private struct Held: Codable {
        let number: Int
        let id: String
        /// `nil` where an older program wrote it.
        let file: FileMark?
    }
}

/// Which file of a file system it is. A copy has another number and came later; neither alone tells, because some file systems
/// give numbers anew each time that they are mounted, and the time moves when a file gets another owner.
private struct FileMark: Codable {
    /// Longer than a file takes from its first byte to its name.
    private static let writingSeconds: Int64 = 60

    let number: UInt64
    /// When the file last changed, its name and its owner too, in whole seconds.
    let changedAt: Int64

    /// `nil` for a file that is not there.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        number = UInt64(clamping: status.st_ino)
        #if os(Linux)
            changedAt = Int64(clamping: status.st_ctim.tv_sec)
        #else
            changedAt = Int64(clamping: status.st_ctimespec.tv_sec)
        #endif
    }

    /// Whether a file that had a mark when it was written was copied to where this one is.
    func isCopy(of written: FileMark) -> Bool {
        number != written.number && changedAt - Self.writingSeconds > written.changedAt
    }
}
