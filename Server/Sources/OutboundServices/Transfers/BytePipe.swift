import Synchronization

/// Bytes on their way between a task and the thread of transfers. So many wait at most, and one piece more: the side that is
/// ahead waits for the other. Each side is one.
package final class BytePipe: Sendable {
    /// The other side is gone.
    package struct Broken: Error {}

    enum Taken {
        case bytes([UInt8])
        case none
        case end
        case broken
    }

    enum Given {
        case taken
        case full
        case broken
    }

    private struct State: Sendable {
        var bytes: [UInt8] = []
        var isEnded = false
        var isBroken = false
        /// Whether the task has left, for a reason of its own.
        var isLeft = false
        /// The task, while it waits.
        var waiter: CheckedContinuation<Void, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    /// How many bytes wait before the giver does.
    static let capacity = 64 * 1024

    private let state = Mutex(State())
    /// Called after the task has given or taken, or has left.
    private let notify: @Sendable () -> Void

    init(notify: @escaping @Sendable () -> Void) {
        self.notify = notify
    }

    func give(_ bytes: [UInt8]) -> Given {
        let (given, waiter) = state.withLock { state -> (Given, CheckedContinuation<Void, Never>?) in
            if state.isBroken { return (.broken, nil) }
            guard state.bytes.count < Self.capacity else { return (.full, nil) }
            state.bytes.append(contentsOf: bytes)
            return (.taken, state.takeWaiter())
        }
        waiter?.resume()
        return given
    }

    func take(_ maximum: Int) -> Taken {
        let (taken, waiter) = state.withLock { state -> (Taken, CheckedContinuation<Void, Never>?) in
            if state.isBroken { return (.broken, nil) }
            guard !state.bytes.isEmpty else { return (state.isEnded ? .end : .none, nil) }
            let count = min(maximum, state.bytes.count)
            let bytes = Array(state.bytes.prefix(count))
            state.bytes.removeFirst(count)
            return (.bytes(bytes), state.takeWaiter())
        }
        waiter?.resume()
        return taken
    }

    /// Nothing comes any more.
    func end() {
        let waiter = state.withLock { state in
            state.isEnded = true
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Either side leaves; what waits is lost.
    func breakOff() {
        let waiter = state.withLock { state in
            (state.isBroken, state.bytes) = (true, [])
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Whether the task has left: it does for a reason that it is about to tell.
    package var isLeft: Bool { state.withLock { $0.isLeft } }

    var hasRoom: Bool { state.withLock { $0.isBroken || $0.bytes.count < Self.capacity } }

    /// Whether a taker learns something new.
    var hasNews: Bool { state.withLock { $0.isBroken || $0.isEnded || !$0.bytes.isEmpty } }

    /// The task gives, as soon as there is room.
    ///
    /// - Throws: `Broken`.
    package func send(_ bytes: [UInt8]) async throws(Broken) {
        while true {
            switch give(bytes) {
            case .taken: return notify()
            case .broken: throw Broken()
            case .full: await wait { $0.bytes.count < Self.capacity }
            }
        }
    }

    /// The task has given everything.
    package func finish() {
        end()
        notify()
    }

    /// The task takes no more, or gives no more.
    package func leave() {
        state.withLock { $0.isLeft = true }
        breakOff()
        notify()
    }

    /// What comes next for the task; `nil` at the end.
    ///
    /// - Throws: `Broken`.
    package func next() async throws(Broken) -> [UInt8]? {
        while true {
            switch take(.max) {
            case .bytes(let bytes):
                notify()
                return bytes
            case .end: return nil
            case .broken: throw Broken()
            case .none: await wait { $0.isEnded || !$0.bytes.isEmpty }
            }
        }
    }

    private func wait(until isReady: @escaping @Sendable (State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state -> Bool in
                    if state.isBroken || isReady(state) { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            leave()
        }
    }
}
