import Dispatch
import Synchronization

/// Runs what is asynchronous on the thread that waits for it: to wake another one, and to be woken by it, takes longer than
/// most parsers. What starts tasks of its own has them run elsewhere, unless `runHere` gets them.
private final class WaitingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let isDone = Mutex(false)
    /// Signalled for each job, and at the end.
    private let news = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        add(UnownedJob(job))
    }

    func add(_ job: UnownedJob) {
        jobs.withLock { $0.append(job) }
        news.signal()
    }

    func run(_ work: @escaping @Sendable () async -> Void) {
        isDone.withLock { $0 = false }
        // Waited for below.
        Task.detached(executorPreference: self) {
            await work()
            self.isDone.withLock { $0 = true }
            self.news.signal()
        }
        while !isDone.withLock({ $0 }) {
            news.wait()
            let next: UnownedJob? = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    static let first = WaitingThread()
    /// Those that nobody uses. They are kept, because a job does not keep its executor.
    static let idle = Mutex<[WaitingThread]>([first])
}

/// Waits for work that is asynchronous: a fuzzer's entry is not.
func waiting(for work: @escaping @Sendable () async -> Void) {
    let thread = WaitingThread.idle.withLock { $0.popLast() } ?? WaitingThread()
    thread.run(work)
    WaitingThread.idle.withLock { $0.append(thread) }
}

/// Runs a job that has no executor on the thread that waits, for a program in which only one does: the fuzzer gives it what
/// Swift's runtime would give to its pool of threads.
public func runHere(_ job: UnownedJob) {
    WaitingThread.first.add(job)
}
