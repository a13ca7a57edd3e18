#if canImport(Darwin)
    import Foundation
#else
    import Synchronization
#endif

/// A value that many threads may use, one at a time.
///
/// On Apple's systems `Synchronization.Mutex` needs newer ones than the oldest that this library supports.
package final class Protected<Value: Sendable>: @unchecked Sendable {
    // Unchecked but safe: `value` is touched only while `lock` is held, in one synchronous function.
    private var value: Value
    #if canImport(Darwin)
        private let lock = NSLock()
    #else
        private let lock = Mutex(())
    #endif

    /// Guards a value.
    package init(_ value: Value) {
        self.value = value
    }

    /// Lends the value to a closure that must not wait for anything.
    package func withValue<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(Darwin)
            lock.lock()
            defer { lock.unlock() }
            return try body(&value)
        #else
            return try lock.withLock { _ throws(Failure) in try body(&value) }
        #endif
    }
}
