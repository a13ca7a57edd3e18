/// Reads the chains of the audit log and tells what does not fit: entries that were changed, removed or put in.
///
/// Found is what somebody does who can write to the database but does not have the sealing key. Who rolls the whole
/// database back leaves a log that fits; against that, keep the last number and digest somewhere else.
package struct VerifyAudit: Sendable {
    private static let pageSize = 1000
    /// Entries of each chain that show whether another key wrote it, or its end alone was changed.
    private static let sampleSize = 100
    /// Faults named of one chain; a chain that was replaced as a whole has one at each entry.
    package static let maximumFaults = 100

    let store: any Store
    let seals: AuditSeals

    /// What was found out about one chain.
    package struct Verdict: Hashable, Sendable {
        package var application: Identifier<Application>
        /// How many entries there are.
        package var entryCount = 0
        /// The end of the chain.
        package var head: AuditHead?
        /// At most `maximumFaults`.
        package var faults: [Fault] = []
    }

    /// Something that does not fit.
    package enum Fault: Hashable, Sendable {
        /// An entry is not as it was written, or was not written by this installation.
        case changed(number: Int64, id: Identifier<AuditEntry>)
        /// Entries are missing.
        case missing(from: Int64, through: Int64)
        /// An entry does not follow the one before it: one was removed before it, or it was put there.
        case misplaced(number: Int64, id: Identifier<AuditEntry>)
        /// The record of the chain's end is missing, or not as it was written.
        case headChanged
        /// An entry that was given is not there, or another one is in its place.
        case knownMissing(number: Int64)
    }

    /// An entry that was given.
    package struct Known: Hashable, Sendable {
        package var number: Int64
        package var digest: SecretDigest

        package init(number: Int64, digest: SecretDigest) {
            self.number = number
            self.digest = digest
        }
    }

    /// - Parameters:
    ///   - application: Whose chain; `nil` for all, with that of the server.
    ///   - known: An entry that each chain must hold.
    /// - Returns: a verdict for each chain.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        _ application: Identifier<Application>? = nil, known: Known? = nil
    ) async throws(DomainError) -> [Verdict] {
        let chains: [Identifier<Application>]
        if let application {
            chains = [application]
        } else {
            chains = try await store.read { transaction throws(DomainError) in
                // Each application has an entry of its making, so that a chain that is gone as a whole is missed.
                let made = try transaction.applications().map(\.id)
                return made + (try transaction.auditHeads().map(\.application).filter { !made.contains($0) })
            }
        }
        var verdicts: [Verdict] = []
        for chain in chains { verdicts.append(try await verdict(on: chain, known: known)) }
        return verdicts
    }

    /// Whether no chain ends as the first sealing key would have it, nor begins so: a sign of another key. Ends alone are
    /// changed by who removes an entry, and what fits no more is found then.
    ///
    /// - Returns: `false` where there are no chains yet.
    /// - Throws: `storageUnavailable`.
    package func isUnderAnotherKey() async throws(DomainError) -> Bool {
        let heads = try await store.read { transaction throws(DomainError) in try transaction.auditHeads() }
        guard !heads.isEmpty, !heads.contains(where: { seals.fits($0) }) else { return false }
        var (fitting, all) = (0, 0)
        for head in heads {
            let oldest = try await store.read { transaction throws(DomainError) in
                try transaction.auditChain(of: head.application, after: 0, limit: Self.sampleSize)
            }
            fitting += oldest.count { seals.fits($0.entry) }
            all += oldest.count
        }
        return fitting < all - fitting
    }

    private func verdict(
        on application: Identifier<Application>, known: Known?
    ) async throws(DomainError) -> Verdict {
        var verdict = Verdict(application: application)
        // Read first: the chain may grow while it is read, never shrink.
        let head = try await store.read { transaction throws(DomainError) in
            try transaction.auditHead(of: application)
        }
        verdict.head = head
        var (number, digest): (Int64, SecretDigest?) = (0, nil)
        var digestAtHead: SecretDigest?
        var holdsKnown = known == nil
        while true {
            let after = number
            let page = try await store.read { transaction throws(DomainError) in
                try transaction.auditChain(of: application, after: after, limit: Self.pageSize)
            }
            for link in page {
                check(link, after: (number, digest), &verdict)
                (number, digest) = (link.number, link.digest)
                if number == head?.number { digestAtHead = digest }
                if number == known?.number { holdsKnown = digest == known?.digest }
                verdict.entryCount += 1
            }
            guard page.count == Self.pageSize else { break }
        }
        if let head, seals.fits(head) {
            if number < head.number {
                verdict.add(.missing(from: number + 1, through: head.number))
            } else if digestAtHead != head.digest {
                verdict.add(.headChanged)
            }
        } else {
            verdict.add(.headChanged)
        }
        if let known, !holdsKnown { verdict.add(.knownMissing(number: known.number)) }
        return verdict
    }

    private func check(
        _ link: ChainedAuditEntry, after before: (number: Int64, digest: SecretDigest?), _ verdict: inout Verdict
    ) {
        if link.number > before.number + 1 {
            verdict.add(.missing(from: before.number + 1, through: link.number - 1))
        } else if seals.digest(of: link.entry, number: link.number, after: before.digest) != link.digest {
            verdict.add(.misplaced(number: link.number, id: link.entry.id))
        }
        if !seals.fits(link.entry) { verdict.add(.changed(number: link.number, id: link.entry.id)) }
    }
}

extension VerifyAudit.Verdict {
    fileprivate mutating func add(_ fault: VerifyAudit.Fault) {
        if faults.count < VerifyAudit.maximumFaults { faults.append(fault) }
    }
}
