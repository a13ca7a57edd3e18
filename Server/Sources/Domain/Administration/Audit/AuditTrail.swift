/// Writes the audit log. An entry is written in the transaction of the action, so that there is never one without the
/// other; `ChainAuditEntries` puts it into the chain afterwards, so that actions do not wait for each other.
package struct AuditTrail: Sendable {
    let clock: any WallClock
    let randomness: any Randomness
    let seals: AuditSeals
    /// Whether there is a limit on what a user leaves; see `UserTrace`.
    let hasLimits: Bool

    package init(clock: any WallClock, randomness: any Randomness, seals: AuditSeals, hasLimits: Bool) {
        self.clock = clock
        self.randomness = randomness
        self.seals = seals
        self.hasLimits = hasLimits
    }

    /// Begins an entry. Call it before the transaction, which may run twice.
    package func draft(
        _ action: AuditEntry.Action, by actor: AuditEntry.Actor, in application: Identifier<Application>,
        from origin: RequestOrigin
    ) -> AuditDraft {
        let now = clock.now
        return AuditDraft(
            id: randomness.newIdentifier(at: now), application: application, at: now, actor: actor, action: action,
            origin: origin, seals: seals, hasLimits: hasLimits)
    }

    /// Writes the entry of what has no transaction of its own: of a reading, or of something that goes beyond this server or
    /// takes long, before it begins. What cannot be recorded does not happen.
    ///
    /// - Parameters:
    ///   - action: What is about to be done.
    ///   - target: To whom or what; `nil` for the application.
    ///   - details: Names and ids, no secret and no personal data.
    ///   - who: Who does it.
    ///   - application: Whose log it stands in.
    ///   - store: Where.
    /// - Throws: `storageUnavailable`.
    func record(
        _ action: AuditEntry.Action, on target: AuditEntry.Target? = nil, details: [String: String] = [:],
        by who: Operator, in application: Identifier<Application>, to store: any Store
    ) async throws(DomainError) {
        let entry = draft(action, by: who.actor, in: application, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try entry.record(on: target ?? .application(application), details: details, in: transaction)
        }
    }
}

/// An entry of an action that is about to happen.
package struct AuditDraft: Sendable {
    let id: Identifier<AuditEntry>
    let application: Identifier<Application>
    let at: Timestamp
    let actor: AuditEntry.Actor
    let action: AuditEntry.Action
    let origin: RequestOrigin
    let seals: AuditSeals
    let hasLimits: Bool

    /// Writes the entry, in the action's transaction.
    ///
    /// - Parameters:
    ///   - target: To whom or what it was done.
    ///   - actor: Who did it, when only the transaction finds that out.
    ///   - result: How it ended. A refusal is lost when the transaction throws: it has to return.
    ///   - details: Names and ids, no secret and no personal data.
    ///   - transaction: The action's.
    /// - Throws: `rateLimited` for who has left too much, `storageUnavailable`.
    package func record(
        on target: AuditEntry.Target?, by actor: AuditEntry.Actor? = nil, result: AuditEntry.Result = .done,
        details: [String: String] = [:], in transaction: any Transaction
    ) throws(DomainError) {
        let who = Operator(actor: actor ?? self.actor, origin: origin)
        if who.actor.isUser, !UserTrace.uncounted.contains(action) { try count(.entry, of: who.actor, in: transaction) }
        try countOperator(who.actor, in: transaction)
        let act = AuditEntry.Act(action, on: target, result: result, details: details)
        let seal = seals.seal(id, in: application, at: at, by: who, did: act)
        try transaction.insert(
            AuditEntry(id: id, application: application, at: at, by: who, did: act, seal: seal))
    }
}

/// The keyed hashes of the audit log. One who can write to the database but does not have the sealing key cannot make
/// them.
package struct AuditSeals: Sendable {
    private let entryHash: KeyedHash
    private let chainHash: KeyedHash
    private let headHash: KeyedHash

    package init(_ key: SealingKey) {
        entryHash = key.keyedHash(purpose: "okaeri audit entry")
        chainHash = key.keyedHash(purpose: "okaeri audit chain")
        headHash = key.keyedHash(purpose: "okaeri audit head")
    }

    func seal(
        _ id: Identifier<AuditEntry>, in application: Identifier<Application>, at: Timestamp, by who: Operator,
        did act: AuditEntry.Act
    ) -> SecretDigest {
        let texts = [
            id.rawValue, application.rawValue, String(at.milliseconds), who.actor.rawValue, act.action.rawValue,
            act.target?.rawValue, act.result.rawValue, who.origin.address, who.origin.userAgent, who.origin.requestId,
        ]
        let pairs = act.details.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        return entryHash.digest(of: (texts + pairs).map { $0.map { Array($0.utf8) } })
    }

    /// Whether an entry is as it was written.
    func fits(_ entry: AuditEntry) -> Bool {
        entry.seal == seal(entry.id, in: entry.application, at: entry.at, by: entry.who, did: entry.act)
    }

    /// The digest of an entry in its place. The first one has none before it.
    func digest(of entry: AuditEntry, number: Int64, after previous: SecretDigest?) -> SecretDigest {
        chainHash.digest(of: [
            previous?.bytes, Array(entry.application.rawValue.utf8), Array(String(number).utf8), entry.seal.bytes,
        ])
    }

    func head(of application: Identifier<Application>, number: Int64, digest: SecretDigest) -> AuditHead {
        AuditHead(
            application: application, number: number, digest: digest,
            seal: headHash.digest(of: [
                Array(application.rawValue.utf8), Array(String(number).utf8), digest.bytes,
            ]))
    }

    func fits(_ head: AuditHead) -> Bool {
        head == self.head(of: head.application, number: head.number, digest: head.digest)
    }
}
