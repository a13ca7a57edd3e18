package import Domain

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
    private let changes = Observer<Change>()
    private let faults = Observer<String>()

    package init() {}

    package func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) {
        changes.set(observer)
    }

    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        faults.set(observer)
    }

    package func announce(_ changes: [Change]) {
        for change in changes { self.changes.note(change) }
    }

    package func report(fault: String) {
        faults.note(fault)
    }
}
