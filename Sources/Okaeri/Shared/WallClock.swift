public import Foundation

/// What the library takes the time from, and what it waits by.
public protocol WallClock: Sendable {
    /// The present instant.
    var now: Date { get }

    /// Waits.
    ///
    /// - Parameter duration: How long, from now.
    /// - Throws: `CancellationError` as soon as the waiting task is cancelled.
    func sleep(for duration: Duration) async throws(CancellationError)
}

extension Duration {
    /// The duration in seconds, for Foundation.
    package var inSeconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
