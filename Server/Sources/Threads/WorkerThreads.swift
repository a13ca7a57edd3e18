import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Up to a number of threads for work that blocks or computes for long, so that neither an event loop nor the
/// cooperative pool waits for it. Each starts when there is work that no other one is free for.
///
/// Work that finds no free thread waits, within bounds. Each share has a queue of its own, first come, first served, and shares
/// take turns: what one has much of keeps no other waiting for longer than one job of each takes. Work that is queued when the
/// threads are closed is still done.
package final class WorkerThreads: Sendable {
    /// Why work was not taken.
    package enum Refusal: Error, Hashable, Sendable {
        /// As much work as may wait is waiting, in all or of this share; or there is no thread, and the system makes none now.
        case queueFull
        /// The threads have been closed.
        case closed
    }

    private let name: String
    private let count: Int
    private let maximumWaiting: Int
    private let niceness: Int
    private let makeThread: MakeThread
    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()

    /// Starts a thread with a name; `false` when the system makes none now.
    package typealias MakeThread = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

    /// Does its work, or says why nobody does.
    private typealias Job = @Sendable (Refusal?) -> Void

    /// Whose work it is.
    package struct Share: Hashable, Sendable {
        fileprivate let name: String

        package init(_ name: String) { self.name = name }

        /// Of threads whose work is all of one kind.
        fileprivate static let whole = Share("")
    }

    /// What waits of one share.
    private struct Queue: Sendable {
        var share: Share
        private var jobs: [Job] = []
        /// Where the queue begins in `jobs`; what is before was done.
        private var first = 0

        init(of share: Share) { self.share = share }

        var count: Int { jobs.count - first }

        mutating func append(_ job: @escaping Job) { jobs.append(job) }

        mutating func next() -> Job? {
            guard first < jobs.count else { return nil }
            defer {
                first += 1
                if first * 2 > jobs.count {
                    jobs.removeFirst(first)
                    first = 0
                }
            }
            return jobs[first]
        }
    }

    private struct State: Sendable {
        /// In the order of their turns. None is empty but the last one that is left, which waits for more without being made anew.
        var queues: [Queue] = []
        var waiting = 0
        var started = 0
        /// Those of the started ones that have nothing to do.
        var idle = 0
        var isClosed = false

        func waiting(of share: Share) -> Int { queues.first { $0.share == share }?.count ?? 0 }

        mutating func append(_ job: @escaping Job, of share: Share) {
            waiting += 1
            if let known = queues.firstIndex(where: { $0.share == share }) { return queues[known].append(job) }
            if waiting == 1, !queues.isEmpty {
                queues[0].share = share
            } else {
                queues.append(Queue(of: share))
            }
            queues[queues.count - 1].append(job)
        }

        /// The first job of the share whose turn it is.
        mutating func next() -> Job? {
            guard waiting > 0, let job = queues[0].next() else { return nil }
            waiting -= 1
            guard queues.count > 1 else { return job }
            let served = queues.removeFirst()
            if served.count > 0 { queues.append(served) }
            return job
        }

        /// Takes everything that waits.
        mutating func takeAll() -> [Job] {
            var jobs: [Job] = []
            while let job = next() { jobs.append(job) }
            return jobs
        }
    }

    /// Makes the queue; threads start later.
    ///
    /// - Parameters:
    ///   - name: Their name in the system's tools, of which 15 bytes are shown.
    ///   - count: How many, at least 1.
    ///   - maximumWaiting: The most jobs that may wait for a free thread.
    ///   - niceness: From 0, as the process, to 19: what these threads do then yields to everything else (Linux).
    ///   - makeThread: Starts a thread.
    package init(
        name: String, count: Int, maximumWaiting: Int, niceness: Int = 0,
        makeThread: @escaping MakeThread = SystemThread.start
    ) {
        self.name = name
        self.count = max(1, count)
        self.maximumWaiting = maximumWaiting
        self.niceness = niceness
        self.makeThread = makeThread
    }

    /// Starts one more. Where the system makes none, those that run do the work, and without any it is refused.
    ///
    /// - Precondition: It is counted among the started and idle ones.
    /// - Returns: `false` when all that waited was refused.
    private func start() -> Bool {
        let isStarted = makeThread(name) { [self] in
            Self.lower(niceness)
            work()
            ended.leave()
        }
        if isStarted { return true }
        let refused = state.withLock { state -> [Job]? in
            state.started -= 1
            state.idle -= 1
            return state.started == 0 ? state.takeAll() : nil
        }
        ended.leave()
        guard let refused else { return true }
        for job in refused { job(.queueFull) }
        return false
    }

    /// Does work on one of the threads, where all work is of one kind.
    ///
    /// - Returns: what the work returns.
    /// - Throws: `queueFull`, `closed`; the work was not begun then.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(Refusal) -> Value {
        try await run(for: .whole, maximumWaiting: maximumWaiting, work)
    }

    /// Does work on one of the threads. Half of what may wait may be of one share.
    ///
    /// - Parameters:
    ///   - share: Whose work it is.
    ///   - work: What to do.
    /// - Returns: what the work returns.
    /// - Throws: `queueFull`, `closed`; the work was not begun then.
    package func run<Value: Sendable>(
        for share: Share, _ work: @escaping @Sendable () -> Value
    ) async throws(Refusal) -> Value {
        try await run(for: share, maximumWaiting: max(1, maximumWaiting / 2), work)
    }

    private func run<Value: Sendable>(
        for share: Share, maximumWaiting ofShare: Int, _ work: @escaping @Sendable () -> Value
    ) async throws(Refusal) -> Value {
        let result: Result<Value, Refusal> = await withCheckedContinuation { continuation in
            let (refusal, starts) = state.withLock { state -> (Refusal?, Bool) in
                if state.isClosed { return (.closed, false) }
                let free = state.idle + count - state.started
                guard state.waiting - free < maximumWaiting, state.waiting(of: share) - free < ofShare else {
                    return (.queueFull, false)
                }
                let job: Job = { reason in
                    continuation.resume(returning: reason.map { .failure($0) } ?? .success(work()))
                }
                state.append(job, of: share)
                guard state.waiting > state.idle, state.started < count else { return (nil, false) }
                state.started += 1
                state.idle += 1
                // Before anybody can wait for the end.
                ended.enter()
                return (nil, true)
            }
            if let refusal {
                continuation.resume(returning: .failure(refusal))
            } else if !starts || start() {
                available.signal()
            }
        }
        return try result.get()
    }

    /// How many jobs wait for a thread now.
    package var waiting: Int { state.withLock { max(0, $0.waiting - $0.idle) } }

    /// Ends the threads when all that waits is done. Later work is refused.
    package func close() async {
        let count = state.withLock { state -> Int in
            defer { state.isClosed = true }
            return state.isClosed ? 0 : 1
        }
        if count == 1 { available.signal() }
        await withCheckedContinuation { continuation in
            ended.notify(queue: .global()) { continuation.resume() }
        }
    }

    private func work() {
        while true {
            available.wait()
            let (job, isClosed) = state.withLock { state -> (Job?, Bool) in
                let job = state.next()
                if job != nil { state.idle -= 1 }
                return (job, state.isClosed)
            }
            guard let job else {
                // What it was signalled for was refused, or is done.
                guard isClosed else { continue }
                // Closed: the next thread ends too.
                available.signal()
                return
            }
            job(nil)
            state.withLock { $0.idle += 1 }
        }
    }

    private static func lower(_ niceness: Int) {
        #if os(Linux)
            // Linux keeps the value for each thread, where POSIX has it for the process.
            if niceness > 0 { setpriority(__priority_which_t(0), 0, Int32(niceness)) }
        #endif
    }
}
