import Domain
import Synchronization

/// How long caches may be believed: until the end of a lease that every heartbeat through the database renews.
///
/// News of changes comes over the same connection in the same order, so a node that has heard the heartbeat has heard all
/// changes before it. When nothing is heard any more, the lease ends by itself within a second of the last heartbeat's
/// sending.
final class CacheLease: CacheValidity, Sendable {
    /// How long a heartbeat is good for, from its sending.
    static let term: UInt64 = 900_000_000

    private let number = Atomic<UInt64>(1)
    private let end = Atomic<UInt64>(0)

    var epoch: UInt64? {
        // In this order: the number is new before the lease that belongs to it begins.
        let end = end.load(ordering: .sequentiallyConsistent)
        guard MonotonicTime.nanoseconds < end else { return nil }
        return number.load(ordering: .sequentiallyConsistent)
    }

    func renew(sentAt nanoseconds: UInt64) {
        end.store(nanoseconds + Self.term, ordering: .sequentiallyConsistent)
    }

    /// Makes every cache begin anew.
    func beginNewEpoch() {
        number.add(1, ordering: .sequentiallyConsistent)
    }

    /// Ends the lease at once. What was kept until now is not believed in a later one either.
    func lose() {
        end.store(0, ordering: .sequentiallyConsistent)
        beginNewEpoch()
    }
}

/// Caches of a process that hears of no changes: nothing is believed.
struct NeverValid: CacheValidity {
    var epoch: UInt64? { nil }
}

/// A clock that only goes forward.
enum MonotonicTime {
    private static let origin = ContinuousClock.now

    static var nanoseconds: UInt64 {
        let (seconds, attoseconds) = origin.duration(to: .now).components
        // One second ahead, so that no instant of this process is before zero.
        return UInt64(clamping: seconds &+ 1) &* 1_000_000_000 &+ UInt64(clamping: attoseconds) / 1_000_000_000
    }
}
