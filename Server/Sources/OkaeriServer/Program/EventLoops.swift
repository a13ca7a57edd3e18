import Foundation
import NIOCore
import NIOPosix

/// One event loop for each processor that this process may use: requests are answered on them, and two loops that share
/// a processor would only wait for each other.
enum EventLoops {
    static func make() -> MultiThreadedEventLoopGroup {
        MultiThreadedEventLoopGroup(numberOfThreads: min(System.coreCount, allowedProcessors ?? .max))
    }

    /// How many processors the process was bound to (`taskset`, `CPUAffinity=`); `nil` where the system does not tell.
    ///
    /// Linux tells them as ranges: `Cpus_allowed_list: 0-3,8`.
    private static var allowedProcessors: Int? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let list = lines.first(where: { $0.hasPrefix("Cpus_allowed_list:") })?.split(separator: "\t").last else {
            return nil
        }
        let counts = list.split(separator: ",").map { range in
            let ends = range.split(separator: "-").compactMap { Int($0, radix: 10) }
            return (ends.last ?? 0) - (ends.first ?? 0) + 1
        }
        let count = counts.reduce(0, +)
        return count > 0 ? count : nil
    }
}
