#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A lock, and a room beside it where threads wait until others say that something under the lock has changed. Foundation's
/// own `NSCondition` is not in the program for use (decision 0202).
// Unchecked: the C library's own structures are made for many threads, and stay where they are.
package final class ThreadCondition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        changed.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }

    package func withLock<Value, Fault: Error>(_ work: () throws(Fault) -> Value) throws(Fault) -> Value {
        lock()
        defer { unlock() }
        return try work()
    }

    /// Opens the lock until this thread is woken, and has it again then. Also for no reason: ask again for what is waited for. Call
    /// with the lock.
    package func wait() { pthread_cond_wait(changed, mutex) }

    /// Wakes one of those who wait.
    package func signal() { pthread_cond_signal(changed) }

    /// Wakes all who wait.
    package func broadcast() { pthread_cond_broadcast(changed) }
}
