import Synchronization

/// Tells the workers of a queue that there is something to do.
package final class QueueSignal: Sendable {
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    package init() {}

    /// One element for any number of rings since the last one, beginning with one.
    package func listen() -> AsyncStream<Void> {
        let (rings, listener) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Something may have been there before anybody listened.
        listener.yield()
        listeners.withLock { $0.append(listener) }
        return rings
    }

    package func ring() {
        for listener in listeners.withLock({ $0 }) { listener.yield() }
    }
}
