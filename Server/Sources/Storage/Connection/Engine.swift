package import Domain
import Synchronization

/// A storage engine as the program that composes everything sees it.
package protocol Engine: Store {
    /// Tells whether another process changed what caches hold.
    var validity: any CacheValidity { get }
    /// Called with each change after its commit and before it is answered.
    func observeChanges(_ observer: @escaping @Sendable (Change) -> Void)
    /// Called with a sentence for the log when the engine reports a fault.
    func observeFaults(_ observer: @escaping @Sendable (String) -> Void)
    /// Finishes what is queued. Later calls are refused with `storageUnavailable`.
    func close() async
}

/// Tells observers of changes and faults. Observers are set while the program is put together.
package final class StoreSignals: Sendable {
    private let observers = Mutex(Observers())

    private struct Observers: Sendable {
        var change: @Sendable (Change) -> Void = { _ in }
        var fault: @Sendable (String) -> Void = { _ in }
    }

    package init() {}

    package func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) {
        observers.withLock { $0.change = observer }
    }

    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        observers.withLock { $0.fault = observer }
    }

    package func announce(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        let tell = observers.withLock { $0.change }
        for change in changes { tell(change) }
    }

    package func report(fault: String) {
        observers.withLock { $0.fault }(fault)
    }
}
