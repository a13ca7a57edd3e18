import Dispatch
import Foundation
import Synchronization
import Testing
import Threads

@Suite("Worker threads", .timeLimit(.minutes(20)))
struct WorkerThreadsTests {
    @Test("do work and return what it returns")
    func returnsValue() async throws {
        let threads = WorkerThreads(name: "test", count: 2, maximumWaiting: 10)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<10 { group.addTask { try await threads.run { number * 2 } } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == Set((0..<10).map { $0 * 2 }))
        await threads.close()
    }

    @Test("refuse what the queue cannot hold, and take work again when there is room")
    func boundedQueue() async throws {
        let threads = WorkerThreads(name: "test", count: 1, maximumWaiting: 1)
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let first: Void = threads.run {
            begun.signal()
            gate.wait()
        }
        await wait(for: begun)
        async let second: Void = threads.run { gate.wait() }
        while threads.waiting < 1 { await Task.yield() }
        await #expect(throws: WorkerThreads.Refusal.queueFull) { try await threads.run {} }
        gate.signal()
        gate.signal()
        _ = try await (first, second)
        #expect(try await threads.run { 7 } == 7)
        await threads.close()
    }

    @Test("serve shares in turn, and refuse one of them half of what may wait while others are taken")
    func shares() async throws {
        let threads = WorkerThreads(name: "test", count: 1, maximumWaiting: 20)
        let (much, little) = (WorkerThreads.Share("much"), WorkerThreads.Share("little"))
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let order = Order()
        async let first: Void = threads.run(for: much) {
            begun.signal()
            gate.wait()
        }
        await wait(for: begun)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...10 {
                group.addTask { try await threads.run(for: much) { order.note("much") } }
                while threads.waiting < number { await Task.yield() }
            }
            await #expect(throws: WorkerThreads.Refusal.queueFull) { try await threads.run(for: much) {} }
            for number in 11...12 {
                group.addTask { try await threads.run(for: little) { order.note("little") } }
                while threads.waiting < number { await Task.yield() }
            }
            gate.signal()
            try await group.waitForAll()
        }
        try await first
        #expect(order.all == ["much", "little", "much", "little"] + [String](repeating: "much", count: 8))
        #expect(threads.waiting == 0)
        await threads.close()
    }

    @Test("finish what is queued when they are closed, and refuse what comes later")
    func closing() async throws {
        let threads = WorkerThreads(name: "test", count: 1, maximumWaiting: 100)
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let first: Void = threads.run {
            begun.signal()
            gate.wait()
        }
        await wait(for: begun)
        let queued = (0..<5).map { number in
            Task { try await threads.run { number } }
        }
        while threads.waiting < 5 { await Task.yield() }
        gate.signal()
        await threads.close()
        try await first
        for (number, task) in queued.enumerated() { #expect(try await task.value == number) }
        await #expect(throws: WorkerThreads.Refusal.closed) { try await threads.run {} }
    }

    @Test("refuse work as a full queue does while the system makes no thread, and do it by those that it makes later")
    func noThread() async throws {
        let system = LimitedSystem()
        let threads = WorkerThreads(name: "test", count: 3, maximumWaiting: 10, makeThread: system.start)
        for _ in 0..<3 { await #expect(throws: WorkerThreads.Refusal.queueFull) { try await threads.run {} } }
        #expect(threads.waiting == 0)
        system.allow(1)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<10 { group.addTask { try await threads.run { number * 2 } } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == Set((0..<10).map { $0 * 2 }))
        await threads.close()
        // Nobody waits for a thread that never was.
        let none = WorkerThreads(name: "test", count: 1, maximumWaiting: 10, makeThread: LimitedSystem().start)
        await #expect(throws: WorkerThreads.Refusal.queueFull) { try await none.run {} }
        await none.close()
    }

    #if os(Linux)
        @Test("start when there is work that no other one is free for")
        func lazyStart() async throws {
            let name = "lazy-threads"
            let threads = WorkerThreads(name: name, count: 8, maximumWaiting: 10)
            #expect(Self.running(name) == 0)
            let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let work: @Sendable () -> Void = {
                begun.signal()
                gate.wait()
            }
            async let first: Void = threads.run(work)
            await wait(for: begun)
            #expect(Self.running(name) == 1)
            async let second: Void = threads.run(work)
            await wait(for: begun)
            while Self.running(name) < 2 { await Task.yield() }
            #expect(Self.running(name) == 2)
            gate.signal()
            gate.signal()
            _ = try await (first, second)
            await threads.close()
        }

        /// How many threads of the process have a name.
        private static func running(_ name: String) -> Int {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            return tasks.count { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "\(name)\n"
            }
        }
    #endif

    /// Waits without holding a thread of the cooperative pool.
    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}

/// A system that makes no more threads than it is allowed to.
private final class LimitedSystem: Sendable {
    private let left = Mutex(0)

    func allow(_ count: Int) { left.withLock { $0 = count } }

    func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let isAllowed = left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
        return isAllowed && SystemThread.start(name, body)
    }
}

/// What was done, in its order.
private final class Order: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func note(_ name: String) { list.withLock { $0.append(name) } }
}
