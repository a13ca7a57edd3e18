import Foundation

/// The switch of `make test-of-tests`: which planted fault is active, and which ones are reached. Copied into the domain
/// of a copy of the repository, and built nowhere else.
enum PlantedFault {
    private static let active = environment("OKAERI_PLANTED_FAULT").flatMap { Int($0) }
    /// One byte for each fault in a file that outlives a crash.
    nonisolated(unsafe) private static let reached = mappedFile()
    private static let maximumFaults = 65_536

    static func isActive(_ number: Int) -> Bool {
        if let reached { reached[number] = 1 }
        return active == number
    }

    private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    private static func mappedFile() -> UnsafeMutablePointer<UInt8>? {
        guard let path = environment("OKAERI_REACHED_FAULTS") else { return nil }
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0, ftruncate(file, off_t(maximumFaults)) == 0,
            let memory = mmap(nil, maximumFaults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { return nil }
        return memory.assumingMemoryBound(to: UInt8.self)
    }
}
