import Foundation
import OkaeriWire

/// Keeps the session of one application on this device: what the vault holds, who is logged in, and what is under way.
///
/// The record in memory is always "what the vault held when last read, with the changes that are not saved yet".
/// Everything that lives on in a client is here; the slices add their calls as extensions.
actor SessionKeeper {
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
    /// The record of a log-in that is not to be remembered: it counts before the vault's and is never stored.
    var temporary: VaultRecord?
    /// Whether no key is bound to the session of that log-in, so that no proof goes with its requests.
    var isTemporaryKeyless = false
    /// Changes that the vault has not taken yet, oldest first.
    var unsaved: [(number: Int, change: RecordChange)] = []
    /// How far the device's clock is behind the server's, in seconds.
    var clockOffset: TimeInterval = 0
    /// The user whose deletion was asked for here, until the next log-in.
    var deletedUser: String?
    /// The user who was logged in here when the server last said that the user is disabled, until the next log-in.
    var disabledUser: String?
    /// What is decided about log-ins.
    var machine = LogInMachine()
    /// Counts the log-outs and the times that the device was forgotten: a log-in that was asked for before does not count.
    var departures = 0
    /// How many log-ins by other means than the key were asked for.
    var askedLogIns = 0
    /// The last of them that logged somebody in.
    var doneLogIn = 0
    /// The callers who wait for a log-in, by their numbers in the machine.
    var waitingCallers: [Int: AsyncStream<LogInMachine.Outcome>.Continuation] = [:]
    var nextCaller = 0
    var accessTokens: [String: (token: AccessToken, askedAt: Date)] = [:]
    /// The version of the claims in `accessTokens`.
    var accessTokensVersion: String?
    var recovery: Task<Void, Never>?
    /// Whether it waits as long as the server asked for.
    var waitsForServer = false
    /// Until when the server last asked to be left alone, and how long that was.
    var patience: (until: Date, asked: Duration)?
    var listening: Task<Void, Never>?
    /// The delivery of log-outs under way.
    var delivery: Task<Bool, Never>?
    /// How many notices there are, as the server last said.
    var announcedNotices = 0
    /// How many of those were fetched.
    var fetchedNotices = 0
    var noticeFetch: Task<Void, Never>?
    /// The proof of presence under way, which brings the session another token.
    var reauthentication: Task<Result<Void, OkaeriError>, Never>?
    /// A proof of presence whose response got lost: it may have replaced this token, and until then it gets its response again.
    var lostPresence: (call: APICall, token: Secret, until: Date)?
    /// Waits for the end of the time in which it gets its response again.
    var lostPresenceEnd: Task<Void, Never>?
    /// The adoptions of old services' users under way, by the names of the services.
    var oldServices: [String: Task<Result<LogInResponse?, OkaeriError>, Never>] = [:]
    /// The log-ins through the pages whose codes were sent, by their `state`, the latest last.
    var sentWebLogIns: [Secret] = []
    /// The record as the vault was last known to hold it, without the changes that are not saved.
    private var base = VaultRecord()
    /// How many times the changes are being saved now.
    private var saves = 0
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
        lostPresenceEnd?.cancel()
    }

    /// Looks into the vault for the first time, so that the state is known.
    func start() async {
        listen()
        guard record == nil else { return }
        // An unreadable vault has become the state `storageLocked`, and is read again in the background.
        _ = try? await read()
    }

    /// The record that counts: as the vault holds it now, with what is not saved yet, or that of a log-in that is not
    /// remembered.
    ///
    /// - Throws: `OkaeriError.storageLocked` when it could never be read; later failures return what is known.
    @discardableResult
    func read() async throws(OkaeriError) -> VaultRecord {
        listen()
        if !unsaved.isEmpty {
            // A vault that still takes no changes is tried again in the background.
            _ = try? await save()
        }
        if let temporary { return temporary }
        return try await readVault()
    }

    /// The record as the vault holds it now, with what is not saved yet, also beneath a log-in that is not remembered.
    ///
    /// - Throws: `OkaeriError.storageLocked` when it could never be read; later failures return what is known.
    func readVault() async throws(OkaeriError) -> VaultRecord {
        listen()
        do throws(VaultError) {
            var seen: Int
            var stored: VaultRecord
            repeat {
                seen = adoptions
                stored = try await loadRecord()
            } while seen != adoptions
            let isFirst = record == nil
            let known = adopt(stored)
            // What an earlier launch could not tell the server does not wait until somebody logs in.
            if isFirst, !known.pendingRevocations.isEmpty { workInBackground() }
            return known
        } catch {
            workInBackground()
            if record != nil { return remembered }
            broadcaster.publish(.storageLocked)
            throw OkaeriError(error)
        }
    }

    /// The record as the vault was last known to hold it, with what is not saved yet.
    private var remembered: VaultRecord {
        var known = base
        for entry in unsaved { entry.change.apply(to: &known) }
        return known
    }

    /// Changes the record, at once in memory and then in the vault. A vault that does not take the change now gets it
    /// later.
    ///
    /// - Returns: The record afterwards.
    @discardableResult
    func change(_ change: RecordChange) async -> VaultRecord {
        if var changed = temporary {
            change.apply(to: &changed)
            temporary = changed
            present(changed)
            // Who has which key, and a name that comes once, outlive a log-in that is not remembered.
            switch change {
            case .tryKey, .pendingName: break
            default: return changed
            }
        }
        nextNumber += 1
        unsaved.append((nextNumber, change))
        var changed = record ?? VaultRecord()
        if change.endsTemporary {
            // What is in memory is the log-in that ends: what the vault was last known to hold counts again.
            changed = remembered
        } else {
            change.apply(to: &changed)
        }
        // Before the vault was read, a name says nothing of who is logged in.
        if record != nil || !change.isName { present(changed) }
        foldUnsaved()
        do throws(VaultError) {
            return try await save()
        } catch {
            workInBackground()
            return record ?? changed
        }
    }

    /// The most changes that wait for a vault that takes none.
    static let maximumUnsaved = 64

    /// Makes one change of too many that wait. While some are being saved nobody knows which of them the vault has.
    private func foldUnsaved() {
        guard unsaved.count > Self.maximumUnsaved, saves == 0 else { return }
        let outcome = RecordChange.Outcome(
            generation: base.generation, epoch: base.epoch, record: remembered,
            hasLogOut: unsaved.contains { $0.change.hasLogOut })
        nextNumber += 1
        unsaved = [(nextNumber, .become(outcome))]
    }

    /// Brings the unsaved changes into the vault, upon whatever other processes have stored meanwhile.
    @discardableResult
    func save() async throws(VaultError) -> VaultRecord {
        saves += 1
        defer { saves -= 1 }
        let lock = try await vault.lock(.change, for: application)
        defer { lock.release() }
        let stored = try await loadRecord()
        let batch = unsaved
        var changed = stored
        for entry in batch { entry.change.apply(to: &changed) }
        if !batch.isEmpty {
            do throws(VaultError) {
                try await copyKeys(of: changed, over: stored)
            } catch {
                // The copy serves a damaged record alone, and comes with the next change. A log-out does not wait for it: a full
                // disk may have room for the shorter record in place of the longer, and none for a second one.
                guard batch.contains(where: { $0.change.hasLogOut }) else { throw error }
            }
            try await vault.saveRecord(changed.written(), for: application)
        }
        let saved = Set(batch.map(\.number))
        unsaved.removeAll { saved.contains($0.number) }
        return adopt(changed)
    }

    /// What the vault holds.
    private func loadRecord() async throws(VaultError) -> VaultRecord {
        let stored = try await vault.loadRecord(for: application)
        guard let stored else { return VaultRecord() }
        if let record = VaultRecord.undamaged(stored) { return record }
        let copy = try await vault.loadRecord(for: VaultRecord.copyName(of: application))
        return VaultRecord.read(stored, keys: copy)
    }

    /// Sees to it that what a record says of keys is there twice.
    private func copyKeys(of record: VaultRecord, over stored: VaultRecord) async throws(VaultError) {
        guard record.keysToCopy != nil || stored.keysToCopy != nil else { return }
        let name = VaultRecord.copyName(of: application)
        let copy = (record.keysToCopy ?? VaultRecord.Keys()).written()
        // Vaults that outlive the app hear of a name first when it is read.
        guard try await vault.loadRecord(for: name) != copy else { return }
        try await vault.saveRecord(copy, for: name)
    }

    /// Takes over what the vault holds and adds what is not saved yet.
    private func adopt(_ stored: VaultRecord) -> VaultRecord {
        base = stored
        adoptions += 1
        let known = remembered
        // A log-in that is not remembered counts before the vault.
        if temporary == nil { present(known) }
        return known
    }

    func present(_ known: VaultRecord) {
        adoptions += 1
        // A token belongs to the session in which it was asked for. Of another one nobody knows whether it counts.
        if known.session?.token != record?.session?.token || known.epoch != record?.epoch { accessTokens = [:] }
        if let record, known.epoch != record.epoch {
            forgetNotices()
            if known.loggedInUser != nil { disabledUser = nil }
        }
        record = known
        if known.loggedInUser != nil { deletedUser = nil }
        publishState()
    }

    /// Publishes who is logged in.
    func publishState() {
        guard let record else { return }
        guard let user = record.loggedInUser else { return broadcaster.publish(.loggedOut(record.reasonLoggedOut)) }
        let isFresh = record.session != nil && record.session?.id == machine.confirmedSession
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

    /// This key if it works. One that is lost gives way to the next that nobody has when a person comes by other means than
    /// the key.
    func usableSlot(from first: Int) async throws(OkaeriError) -> Int {
        var (slot, lostKeys) = (first, 0)
        while true {
            do throws(VaultError) {
                // Some lost keys can be read, and do not sign.
                _ = try await vault.deviceKey(for: keyName(slot)).signature(for: Data("okaeri".utf8))
                return slot
            } catch {
                guard case .damaged = error, lostKeys < 8 else { throw OkaeriError(error) }
                lostKeys += 1
                // Up to the last that was in use they are other people's.
                slot = max(slot + 1, record?.nextKeySlot ?? 0)
            }
        }
    }

    /// The key for a log-in by other means. That it goes to the server is stored before it does.
    func triedKey(_ slot: Int) async throws(OkaeriError) -> any DeviceKey {
        let key = try await deviceKey(slot)
        if slot > record?.lastKeySlot ?? 0 { await change(.tryKey(slot)) }
        return key
    }

    /// The name under which the vault keeps a key.
    private func keyName(_ slot: Int) -> String {
        VaultRecord.keyName(of: application, slot: slot)
    }

    /// Tries the key in use and the record, without the benefit of what is in memory.
    func checkStorage() async throws(OkaeriError) {
        do throws(VaultError) {
            let lock = try await vault.lock(.change, for: application)
            defer { lock.release() }
            let stored = try await vault.loadRecord(for: application)
            // Of the keys before the one in use nobody needs to know: a device that has begun anew may have lost them.
            let slot = try await loadRecord().keySlot
            // Some lost keys can be read, and do not sign.
            _ = try await vault.deviceKey(for: keyName(slot)).signature(for: Data("okaeri".utf8))
            try await vault.saveRecord(stored ?? VaultRecord().written(), for: application)
        } catch {
            throw OkaeriError(error)
        }
    }

    /// Forgets everything about the device, without a word to the server.
    func erase() async throws(OkaeriError) {
        departures += 1
        handle(.forgotten)
        do throws(VaultError) {
            let lock = try await vault.lock(.change, for: application)
            defer { lock.release() }
            // What is in memory may be older than what another process has stored, or not there yet. One key more was made
            // if a log-in of somebody else came to nothing. The record, which tells of the others, goes last.
            let stored = try await loadRecord()
            let last = max(stored.lastKeySlot, record?.lastKeySlot ?? 0) + 1
            for slot in (0...last).reversed() { try await vault.erase(keyName(slot)) }
            try await vault.erase(VaultRecord.copyName(of: application))
        } catch {
            throw OkaeriError(error)
        }
        // A log-in that began meanwhile may have the key that is gone now.
        departures += 1
        handle(.forgotten)
        lostPresence = nil
        temporary = nil
        unsaved = []
        base = VaultRecord()
        present(base)
    }
}
