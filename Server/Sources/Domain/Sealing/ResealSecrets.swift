/// Seals what older keys sealed again, under the key that seals now, while servers run.
///
/// Each page of values is one small transaction, which changes only values that are still as they were read. So it can be
/// ended anywhere, started again, and run twice at once; what is sealed under the new key already is passed over.
package struct ResealSecrets: Sendable {
    /// How many rows a transaction covers.
    static let pageRows = 200

    private let store: any Store
    private let sealingKey: SealingKey
    private let audit: AuditTrail

    package init(store: any Store, sealingKey: SealingKey, audit: AuditTrail) {
        self.store = store
        self.sealingKey = sealingKey
        self.audit = audit
    }

    /// How many values each key seals, by the key's id.
    package typealias Counts = [String: Int]

    package struct Report: Hashable, Sendable {
        /// Sealed again.
        package var resealed = 0
        /// Changed or removed by somebody else meanwhile.
        package var changed = 0
        /// Sealed under a key that is not known.
        package var unknown = 0
        /// Damaged: the key is known, and does not open it.
        package var damaged = 0

        /// How many values were looked at.
        package var handled: Int { resealed + changed + unknown + damaged }
    }

    /// The ids of the keys that are known; the first one seals.
    package var keys: [String] { sealingKey.ids }

    /// How many values each key seals in the whole database.
    ///
    /// - Throws: `storageUnavailable`.
    package func counts() async throws(DomainError) -> Counts {
        try await Self.counts(in: SealedColumn.allCases, of: store)
    }

    /// The ids of keys that are needed and not known, as far as the columns with few rows tell.
    ///
    /// - Throws: `storageUnavailable`.
    package func missingKeys() async throws(DomainError) -> [String] {
        try await Self.neededKeys(in: store).filter { !keys.contains($0) }
    }

    /// The ids of the keys that sealed something, as far as the columns with few rows tell.
    ///
    /// - Parameter store: The database.
    /// - Returns: the ids.
    /// - Throws: `storageUnavailable`.
    package static func neededKeys(in store: any Store) async throws(DomainError) -> [String] {
        try await counts(in: SealedColumn.small, of: store).keys.sorted()
    }

    /// Seals everything again that another key sealed. The first page that changes writes the audit entry, so that a run that is
    /// ended in the middle has one too.
    ///
    /// - Parameters:
    ///   - who: The actor of the audit entry.
    ///   - tell: Called after each page.
    /// - Returns: what was done.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail; `storageUnavailable`.
    package func callAsFunction(
        by who: Operator, _ tell: @Sendable (Report) -> Void
    ) async throws(DomainError) -> Report {
        var report = Report()
        let entry = audit.draft(.secretsResealed, by: who.actor, in: AuditEntry.server, from: who.origin)
        for column in SealedColumn.allCases {
            var last: [String]?
            while true {
                let page = try await Self.page(of: column, after: last, in: store)
                guard let end = page.last else { break }
                last = end.row
                let old = page.filter { SealingKey.id(of: $0.sealed) != keys.first }
                try await reseal(old, &report, audit: report.resealed == 0 ? entry : nil)
                tell(report)
            }
        }
        return report
    }

    private func reseal(
        _ values: [SealedValue], _ report: inout Report, audit entry: AuditDraft?
    ) async throws(DomainError) {
        var fresh: [(old: SealedValue, sealed: [UInt8])] = []
        for value in values {
            guard keys.contains(SealingKey.id(of: value.sealed)) else {
                report.unknown += 1
                continue
            }
            guard let purpose = value.purpose,
                // A damaged value is counted, and keeps nobody from resealing the others.
                let secret = try? sealingKey.open(value.sealed, purpose: purpose)
            else {
                report.damaged += 1
                continue
            }
            fresh.append((value, try sealingKey.seal(secret, purpose: purpose)))
        }
        guard !fresh.isEmpty else { return }
        let all = fresh
        let done = try await store.write { transaction throws(DomainError) in
            var done = 0
            for (old, sealed) in all where try transaction.reseal(old, as: sealed) { done += 1 }
            if done > 0 { try entry?.record(on: keys.first.map { .sealingKey($0) }, in: transaction) }
            return done
        }
        report.resealed += done
        report.changed += all.count - done
    }

    private static func counts(
        in columns: [SealedColumn], of store: any Store
    ) async throws(DomainError) -> Counts {
        var counts: Counts = [:]
        for column in columns {
            var last: [String]?
            while true {
                let page = try await page(of: column, after: last, in: store)
                guard let end = page.last else { break }
                last = end.row
                for value in page { counts[SealingKey.id(of: value.sealed), default: 0] += 1 }
            }
        }
        return counts
    }

    private static func page(
        of column: SealedColumn, after row: [String]?, in store: any Store
    ) async throws(DomainError) -> [SealedValue] {
        try await store.read { transaction throws(DomainError) in
            try transaction.sealedValues(in: column, after: row, limit: Self.pageRows)
        }
    }
}
