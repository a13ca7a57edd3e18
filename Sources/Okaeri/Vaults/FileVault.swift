public import Foundation

/// A vault in a folder of files that only their owner can read: for Linux, command-line programs and servers.
///
/// The folder is made with mode 0700, each file with 0600. Files are replaced in one step, so that a crash leaves
/// either the old contents or the new. Processes that share the folder share the account.
public struct FileVault: CredentialVault {
    private let directory: URL
    private let lockPatience: Duration
    private let clock: any WallClock
    private let protection: FileProtection

    /// Names the folder. It is made when the first thing is stored.
    ///
    /// - Parameters:
    ///   - directory: The folder, for this purpose alone.
    ///   - lockPatience: How long to wait for another process that holds the lock. Afterwards work goes on without it:
    ///     the lock saves requests, and correctness does not hang on it.
    ///   - clock: What to wait by.
    public init(directory: URL, lockPatience: Duration = .seconds(60), clock: any WallClock = SystemClock()) {
        self.init(
            directory: directory, lockPatience: lockPatience, clock: clock, protection: .untilFirstUnlock)
    }

    init(
        directory: URL, lockPatience: Duration = .seconds(60), clock: any WallClock = SystemClock(),
        protection: FileProtection
    ) {
        self.directory = directory
        self.lockPatience = lockPatience
        self.clock = clock
        self.protection = protection
    }

    /// The device's key; the first call makes and stores it.
    public func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        let file = path(of: application, "key")
        if let stored = try PrivateFile.read(file, protection: protection) {
            return try SoftwareDeviceKey(rawRepresentation: stored)
        }
        try PrivateFile.makeDirectory(directory.path, protection: protection)
        let new = SoftwareDeviceKey()
        if try PrivateFile.create(file, contents: new.rawRepresentation, protection: protection) { return new }
        guard let winner = try PrivateFile.read(file, protection: protection) else {
            throw .unreadableNow("the key that another process made is gone")
        }
        return try SoftwareDeviceKey(rawRepresentation: winner)
    }

    /// The record as it was last saved.
    public func loadRecord(for application: String) async throws(VaultError) -> Data? {
        try PrivateFile.read(path(of: application, "record"), protection: protection)
    }

    /// Replaces the record in one step.
    public func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        try PrivateFile.makeDirectory(directory.path, protection: protection)
        try PrivateFile.replace(path(of: application, "record"), contents: record, protection: protection)
    }

    /// Removes key and record, and what a crash has left of them in files that were never finished.
    public func erase(_ application: String) async throws(VaultError) {
        // The record goes last: it is what keeps a key that is left from opening an account.
        try PrivateFile.removeAll(path(of: application, "key"))
        try PrivateFile.removeAll(path(of: application, "record"))
    }

    /// Waits for the lock, which holds between processes, and takes it.
    public func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        try PrivateFile.makeDirectory(directory.path, protection: protection)
        let lock = try FileLock(path: path(of: application, "\(purpose.rawValue).lock"), protection: protection)
        await lock.acquire(patience: lockPatience, clock: clock)
        return VaultLock { lock.close() }
    }

    /// Tells when the record was replaced.
    public func hints(for application: String) -> AsyncStream<Void> {
        // A folder that is missing cannot be watched; one that cannot be made gives no hints.
        try? PrivateFile.makeDirectory(directory.path, protection: protection)
        return DirectoryWatch.changes(of: directory.path, file: Self.fileName(of: application, "record"))
    }

    private func path(of application: String, _ kind: String) -> String {
        directory.appendingPathComponent(Self.fileName(of: application, kind)).path
    }

    /// An application's id as a file's name: everything but ASCII letters, digits, `-` and `_` is written as `%` and hex.
    static func fileName(of application: String, _ kind: String) -> String {
        "\(application.pathSegment).\(kind)"
    }
}
