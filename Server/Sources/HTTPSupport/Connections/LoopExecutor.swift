import NIOCore

/// Runs tasks on an event loop, so that a request needs no other thread than its connection's.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Begins a task for which nobody waits, at once: it is on the loop already, and needs no turn of it before its first
    /// wait. To be called on the loop.
    func run(_ operation: sending @escaping () async -> Void) {
        if #available(macOS 26, *) {
            Task.immediate(executorPreference: self, operation: operation)
        } else {
            Task(executorPreference: self, operation: operation)
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
