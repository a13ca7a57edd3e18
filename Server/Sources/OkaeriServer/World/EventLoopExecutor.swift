import Foundation
package import NIOCore
import NIOPosix

/// Runs the tasks of requests on the event loops that own their connections.
///
/// A request then stays on one thread from its first byte to its last, where Swift's own pool would cost two changes of
/// threads. So nothing that a request does may block its thread: SQLite has queues of its own.
package final class EventLoopExecutor: TaskExecutor {
    package let group: any EventLoopGroup

    package init() {
        // NIO counts the machine's processors; this process may have fewer.
        NIOSingletons.groupLoopCountSuggestion = max(
            1, min(System.coreCount, ProcessInfo.processInfo.activeProcessorCount))
        group = MultiThreadedEventLoopGroup.singleton
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // What a connection wakes goes on beside it; what the storage wakes goes on anywhere.
        let loop = MultiThreadedEventLoopGroup.currentEventLoop ?? group.any()
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
