import CGlibc
import Foundation
import Logging
import ServiceLifecycle

/// Gives memory back that is not used any more: soon after the start, free pages of the heap, and pages of the program that are
/// only used at the start (decision 0149); later, each time when a server rests that had work, free pages of the heap (decision 0208).
struct MemoryTrim: Service {
    /// How long after the start, so that it meets neither the start itself nor the requests that waited for it.
    static let delay: Duration = .seconds(2)
    /// How often it is seen whether the server rests.
    static let interval: Duration = .seconds(300)

    let logger: Logger

    func run() async throws {
        // A server that stops earlier has nothing to give back.
        guard await passes(Self.delay) else { return }
        giveBack {
            give_back_heap()
            _ = give_back_program()
        }
        var watch = RestWatch(used: ProcessTime.used)
        while await passes(Self.interval) {
            if watch.rests(used: ProcessTime.used, over: Self.interval) { giveBack(give_back_heap) }
        }
        // A service that ends by itself while the others stop is a fault of the group.
        try? await gracefulShutdown()
    }

    /// Waits; `false` when the server stops meanwhile.
    private func passes(_ time: Duration) async -> Bool {
        // Nothing but the end of the wait is thrown.
        (try? await cancelWhenGracefulShutdown({ try await Task.sleep(for: time) })) != nil
    }

    private func giveBack(_ memory: () -> Void) {
        let before = ProcessMemory.residentBytes
        memory()
        logger.debug(
            "memory is given back",
            metadata: [
                "before": "\(before ?? 0)", "after": "\(ProcessMemory.residentBytes ?? 0)",
            ])
    }
}

/// Finds the rest after work, by the processor's time that the process takes.
struct RestWatch {
    /// Below this part of a processor it rests.
    private static let part = 50
    /// So many times in a row: what ten minutes of proofs took is free by then.
    private static let looks = 3

    private var used: Duration
    private var restedLooks = 0
    private var hadWork = false

    /// - Parameter used: The processor's time that the process took until now.
    init(used: Duration) {
        self.used = used
    }

    /// - Parameters:
    ///   - used: The processor's time that the process took until now.
    ///   - interval: The time since the last look.
    /// - Returns: whether it has come to rest, once after each work.
    mutating func rests(used: Duration, over interval: Duration) -> Bool {
        let works = used - self.used > interval / Self.part
        self.used = used
        restedLooks = works ? 0 : min(restedLooks + 1, Self.looks)
        if works { hadWork = true }
        guard hadWork, restedLooks == Self.looks else { return false }
        hadWork = false
        return true
    }
}

/// The processor's time of this process.
enum ProcessTime {
    static var used: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
