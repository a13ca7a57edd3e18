import Synchronization

/// The audit log as it is read: its entries, their chains, and whether these are whole. `AuditTrail` writes it.
package struct AuditLog: Sendable {
    package let list: ListAudit
    package let chain: ChainAuditEntries
    package let readChain: ReadAuditChain
    package let verify: VerifyAudit
    private let store: any Store

    init(store: any Store, seals: AuditSeals, searches: SearchScheduler) {
        self.store = store
        list = ListAudit(schedule: searches)
        chain = ChainAuditEntries(store: store, seals: seals)
        readChain = ReadAuditChain(store: store)
        verify = VerifyAudit(store: store, seals: seals)
    }

    /// When the newest entry of all logs was written; `nil` before the first.
    ///
    /// - Throws: `storageUnavailable`.
    package func newestTime() async throws(DomainError) -> Timestamp? {
        try await store.read { transaction throws(DomainError) in try transaction.newestAuditTime() }
    }
}

/// A page of an application's audit log, newest first.
///
/// A filter that fits few entries has the whole log looked through, which takes seconds of a long one: it is a search, and
/// keeps no reader from log-ins.
package struct ListAudit: Sendable {
    package static let maximumPageSize = 1000
    /// The longest that a command waits for a page.
    private static let longestTimeOfCommand: Duration = .seconds(600)

    let schedule: SearchScheduler

    /// - Parameters:
    ///   - application: Whose log.
    ///   - filter: Which entries.
    ///   - id: The last entry of the page before, or `nil` for the first page.
    ///   - limit: At most 1000; larger values are cut.
    ///   - caller: Who asks: an admin, or a command, which takes all the time that it needs.
    /// - Returns: the page; the last one has fewer than `limit`.
    /// - Throws: `searchTooSlow`, `rateLimited` when the application's admins have searched for too long of late, `busy` when
    ///   too many of their searches wait, `storageUnavailable`.
    package func callAsFunction(
        in application: Identifier<Application>, matching filter: AuditFilter = AuditFilter(),
        before id: Identifier<AuditEntry>? = nil, limit: Int = 100, by caller: SearchRequest.Caller = .admin
    ) async throws(DomainError) -> [AuditEntry] {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        let time = caller == .export ? Self.longestTimeOfCommand : SearchScheduler.longestTimeOfAdmin
        return try await schedule(in: application, for: SearchRequest(by: caller), within: time) {
            transaction throws(DomainError) in
            try transaction.auditEntries(in: application, matching: filter, before: id, limit: limit)
        }
    }
}

/// Notes in the audit log that an operator looked at people's data (requirement 42): whose, and never what was seen.
///
/// An app's backend reads lists by the key of an old protocol's administrator as often as its users ask, and its entries stay for
/// ever: of the readings of one key from one address, the first in ten minutes is noted.
package struct RecordReading: Sendable {
    let store: any Store
    let audit: AuditTrail
    private let noted = NotedReadings()

    init(store: any Store, audit: AuditTrail) {
        self.store = store
        self.audit = audit
    }

    /// - Parameters:
    ///   - user: Who was looked at; `nil` for a list of many.
    ///   - application: Whose users.
    ///   - who: Who does it.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of user: Identifier<User>?, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let now = audit.clock.now
        let reading = NotedReadings.Reading(application: application, actor: who.actor, address: who.origin.address)
        let isRepeatable = user == nil && who.actor.isProtocolKey
        if isRepeatable, noted.has(reading, at: now) { return }
        try await audit.record(.usersRead, on: user.map { .user($0) }, by: who, in: application, to: store)
        // Not before: what cannot be recorded does not happen.
        if isRepeatable { noted.note(reading, at: now) }
    }
}

/// Which keys of old protocols have been noted as readers lately, from where. Another process notes its own.
private final class NotedReadings: Sendable {
    struct Reading: Hashable, Sendable {
        let application: Identifier<Application>
        let actor: AuditEntry.Actor
        let address: String?
    }

    private static let span = Duration.seconds(600)
    /// Who has more addresses is noted more often.
    private static let maximumCount = 1000

    private let times = Mutex<[Reading: Timestamp]>([:])

    func has(_ reading: Reading, at now: Timestamp) -> Bool {
        times.withLock { times in
            guard let noted = times[reading] else { return false }
            return noted <= now && now < noted + Self.span
        }
    }

    func note(_ reading: Reading, at now: Timestamp) {
        times.withLock { times in
            if times.count >= Self.maximumCount { times = times.filter { now < $0.value + Self.span } }
            if times.count >= Self.maximumCount { times = [:] }
            times[reading] = now
        }
    }
}
