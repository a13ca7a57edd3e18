package import Domain
import Synchronization

/// A clock that stands still until a test moves it.
package final class StandingClock: WallClock {
    private let instant: Mutex<Timestamp>

    /// Stands at 2026-11-21T09:15:42.000Z by default.
    package init(_ instant: Timestamp = Timestamp(milliseconds: 1_795_252_542_000)) {
        self.instant = Mutex(instant)
    }

    package var now: Timestamp { instant.withLock { $0 } }

    package func advance(by span: Duration) {
        instant.withLock { $0 = $0 + span }
    }
}
