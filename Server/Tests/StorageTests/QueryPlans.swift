import CSQLite
import Domain
import Foundation
import Storage
import TestWorld
import Testing

/// Which statements a piece of work runs in SQLite, read from a trace, and how the database plans them.
struct QueryPlans {
    private let folder: TemporaryFolder
    private let spans = SpanQueue(capacity: 200_000)

    /// The text of a statement, and how many rows it returned or changed.
    struct Statement {
        var text: String
        var rows: Int
    }

    /// - Parameter folder: The one of the database.
    init(_ folder: TemporaryFolder) { self.folder = folder }

    /// What is run under a span of its own.
    func statements(_ work: @Sendable () async throws -> Void) async throws -> [Statement] {
        let request = Tracer(ratio: 1, seeds: (1, 2), queue: spans).begin("test", .server)
        try await CurrentSpan.$value.withValue(request) { try await work() }
        return spans.take(.max).compactMap { span in
            var (text, rows) = (String?.none, 0)
            for attribute in span.attributes {
                switch (attribute.name, attribute.value) {
                case ("db.query.text", .text(let value)): text = value
                case ("db.response.returned_rows", .number(let count)), ("okaeri.changed_rows", .number(let count)):
                    rows = count
                default: break
                }
            }
            return text.map { Statement(text: $0, rows: rows) }
        }
    }

    /// - Returns: the steps of a statement, as the database plans them.
    func plan(of text: String) throws -> [String] {
        var handle: OpaquePointer?
        try #require(sqlite3_open(folder.path + "/okaeri.sqlite", &handle) == SQLITE_OK)
        defer { sqlite3_close_v2(handle) }
        var statement: OpaquePointer?
        try #require(
            sqlite3_prepare_v2(handle, "EXPLAIN QUERY PLAN " + text, -1, &statement, nil) == SQLITE_OK, "\(text)")
        defer { sqlite3_finalize(statement) }
        var plan: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW { plan.append(String(cString: sqlite3_column_text(statement, 3))) }
        return plan
    }
}
