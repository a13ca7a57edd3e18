import Domain
import Storage
import Synchronization

/// What `NodeNews` says of the caches, for the threads that ask: until the end of a lease that every heartbeat through the
/// database renews, they may be believed.
///
/// News of changes comes over the same connection in the same order, so a node that has heard the heartbeat has heard all
/// changes before it. When nothing is heard any more, the lease ends by itself within a second of the last heartbeat's
/// sending.
final class CacheLease: CacheValidity, Sendable {
    private let number = Atomic<UInt64>(1)
    private let end = Atomic<UInt64>(0)

    var epoch: UInt64? {
        // In this order: the number is new before the lease that belongs to it begins.
        let end = end.load(ordering: .sequentiallyConsistent)
        guard MonotonicTime.nanoseconds < end else { return nil }
        return number.load(ordering: .sequentiallyConsistent)
    }

    /// Says what holds from now on. One thread does.
    func set(by news: NodeNews) {
        // A lease that ends earlier has ended before the new number begins, which a cache would take into the next lease.
        let earlier = min(news.end, end.load(ordering: .sequentiallyConsistent))
        end.store(earlier, ordering: .sequentiallyConsistent)
        number.store(news.epoch, ordering: .sequentiallyConsistent)
        end.store(news.end, ordering: .sequentiallyConsistent)
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
