#if canImport(Security)
    public import Foundation

    /// A vault in the Keychain, with the device's key in the Secure Enclave where there is one.
    ///
    /// What it keeps can be read after the phone's first unlock, also in the background, and never leaves the device:
    /// not by backup, not by iCloud.
    public struct KeychainVault: CredentialVault {
        private let vault: ItemVault

        /// Makes a vault. Nothing is stored until the first log-in.
        ///
        /// - Parameters:
        ///   - accessGroup: The Keychain access group that app and extensions share; by default the app's own. An app that
        ///     names one in an update keeps its log-ins; its extensions wait for it (`waitsForApp`).
        ///   - applicationGroup: The app group whose container holds the locks between app and extensions. Name it
        ///     whenever you name an access group. An app that names one in an update is the same installation.
        ///   - reinstall: What happens to a log-in that outlived the removal of the app. On tvOS it is always kept: an app
        ///     has no folder there for a mark that is sure to stay. With an access group, all but `keep` needs an app group
        ///     that the process is entitled to: otherwise a debug build stops here, and a release keeps the log-in.
        ///   - service: The Keychain service that the items belong to.
        ///   - waitsForApp: Whether this process leaves the beginning to another one: until that one has made the device's key, the
        ///     vault counts as locked here (``OkaeriError/storageLocked``). For extensions, which do not see what their app had
        ///     before it named the access group.
        public init(
            accessGroup: String? = nil, applicationGroup: String? = nil, reinstall: ReinstallPolicy = .keep,
            service: String = "okaeri", waitsForApp: Bool = false
        ) {
            let own =
                FileManager.default.urls(for: Self.directory, in: .userDomainMask).first
                ?? FileManager.default.temporaryDirectory
            let shared = applicationGroup.flatMap {
                FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0)
            }
            let (policy, fault) = (Self.hasLastingDirectory ? reinstall : .keep)
                .safe(sharesItems: accessGroup != nil, sharesFolder: shared != nil)
            if let fault { assertionFailure(fault) }
            vault = ItemVault(
                items: KeychainItems(service: service, accessGroup: accessGroup),
                // Without a group all of the app's are looked through.
                formerItems: accessGroup == nil ? nil : KeychainItems(service: service, accessGroup: nil),
                keys: AppleKeyMaker(),
                directory: (shared ?? own).appendingPathComponent("okaeri", isDirectory: true),
                formerDirectory: shared == nil ? nil : own.appendingPathComponent("okaeri", isDirectory: true),
                reinstall: policy, waitsForApp: waitsForApp)
        }

        #if os(tvOS)
            private static var directory: FileManager.SearchPathDirectory { .cachesDirectory }
            private static var hasLastingDirectory: Bool { false }
        #else
            private static var directory: FileManager.SearchPathDirectory { .applicationSupportDirectory }
            private static var hasLastingDirectory: Bool { true }
        #endif

        /// The device's key; the first call makes it.
        public func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
            try await vault.deviceKey(for: application)
        }

        /// The record as it was last saved.
        public func loadRecord(for application: String) async throws(VaultError) -> Data? {
            try await vault.loadRecord(for: application)
        }

        /// Replaces the record.
        public func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
            try await vault.saveRecord(record, for: application)
        }

        /// Removes key and record.
        public func erase(_ application: String) async throws(VaultError) {
            try await vault.erase(application)
        }

        /// Waits for the lock and takes it.
        public func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
            let lock = try await vault.lock(purpose, for: application)
            #if os(macOS)
                return lock
            #else
                return BackgroundLock { block in
                    ProcessInfo.processInfo.performExpiringActivity(withReason: "Okaeri", using: block)
                }.keepingAppAwake(lock)
            #endif
        }

        /// Tells when another process changed the record, and when the phone was unlocked.
        public func hints(for application: String) -> AsyncStream<Void> {
            let changes = vault.hints(for: application)
            let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            // Ends with the stream of changes, which ends when this stream's listener is gone.
            let forwarding = Task {
                for await _ in changes { continuation.yield() }
            }
            let unlocks = UnlockNotices { continuation.yield() }
            continuation.onTermination = { _ in
                forwarding.cancel()
                unlocks.stop()
            }
            return stream
        }
    }

    /// Listens for the phone's first unlock and for the app's coming to the front.
    private final class UnlockNotices: Sendable {
        // UIKit's constants belong to the main actor in some of its versions; their values are documented names.
        private static let names = [
            "UIApplicationProtectedDataDidBecomeAvailable", "UIApplicationWillEnterForegroundNotification",
        ]
        private let observers: Protected<[Observer]>

        /// Unchecked but safe: an observer's token is only handed back to the notification centre.
        private struct Observer: @unchecked Sendable {
            let token: any NSObjectProtocol
        }

        init(_ action: @escaping @Sendable () -> Void) {
            observers = Protected(
                Self.names.map { name in
                    Observer(
                        token: NotificationCenter.default.addObserver(
                            forName: Notification.Name(name), object: nil, queue: nil
                        ) { _ in action() })
                })
        }

        func stop() {
            let all = observers.withValue { observers in
                defer { observers = [] }
                return observers
            }
            for observer in all { NotificationCenter.default.removeObserver(observer.token) }
        }
    }
#endif
