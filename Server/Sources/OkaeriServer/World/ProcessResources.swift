import Foundation

/// How many files and connections the operating system lets this process have.
enum OpenFiles {
    /// What the server needs beside connections: databases, caches, calls to others.
    static let reserve = 256

    /// Raises the process's own limit as far as it must and may be.
    ///
    /// - Parameter wanted: How many files there should be.
    /// - Returns: how many there can be.
    static func allow(_ wanted: Int) -> Int {
        var limit = rlimit()
        #if os(Linux)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return wanted }
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, rlim_t(clamping: wanted))
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections there can be beside everything else.
    static func connections(_ wanted: Int) -> Int {
        let files = allow(wanted.addingReportingOverflow(reserve).partialValue)
        return max(1, min(wanted, max(files - reserve, files / 2)))
    }
}

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

/// By which names others know this machine and this process.
package enum SystemName {
    static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        // The last byte stays 0 whatever the length.
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static var process: Int32 { getpid() }

    /// The user whose rights this process has, or its number where nobody names it.
    package static var user: String {
        var texts = [CChar](repeating: 0, count: 16_384)
        let name = texts.withUnsafeMutableBufferPointer { texts -> String? in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = texts.baseAddress,
                getpwuid_r(geteuid(), &entry, start, texts.count, &found) == 0, found != nil, let name = entry.pw_name
            else { return nil }
            return String(cString: name)
        }
        return name ?? "user \(geteuid())"
    }

    /// Where the numbers of processes count: this machine, or one container on it.
    static var processNumbers: String {
        // Other systems have no such file, and no such containers.
        let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        return [host, space].compactMap(\.self).joined(separator: " ")
    }
}
