public import Foundation

/// A vault that forgets everything with the process: for tests and previews.
///
/// Clients that share one `MemoryVault` behave like processes that share one store.
public final class MemoryVault: CredentialVault {
    private struct Contents {
        var keys: [String: SoftwareDeviceKey] = [:]
        var records: [String: Data] = [:]
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextListener = 0
    }

    private let contents = Protected(Contents())
    private let queues = Protected<[String: LockQueue]>([:])

    /// Makes an empty vault.
    public init() {}

    /// The device's key; the first call makes it.
    public func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        contents.withValue { contents in
            if let known = contents.keys[application] { return known }
            let new = SoftwareDeviceKey()
            contents.keys[application] = new
            return new
        }
    }

    /// The record as it was last saved.
    public func loadRecord(for application: String) async throws(VaultError) -> Data? {
        contents.withValue { $0.records[application] }
    }

    /// Replaces the record.
    public func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        contents.withValue { $0.records[application] = record }
        tellListeners()
    }

    /// Removes key and record.
    public func erase(_ application: String) async throws(VaultError) {
        contents.withValue { contents in
            contents.keys[application] = nil
            contents.records[application] = nil
        }
        tellListeners()
    }

    /// Waits for the lock and takes it.
    public func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        let queue = queues.withValue { queues in
            let name = "\(purpose.rawValue) \(application)"
            if let known = queues[name] { return known }
            let new = LockQueue()
            queues[name] = new
            return new
        }
        return await queue.lock()
    }

    /// Tells of every change of the record, by whichever client.
    public func hints(for application: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = contents.withValue { contents in
            contents.nextListener += 1
            contents.listeners[contents.nextListener] = continuation
            return contents.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.contents.withValue { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    private func tellListeners() {
        for listener in contents.withValue({ Array($0.listeners.values) }) { listener.yield() }
    }
}

/// A lock within one process that callers get in the order in which they asked.
final class LockQueue: Sendable {
    private struct Line {
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let line = Protected(Line())

    func lock() async -> VaultLock {
        await withCheckedContinuation { continuation in
            let isFree = line.withValue { line in
                if line.isHeld {
                    line.waiting.append(continuation)
                    return false
                }
                line.isHeld = true
                return true
            }
            if isFree { continuation.resume() }
        }
        return VaultLock { [self] in release() }
    }

    private func release() {
        let next: CheckedContinuation<Void, Never>? = line.withValue { line in
            if line.waiting.isEmpty {
                line.isHeld = false
                return nil
            }
            return line.waiting.removeFirst()
        }
        next?.resume()
    }
}
