import Foundation

/// Where backups are kept: a folder, or a bucket of a store that speaks S3. Calls block.
package protocol BackupRepository: CustomStringConvertible {
    /// Where a file is written before it is stored.
    var draftFolder: String? { get }

    /// The names of the files that begin with a text, in no order.
    ///
    /// - Parameters:
    ///   - prefix: The text.
    ///   - last: Names up to this one may be left out; `nil` for all.
    /// - Returns: the names.
    /// - Throws: `BackupFault` when they cannot be read.
    func names(beginningWith prefix: String, after last: String?) throws(BackupFault) -> [String]

    /// Takes a finished file over; afterwards it has that name as a whole, and the draft is gone.
    func store(_ draft: String, as name: String, _ tell: (Int, Int) -> Void) throws(BackupFault)

    /// Makes a small file under a name that nobody has yet.
    ///
    /// - Returns: `false` when it is there already.
    func claim(_ name: String, _ bytes: [UInt8]) throws(BackupFault) -> Bool

    func file(_ name: String) throws(BackupFault) -> any ReadableFile

    func remove(_ name: String) throws(BackupFault)
}

extension BackupRepository {
    /// The names of all files, in no order.
    func names() throws(BackupFault) -> [String] { try names(beginningWith: "", after: nil) }
}

/// A folder of this machine, or one that is mounted.
package struct FolderRepository: BackupRepository {
    private let folder: String

    package init(_ folder: String) {
        self.folder = folder
    }

    package var description: String { folder }
    package var draftFolder: String? { folder }

    package func names(beginningWith prefix: String, after last: String?) throws(BackupFault) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                $0.hasPrefix(prefix) && $0 > last ?? ""
            }
        } catch {
            throw BackupFault(
                "The folder \(folder) cannot be read: it is not there, or not yours. Name another one with --from or --to."
            )
        }
    }

    package func store(_ draft: String, as name: String, _ tell: (Int, Int) -> Void) throws(BackupFault) {
        guard rename(draft, path(name)) == 0 else { throw OutputFile.fault(path(name)) }
        try synchronize()
    }

    package func claim(_ name: String, _ bytes: [UInt8]) throws(BackupFault) -> Bool {
        let draft = path(".\(name).\(getpid())")
        defer { unlink(draft) }
        let file = try OutputFile(path: draft)
        try file.write(bytes)
        try file.synchronize()
        // A link, which is made by one alone.
        guard link(draft, path(name)) == 0 else {
            if errno == EEXIST { return false }
            throw OutputFile.fault(path(name))
        }
        try synchronize()
        return true
    }

    private func synchronize() throws(BackupFault) {
        let directory = open(folder, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { throw OutputFile.fault(folder) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw OutputFile.fault(folder) }
    }

    package func file(_ name: String) throws(BackupFault) -> any ReadableFile {
        try LocalFile(path: path(name), name: name)
    }

    package func remove(_ name: String) throws(BackupFault) {
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw OutputFile.fault(path(name)) }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// A file of this machine.
package final class LocalFile: ReadableFile {
    package let name: String
    package let use: SealedFileUse
    package let byteCount: Int
    private let descriptor: Int32

    package init(path: String, name: String, for use: SealedFileUse = .backup) throws(BackupFault) {
        self.name = name
        self.use = use
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            let advice = use == .backup ? " “okaeri backup list” shows the backups of a repository." : ""
            throw BackupFault("\(path) cannot be read: \(reason).\(advice)")
        }
        byteCount = Int(clamping: status.st_size)
    }

    deinit {
        close(descriptor)
    }

    package func read(from offset: Int, count: Int) throws(BackupFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let part = bytes.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { pread(descriptor, $0 + done, count - done, offset + done) } ?? -1
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { throw use.damaged(name, "it ends too early, or its disk cannot be read") }
            done += part
        }
        return bytes
    }
}
