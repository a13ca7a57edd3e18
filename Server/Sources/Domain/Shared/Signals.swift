import Synchronization

/// A function that is called with each of some values; it is set while the program is put together.
///
/// The function is a member of a structure: alone in a lock, as its whole content, it is wrapped once more each time the lock is taken, and
/// a call of it overflows the stack after a hundred thousand times (decision 0165).
package final class Observer<Value>: Sendable {
    private struct Held: Sendable {
        var call: (@Sendable (Value) -> Void)?
    }

    private let held = Mutex(Held())

    package init() {}

    package func set(_ call: @escaping @Sendable (Value) -> Void) { held.withLock { $0.call = call } }

    package func note(_ value: Value) { held.withLock { $0.call }?(value) }
}

/// Tells the workers of a queue that there is something to do.
package final class QueueSignal: Sendable {
    private struct Listeners: Sendable {
        var all: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let listeners = Mutex(Listeners())

    package init() {}

    /// One element for any number of rings since the last one, beginning with one.
    package func listen() -> AsyncStream<Void> {
        let (rings, listener) = begin()
        // Something may have been there before anybody listened.
        listener.yield()
        return rings
    }

    /// One element for any number of rings since the last one, from now on and for as long as somebody has the stream.
    func rings() -> AsyncStream<Void> { begin().rings }

    package func ring() {
        for listener in listeners.withLock({ $0.all }).values { listener.yield() }
    }

    private func begin() -> (rings: AsyncStream<Void>, listener: AsyncStream<Void>.Continuation) {
        let (rings, listener) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners -> Int in
            listeners.all[listeners.next] = listener
            listeners.next += 1
            return listeners.next - 1
        }
        listener.onTermination = { [weak self] _ in
            self?.listeners.withLock { $0.all[number] = nil }
        }
        return (rings, listener)
    }
}
