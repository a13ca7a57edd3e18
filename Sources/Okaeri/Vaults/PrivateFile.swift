import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files with mode 0600, written so that a crash leaves the old contents or the new.
enum PrivateFile {
    /// The contents; `nil` when there certainly is no such file.
    static func read(_ path: String) throws(VaultError) -> Data? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            // A path whose folder is missing holds no file either; everything else may pass.
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadableNow(reason("read"))
        }
        defer { close(file) }
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
    static func makeDirectory(_ path: String) throws(VaultError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable("cannot make the folder")
        }
    }

    /// Writes the file, over an existing one.
    static func replace(_ path: String, contents: Data) throws(VaultError) {
        let temporary = try writeTemporary(contents, beside: path)
        guard rename(temporary, path) == 0 else {
            let why = reason("replace")
            unlink(temporary)
            throw .unwritable(why)
        }
        synchronizeDirectory(of: path)
    }

    /// Writes the file if there is none; otherwise it returns false, also when another process was just faster.
    static func create(_ path: String, contents: Data) throws(VaultError) -> Bool {
        let temporary = try writeTemporary(contents, beside: path)
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

    /// Whether a file's name is one that ``writeTemporary(_:beside:)`` makes: a dot, and six characters of `mkstemp`.
    private static func isTemporary(_ name: String, beside path: String) -> Bool {
        name.hasPrefix("\(path).") && name.utf8.count == path.utf8.count + 7
    }

    /// A new file with a name of its own and mode 0600 (POSIX `mkstemp`), safely on disk.
    private static func writeTemporary(_ contents: Data, beside path: String) throws(VaultError) -> String {
        var template = Array("\(path).XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw .unwritable(reason("write")) }
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
