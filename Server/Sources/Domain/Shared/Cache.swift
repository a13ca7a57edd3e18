import Synchronization

/// Values that were read before, kept until they change; a few, asked for often.
///
/// It is exact in the same way as `SessionCache`.
package final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let validity: any CacheValidity
    private let kept = Mutex(Kept())

    private struct Kept: Sendable {
        var values: [Key: Value] = [:]
        var epoch: UInt64?
        /// Grows with each change, so that a read that began before the change is not kept.
        var version = 0
    }

    package init(validity: any CacheValidity) {
        self.validity = validity
    }

    /// The kept value, when there is one that still holds.
    package func known(_ key: Key) -> Value? {
        guard let epoch = validity.epoch else { return nil }
        return kept.withLock { kept in kept.epoch == epoch ? kept.values[key] : nil }
    }

    /// The kept value, or else the one that `read` gives, which is then kept.
    ///
    /// - Throws: what `read` throws; nothing is kept then.
    package func value(
        for key: Key, orRead read: () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let epoch = validity.epoch
        let (known, version) = kept.withLock { kept in
            if kept.epoch != epoch { kept = Kept(epoch: epoch, version: kept.version + 1) }
            return (epoch == nil ? nil : kept.values[key], kept.version)
        }
        if let known { return known }
        let value = try await read()
        kept.withLock { kept in
            if kept.version == version { kept.values[key] = value }
        }
        return value
    }

    /// Forgets all values, after a committed transaction that may concern any of them.
    package func forgetAll() {
        kept.withLock { kept in
            kept.version += 1
            kept.values = [:]
        }
    }

    /// Forgets a value that a committed transaction changed.
    package func forget(_ key: Key) {
        kept.withLock { kept in
            kept.version += 1
            kept.values[key] = nil
        }
    }
}
