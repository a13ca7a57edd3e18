import Domain
import Foundation

/// The segments of the revocation journal in a data folder: `revocations/NAME`, and `revocations/open`, a link to the one
/// that commits write to. Each backup begins a new one just before it looks at the database, so that all that ends after
/// its look is in its segment or a later one.
package struct RevocationSegments: Sendable {
    private let dataFolder: String
    private let folder: String

    /// - Parameter folder: The data folder.
    package init(folder: String) {
        dataFolder = folder
        self.folder = Self.folder(in: folder)
    }

    static func folder(in dataFolder: String) -> String { dataFolder + "/revocations" }
    static func openSegment(in dataFolder: String) -> String { folder(in: dataFolder) + "/open" }

    /// The names of all segments, the oldest first.
    package var names: [String] {
        // A folder that is not there has no segments.
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter(Self.isName).sorted()
    }

    package func path(of name: String) -> String { "\(folder)/\(name)" }

    /// The name that commits write to now; `nil` before the first backup.
    package var open: String? {
        // Without a link there is none.
        try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/open")
    }

    /// Lets commits write to a new segment from now on.
    ///
    /// - Parameter lineage: Eight random hexadecimal digits, for an installation that has no segment yet.
    /// - Returns: its name.
    /// - Throws: `SQLiteOpenFault` when it cannot be made.
    package func begin(lineage: String) throws(SQLiteOpenFault) -> String {
        let name = Self.name(after: names.last, lineage: lineage)
        let draft = "\(folder)/.open-\(getpid())"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SQLiteOpenFault("The folder \(folder) cannot be made: \(error.systemReason).")
        }
        let file = Foundation.open(path(of: name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fault(path(of: name)) }
        defer { close(file) }
        try giveToOwner(file)
        unlink(draft)
        guard fsync(file) == 0, symlink(name, draft) == 0, rename(draft, folder + "/open") == 0 else {
            throw fault(folder + "/open")
        }
        for path in [folder, dataFolder] {
            let directory = Foundation.open(path, O_RDONLY | O_CLOEXEC)
            guard directory >= 0 else { throw fault(path) }
            defer { close(directory) }
            guard fsync(directory) == 0 else { throw fault(path) }
        }
        return name
    }

    /// The server must be able to write to a segment that root began.
    private func giveToOwner(_ file: Int32) throws(SQLiteOpenFault) {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard stat(dataFolder, &status) == 0, fchown(file, status.st_uid, status.st_gid) == 0,
            chown(folder, status.st_uid, status.st_gid) == 0
        else { throw fault(folder) }
    }

    /// Removes segments that no backup needs any more.
    package func remove(before name: String) {
        for old in names where Self.lineage(of: old) == Self.lineage(of: name) && old < name { unlink(path(of: old)) }
    }

    /// The segments that a backup needs, of names that are there: its own and all behind it.
    ///
    /// - Returns: `nil` when one is missing.
    package static func chain(from first: String, among names: [String]) -> [String]? {
        let chain = names.filter { isName($0) && lineage(of: $0) == lineage(of: first) && $0 >= first }.sorted()
        guard chain.first == first else { return nil }
        let numbers = chain.compactMap { Int($0.suffix(8), radix: 10) }
        return zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 } ? chain : nil
    }

    /// The name of the segment behind another one.
    ///
    /// - Parameters:
    ///   - last: The newest that there is; `nil` for an installation that has none.
    ///   - lineage: Eight random hexadecimal digits, for such an installation.
    /// - Returns: the name.
    package static func name(after last: String?, lineage: String) -> String {
        let number = last.flatMap { Int($0.suffix(8), radix: 10) } ?? 0
        let digits = String(number + 1)
        return "\(last.map { String(self.lineage(of: $0)) } ?? lineage)-"
            + String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
    }

    /// What the segments of one installation have in common. One that was restored has another.
    package static func lineage(of name: String) -> Substring { name.prefix(8) }

    package static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { $0.utf8.count == 8 }
            && parts[0].utf8.allSatisfy { Hexadecimal.smallDigit($0) != nil }
            && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private func fault(_ path: String) -> SQLiteOpenFault {
        SQLiteOpenFault("\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
