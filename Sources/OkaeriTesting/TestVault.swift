public import Foundation
public import Okaeri

/// A vault that a test can lock, fill up and watch.
public final class TestVault: CredentialVault {
    private struct Contents {
        var isLocked = false
        var refusesRecords = false
        var refusesKeys = false
        var usedKeys: Set<String> = []
        var lostKeys: Set<String> = []
        var lockCounts: [VaultLockPurpose: Int] = [:]
        var watchers: [(purpose: VaultLockPurpose, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    private let base: any CredentialVault
    private let contents = Protected(Contents())

    /// Watches over a vault.
    ///
    /// - Parameter base: Where things are really kept.
    public init(_ base: any CredentialVault = MemoryVault()) {
        self.base = base
    }

    /// Whether nothing can be read, as before a phone's first unlock.
    public var isLocked: Bool {
        get { contents.withValue { $0.isLocked } }
        set { contents.withValue { $0.isLocked = newValue } }
    }

    /// Whether records cannot be saved, as on a full disk.
    public var refusesRecords: Bool {
        get { contents.withValue { $0.refusesRecords } }
        set { contents.withValue { $0.refusesRecords = newValue } }
    }

    /// Whether the key cannot be made or read.
    public var refusesKeys: Bool {
        get { contents.withValue { $0.refusesKeys } }
        set { contents.withValue { $0.refusesKeys = newValue } }
    }

    /// Makes every key that was used until now unusable for good, as those of a Secure Enclave are after a backup was
    /// restored to another phone.
    public func loseKeys() {
        contents.withValue { $0.lostKeys = $0.usedKeys }
    }

    /// Tells the clients that it is worth reading again, as the system does when a phone is unlocked.
    public func giveHint() {
        for listener in contents.withValue({ $0.listeners }) { listener.yield() }
    }

    /// Waits until a lock was asked for so many times.
    ///
    /// - Parameters:
    ///   - purpose: Which lock.
    ///   - count: How many times at least, since the vault was made.
    public func waitForLocks(_ purpose: VaultLockPurpose, count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = contents.withValue { contents in
                if contents.lockCounts[purpose, default: 0] >= count { return true }
                contents.watchers.append((purpose, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// The device's key, unless the vault is locked or refuses keys.
    public func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        if isLocked { throw .unreadableNow("locked by the test") }
        if refusesKeys { throw .unwritable("refused by the test") }
        let isLost = contents.withValue { contents in
            contents.usedKeys.insert(application)
            return contents.lostKeys.contains(application)
        }
        if isLost { throw .damaged("lost by the test") }
        return try await base.deviceKey(for: application)
    }

    /// The record, unless the vault is locked.
    public func loadRecord(for application: String) async throws(VaultError) -> Data? {
        if isLocked { throw .unreadableNow("locked by the test") }
        return try await base.loadRecord(for: application)
    }

    /// Replaces the record, unless the vault is locked or refuses records.
    public func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        if isLocked || refusesRecords { throw .unwritable("refused by the test") }
        try await base.saveRecord(record, for: application)
    }

    /// Removes key and record, unless the vault is locked.
    public func erase(_ application: String) async throws(VaultError) {
        if isLocked { throw .unwritable("locked by the test") }
        try await base.erase(application)
    }

    /// Waits for the lock and takes it.
    public func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        let arrived = contents.withValue { contents in
            contents.lockCounts[purpose, default: 0] += 1
            let counts = contents.lockCounts
            defer { contents.watchers.removeAll { counts[$0.purpose, default: 0] >= $0.count } }
            return contents.watchers.filter { counts[$0.purpose, default: 0] >= $0.count }
        }
        for watcher in arrived { watcher.continuation.resume() }
        return try await base.lock(purpose, for: application)
    }

    /// The hints that the test gives.
    public func hints(for application: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        contents.withValue { $0.listeners.append(continuation) }
        return stream
    }
}
