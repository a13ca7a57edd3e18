import Foundation

/// A file in which one process works on a database or a copy of it. It is not sealed, it is large, and nobody needs it when the
/// process was killed: who begins such a file removes those of processes that are not there any more.
enum WorkFile: String, CaseIterable {
    /// A copy that a backup is made of.
    case backup
    /// What comes out of a backup or a replica.
    case restore
    /// The copy from which a standby goes on.
    case standby
    /// A segment of the revocation journal.
    case revocations
    /// A folder of such files.
    case folder

    /// A path for a file of this process.
    ///
    /// - Parameters:
    ///   - folder: A folder of this machine alone.
    ///   - ending: What the name ends with.
    /// - Returns: the path, at which nothing is.
    func path(in folder: String, ending: String) -> String {
        Self.removeAbandoned(in: folder)
        let path = "\(folder)/.\(rawValue)-\(getpid()).\(ending)"
        // In a container a new process can have the number of the one before.
        Self.remove(path)
        return path
    }

    /// Removes such files of processes that were killed, and sealed ones that they had not stored.
    static func removeAbandoned(in folder: String) {
        // A folder that cannot be listed is found out when the file is made.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let process = process(of: name), kill(process, 0) != 0, errno == ESRCH else { continue }
            let path = "\(folder)/\(name)"
            if unlink(path) != 0 { removeFolder(path) }
        }
    }

    /// Removes a folder of ours with the files in it.
    fileprivate static func removeFolder(_ path: String) {
        var status = stat()
        // What others made, or a link of theirs, may lead anywhere.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Removes a file with what SQLite puts beside it.
    static func remove(_ path: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
    }

    /// Whose file it is; `nil` for one that no process of ours makes.
    private static func process(of name: String) -> pid_t? {
        guard name.hasPrefix(".") else { return nil }
        let parts = name.split(separator: ".")
        var digits: Substring?
        if let first = parts.first, let file = allCases.first(where: { first.hasPrefix("\($0.rawValue)-") }) {
            digits = first.dropFirst(file.rawValue.utf8.count + 1)
        } else if name.hasPrefix(".okaeri-") {
            digits = parts.last
        }
        return digits.flatMap { pid_t($0, radix: 10) }.flatMap { $0 > 0 ? $0 : nil }
    }
}

/// A folder for work files in which nobody else can look, or put anything, made in one where others can, such as `TMPDIR`. It goes with
/// who holds it.
package final class PrivateFolder {
    package let path: String

    /// - Parameter parent: Where it is made; such folders of killed processes go there.
    /// - Throws: `BackupFault` when nothing can be made there.
    package init(in parent: String) throws(BackupFault) {
        WorkFile.removeAbandoned(in: parent)
        var template = Array("\(parent)/.\(WorkFile.folder.rawValue)-\(getpid()).XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw OutputFile.fault(parent) }
        path = made
    }

    deinit { WorkFile.removeFolder(path) }
}
