import TestWorld

/// A disk in memory that loses what was not synchronised when the power fails, and whose calls fail as a seed says.
///
/// Unchecked: everything of a simulation runs on one thread.
final class SimulatedDisk: @unchecked Sendable {
    /// What can go wrong, as one case in so many; 0 for never.
    struct Faults {
        var failingReads = 0
        var failingWrites = 0
        var failingSyncs = 0
        var slowSyncs = 0
        /// How many bytes the disk has at present; `nil` for enough.
        var capacity: Int?

        static let none = Faults()
    }

    private(set) var files: [String: SimulatedFile] = [:]
    var generator: SeededGenerator
    var faults = Faults.none
    /// How many calls have failed.
    private(set) var faultCount = 0
    private(set) var powerLosses = 0
    private(set) var syncCount = 0
    private(set) var isOff = false
    /// So many calls until the power fails; `nil` for not at all.
    var callsUntilPowerLoss: Int?
    /// For how many milliseconds the present sync takes; the clock goes on by that.
    var onSlowSync: (Int64) -> Void = { _ in }

    init(seed: UInt64) { generator = SeededGenerator(state: seed) }

    var byteCount: Int { files.values.reduce(0) { $0 + $1.count } }

    func file(_ name: String, makes: Bool) -> SimulatedFile? {
        if let known = files[name] { return known }
        guard makes else { return nil }
        let file = SimulatedFile()
        files[name] = file
        return file
    }

    func remove(_ name: String) { files[name] = nil }

    enum Call { case read, write, sync, other }

    /// What becomes of a call.
    enum Fate: Equatable { case succeeds, fails, failsInTheMiddle }

    /// Decides what becomes of a call. The power may fail in it.
    func fate(of call: Call) -> Fate {
        guard !isOff else { return .fails }
        if let left = callsUntilPowerLoss {
            callsUntilPowerLoss = left - 1
            if left <= 0 {
                isOff = true
                faultCount += 1
                return call == .write ? .failsInTheMiddle : .fails
            }
        }
        let cases =
            switch call {
            case .read: faults.failingReads
            case .write: faults.failingWrites
            case .sync: faults.failingSyncs
            case .other: 0
            }
        guard cases > 0, generator.isOne(in: cases) else { return .succeeds }
        faultCount += 1
        return call == .write && generator.isOne(in: 2) ? .failsInTheMiddle : .fails
    }

    /// Whether there is room for so many bytes more.
    func hasRoom(for bytes: Int) -> Bool {
        guard bytes > 0, let capacity = faults.capacity, byteCount + bytes > capacity else { return true }
        faultCount += 1
        return false
    }

    func noteSync() {
        syncCount += 1
        if faults.slowSyncs > 0, generator.isOne(in: faults.slowSyncs) {
            onSlowSync(Int64(generator.number(below: 20_000)))
        }
    }

    /// Takes the power away now.
    func turnOff() { isOff = true }

    /// Goes on after the loss of power: of each file there is what was synchronised, and of the rest whatever reached the
    /// platter. Or after the death of the process alone: then everything that was written is there.
    func turnOn(losesUnsynced: Bool) {
        for name in files.keys.sorted() {
            if losesUnsynced { files[name]?.losePower(&generator) }
            files[name]?.forgetUsers()
        }
        if losesUnsynced { powerLosses += 1 }
        isOff = false
        callsUntilPowerLoss = nil
        faults = .none
    }
}

/// A file of the simulated disk, with what a loss of power may take back.
final class SimulatedFile {
    static let sectorBytes = SectorMemory.sectorBytes

    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity = 65_536
    private(set) var count = 0
    /// What the platter surely has of each sector that was written since.
    private var before = SectorMemory()
    /// Sectors whose sync failed: the system takes them for clean, and they never reach the platter unless written anew.
    private var forgotten: Set<Int> = []
    private var syncedCount = 0
    var locks = FileLocks()
    var sharedMemory: [UnsafeMutableRawPointer] = []
    /// How many open files use the shared memory.
    var sharedMemoryUsers = 0

    init() { bytes = .allocate(capacity: capacity) }

    deinit {
        bytes.deallocate()
        dropSharedMemory()
    }

    func dropSharedMemory() {
        for region in sharedMemory { region.deallocate() }
        sharedMemory = []
    }

    func read(into target: UnsafeMutableRawPointer, at offset: Int, count wanted: Int) -> Int {
        let there = max(0, min(wanted, count - offset))
        if there > 0 { target.copyMemory(from: bytes + offset, byteCount: there) }
        return there
    }

    func write(_ source: UnsafeRawPointer, at offset: Int, count added: Int) {
        guard added > 0 else { return }
        remember(offset..<offset + added)
        grow(to: offset + added)
        UnsafeMutableRawPointer(bytes + offset).copyMemory(from: source, byteCount: added)
    }

    func truncate(to size: Int) {
        guard size < count else { return grow(to: size) }
        remember(size..<count)
        count = size
    }

    func sync() {
        before.keep { forgotten.contains($0) }
        syncedCount = count
    }

    /// A sync that failed: what waited for it is lost for good (as Linux does since 4.13).
    func failSync() { forgotten.formUnion(before.sectors) }

    func losePower(_ generator: inout SeededGenerator) {
        for sector in before.sectors.sorted() {
            let isKept = !forgotten.contains(sector) && !generator.isOne(in: 2)
            guard !isKept, let old = before[sector] else { continue }
            let start = sector * Self.sectorBytes
            for index in 0..<Self.sectorBytes where start + index < count {
                // Never written there: what another file left.
                bytes[start + index] = index < old.count ? old[index] : UInt8(truncatingIfNeeded: generator.next())
            }
        }
        // The length is on the platter or not, apart from the sectors.
        if count > syncedCount, generator.isOne(in: 2) { count = syncedCount }
        if count < syncedCount, generator.isOne(in: 2) {
            let start = count
            grow(to: syncedCount)
            for sector in before.sectors.sorted() {
                guard let old = before[sector] else { continue }
                for (index, byte) in old.enumerated() where (start..<count).contains(sector * Self.sectorBytes + index)
                {
                    bytes[sector * Self.sectorBytes + index] = byte
                }
            }
        }
        before.keep { _ in false }
        forgotten = []
        syncedCount = count
    }

    /// Nobody has the file open any more.
    func forgetUsers() {
        locks = FileLocks()
        sharedMemoryUsers = 0
        dropSharedMemory()
    }

    private func remember(_ range: Range<Int>) {
        for sector in range.lowerBound / Self.sectorBytes...(range.upperBound - 1) / Self.sectorBytes {
            if !forgotten.isEmpty { forgotten.remove(sector) }
            let start = sector * Self.sectorBytes
            let end = min(start + Self.sectorBytes, min(count, syncedCount))
            before.remember(sector, UnsafeBufferPointer(start: bytes + start, count: max(0, end - start)))
        }
    }

    private func grow(to size: Int) {
        if size > capacity {
            capacity = max(size, capacity * 2)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: bytes, count: count)
            bytes.deallocate()
            bytes = larger
        }
        if size > count { (bytes + count).update(repeating: 0, count: size - count) }
        count = max(count, size)
    }
}

/// Who holds a file of SQLite, and its shared memory.
struct FileLocks {
    var shared = 0
    var isReserved = false
    var isExclusive = false
    /// By slot: how many share it; -1 for one alone.
    var slots = [Int](repeating: 0, count: 8)
}
