import Foundation

/// A value that many threads may use, one at a time.
///
/// `Synchronization.Mutex` needs a newer system than the oldest that this library supports.
package final class Protected<Value: Sendable>: @unchecked Sendable {
    // Unchecked but safe: `value` is touched only between `lock` and `unlock`, both in one synchronous function.
    private let lock = NSLock()
    private var value: Value

    /// Guards a value.
    package init(_ value: Value) {
        self.value = value
    }

    /// Lends the value to a closure that must not wait for anything.
    package func withValue<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
