import Storage

/// What ended in a shared database, noted in a table by triggers, as a part of the transactions that end it.
///
/// There are triggers only after the first `okaeri backup make`. Each backup begins a segment: the lines that its snapshot
/// does not see, up to those that the next one's does.
struct PostgreSQLRevocations {
    private static let lines = "revocations"
    private static let segments = "revocation_segments"
    private static let prefix = "okaeri_note_"

    private let link: PostgreSQLLink

    init(_ link: PostgreSQLLink) {
        self.link = link
    }

    /// Whether there is a journal.
    func exists() throws(PostgreSQLFault) -> Bool {
        try link.run("SELECT to_regclass('\(Self.segments)') IS NOT NULL").row(0).integer(0) == 1
    }

    /// Makes tables and triggers, in the transaction under way. It waits for those that write to the tables, so that all
    /// that comes behind it is noted.
    func install() throws(PostgreSQLFault) {
        try link.run(
            """
            CREATE TABLE IF NOT EXISTS \(Self.lines) (
                id BIGSERIAL PRIMARY KEY,
                transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
                line TEXT COLLATE "C" NOT NULL
            )
            """)
        try link.run(
            """
            CREATE TABLE IF NOT EXISTS \(Self.segments) (
                name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
                snapshot TEXT COLLATE "C" NOT NULL
            )
            """)
        try removeTriggers()
        let shapes = try PostgreSQLTables.shapes(link)
        for table in RevocableTable.all {
            guard let shape = shapes.first(where: { $0.name == table.name }) else { continue }
            for statement in Self.triggers(of: table, shape) { try link.run(statement) }
        }
    }

    /// Takes the triggers away, in the transaction under way: a change of the schema would break them.
    func removeTriggers() throws(PostgreSQLFault) {
        let found = try link.run(
            """
            SELECT 'DROP FUNCTION ' || oid::regprocedure || ' CASCADE' FROM pg_proc
            WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, '\(Self.prefix)')
            """)
        for number in 0..<found.rowCount { try link.run(found.row(number).text(0)) }
    }

    /// Takes everything away, in the transaction under way.
    func remove() throws(PostgreSQLFault) {
        try removeTriggers()
        for table in [Self.lines, Self.segments] { try link.run("DROP TABLE IF EXISTS \(table)") }
    }

    // MARK: Segments

    /// The names of all segments, the oldest first.
    func segmentNames() throws(PostgreSQLFault) -> [String] {
        guard try exists() else { return [] }
        let found = try link.run("SELECT name FROM \(Self.segments) ORDER BY name")
        return (0..<found.rowCount).map { found.row($0).text(0) }
    }

    /// Begins a segment with what a snapshot does not see.
    func begin(_ name: String, behind snapshot: String) throws(PostgreSQLFault) {
        try link.run("INSERT INTO \(Self.segments) (name, snapshot) VALUES ($1, $2)", [name, snapshot])
    }

    /// Lines of a segment behind one of them, in their order.
    func lines(
        of segment: String, after id: Int64, limit: Int
    ) throws(PostgreSQLFault) -> [(id: Int64, line: String)] {
        let found = try link.run(
            """
            SELECT r.id, r.line FROM \(Self.lines) r
            JOIN \(Self.segments) s ON s.name = $1
            LEFT JOIN \(Self.segments) n ON n.name = (SELECT MIN(name) FROM \(Self.segments) WHERE name > $1)
            WHERE r.id > $2::bigint AND NOT pg_visible_in_snapshot(r.transaction_id, s.snapshot::pg_snapshot)
                AND (n.name IS NULL OR pg_visible_in_snapshot(r.transaction_id, n.snapshot::pg_snapshot))
            ORDER BY r.id LIMIT \(limit)
            """, [segment, String(id)], within: .seconds(3600))
        return (0..<found.rowCount).map { (found.row($0).integer(0), found.row($0).text(1)) }
    }

    /// Removes the segments before one, and what they alone hold.
    func remove(before segment: String) throws(PostgreSQLFault) {
        try link.run(
            """
            DELETE FROM \(Self.lines) WHERE pg_visible_in_snapshot(
                transaction_id, (SELECT snapshot::pg_snapshot FROM \(Self.segments) WHERE name = $1))
            """, [segment], within: .seconds(3600))
        try link.run("DELETE FROM \(Self.segments) WHERE name < $1", [segment])
    }

    /// The numbers of the lines that the database has: what they say has happened in it.
    func knownLines() throws(PostgreSQLFault) -> Set<Int64> {
        guard try exists() else { return [] }
        let found = try link.run("SELECT id FROM \(Self.lines)", within: .seconds(3600))
        return Set((0..<found.rowCount).map { found.row($0).integer(0) })
    }

    // MARK: Triggers

    private static func triggers(of table: RevocableTable, _ shape: TableShape) -> [String] {
        let kinds = Dictionary(shape.columns.map { ($0.name, $0.kind) }) { first, _ in first }
        let key = (table.namingColumns ?? shape.key).map { coded("OLD", $0, kinds[$0]) }.joined(
            separator: " || ',' || ")
        let ended = "'D \(table.name) ' || \(key)"
        var statements = trigger("ended", on: table.name, "AFTER DELETE", [], ended)
        let ending = table.endingColumns.filter { kinds[$0] != nil }
        if !ending.isEmpty { statements += trigger("replaced", on: table.name, "AFTER UPDATE", ending, ended) }
        let carried = table.carriedColumns.filter { kinds[$0] != nil }
        if !carried.isEmpty {
            let values = carried.map { "'\($0)=' || \(coded("NEW", $0, kinds[$0]))" }.joined(separator: " || ',' || ")
            statements += trigger(
                "changed", on: table.name, "AFTER UPDATE", carried, "'P \(table.name) ' || \(key) || ' ' || \(values)")
        }
        return statements
    }

    private static func trigger(
        _ event: String, on table: String, _ time: String, _ changed: [String], _ line: String
    ) -> [String] {
        let name = "\(prefix)\(table)_\(event)"
        let columns = changed.isEmpty ? "" : " OF \(changed.joined(separator: ", "))"
        let difference = changed.map { "OLD.\($0) IS DISTINCT FROM NEW.\($0)" }.joined(separator: " OR ")
        return [
            """
            CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $note$
            BEGIN
                INSERT INTO \(lines) (line) VALUES (\(line));
                RETURN NULL;
            END
            $note$
            """,
            "CREATE TRIGGER \(name) \(time)\(columns) ON \(table) FOR EACH ROW"
                + (changed.isEmpty ? "" : " WHEN (\(difference))") + " EXECUTE FUNCTION \(name)()",
        ]
    }

    /// A value as the first letter of its type and its bytes in hexadecimal digits.
    private static func coded(_ row: String, _ column: String, _ kind: TableShape.Kind?) -> String {
        let value = "\(row).\(column)"
        let code =
            switch kind {
            case .bytes: "'b' || upper(encode(\(value), 'hex'))"
            case .integer: "'i' || upper(encode(convert_to(\(value)::text, 'UTF8'), 'hex'))"
            case .text, .other, nil: "'t' || upper(encode(convert_to(\(value)::text, 'UTF8'), 'hex'))"
            }
        return "COALESCE(\(code), 'n')"
    }
}
