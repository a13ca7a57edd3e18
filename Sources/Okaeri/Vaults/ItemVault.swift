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

/// A vault on a store of secrets that may outlive the app, beside a folder that does not. The folder holds the locks,
/// the mark that the app has been started since it was installed, and the sign of change for other processes.
struct ItemVault: CredentialVault {
    let items: any SecureItems
    /// The items of before, where an update of the app shares its own from now on.
    let formerItems: (any SecureItems)?
    let keys: any DeviceKeyMaker
    let directory: URL
    /// The folder of before, where an update of the app has chosen another one: its marks are of the same installation.
    let formerDirectory: URL?
    let reinstall: ReinstallPolicy
    /// Whether another process begins: until that one has made the first key, nothing can be read here, and nothing is made.
    let waitsForApp: Bool
    /// For locks, marks and signs: they must not be what keeps items from being read while the phone is locked.
    let protection: FileProtection
    private let answers = ReinstallAnswers()
    var files: FileVault { FileVault(directory: directory, protection: protection) }

    init(
        items: any SecureItems, formerItems: (any SecureItems)? = nil, keys: any DeviceKeyMaker, directory: URL,
        formerDirectory: URL? = nil, reinstall: ReinstallPolicy, waitsForApp: Bool = false,
        protection: FileProtection = .untilFirstUnlock
    ) {
        self.items = items
        self.formerItems = formerItems
        self.keys = keys
        self.directory = directory
        self.formerDirectory = formerDirectory
        self.reinstall = reinstall
        self.waitsForApp = waitsForApp
        self.protection = protection
    }

    func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        try await markInstallation(of: application)
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
        try await markInstallation(of: application)
        return try items.read("\(application).record")
    }

    func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        try items.replace("\(application).record", record)
        // The sign is empty: it tells that something changed, and nothing of what. Without it other processes find out
        // at their next call.
        try? await files.saveRecord(Data(), for: application)
    }

    func erase(_ application: String) async throws(VaultError) {
        try removeItems(application)
        try? await files.saveRecord(Data(), for: application)
    }

    func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        try await files.lock(purpose, for: application)
    }

    func hints(for application: String) -> AsyncStream<Void> {
        files.hints(for: application)
    }

    /// Decides what becomes of what an earlier installation left behind, and marks this one. What cannot be decided or wiped
    /// now is not used either: the error comes back until it is.
    private func markInstallation(of application: String) async throws(VaultError) {
        guard waitsForApp, await !answers.hasBegun(application) else { return try await settle(application) }
        try requireFirstKey(of: application)
        try await settle(application)
        // What an earlier installation has left may have been wiped just now.
        try requireFirstKey(of: application)
        await answers.begin(application)
    }

    private func requireFirstKey(of application: String) throws(VaultError) {
        guard try items.read("\(application).key") != nil else {
            throw .unreadableNow("the app has not been started yet")
        }
    }

    private func settle(_ application: String) async throws(VaultError) {
        // The mark may go while the app runs, with its folder: the account is its own all the same.
        guard await !answers.isSettled(application) else { return }
        if let formerItems { try takeOver(application, from: formerItems) }
        guard try !isMarked(application, in: directory) else { return await answers.settle(application) }
        var isMoved = false
        if let formerDirectory { isMoved = try isMarked(application, in: formerDirectory) }
        let choice: ReinstallChoice
        if isMoved { choice = .keep } else { choice = try await answer(about: application) }
        guard choice != .later else { throw .unreadableNow("nobody has decided about the earlier installation yet") }
        try PrivateFile.makeDirectory(directory.path, protection: protection)
        let lock = try FileLock(path: path(of: application, "installing.lock"), protection: protection)
        await lock.acquire(patience: .seconds(60), clock: SystemClock())
        defer { lock.close() }
        // Another process that was faster may have logged in by now: that is not to be wiped.
        guard try !isMarked(application, in: directory) else { return await answers.settle(application) }
        // Processes that do not see the folder of before must not take another key for one that was left behind.
        let decided = try isMoved ? allNames(of: application, in: items) : names(of: application)
        for name in decided {
            if choice == .wipe { try removeItems(name) }
            _ = try PrivateFile.create(path(of: name, "installed"), contents: Data(), protection: protection)
        }
        await answers.settle(application)
    }

    /// Copies what the app stored before it shared its items, once: what a process without access to it forgets or wipes
    /// afterwards stays gone. The first key comes last: what stopped on the way begins again.
    private func takeOver(_ application: String, from former: any SecureItems) throws(VaultError) {
        guard try items.read(Self.mark(of: application)) == nil else { return }
        let names = try allNames(of: application, in: former)
        if try items.read("\(application).key") == nil {
            for name in names {
                for item in ["\(name).record", "\(name).key"] {
                    if let stored = try former.read(item) { _ = try items.add(item, stored) }
                }
            }
        }
        guard try items.read("\(application).key") != nil else { return }
        for name in names { _ = try items.add(Self.mark(of: name), Data([1])) }
    }

    /// The item that says that nothing is taken over any more. It outlives what it stands for.
    private static func mark(of name: String) -> String { "\(name).shared" }

    private func removeItems(_ name: String) throws(VaultError) {
        // The record goes last: it is what keeps a key that is left from opening an account.
        for item in ["\(name).key", "\(name).record"] {
            // First where they would come back from.
            try formerItems?.remove(item)
            try items.remove(item)
        }
    }

    private func answer(about application: String) async throws(VaultError) -> ReinstallChoice {
        switch reinstall {
        case .keep: return .keep
        case .wipe: return .wipe
        case .ask(let ask):
            guard let found = try find(application) else { return .keep }
            return await answers.answer(about: found, by: ask)
        }
    }

    private func isMarked(_ application: String, in directory: URL) throws(VaultError) -> Bool {
        try PrivateFile.read(Self.path(of: application, "installed", in: directory), protection: protection) != nil
    }

    private func find(_ application: String) throws(VaultError) -> FoundAccount? {
        let record = try items.read("\(application).record")
        let key = try items.read("\(application).key")
        guard record != nil || key != nil else { return nil }
        return FoundAccount(application: application, user: VaultRecord.read(record).loggedInUser.map(User.init(_:)))
    }

    /// The names that are decided about together: the others of an application are asked about with the first.
    private func names(of application: String) throws(VaultError) -> [String] {
        guard case .ask = reinstall else { return [application] }
        return try allNames(of: application, in: items)
    }

    /// The names of all keys of an application and of the copy; the first key comes last.
    private func allNames(of application: String, in items: any SecureItems) throws(VaultError) -> [String] {
        let copy = VaultRecord.copyName(of: application)
        let record = VaultRecord.read(
            try items.read("\(application).record"), keys: try items.read("\(copy).record"))
        return [copy] + (0...record.lastKeySlot).reversed().map { VaultRecord.keyName(of: application, slot: $0) }
    }

    private func path(of application: String, _ kind: String) -> String {
        Self.path(of: application, kind, in: directory)
    }

    private static func path(of application: String, _ kind: String, in directory: URL) -> String {
        directory.appendingPathComponent(FileVault.fileName(of: application, kind)).path
    }
}
