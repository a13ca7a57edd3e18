package import Domain

/// A transaction under way: the queries of all slices over one connection, and what they changed.
///
/// The slices' queries stand in the folders beside this one.
package final class SQLTransaction: Transaction {
    package let connection: any Connection
    /// What the transaction changed that caches hold. The engine announces it after the commit.
    package private(set) var changes: [Change] = []

    package init(_ connection: any Connection) {
        self.connection = connection
    }

    /// Runs a closure that may have one statement only.
    ///
    /// - Throws: what the closure throws, or `storageUnavailable` for a second statement.
    package func withSingleStatementConnection<Value>(
        _ body: (any Transaction) throws(DomainError) -> Value
    ) throws(DomainError) -> Value {
        let transaction = SQLTransaction(SingleStatementConnection(connection))
        let value = try body(transaction)
        changes += transaction.changes
        return value
    }

    func note(_ change: Change) {
        changes.append(change)
    }
}
