import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Until when the system keeps files from being read. Each one names its class: an app may have given all of its files the class
/// `NSFileProtectionComplete` (the capability *Data Protection* does), and then nothing could be read while the phone is locked.
struct FileProtection: Sendable {
    /// Gives an open file or folder its class.
    let apply: @Sendable (_ file: Int32) -> Void

    /// Readable from the phone's first unlock on, as what the Keychain keeps for this library
    /// (`NSFileProtectionCompleteUntilFirstUserAuthentication`).
    static let untilFirstUnlock = FileProtection { file in
        #if canImport(Darwin) && !os(macOS)
            // Class C. A file system without classes refuses, and needs none.
            _ = fcntl(file, F_SETPROTECTIONCLASS, 3)
        #endif
    }
}

/// Files with mode 0600, written so that a crash leaves the old contents or the new.
enum PrivateFile {
    /// The contents; `nil` when there certainly is no such file. A file of another class of protection gets the one that is named.
    static func read(_ path: String, protection: FileProtection? = nil) throws(VaultError) -> Data? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            // A path whose folder is missing holds no file either; everything else may pass.
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadableNow(reason("read"))
        }
        defer { close(file) }
        protection?.apply(file)
        var contents = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            #if canImport(Darwin)
                let count = Darwin.read(file, &buffer, buffer.count)
            #elseif canImport(Glibc)
                let count = Glibc.read(file, &buffer, buffer.count)
            #else
                let count = Musl.read(file, &buffer, buffer.count)
            #endif
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadableNow(reason("read")) }
            if count == 0 { return contents }
            contents.append(contentsOf: buffer[..<count])
        }
    }

    /// Makes the folder, and those above it, with mode 0700 where they are missing.
    static func makeDirectory(_ path: String, protection: FileProtection? = nil) throws(VaultError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable("cannot make the folder")
        }
        guard let protection else { return }
        // New files have the class of their folder, and while the phone is locked only that allows them to be made.
        let directory = open(path, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return }
        protection.apply(directory)
        close(directory)
    }

    /// Writes the file, over an existing one.
    static func replace(
        _ path: String, contents: Data, protection: FileProtection? = nil
    ) throws(VaultError) {
        let temporary = try writeTemporary(contents, beside: path, protection)
        guard rename(temporary, path) == 0 else {
            let why = reason("replace")
            unlink(temporary)
            throw .unwritable(why)
        }
        synchronizeDirectory(of: path)
    }

    /// Writes the file if there is none; otherwise it returns false, also when another process was just faster.
    static func create(
        _ path: String, contents: Data, protection: FileProtection? = nil
    ) throws(VaultError) -> Bool {
        let temporary = try writeTemporary(contents, beside: path, protection)
        defer { unlink(temporary) }
        guard link(temporary, path) == 0 else {
            if errno == EEXIST { return false }
            throw .unwritable(reason("make"))
        }
        synchronizeDirectory(of: path)
        return true
    }

    /// Removes the file, if there is one.
    static func remove(_ path: String) throws(VaultError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw .unwritable(reason("remove")) }
    }

    /// Removes the file, if there is one, and what a crash has left of new contents that were never put in its place.
    static func removeAll(_ path: String) throws(VaultError) {
        let folder = folder(of: path)
        if FileManager.default.fileExists(atPath: folder) {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: folder)
            } catch {
                throw .unwritable("cannot look for what a crash has left")
            }
            for name in names.map({ "\(folder)/\($0)" }) where isTemporary(name, beside: path) { try remove(name) }
        }
        try remove(path)
    }

    /// Whether a file's name is one that ``writeTemporary(_:beside:_:)`` makes: a dot, and six characters of `mkstemp`.
    private static func isTemporary(_ name: String, beside path: String) -> Bool {
        name.hasPrefix("\(path).") && name.utf8.count == path.utf8.count + 7
    }

    /// A new file with a name of its own and mode 0600 (POSIX `mkstemp`), safely on disk.
    private static func writeTemporary(
        _ contents: Data, beside path: String, _ protection: FileProtection?
    ) throws(VaultError) -> String {
        var template = Array("\(path).XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw .unwritable(reason("write")) }
        protection?.apply(file)
        let name = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let isWritten = append(contents, to: file) && fsync(file) == 0
        // Some file systems say only at the end that they could not take it.
        guard close(file) == 0, isWritten else {
            unlink(name)
            throw .unwritable("cannot write: the disk may be full")
        }
        return name
    }

    /// - Returns: Whether the system took all of it.
    private static func append(_ contents: Data, to file: Int32) -> Bool {
        contents.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = write(file, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                written += count
            }
            return true
        }
    }

    /// Makes the new name survive a loss of power. A file system that cannot do so is no reason to fail.
    private static func synchronizeDirectory(of path: String) {
        let directory = open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// The folder that holds what has this path.
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func reason(_ verb: String) -> String {
        "cannot \(verb) the file: \(String(cString: strerror(errno)))"
    }
}
