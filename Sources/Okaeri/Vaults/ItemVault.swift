import Foundation

/// A store of small secrets by name, as the Keychain is one.
protocol SecureItems: Sendable {
    /// The item; `nil` when there certainly is none.
    func read(_ name: String) throws(VaultError) -> Data?
    /// Adds an item; false when there is one already, which then stays as it is.
    func add(_ name: String, _ data: Data) throws(VaultError) -> Bool
    /// Replaces an item, or adds it.
    func replace(_ name: String, _ data: Data) throws(VaultError)
    /// Removes an item, if there is one.
    func remove(_ name: String) throws(VaultError)
}

/// What makes keys, and makes them usable again from their stored form.
protocol DeviceKeyMaker: Sendable {
    func make() throws(VaultError) -> (key: any DeviceKey, stored: Data)
    func restore(_ stored: Data) throws(VaultError) -> any DeviceKey
}

/// What happens to a log-in that outlived the removal of its app.
public enum ReinstallPolicy: Hashable, Sendable {
    /// The person is known again: おかえりなさい after a re-install too.
    case keep
    /// A re-installed app begins with a new user.
    case wipe
}

/// A vault on a store of secrets that may outlive the app, beside a folder that does not. The folder holds the locks,
/// the mark that the app has been started since it was installed, and the sign of change for other processes.
struct ItemVault: CredentialVault {
    let items: any SecureItems
    let keys: any DeviceKeyMaker
    let directory: URL
    let reinstall: ReinstallPolicy
    var files: FileVault { FileVault(directory: directory) }

    func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        try markInstallation(of: application)
        let name = "\(application).key"
        if let stored = try items.read(name) { return try keys.restore(stored) }
        let (key, stored) = try keys.make()
        if try items.add(name, stored) { return key }
        guard let winner = try items.read(name) else {
            throw .unreadableNow("the key that another process made is gone")
        }
        return try keys.restore(winner)
    }

    func loadRecord(for application: String) async throws(VaultError) -> Data? {
        try markInstallation(of: application)
        return try items.read("\(application).record")
    }

    func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        try items.replace("\(application).record", record)
        // The sign is empty: it tells that something changed, and nothing of what. Without it other processes find out
        // at their next call.
        try? await files.saveRecord(Data(), for: application)
    }

    func erase(_ application: String) async throws(VaultError) {
        try items.remove("\(application).record")
        try items.remove("\(application).key")
        try? await files.saveRecord(Data(), for: application)
    }

    func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        try await files.lock(purpose, for: application)
    }

    func hints(for application: String) -> AsyncStream<Void> {
        files.hints(for: application)
    }

    /// Wipes what an earlier installation left behind, if that is wanted, and marks this one. What cannot be wiped now is
    /// not used either: the error comes back until it is.
    private func markInstallation(of application: String) throws(VaultError) {
        let mark = directory.appendingPathComponent(FileVault.fileName(of: application, "installed")).path
        guard try PrivateFile.read(mark) == nil else { return }
        if reinstall == .wipe {
            try items.remove("\(application).record")
            try items.remove("\(application).key")
        }
        try PrivateFile.makeDirectory(directory.path)
        _ = try PrivateFile.create(mark, contents: Data())
    }
}
