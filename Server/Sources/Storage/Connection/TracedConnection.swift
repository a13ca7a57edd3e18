import Domain

/// A connection whose statements show in a trace, with their text, in which nothing of a request stands, and without their
/// values. A transaction that an engine repeats shows them again.
final class TracedConnection: Connection {
    /// The longest text that a span holds.
    private static let longestText = 1000

    private let connection: any Connection
    private let span: TraceSpan
    private let system: String

    init(_ connection: any Connection, _ span: TraceSpan, _ system: String) {
        self.connection = connection
        self.span = span
        self.system = system
    }

    var dialect: Dialect { connection.dialect }

    func rows<Row>(
        _ query: Query, _ values: [Value], read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        guard let statement = begin(query.text(in: dialect)) else {
            return try connection.rows(query, values, read: read)
        }
        do throws(DomainError) {
            let rows = try connection.rows(query, values, read: read)
            end(statement, SpanAttribute("db.response.returned_rows", rows.count))
            return rows
        } catch {
            end(statement, nil, isFault: true)
            throw error
        }
    }

    func change(_ query: Query, _ values: [Value]) throws(DomainError) -> Int {
        guard let statement = begin(query.text(in: dialect)) else { return try connection.change(query, values) }
        do throws(DomainError) {
            let count = try connection.change(query, values)
            end(statement, SpanAttribute("okaeri.changed_rows", count))
            return count
        } catch {
            end(statement, nil, isFault: true)
            throw error
        }
    }

    func rows<Row>(
        _ question: DynamicQuery, read: (any RowReader) throws(DomainError) -> Row
    ) throws(DomainError) -> [Row] {
        guard let statement = begin(question.text) else { return try connection.rows(question, read: read) }
        do throws(DomainError) {
            let rows = try connection.rows(question, read: read)
            end(statement, SpanAttribute("db.response.returned_rows", rows.count))
            return rows
        } catch {
            end(statement, nil, isFault: true)
            throw error
        }
    }

    private func begin(_ text: String) -> (span: TraceSpan, text: String)? {
        span.child(Self.name(of: text), .client).map { ($0, text) }
    }

    private func end(_ statement: (span: TraceSpan, text: String), _ rows: SpanAttribute?, isFault: Bool = false) {
        var attributes = [
            SpanAttribute("db.system.name", system),
            SpanAttribute("db.query.text", String(statement.text.prefix(Self.longestText))),
        ]
        if let rows { attributes.append(rows) }
        statement.span.end(attributes, error: isFault ? "statement_failed" : nil)
    }

    /// The statement's first word and its table: `SELECT users`.
    private static func name(of text: String) -> String {
        let words = text.split(maxSplits: 400, whereSeparator: \.isWhitespace)
        guard let verb = words.first else { return "statement" }
        guard let position = words.firstIndex(where: { ["FROM", "INTO", "UPDATE"].contains($0) }) else {
            return String(verb)
        }
        let table = words[position...].dropFirst().first?.prefix { $0.isLetter || $0 == "_" } ?? ""
        return table.isEmpty ? String(verb) : "\(verb) \(table)"
    }
}
