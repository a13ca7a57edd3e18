import Foundation
import Glibc

/// A process seen from outside, through `/proc`: how much memory it holds and how much time it took of the processors.
package struct ProcessUsage: Sendable {
    private let identifier: Int32

    package init(of identifier: Int32) {
        self.identifier = identifier
    }

    /// User and system time of all threads so far, in microseconds; 0 when the process is gone.
    ///
    /// The kernel tells it in ticks of 10 ms: measure for seconds.
    package var processorMicroseconds: Double {
        // The second field is the program's name in brackets and may hold spaces.
        guard let text = read("stat"), let end = text.lastIndex(of: ")") else { return 0 }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) * 1_000_000 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Resident memory in mebibytes; 0 when the process is gone.
    package var residentMebibytes: Double {
        guard let fields = read("statm")?.split(separator: " "), fields.count > 1, let pages = Double(fields[1]) else {
            return 0
        }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    private func read(_ file: String) -> String? {
        FileManager.default.contents(atPath: "/proc/\(identifier)/\(file)").map { String(decoding: $0, as: UTF8.self) }
    }
}
