import Storage
import Testing

@Suite("Statements")
struct QueryTests {
    private static let whole: Query = "SELECT 1"
    private static let selected = Query.select(IdentityRow.self, "FROM identities WHERE user_id = $1")
    private static let joined = Query.select(
        Joined<IdentityRow, IdentityOwnerRow>.self, "FROM identities WHERE user_id = $1")
    private static let indexed = Query.select(
        IdentityOwnerRow.self, "FROM identities", indexedBy: "identities_by_provider", "WHERE user_id = $1")
    private static let filtered = Query.select(
        IdentityOwnerRow.self, among: "FROM identities WHERE user_id > $1 LIMIT $2", "WHERE application_id = $3")
    private static let inserted = Query.insert(IdentityOwnerRow.self, "ON CONFLICT DO NOTHING")
    private static let returning = Query.returning(IdentityOwnerRow.self, "DELETE FROM identities")

    @Test(
        "name their columns with the table, in their order",
        arguments: [
            (whole, "SELECT 1"),
            (
                selected,
                """
                SELECT identities.provider, identities.subject, identities.linked_at, identities.second_factor_at, \
                identities.joined_by FROM identities WHERE user_id = $1
                """
            ),
            (
                joined,
                """
                SELECT identities.provider, identities.subject, identities.linked_at, identities.second_factor_at, \
                identities.joined_by, identities.application_id, identities.user_id FROM identities WHERE user_id = $1
                """
            ),
            (
                filtered,
                """
                SELECT identities.application_id, identities.user_id FROM \
                (SELECT identities.application_id, identities.user_id FROM identities WHERE user_id > $1 LIMIT $2) \
                AS identities WHERE application_id = $3
                """
            ),
            (inserted, "INSERT INTO identities (application_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"),
            (returning, "DELETE FROM identities RETURNING identities.application_id, identities.user_id"),
        ])
    func text(query: Query, text: String) {
        for dialect in [Dialect.sqlite, .postgresql] { #expect(query.text(in: dialect) == text) }
    }

    @Test("name an index to SQLite alone")
    func index() {
        let columns = "SELECT identities.application_id, identities.user_id FROM identities"
        #expect(
            Self.indexed.text(in: .sqlite) == "\(columns) INDEXED BY identities_by_provider WHERE user_id = $1")
        #expect(Self.indexed.text(in: .postgresql) == "\(columns) WHERE user_id = $1")
    }

    @Test("have one key each, and the same at each use")
    func keys() {
        let queries = [
            Self.whole, Self.selected, Self.joined, Self.indexed, Self.filtered, Self.inserted, Self.returning,
        ]
        #expect(Set(queries.map(\.key)).count == queries.count)
        #expect(Set((queries + queries).map(\.key)).count == queries.count)
        #expect(!queries.map(\.key).contains(.dynamic))
    }
}
