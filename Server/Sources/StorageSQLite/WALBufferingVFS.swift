import CSQLite
import Foundation

/// SQLite's own way to files, but for the write-ahead log, whose frames are gathered and written many at a time.
///
/// SQLite writes each changed page of a commit with two calls, one for 24 bytes and one for the page, and a commit of
/// many log-ins changes more than a hundred pages. What is gathered is written before the log is synchronized, and so
/// before anybody learns of the commit: a writer through this must commit with `synchronous=FULL`. It is also
/// written before the log is read there, measured, cut or closed.
enum WALBufferingVFS {
    /// What `sqlite3_open_v2` knows it by.
    static let name = "okaeri-gathering"

    /// Whether SQLite knows the name from now on.
    static let isRegistered: Bool = {
        guard let system else { return false }
        // SQLite keeps both for as long as the process lives.
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: system.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafePointer(strdup(name))
        own.pointee.szOsFile += Int32(LogFile.realOffset)
        own.pointee.xOpen = { _, path, file, flags, openedFlags in
            guard let system = WALBufferingVFS.system, let file else { return SQLITE_CANTOPEN }
            guard flags & SQLITE_OPEN_WAL != 0 else {
                return system.pointee.xOpen(system, path, file, flags, openedFlags)
            }
            // Without methods, SQLite does not close what was not opened.
            file.pointee.pMethods = nil
            let code = system.pointee.xOpen(system, path, LogFile.real(of: file), flags, openedFlags)
            if code == SQLITE_OK { LogFile.begin(at: file) }
            return code
        }
        return sqlite3_vfs_register(own, 0) == SQLITE_OK
    }()

    // The system's own, which SQLite never changes.
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)
}

/// An open log in memory that SQLite gives: this, and behind it the system's own file.
private struct LogFile {
    /// So much is gathered at most: no more than the processor holds near.
    private static let capacity = 65_536

    /// First, as SQLite looks for it there.
    private let file: sqlite3_file
    private let bytes: UnsafeMutableRawPointer
    private var count = 0
    /// Where in the log the first gathered byte belongs.
    private var start: sqlite3_int64 = 0

    private init() {
        file = sqlite3_file(pMethods: LogFileMethods.table)
        bytes = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    /// Where the system's own file begins.
    static let realOffset = (MemoryLayout<LogFile>.size + 15) & ~15

    static func real(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
        (UnsafeMutableRawPointer(file) + realOffset).assumingMemoryBound(to: sqlite3_file.self)
    }

    static func begin(at file: UnsafeMutablePointer<sqlite3_file>) {
        UnsafeMutableRawPointer(file).initializeMemory(as: LogFile.self, to: LogFile())
    }

    static func at(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<LogFile> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: LogFile.self)
    }

    /// Writes what was gathered. What cannot be written is dropped: the call that made it necessary fails, and with it
    /// the transaction whose frames they were.
    mutating func flush(to real: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        defer { count = 0 }
        return real.pointee.pMethods.pointee.xWrite(real, bytes, Int32(count), start)
    }

    mutating func write(
        _ more: UnsafeRawPointer, _ length: Int, at offset: sqlite3_int64, to real: UnsafeMutablePointer<sqlite3_file>
    ) -> Int32 {
        if offset != start + sqlite3_int64(count) || count + length > Self.capacity {
            let code = flush(to: real)
            guard code == SQLITE_OK else { return code }
            guard length <= Self.capacity else {
                return real.pointee.pMethods.pointee.xWrite(real, more, Int32(length), offset)
            }
            start = offset
        }
        (bytes + count).copyMemory(from: more, byteCount: length)
        count += length
        return SQLITE_OK
    }

    func end() { bytes.deallocate() }
}

/// What SQLite calls for an open log. All but the first six only hand on to the system's own.
private enum LogFileMethods {
    nonisolated(unsafe) static let table: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        // Without shared memory and mapping, which are the database's, not the log's.
        methods.iVersion = 1
        methods.xClose = { file in
            guard let file else { return SQLITE_MISUSE }
            let real = LogFile.real(of: file)
            let code = LogFile.at(file).pointee.flush(to: real)
            LogFile.at(file).pointee.end()
            let closed = real.pointee.pMethods.pointee.xClose(real)
            return code == SQLITE_OK ? closed : code
        }
        methods.xRead = { file, bytes, length, offset in
            flushed(file) { $0.pointee.pMethods.pointee.xRead($0, bytes, length, offset) }
        }
        methods.xWrite = { file, bytes, length, offset in
            guard let file, let bytes else { return SQLITE_MISUSE }
            return LogFile.at(file).pointee.write(bytes, Int(length), at: offset, to: LogFile.real(of: file))
        }
        methods.xTruncate = { file, size in
            flushed(file) { $0.pointee.pMethods.pointee.xTruncate($0, size) }
        }
        methods.xSync = { file, flags in
            flushed(file) { $0.pointee.pMethods.pointee.xSync($0, flags) }
        }
        methods.xFileSize = { file, size in
            flushed(file) { $0.pointee.pMethods.pointee.xFileSize($0, size) }
        }
        methods.xLock = { file, level in real(file) { $0.pointee.pMethods.pointee.xLock($0, level) } }
        methods.xUnlock = { file, level in real(file) { $0.pointee.pMethods.pointee.xUnlock($0, level) } }
        methods.xCheckReservedLock = { file, isLocked in
            real(file) { $0.pointee.pMethods.pointee.xCheckReservedLock($0, isLocked) }
        }
        methods.xFileControl = { file, operation, argument in
            real(file) { $0.pointee.pMethods.pointee.xFileControl($0, operation, argument) }
        }
        methods.xSectorSize = { file in real(file) { $0.pointee.pMethods.pointee.xSectorSize($0) } }
        methods.xDeviceCharacteristics = { file in
            real(file) { $0.pointee.pMethods.pointee.xDeviceCharacteristics($0) }
        }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: methods)
        return UnsafePointer(table)
    }()

    private static func real(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ call: (UnsafeMutablePointer<sqlite3_file>) -> Int32
    ) -> Int32 {
        guard let file else { return SQLITE_MISUSE }
        return call(LogFile.real(of: file))
    }

    private static func flushed(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ call: (UnsafeMutablePointer<sqlite3_file>) -> Int32
    ) -> Int32 {
        guard let file else { return SQLITE_MISUSE }
        let real = LogFile.real(of: file)
        let code = LogFile.at(file).pointee.flush(to: real)
        return code == SQLITE_OK ? call(real) : code
    }
}
