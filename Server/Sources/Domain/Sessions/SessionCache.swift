import Synchronization

/// Sessions that were looked up before, so that the next look-up asks nobody.
///
/// It is exact: a change that this process committed is forgotten before the change is answered, one that another
/// process committed changes the epoch. It is bounded: two generations of half the size each; a hit in the older
/// one moves the entry to the younger, and when that is full the older one goes as a whole.
package final class SessionCache: Sendable {
    private let size: SessionCacheSize
    private let validity: any CacheValidity
    private let state: Mutex<State>

    /// - Parameters:
    ///   - size: How many sessions it may hold, or how much memory they may take.
    ///   - validity: Tells when another process changed something.
    package init(_ size: SessionCacheSize, validity: any CacheValidity) {
        self.size = size
        self.validity = validity
        state = Mutex(State(size: size))
    }

    /// A point in the order of changes, to be taken before a look-up in the database.
    package struct Ticket: Sendable {
        fileprivate var position: UInt64
        fileprivate var epoch: UInt64?
    }

    /// The entry of a token, when there is one that still holds.
    package func entry(for token: SecretDigest) -> Authenticated? {
        let epoch = validity.epoch
        return state.withLock { state in
            state.enter(epoch)
            guard epoch != nil else { return nil }
            if let kept = state.young.entries[token] { return kept.entry }
            guard let kept = state.old.remove(token) else { return nil }
            state.insert(kept)
            return kept.entry
        }
    }

    /// Call before reading from the database what `insert` shall keep.
    package func ticket() -> Ticket {
        let epoch = validity.epoch
        return state.withLock { state in
            state.enter(epoch)
            return Ticket(position: state.position, epoch: epoch)
        }
    }

    /// Keeps what was read after the ticket, unless a change since then may concern it.
    package func insert(_ entry: Authenticated, readAfter ticket: Ticket) {
        guard let epoch = ticket.epoch, validity.epoch == epoch else { return }
        // Weighed once, and while nobody waits.
        let kept = KeptEntry(entry: entry, weight: size.weight(of: entry))
        state.withLock { state in
            guard state.epoch == epoch, state.nothingConcerned(entry, since: ticket.position) else { return }
            state.insert(kept)
        }
    }

    /// Forgets what a committed transaction changed. Call before the change is answered.
    package func forget(_ change: Change) {
        state.withLock { state in
            state.note(change)
            switch change {
            case .session(_, let token):
                _ = state.young.remove(token)
                _ = state.old.remove(token)
            case .user(let application, let user):
                let owner = Owner(application: application, user: user)
                state.young.removeAll(of: owner)
                state.old.removeAll(of: owner)
            case .application:
                state.clear()
            case .signingKeys, .userPresent, .mailQueued, .eventsWritten:
                break
            }
        }
    }

    package var count: Int { state.withLock { $0.young.entries.count + $0.old.entries.count } }

    /// What it holds, in sessions or bytes as its size is given.
    package var weight: Int { state.withLock { $0.young.weight + $0.old.weight } }
}

private struct Owner: Hashable {
    var application: Identifier<Application>
    var user: Identifier<User>

    init(application: Identifier<Application>, user: Identifier<User>) {
        self.application = application
        self.user = user
    }

    init(_ entry: Authenticated) {
        self.init(application: entry.application.id, user: entry.user.id)
    }
}

/// An entry with what it weighs.
private struct KeptEntry {
    let entry: Authenticated
    let weight: Int
}

private struct Generation {
    var entries: [SecretDigest: KeptEntry] = [:]
    var tokens: [Owner: [SecretDigest]] = [:]
    /// What the entries weigh together.
    var weight = 0

    mutating func insert(_ kept: KeptEntry) {
        weight += kept.weight
        if let before = entries.updateValue(kept, forKey: kept.entry.tokenDigest) {
            weight -= before.weight
        } else {
            tokens[Owner(kept.entry), default: []].append(kept.entry.tokenDigest)
        }
    }

    mutating func remove(_ token: SecretDigest) -> KeptEntry? {
        guard let kept = entries.removeValue(forKey: token) else { return nil }
        weight -= kept.weight
        let owner = Owner(kept.entry)
        tokens[owner]?.removeAll { $0 == token }
        if tokens[owner]?.isEmpty == true { tokens[owner] = nil }
        return kept
    }

    mutating func removeAll(of owner: Owner) {
        for token in tokens.removeValue(forKey: owner) ?? [] {
            if let kept = entries.removeValue(forKey: token) { weight -= kept.weight }
        }
    }
}

private struct State {
    /// How many changes are remembered for look-ups under way; a look-up that lasts longer is not kept.
    static let rememberedChanges = 1024

    let size: SessionCacheSize
    var young = Generation()
    var old = Generation()
    var epoch: UInt64?
    /// How many changes there were.
    var position: UInt64 = 0
    var recent: [Change] = []

    init(size: SessionCacheSize) { self.size = size }

    mutating func clear() { (young, old) = (Generation(), Generation()) }

    /// Forgets everything when another process may have changed something.
    mutating func enter(_ epoch: UInt64?) {
        guard self.epoch != epoch else { return }
        self.epoch = epoch
        clear()
    }

    mutating func insert(_ kept: KeptEntry) {
        guard kept.weight <= size.half else { return }
        if young.weight + kept.weight > size.half { (old, young) = (young, Generation()) }
        young.insert(kept)
    }

    mutating func note(_ change: Change) {
        let slot = Int(truncatingIfNeeded: position % UInt64(clamping: Self.rememberedChanges))
        if slot < recent.count { recent[slot] = change } else { recent.append(change) }
        position += 1
    }

    func nothingConcerned(_ entry: Authenticated, since start: UInt64) -> Bool {
        guard position - start <= UInt64(clamping: Self.rememberedChanges) else { return false }
        return (start..<position).allSatisfy { number in
            switch recent[Int(truncatingIfNeeded: number % UInt64(clamping: Self.rememberedChanges))] {
            case .session(_, let token): token != entry.tokenDigest
            case .user(let application, let user): Owner(application: application, user: user) != Owner(entry)
            case .application(let application): application != entry.application.id
            case .signingKeys, .userPresent, .mailQueued, .eventsWritten: true
            }
        }
    }
}
