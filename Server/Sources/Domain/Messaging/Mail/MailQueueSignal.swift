import Synchronization

/// Tells the workers that there is mail to send.
package final class MailQueueSignal: Sendable {
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    package init() {}

    /// One element for any number of rings since the last one, beginning with one.
    package func listen() -> AsyncStream<Void> {
        let (rings, listener) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Mail may have been there before anybody listened.
        listener.yield()
        listeners.withLock { $0.append(listener) }
        return rings
    }

    package func ring() {
        for listener in listeners.withLock({ $0 }) { listener.yield() }
    }
}
