package import Domain

/// One connection to a database engine: all that the queries need. Used by one thread at a time.
package protocol Connection: AnyObject {
    /// Runs a statement and reads each row that it returns.
    ///
    /// - Throws: `storageUnavailable` for every fault of the engine, which the engine has then reported.
    func rows<Row>(
        _ query: Query, _ values: [Value], read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row]

    /// Runs a statement that changes rows and returns none.
    ///
    /// Cheaper than `RETURNING`, for which SQLite makes a table of its own each time.
    ///
    /// - Returns: how many rows it inserted, updated or deleted.
    /// - Throws: `storageUnavailable`, as `rows`.
    func change(_ query: Query, _ values: [Value]) throws(DomainError) -> Int

    /// The words for what SQL does not say in one way.
    var dialect: Dialect { get }

    /// Runs a question that was put together for one request, within bounds of cost, and reads each row.
    ///
    /// - Throws: `busy` when it costs more than one may, `storageUnavailable`.
    func rows<Row>(
        _ question: DynamicQuery, read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row]
}

extension Connection {
    /// Runs a statement whose rows, if any, do not matter.
    ///
    /// - Throws: `storageUnavailable`.
    package func run(_ query: Query, _ values: [Value] = []) throws(DomainError) {
        _ = try rows(query, values) { _ throws(DomainError) in }
    }

    /// Runs a statement that returns one row or none.
    ///
    /// - Throws: `storageUnavailable`, and what `read` throws.
    package func row<Row>(
        _ query: Query, _ values: [Value], read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> Row? {
        try rows(query, values, read: read).first
    }
}

/// A value to bind to a statement.
package enum Value: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

extension Value {
    package static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
    package static func time(_ time: Timestamp) -> Value { .integer(time.milliseconds) }
    package static func count(_ count: Int) -> Value { .integer(Int64(clamping: count)) }
    package static func optional(_ time: Timestamp?) -> Value { time.map(Value.time) ?? .null }
    package static func id<Subject>(_ id: Identifier<Subject>) -> Value { .text(id.rawValue) }
    package static func digest(_ digest: SecretDigest) -> Value { .bytes(digest.bytes) }
    static func optional(_ digest: SecretDigest?) -> Value { digest.map(Value.digest) ?? .null }
    static func optional(_ bytes: [UInt8]?) -> Value { bytes.map(Value.bytes) ?? .null }
    static func optional<Subject>(_ id: Identifier<Subject>?) -> Value { id.map(Value.id) ?? .null }
    static func truth(_ truth: Bool) -> Value { .integer(truth ? 1 : 0) }
    static func optional(_ truth: Bool?) -> Value { truth.map(Value.truth) ?? .null }
    /// Words with a space before and behind each, which no word has: a list of any length in one text. In the SQL of both engines
    /// `REPLACE($1, ' ' || column || ' ', '') = $1` holds for what is not in it.
    static func list(_ words: some Sequence<String>) -> Value { .text(words.map { " \($0) " }.joined()) }
}

/// The current row of a result. Columns count from 0. A null reads as nil, 0 or an empty text.
package protocol RowReader {
    func isNull(_ column: Int) -> Bool
    func integer(_ column: Int) -> Int64
    func text(_ column: Int) -> String
    func bytes(_ column: Int) -> [UInt8]
}
