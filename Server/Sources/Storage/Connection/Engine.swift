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
