import Dispatch
import Synchronization

/// Holds those who come to it until a test opens it, such as the calls of a receiver that takes its time. Once it is open it
/// holds nobody.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// How many wait.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// Returns once it is open.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Lets all go on who wait, and who come later.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Keeps a thread until the test lets it go.
package final class HeldThread: Sendable {
    private let isHeld = Atomic(false)
    private let gate = DispatchSemaphore(value: 0)

    package init() {}

    package func hold() {
        isHeld.store(true, ordering: .releasing)
        gate.wait()
    }

    package func waitForThread() async {
        while !isHeld.load(ordering: .acquiring) { await Task.yield() }
    }

    package func letGo() { gate.signal() }
}

/// Counts what the tasks of a test, or the runs of a transaction, have done together.
package final class Tally: Sendable {
    private let count = Mutex(0)

    package init() {}

    package var value: Int { count.withLock { $0 } }

    /// - Returns: the count with this one.
    @discardableResult
    package func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
