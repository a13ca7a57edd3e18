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

    /// Makes tables and triggers, in the transaction under way, for whom the other tables belong to. It waits for those that write to
    /// the tables, so that all that comes behind it is noted. Triggers that note enough stay: while others take their place, everybody
    /// waits who uses their tables, behind each program that reads one for long, such as another backup.
    func install() throws(PostgreSQLFault) {
        if try areCurrent(), try isOfOwner() {
            try PostgreSQLSchema.becomeOwner(link)
            return try admitWriters()
        }
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
        try handOver()
        try PostgreSQLSchema.becomeOwner(link)
        try admitWriters()
        for trigger in try triggers() {
            for statement in trigger.statements { try link.run(statement) }
        }
    }

    /// Lets those note what ends who were granted to end it: nodes need not have the role that the tables belong to.
    private func admitWriters() throws(PostgreSQLFault) {
        let found = try link.run(
            """
            SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)::text) END
            FROM pg_class, aclexplode(relacl)
            WHERE oid = to_regclass('sessions') AND privilege_type = 'DELETE' AND grantee <> relowner
            """)
        for number in 0..<found.rowCount {
            let role = found.row(number).text(0)
            try link.run("GRANT INSERT ON \(Self.lines) TO \(role)")
            try link.run("GRANT USAGE ON SEQUENCE \(Self.lines)_id_seq TO \(role)")
        }
    }

    /// What of the journal this session's role may not write, where triggers write it: by that role nothing can end. A backup admits
    /// who may end sessions by then.
    func closedParts() throws(PostgreSQLFault) -> [String] {
        let found = try link.run(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relname IN ('\(Self.lines)', '\(Self.lines)_id_seq')
                AND CASE relkind WHEN 'S' THEN NOT has_sequence_privilege(oid, 'USAGE')
                    WHEN 'r' THEN NOT has_table_privilege(oid, 'INSERT') ELSE FALSE END
                AND EXISTS (
                    SELECT 1 FROM pg_proc WHERE pronamespace = relnamespace AND starts_with(proname, '\(Self.prefix)'))
            ORDER BY relname::text COLLATE "C"
            """)
        return (0..<found.rowCount).map { found.row($0).text(0) }
    }

    /// Whether the journal is there, and belongs to whom the other tables belong.
    private func isOfOwner() throws(PostgreSQLFault) -> Bool {
        let found = try link.run(
            """
            SELECT COUNT(*) FROM pg_class
            WHERE oid IN (to_regclass('\(Self.lines)'), to_regclass('\(Self.segments)'))
                AND relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('schema_migrations'))
            """)
        return found.row(0).integer(0) == 2
    }

    /// Lets tables that another role made belong to whom the other tables belong. Behind `removeTriggers`: who writes to those holds
    /// these.
    func handOver() throws(PostgreSQLFault) {
        guard try exists(), let owner = try PostgreSQLSchema.owner(link) else { return }
        for table in [Self.lines, Self.segments] {
            try link.run("ALTER TABLE \(table) OWNER TO \(TableShape.quoted(owner))")
        }
    }

    /// Whether the triggers note all that this program wants noted: those of the program before may note less.
    func areCurrent() throws(PostgreSQLFault) -> Bool {
        let found = try link.run(
            """
            SELECT proname::text, prosrc FROM pg_proc p
            WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, '\(Self.prefix)')
                AND EXISTS (SELECT 1 FROM pg_trigger WHERE tgfoid = p.oid AND tgenabled IN ('O', 'A'))
            """)
        var bodies: [String: String] = [:]
        for number in 0..<found.rowCount { bodies[found.row(number).text(0)] = found.row(number).text(1) }
        let wanted = try triggers()
        return bodies.count == wanted.count && wanted.allSatisfy { bodies[$0.name] == $0.body }
    }

    /// Takes the triggers away, in the transaction under way: a change of the schema would break them.
    func removeTriggers() throws(PostgreSQLFault) {
        let found = try link.run(
            """
            SELECT 'DROP FUNCTION ' || oid::regprocedure || ' CASCADE' FROM pg_proc
            WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, '\(Self.prefix)') ORDER BY oid
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

    /// Lines of a segment behind one of them, in their order. None follows behind so many lines or bytes.
    func lines(
        of segment: String, after id: Int64, limit: Int, bytes: Int
    ) throws(PostgreSQLFault) -> [(id: Int64, line: String)] {
        // A line of settings has up to a mebibyte, one of a log-in 200 bytes. PostgreSQL knows lengths without reading the lines.
        let found = try link.run(
            """
            SELECT id, line FROM (
                SELECT r.id, r.line, SUM(octet_length(r.line)) OVER (ORDER BY r.id ROWS BETWEEN UNBOUNDED PRECEDING
                    AND 1 PRECEDING) AS earlier
                FROM \(Self.lines) r
                JOIN \(Self.segments) s ON s.name = $1
                LEFT JOIN \(Self.segments) n ON n.name = (SELECT MIN(name) FROM \(Self.segments) WHERE name > $1)
                WHERE r.id > $2::bigint AND NOT pg_visible_in_snapshot(r.transaction_id, s.snapshot::pg_snapshot)
                    AND (n.name IS NULL OR pg_visible_in_snapshot(r.transaction_id, n.snapshot::pg_snapshot))
                ORDER BY r.id LIMIT \(limit)
            ) part WHERE earlier IS NULL OR earlier < \(bytes) ORDER BY id
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

    /// Those that the database should have.
    private func triggers() throws(PostgreSQLFault) -> [Trigger] {
        let shapes = try PostgreSQLTables.shapes(link)
        return RevocableTable.all.flatMap { table -> [Trigger] in
            guard let shape = shapes.first(where: { $0.name == table.name }) else { return [] }
            return Self.triggers(of: table, shape)
        }
    }

    private static func triggers(of table: RevocableTable, _ shape: TableShape) -> [Trigger] {
        let kinds = Dictionary(shape.columns.map { ($0.name, $0.kind) }) { first, _ in first }
        let key = (table.namingColumns ?? shape.key).map { coded("OLD", $0, kinds[$0]) }.joined(
            separator: " || ',' || ")
        let ended = "'D \(table.name) ' || \(key)"
        var triggers = [Trigger(event: "ended", table: table.name, time: "AFTER DELETE", changed: [], line: ended)]
        let ending = table.endingColumns.filter { kinds[$0] != nil }
        if !ending.isEmpty {
            triggers.append(
                Trigger(event: "replaced", table: table.name, time: "AFTER UPDATE", changed: ending, line: ended))
        }
        let carried = table.carriedColumns.filter { kinds[$0] != nil }
        if !carried.isEmpty {
            let values = carried.map { "'\($0)=' || \(coded("NEW", $0, kinds[$0]))" }.joined(separator: " || ',' || ")
            triggers.append(
                Trigger(
                    event: "changed", table: table.name, time: "AFTER UPDATE", changed: carried,
                    line: "'P \(table.name) ' || \(key) || ' ' || \(values)"))
        }
        return triggers
    }

    /// A function that notes a line, and when it is called.
    private struct Trigger {
        let event: String
        let table: String
        let time: String
        /// The columns one of which must have changed; none for every row.
        let changed: [String]
        /// The line, as SQL.
        let line: String

        var name: String { "\(PostgreSQLRevocations.prefix)\(table)_\(event)" }
        private var occasion: String { time + (changed.isEmpty ? "" : " OF \(changed.joined(separator: ", "))") }

        /// What the function does. It names the occasion, so that two that differ in it alone are not alike.
        var body: String {
            """

            BEGIN
                -- \(occasion)
                INSERT INTO \(PostgreSQLRevocations.lines) (line) VALUES (\(line));
                RETURN NULL;
            END

            """
        }

        var statements: [String] {
            let difference = changed.map { "OLD.\($0) IS DISTINCT FROM NEW.\($0)" }.joined(separator: " OR ")
            return [
                "CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $note$\(body)$note$",
                "CREATE TRIGGER \(name) \(occasion) ON \(table) FOR EACH ROW"
                    + (changed.isEmpty ? "" : " WHEN (\(difference))") + " EXECUTE FUNCTION \(name)()",
            ]
        }
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
