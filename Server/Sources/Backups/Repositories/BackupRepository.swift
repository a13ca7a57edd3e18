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
    ///
    /// - Parameters:
    ///   - draft: The file's path on this machine.
    ///   - name: Its name at the repository.
    ///   - replacing: Whether what has the name gives way. Otherwise it stays: the same bytes are what an earlier try
    ///     stored whose answer was lost, and anything else is refused.
    ///   - tell: Called with how many bytes of how many are stored.
    /// - Throws: `BackupFault`.
    func store(_ draft: String, as name: String, replacing: Bool, _ tell: (Int, Int) -> Void) throws(BackupFault)

    /// Makes a small file under a name that nobody has yet.
    ///
    /// - Returns: `false` when it is there already.
    func claim(_ name: String, _ bytes: [UInt8]) throws(BackupFault) -> Bool

    func file(_ name: String) throws(BackupFault) -> any ReadableFile

    func remove(_ name: String) throws(BackupFault)

    /// Ends what is under way after a time, and whatever is asked later: for a program that ends. Any thread may call it.
    func end(within time: Duration)
}

extension BackupRepository {
    /// A folder has nothing that could be ended.
    package func end(within time: Duration) {}

    /// The names of all files, in no order.
    func names() throws(BackupFault) -> [String] { try names(beginningWith: "", after: nil) }

    /// Ends a store that found its name taken.
    ///
    /// - Throws: `BackupFault` when something else has the name.
    func accept(_ draft: LocalFile, as name: String) throws(BackupFault) {
        guard try draft.isSame(as: file(name)) else {
            throw BackupFault(
                "\(self) has another file \(name) already, which stays as it is: no backup replaces another one. Run the "
                    + "command again, which gives a new backup a name of its own.")
        }
    }
}

/// A folder of this machine, or one that is mounted.
package struct FolderRepository: BackupRepository {
    private let folder: String
    private let hasLinks: Bool

    package init(_ folder: String) { self.init(folder, hasLinks: true) }

    /// - Parameters:
    ///   - folder: Its path.
    ///   - hasLinks: Whether a link may be tried. A file system without them refuses it.
    init(_ folder: String, hasLinks: Bool) {
        self.folder = folder
        self.hasLinks = hasLinks
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

    package func store(
        _ draft: String, as name: String, replacing: Bool, _ tell: (Int, Int) -> Void
    ) throws(BackupFault) {
        if replacing {
            guard rename(draft, path(name)) == 0 else { throw OutputFile.fault(path(name)) }
        } else if try !move(draft, to: path(name)) {
            try accept(LocalFile(path: draft, name: name), as: name)
            unlink(draft)
        }
        try synchronize()
    }

    /// Gives a finished file a name that nobody has: by a link, which is made by one alone. Without links an empty file takes
    /// the name, also for one alone, and the finished one replaces it.
    ///
    /// - Returns: `false` when the name is taken.
    private func move(_ draft: String, to path: String) throws(BackupFault) -> Bool {
        if hasLinks {
            if link(draft, path) == 0 {
                unlink(draft)
                return true
            }
            if errno == EEXIST { return false }
        }
        let taken = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard taken >= 0 else {
            if errno == EEXIST { return false }
            throw OutputFile.fault(path)
        }
        close(taken)
        guard rename(draft, path) == 0 else {
            let fault = OutputFile.fault(path)
            unlink(path)
            throw fault
        }
        return true
    }

    package func claim(_ name: String, _ bytes: [UInt8]) throws(BackupFault) -> Bool {
        let draft = path(".\(name).\(getpid())")
        defer { unlink(draft) }
        let file = try OutputFile(path: draft)
        try file.write(bytes)
        try file.synchronize()
        guard try move(draft, to: path(name)) else { return false }
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

/// A file of this machine. What else has a name in a folder (a pipe, a device, another folder) is refused, and not waited for.
package final class LocalFile: ReadableFile {
    package let name: String
    package let use: SealedFileUse
    package let byteCount: Int
    private let descriptor: Int32

    package init(path: String, name: String, for use: SealedFileUse = .backup) throws(BackupFault) {
        self.name = name
        self.use = use
        // A pipe would be opened when somebody writes to it.
        let opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        descriptor = opened
        var status = stat()
        let isOpen = opened >= 0 && fstat(opened, &status) == 0
        guard isOpen, status.st_mode & S_IFMT == S_IFREG else {
            let reason = isOpen ? "it is no regular file" : String(cString: strerror(errno))
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
