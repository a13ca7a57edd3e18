import Synchronization

/// A function that is called with each of some values; it is set while the program is put together.
///
/// The function is a member of a structure: alone in a lock, as its whole content, it is wrapped once more each time the lock is taken, and
/// a call of it overflows the stack after a hundred thousand times (decision 0165).
package final class Observer<Value>: Sendable {
    private struct Held: Sendable {
        var call: (@Sendable (Value) -> Void)?
    }

    private let held = Mutex(Held())

    package init() {}

    package func set(_ call: @escaping @Sendable (Value) -> Void) { held.withLock { $0.call = call } }

    package func note(_ value: Value) { held.withLock { $0.call }?(value) }
}
