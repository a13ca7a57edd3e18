import Domain
import Storage

/// Notes which statement came first.
final class RecordingConnection: Connection {
    private let connection: PostgreSQLConnection
    private(set) var firstKey: Query.Key?
    var beforeFirst: (Query.Key) -> Void = { _ in }

    init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    func rows<Row>(
        _ query: Query, _ values: [Value], read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        note(query)
        return try connection.rows(query, values, read: read)
    }

    func change(_ query: Query, _ values: [Value]) throws(DomainError) -> Int {
        note(query)
        return try connection.change(query, values)
    }

    var dialect: Dialect { connection.dialect }

    func rows<Row>(
        _ question: DynamicQuery, read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        note(.dynamic)
        return try connection.rows(question, read: read)
    }

    private func note(_ query: Query) {
        note(query.key)
    }

    private func note(_ key: Query.Key) {
        guard firstKey == nil else { return }
        firstKey = key
        beforeFirst(key)
    }
}
