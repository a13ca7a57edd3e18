/// What stood in sectors of a file before they were written, in one piece of memory that is used again and again.
struct SectorMemory: ~Copyable {
    static let sectorBytes = 512

    /// The sectors, in the order in which they were written first.
    private(set) var sectors: [Int] = []
    /// How many bytes of each stood in the file.
    private var counts: [Int] = []
    /// By sector: its slot in the memory, from 1 on; 0 for none.
    private var slots: [Int32] = []
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity = 64

    init() { memory = .allocate(capacity: capacity * Self.sectorBytes) }

    deinit { memory.deallocate() }

    /// What stood in a sector; `nil` for one that was not written.
    subscript(sector: Int) -> UnsafeBufferPointer<UInt8>? {
        guard sector < slots.count, slots[sector] > 0 else { return nil }
        let index = Int(slots[sector]) - 1
        return UnsafeBufferPointer(start: memory + index * Self.sectorBytes, count: counts[index])
    }

    /// Remembers a sector, unless something earlier is known of it.
    mutating func remember(_ sector: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        if sector >= slots.count {
            slots += repeatElement(0, count: max(sector + 1 - slots.count, slots.count))
        }
        guard slots[sector] == 0 else { return }
        if sectors.count == capacity { grow() }
        if let start = bytes.baseAddress, !bytes.isEmpty {
            (memory + sectors.count * Self.sectorBytes).update(from: start, count: bytes.count)
        }
        sectors.append(sector)
        counts.append(bytes.count)
        slots[sector] = Int32(sectors.count)
    }

    /// Forgets all sectors but some.
    mutating func keep(_ isKept: (Int) -> Bool) {
        var count = 0
        for index in sectors.indices {
            let sector = sectors[index]
            guard isKept(sector) else {
                slots[sector] = 0
                continue
            }
            if index > count {
                (memory + count * Self.sectorBytes).update(
                    from: memory + index * Self.sectorBytes, count: counts[index])
            }
            (sectors[count], counts[count]) = (sector, counts[index])
            count += 1
            slots[sector] = Int32(count)
        }
        sectors.removeSubrange(count...)
        counts.removeSubrange(count...)
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2 * Self.sectorBytes)
        larger.update(from: memory, count: capacity * Self.sectorBytes)
        memory.deallocate()
        memory = larger
        capacity *= 2
    }
}
