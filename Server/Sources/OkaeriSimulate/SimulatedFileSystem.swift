import CSQLite
import Foundation
import TestWorld

/// SQLite's extended codes of failed calls, which Swift does not see as they are sums of macros.
private enum Failure {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let sync = SQLITE_IOERR | 4 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let size = SQLITE_IOERR | 7 << 8
    static let delete = SQLITE_IOERR | 10 << 8
    static let access = SQLITE_IOERR | 13 << 8
    static let lock = SQLITE_IOERR | 15 << 8
    static let memoryLock = SQLITE_IOERR | 20 << 8
    static let memoryMap = SQLITE_IOERR | 21 << 8
}

/// The simulated disk as SQLite's default file system.
enum SimulatedFileSystem {
    /// Makes SQLite use the disk for every file from now on. Once in a process, before its first use of files.
    ///
    /// - Returns: whether it does.
    static func mount(_ disk: SimulatedDisk) -> Bool {
        guard let system = sqlite3_vfs_find(nil) else { return false }
        // SQLite keeps both for as long as the process lives.
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: system.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafePointer(strdup("okaeri-simulated"))
        own.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        own.pointee.pAppData = Unmanaged.passRetained(disk).toOpaque()
        own.pointee.xOpen = { vfs, name, file, flags, openedFlags in
            guard let file, let disk = SimulatedFileSystem.disk(vfs) else { return SQLITE_CANTOPEN }
            file.pointee.pMethods = nil
            guard disk.fate(of: .other) == .succeeds else { return SQLITE_CANTOPEN }
            let path = name.map { String(cString: $0) } ?? "temporary"
            guard let found = disk.file(path, makes: flags & SQLITE_OPEN_CREATE != 0) else { return SQLITE_CANTOPEN }
            openedFlags?.pointee = flags
            let methods = FileMethods.table
            UnsafeMutableRawPointer(file).initializeMemory(
                as: OpenFile.self, to: OpenFile(base: sqlite3_file(pMethods: methods), disk: disk, file: found))
            return SQLITE_OK
        }
        own.pointee.xDelete = { vfs, name, _ in
            guard let disk = SimulatedFileSystem.disk(vfs), let name else { return Failure.delete }
            guard disk.fate(of: .other) == .succeeds else { return Failure.delete }
            disk.remove(String(cString: name))
            return SQLITE_OK
        }
        own.pointee.xAccess = { vfs, name, _, answer in
            guard let disk = SimulatedFileSystem.disk(vfs), let name else { return Failure.access }
            let file = disk.files[String(cString: name)]
            answer?.pointee = file == nil ? 0 : 1
            return SQLITE_OK
        }
        own.pointee.xFullPathname = { _, name, size, target in
            guard let name, let target, strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(target, name)
            return SQLITE_OK
        }
        own.pointee.xRandomness = { vfs, count, target in
            guard let disk = SimulatedFileSystem.disk(vfs), let target else { return 0 }
            for index in 0..<Int(count) {
                target[index] = CChar(truncatingIfNeeded: disk.generator.next())
            }
            return count
        }
        own.pointee.xSleep = { _, microseconds in microseconds }
        return sqlite3_vfs_register(own, 1) == SQLITE_OK
    }

    private static func disk(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedDisk? {
        vfs?.pointee.pAppData.map { Unmanaged<SimulatedDisk>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// An open file in memory that SQLite gives.
private struct OpenFile {
    /// First, as SQLite looks for it there.
    var base: sqlite3_file
    let disk: SimulatedDisk
    let file: SimulatedFile
    var level = SQLITE_LOCK_NONE
    /// The slots of shared memory that it shares, and those that it has alone, as bits.
    var sharedSlots = 0
    var ownSlots = 0
    var usesSharedMemory = false

    static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<OpenFile>? {
        file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: OpenFile.self) }
    }

    mutating func lock(_ wanted: Int32) -> Int32 {
        guard wanted > level else { return SQLITE_OK }
        if wanted == SQLITE_LOCK_SHARED {
            guard !file.locks.isExclusive else { return SQLITE_BUSY }
            file.locks.shared += 1
        }
        if wanted >= SQLITE_LOCK_RESERVED, level < SQLITE_LOCK_RESERVED {
            guard !file.locks.isReserved else { return SQLITE_BUSY }
            file.locks.isReserved = true
            level = SQLITE_LOCK_RESERVED
        }
        if wanted == SQLITE_LOCK_EXCLUSIVE {
            guard file.locks.shared <= 1 else { return SQLITE_BUSY }
            file.locks.isExclusive = true
        }
        level = wanted
        return SQLITE_OK
    }

    mutating func unlock(_ wanted: Int32) {
        if level >= SQLITE_LOCK_RESERVED, wanted < SQLITE_LOCK_RESERVED {
            file.locks.isReserved = false
            file.locks.isExclusive = false
        }
        if level >= SQLITE_LOCK_SHARED, wanted == SQLITE_LOCK_NONE { file.locks.shared -= 1 }
        level = min(level, wanted)
    }

    /// The last one that lets go of the shared memory takes it away, as the system's own does.
    mutating func leaveSharedMemory() {
        _ = lockSlots(0..<8, SQLITE_SHM_UNLOCK)
        guard usesSharedMemory else { return }
        usesSharedMemory = false
        file.sharedMemoryUsers -= 1
        if file.sharedMemoryUsers == 0 { file.dropSharedMemory() }
    }

    mutating func lockSlots(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        for slot in slots {
            let bit = 1 << slot
            let held = file.locks.slots[slot]
            if flags & SQLITE_SHM_UNLOCK != 0 {
                if ownSlots & bit != 0 { file.locks.slots[slot] = 0 }
                if sharedSlots & bit != 0 { file.locks.slots[slot] = held - 1 }
                ownSlots &= ~bit
                sharedSlots &= ~bit
            } else if flags & SQLITE_SHM_SHARED != 0 {
                guard held >= 0 else { return SQLITE_BUSY }
                if sharedSlots & bit == 0 { file.locks.slots[slot] = held + 1 }
                sharedSlots |= bit
            } else {
                guard held == 0 else { return SQLITE_BUSY }
            }
        }
        if flags & SQLITE_SHM_LOCK != 0, flags & SQLITE_SHM_EXCLUSIVE != 0 {
            for slot in slots {
                file.locks.slots[slot] = -1
                ownSlots |= 1 << slot
            }
        }
        return SQLITE_OK
    }
}

private enum FileMethods {
    nonisolated(unsafe) static let table: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        methods.iVersion = 2
        methods.xClose = { file in
            guard let open = OpenFile.at(file) else { return SQLITE_OK }
            open.pointee.unlock(SQLITE_LOCK_NONE)
            open.pointee.leaveSharedMemory()
            open.deinitialize(count: 1)
            return SQLITE_OK
        }
        methods.xRead = { file, target, count, offset in
            guard let open = OpenFile.at(file), let target else { return Failure.read }
            guard open.pointee.disk.fate(of: .read) == .succeeds else { return Failure.read }
            let there = open.pointee.file.read(into: target, at: Int(offset), count: Int(count))
            guard there < Int(count) else { return SQLITE_OK }
            memset(target + there, 0, Int(count) - there)
            return Failure.shortRead
        }
        methods.xWrite = { file, source, count, offset in
            guard let open = OpenFile.at(file), let source else { return Failure.write }
            let (disk, target) = (open.pointee.disk, open.pointee.file)
            switch disk.fate(of: .write) {
            case .fails: return Failure.write
            case .failsInTheMiddle:
                target.write(source, at: Int(offset), count: disk.generator.number(below: Int(count) + 1))
                return Failure.write
            case .succeeds:
                guard disk.hasRoom(for: Int(offset) + Int(count) - target.count) else { return SQLITE_FULL }
                target.write(source, at: Int(offset), count: Int(count))
                return SQLITE_OK
            }
        }
        methods.xTruncate = { file, size in
            guard let open = OpenFile.at(file) else { return Failure.truncate }
            guard open.pointee.disk.fate(of: .other) == .succeeds else { return Failure.truncate }
            open.pointee.file.truncate(to: Int(size))
            return SQLITE_OK
        }
        methods.xSync = { file, _ in
            guard let open = OpenFile.at(file) else { return Failure.sync }
            let disk = open.pointee.disk
            guard disk.fate(of: .sync) == .succeeds else {
                open.pointee.file.failSync()
                return Failure.sync
            }
            disk.noteSync()
            open.pointee.file.sync()
            return SQLITE_OK
        }
        methods.xFileSize = { file, size in
            guard let open = OpenFile.at(file) else { return Failure.size }
            size?.pointee = sqlite3_int64(open.pointee.file.count)
            return SQLITE_OK
        }
        methods.xLock = { file, level in OpenFile.at(file)?.pointee.lock(level) ?? Failure.lock }
        methods.xUnlock = { file, level in
            OpenFile.at(file)?.pointee.unlock(level)
            return SQLITE_OK
        }
        methods.xCheckReservedLock = { file, answer in
            answer?.pointee = OpenFile.at(file)?.pointee.file.locks.isReserved == true ? 1 : 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in Int32(SimulatedFile.sectorBytes) }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        methods.xShmMap = { file, region, size, mayMake, target in
            guard let user = OpenFile.at(file) else { return Failure.memoryMap }
            let open = user.pointee.file
            if !user.pointee.usesSharedMemory {
                user.pointee.usesSharedMemory = true
                open.sharedMemoryUsers += 1
            }
            while open.sharedMemory.count <= Int(region), mayMake != 0 {
                let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(size), alignment: 16)
                memset(memory, 0, Int(size))
                open.sharedMemory.append(memory)
            }
            let isThere = Int(region) < open.sharedMemory.count
            target?.pointee = isThere ? UnsafeMutableRawPointer(open.sharedMemory[Int(region)]) : nil
            return SQLITE_OK
        }
        methods.xShmLock = { file, first, count, flags in
            OpenFile.at(file)?.pointee.lockSlots(Int(first)..<Int(first + count), flags) ?? Failure.memoryLock
        }
        methods.xShmBarrier = { _ in }
        methods.xShmUnmap = { file, _ in
            OpenFile.at(file)?.pointee.leaveSharedMemory()
            return SQLITE_OK
        }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: methods)
        return UnsafePointer(table)
    }()
}
