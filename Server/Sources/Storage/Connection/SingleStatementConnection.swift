package import Domain

/// A connection that runs one statement and refuses the next: the rule of `Store.writeStatement`, so that a closure
/// which breaks it fails on every engine and not only on the one where it matters.
package final class SingleStatementConnection: Connection {
    private let connection: any Connection
    private var isUsed = false

    package init(_ connection: any Connection) {
        self.connection = connection
    }

    package func rows<Row>(
        _ query: Query, _ values: [Value], read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        try use()
        return try connection.rows(query, values, read: read)
    }

    package func change(_ query: Query, _ values: [Value]) throws(DomainError) -> Int {
        try use()
        return try connection.change(query, values)
    }

    package var dialect: Dialect { connection.dialect }

    package func rows<Row>(
        _ question: DynamicQuery, read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        try use()
        return try connection.rows(question, read: read)
    }

    private func use() throws(DomainError) {
        guard !isUsed else { throw .storageUnavailable }
        isUsed = true
    }
}
