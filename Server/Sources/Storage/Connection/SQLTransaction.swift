package import Domain

/// A transaction under way: the queries of all slices over one connection, and what they changed.
///
/// The slices' queries stand in the folders beside this one.
package final class SQLTransaction: Transaction {
    package let connection: any Connection
    /// What the transaction changed that caches hold. The engine announces it after the commit.
    package private(set) var changes: [Change] = []

    /// The device proofs that it has taken. The engine gives them back when it comes to nothing.
    package private(set) var marks: [ProofMemory.Mark] = []
    let proofs: ProofMemory?
    let proofFloor: Timestamp?

    /// - Parameters:
    ///   - connection: What runs its statements.
    ///   - proofs: Where the engine keeps device proofs; `nil` where all of them have rows.
    ///   - proofFloor: Where they have rows: up to when device proofs may have counted that have none.
    package init(_ connection: any Connection, proofs: ProofMemory? = nil, proofFloor: Timestamp? = nil) {
        self.connection = connection
        self.proofs = proofs
        self.proofFloor = proofFloor
    }

    /// Runs a closure that may have one statement only.
    ///
    /// - Throws: what the closure throws, or `storageUnavailable` for a second statement.
    package func withSingleStatementConnection<Value>(
        _ body: (any Transaction) throws(DomainError) -> Value
    ) throws(DomainError) -> Value {
        let transaction = SQLTransaction(
            SingleStatementConnection(connection), proofs: proofs, proofFloor: proofFloor)
        defer { marks += transaction.marks }
        let value = try body(transaction)
        changes += transaction.changes
        return value
    }

    /// Runs a closure on a connection that stands before this transaction's own. What it changes is this transaction's, also
    /// when it throws: a statement by itself may have been committed.
    func with<Value>(
        _ connection: any Connection, _ body: (any Transaction) throws(DomainError) -> Value
    ) throws(DomainError) -> Value {
        let transaction = SQLTransaction(connection, proofs: proofs)
        defer {
            marks += transaction.marks
            changes += transaction.changes
        }
        return try body(transaction)
    }

    func note(_ change: Change) {
        changes.append(change)
    }

    func note(_ mark: ProofMemory.Mark) {
        marks.append(mark)
    }
}
