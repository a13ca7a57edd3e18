package import Domain
import Synchronization

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
