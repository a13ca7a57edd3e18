import Foundation

/// What the operating system tells of this process.
enum ProcessMemory {
    /// Resident memory, or `nil` on a system without `/proc`.
    static var residentBytes: Double? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Double(words[1]) else { return nil }
        return pages * Double(sysconf(Int32(clamping: _SC_PAGESIZE)))
    }
}
