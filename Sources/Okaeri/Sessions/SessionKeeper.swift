import Foundation
import OkaeriWire

/// Keeps the session of one application on this device: what the vault holds, who is logged in, and what is under way.
///
/// The record in memory is always "what the vault held when last read, with the changes that are not saved yet".
/// Everything that lives on in a client is here; the slices add their calls as extensions.
actor SessionKeeper {
    typealias RecordChange = @Sendable (inout VaultRecord) -> Void

    let server: URL
    let application: String
    let vault: any CredentialVault
    let transport: any Transport
    let configuration: OkaeriConfiguration
    let clock: any WallClock
    let randomness: any Randomness
    let broadcaster = StateBroadcaster()
    let notices = NoticeBroadcaster()

    /// The record as it is known; `nil` until the vault could be read.
    var record: VaultRecord?
    /// The record of somebody who is not to be remembered: it stands before the vault's and is never stored.
    var passing: VaultRecord?
    /// Changes that the vault has not taken yet, oldest first.
    var unsaved: [(number: Int, change: RecordChange)] = []
    /// The session that the server has confirmed in this process.
    var confirmedSession: String?
    /// How far the device's clock is behind the server's, in seconds.
    var clockOffset: TimeInterval = 0
    /// The log-in under way.
    var flight: Flight?
    /// How many callers wait for a log-in.
    var waitingCallers = 0
    /// The log-in that somebody asked for and that waits for network or storage.
    var wanted: LogInOrder?
    /// The log-in whose answer has not come yet: its repetition must carry the same name.
    var unanswered: LogInOrder?
    var accessTokens: [String: AccessToken] = [:]
    var recovery: Task<Void, Never>?
    var listening: Task<Void, Never>?
    /// The delivery of log-outs under way.
    var delivery: Task<Bool, Never>?
    var nextFlight: Int64 = 0
    /// How many notices the server last spoke of.
    var heardNotices = 0
    /// How many of those were fetched.
    var fetchedNotices = 0
    var noticeFetch: Task<Void, Never>?
    /// Counts how often the device was forgotten: what began before that ends without effect.
    var era = 0
    private var adoptions = 0
    private var nextNumber = 0

    init(
        server: URL, application: String, vault: any CredentialVault, transport: any Transport,
        configuration: OkaeriConfiguration, clock: any WallClock, randomness: any Randomness
    ) {
        self.server = server
        self.application = application
        self.vault = vault
        self.transport = transport
        self.configuration = configuration
        self.clock = clock
        self.randomness = randomness
    }

    deinit {
        recovery?.cancel()
        listening?.cancel()
    }

    /// Looks into the vault for the first time, so that the state is known.
    func start() async {
        listen()
        guard record == nil else { return }
        // An unreadable vault has become the state `storageLocked`, and is read again in the background.
        _ = try? await read()
    }

    /// The record as the vault holds it now, with what is not saved yet.
    ///
    /// - Throws: `OkaeriError.storageLocked` when it could never be read; later failures answer with what is known.
    @discardableResult
    func read() async throws(OkaeriError) -> VaultRecord {
        listen()
        if let passing { return passing }
        if !unsaved.isEmpty {
            // A vault that still takes no changes is tried again in the background.
            _ = try? await save()
        }
        do throws(VaultError) {
            var seen: Int
            var stored: Data?
            repeat {
                seen = adoptions
                stored = try await vault.loadRecord(for: application)
            } while seen != adoptions
            return adopt(VaultRecord.read(stored))
        } catch {
            workInBackground()
            if let record { return record }
            broadcaster.publish(.storageLocked)
            throw OkaeriError(error)
        }
    }

    /// Changes the record, at once in memory and then in the vault. A vault that does not take the change now gets it
    /// later.
    ///
    /// - Parameter change: May run several times, on records that differ.
    /// - Returns: The record afterwards.
    @discardableResult
    func change(_ change: @escaping RecordChange) async -> VaultRecord {
        if var changed = passing {
            change(&changed)
            passing = changed
            present(changed)
            return changed
        }
        nextNumber += 1
        unsaved.append((nextNumber, change))
        var changed = record ?? VaultRecord()
        change(&changed)
        present(changed)
        do throws(VaultError) {
            return try await save()
        } catch {
            workInBackground()
            return record ?? changed
        }
    }

    /// Brings the unsaved changes into the vault, upon whatever other processes have stored meanwhile.
    @discardableResult
    func save() async throws(VaultError) -> VaultRecord {
        let lock = try await vault.lock(.change, for: application)
        defer { lock.release() }
        var changed = VaultRecord.read(try await vault.loadRecord(for: application))
        let batch = unsaved
        for entry in batch { entry.change(&changed) }
        if !batch.isEmpty { try await vault.saveRecord(changed.written(), for: application) }
        let saved = Set(batch.map(\.number))
        unsaved.removeAll { saved.contains($0.number) }
        return adopt(changed)
    }

    /// Takes over what the vault holds and adds what is not saved yet.
    private func adopt(_ stored: VaultRecord) -> VaultRecord {
        var known = stored
        for entry in unsaved { entry.change(&known) }
        present(known)
        return known
    }

    func present(_ known: VaultRecord) {
        adoptions += 1
        if known.epoch != record?.epoch { accessTokens = [:] }
        record = known
        tellState()
    }

    /// Tells the listeners where things stand.
    func tellState() {
        guard let record else { return }
        guard let user = record.loggedInUser else { return broadcaster.publish(.loggedOut) }
        let isFresh = record.session != nil && record.session?.id == confirmedSession
        broadcaster.publish(.loggedIn(User(user), freshness: isFresh ? .fresh : .offlineCopy))
    }

    /// The device's key, by default the one in use.
    func deviceKey(_ slot: Int? = nil) async throws(OkaeriError) -> any DeviceKey {
        do throws(VaultError) {
            return try await vault.deviceKey(for: keyName(slot ?? record?.keySlot ?? 0))
        } catch {
            if case .unreadableNow = error, record == nil { broadcaster.publish(.storageLocked) }
            throw OkaeriError(error)
        }
    }

    /// The name under which the vault keeps a key.
    private func keyName(_ slot: Int) -> String {
        VaultRecord.keyName(of: application, slot: slot)
    }

    /// Tries key and record, without the benefit of what is in memory.
    func checkStorage() async throws(OkaeriError) {
        do throws(VaultError) {
            _ = try await vault.deviceKey(for: application)
            let lock = try await vault.lock(.change, for: application)
            defer { lock.release() }
            if let stored = try await vault.loadRecord(for: application) {
                try await vault.saveRecord(stored, for: application)
            } else {
                try await vault.saveRecord(VaultRecord().written(), for: application)
            }
        } catch {
            throw OkaeriError(error)
        }
    }

    /// Forgets everything about the device, without a word to the server.
    func erase() async throws(OkaeriError) {
        era += 1
        let slots = (record?.keySlot ?? 0)
        passing = nil
        flight = nil
        wanted = nil
        unanswered = nil
        confirmedSession = nil
        do throws(VaultError) {
            let lock = try await vault.lock(.change, for: application)
            defer { lock.release() }
            for slot in 0...slots { try await vault.erase(keyName(slot)) }
        } catch {
            throw OkaeriError(error)
        }
        unsaved = []
        present(VaultRecord())
    }
}
