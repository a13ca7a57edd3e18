public import Foundation

/// Where a device keeps what proves its user: the device's key, and a record of session, user copy and unfinished work.
///
/// A vault that cannot be read *now* must say so by an error, and must never behave as if it were empty: an empty vault
/// means a new device, and a new account.
public protocol CredentialVault: Sendable {
    /// The device's key for an application. The first call makes it, for good.
    ///
    /// Two processes that ask at once must get the same key.
    ///
    /// - Parameter application: The application's id.
    /// - Returns: The key, ready to sign.
    /// - Throws: `VaultError.unreadableNow`, `.unwritable` when a new key cannot be stored, or `.damaged`.
    func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey

    /// The record for an application, as it was last saved.
    ///
    /// - Parameter application: The application's id.
    /// - Returns: The bytes; `nil` when there certainly is no record.
    /// - Throws: `VaultError.unreadableNow`.
    func loadRecord(for application: String) async throws(VaultError) -> Data?

    /// Replaces the record for an application: afterwards either the old one is there or the new, never a part.
    ///
    /// - Parameters:
    ///   - record: The bytes to keep. They hold secrets.
    ///   - application: The application's id.
    /// - Throws: `VaultError.unwritable`.
    func saveRecord(_ record: Data, for application: String) async throws(VaultError)

    /// Removes key and record, the record last. A person without another way into the account has lost it.
    ///
    /// - Parameter application: The application's id.
    /// - Throws: `VaultError.unwritable`.
    func erase(_ application: String) async throws(VaultError)

    /// Waits until nobody else, in any process, holds the lock, and takes it.
    ///
    /// - Parameters:
    ///   - purpose: What the lock is for; locks for different purposes do not exclude each other.
    ///   - application: The application's id.
    /// - Returns: The held lock. Letting go of the value releases it too.
    /// - Throws: `VaultError.unreadableNow` when there is nothing to lock.
    func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock

    /// Tells when it is worth reading again: another process changed the record, or the device was unlocked.
    ///
    /// - Parameter application: The application's id.
    /// - Returns: One element for each hint; ended when the vault gives none.
    func hints(for application: String) -> AsyncStream<Void>
}

extension CredentialVault {
    /// No hints.
    public func hints(for application: String) -> AsyncStream<Void> {
        AsyncStream { $0.finish() }
    }
}

/// What a vault's lock is for.
public enum VaultLockPurpose: String, CaseIterable, Sendable {
    /// One log-in at a time. Held while the server is asked.
    case logIn = "log-in"
    /// One change of the record at a time. Held for the moment of reading and writing.
    case change = "change"
}

/// A lock that is held until it is released or forgotten.
public final class VaultLock: Sendable {
    private let onRelease: Protected<(@Sendable () -> Void)?>

    /// Makes a held lock.
    ///
    /// - Parameter release: What gives the lock free; called once.
    public init(release: @escaping @Sendable () -> Void) {
        onRelease = Protected(release)
    }

    deinit {
        release()
    }

    /// Gives the lock free. Further calls do nothing.
    public func release() {
        let action = onRelease.withValue { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// Why a vault failed. Absence is no failure.
public enum VaultError: Error, Hashable, Sendable {
    /// What is stored cannot be read at the moment, for example before the device's first unlock. It may be there.
    case unreadableNow(String)
    /// The vault does not take a change, or this process may never use it.
    case unwritable(String)
    /// What is stored is there and can never be used again.
    case damaged(String)
}
