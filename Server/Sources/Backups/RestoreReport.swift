package import Domain

/// What was restored, wherever it came from and went to.
package struct RestoreReport: Sendable {
    /// What came of a journal in a restored database.
    struct Outcome: Sendable {
        let rows: [String: Int]
        let revocations: Int
        let doubt: String?
        let endedAll: Bool
        let sealingKeys: [String]
    }

    /// The backup; `nil` for a replica, and for a database that was there.
    package let name: String?
    /// What is restored is that of this time; `nil` for a database that was there.
    package let time: Timestamp?
    package let rows: [String: Int]
    /// Rows that were ended or changed by the journal.
    package let revocations: Int
    /// Why something that ended may be missing; `nil` when all is known.
    package let doubt: String?
    /// Whether all sessions and codes were ended.
    package let endedAll: Bool
    /// The ids of the sealing keys that the database needs.
    package let sealingKeys: [String]

    init(of outcome: Outcome, name: String?, time: Timestamp?) {
        (self.name, self.time) = (name, time)
        (rows, revocations, doubt) = (outcome.rows, outcome.revocations, outcome.doubt)
        (endedAll, sealingKeys) = (outcome.endedAll, outcome.sealingKeys)
    }
}
