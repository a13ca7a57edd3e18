import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// One event loop for each processor that this process may use.
enum EventLoops {
    static func make() -> MultiThreadedEventLoopGroup {
        MultiThreadedEventLoopGroup(numberOfThreads: processorCount)
    }

    /// How many processors this process may use; fewer than there are when it was bound to some (`taskset`).
    private static var processorCount: Int {
        allowedProcessors ?? ProcessInfo.processInfo.activeProcessorCount
    }

    /// Linux tells them as ranges: `Cpus_allowed_list: 0-3,8`.
    private static var allowedProcessors: Int? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let list = lines.first(where: { $0.hasPrefix("Cpus_allowed_list:") })?.split(separator: "\t").last else {
            return nil
        }
        let counts = list.split(separator: ",").map { range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            return (ends.last ?? 0) - (ends.first ?? 0) + 1
        }
        let count = counts.reduce(0, +)
        return count > 0 ? count : nil
    }
}

/// Serves each connection on the event loop that reads and writes it, so that a request that asks nobody is answered
/// without a change of thread.
struct ConnectionOnItsLoop: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    private let http: HTTP1Channel
    private let executors: [ObjectIdentifier: LoopExecutor]

    init(_ http: HTTP1Channel, loops: any EventLoopGroup) {
        self.http = http
        executors = loops.makeIterator().reduce(into: [:]) { executors, loop in
            executors[ObjectIdentifier(loop)] = LoopExecutor(loop)
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        http.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async {
        let executor = executors[ObjectIdentifier(value.channel.eventLoop)]
        await withTaskExecutorPreference(executor) { await http.handle(value: value, logger: logger) }
    }
}

/// Runs tasks on an event loop.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
