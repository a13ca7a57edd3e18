import Storage

extension RevocableTable {
    /// The triggers that note what ends in this table.
    ///
    /// - Parameter key: The columns of its primary key.
    /// - Returns: statements that make them for one connection.
    func triggers(key: [String]) -> [String] {
        let row =
            "\(name) ' || " + (namingColumns ?? key).map { Self.coded("OLD", $0) }.joined(separator: " || ',' || ")
        var triggers = [trigger("ended", "AFTER DELETE", "'D \(row)")]
        if !endingColumns.isEmpty {
            let waits = successorColumn.map { "OLD.\($0) IS NEW.\($0)" } ?? "1"
            triggers.append(
                trigger("replaced", "AFTER UPDATE", "'D \(row)", when: endingColumns, waits: waits))
        }
        if !carriedColumns.isEmpty {
            let values = carriedColumns.map { "'\($0)=' || " + Self.coded("NEW", $0) }.joined(separator: " || ',' || ")
            triggers.append(trigger("changed", "AFTER UPDATE", "'P \(row) || ' ' || \(values)", when: carriedColumns))
        }
        return triggers
    }

    // `waits` is whether the line waits in the database until it is in the journal, as SQL.
    private func trigger(
        _ event: String, _ time: String, _ line: String, when changed: [String] = [], waits: String = "1"
    ) -> String {
        let columns = changed.isEmpty ? "" : " OF \(changed.joined(separator: ", "))"
        let difference = changed.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
        return """
            CREATE TEMP TRIGGER \(name)_\(event) \(time)\(columns) ON main.\(name)\
            \(changed.isEmpty ? "" : " WHEN \(difference)") BEGIN
                INSERT INTO revocations (line, waits) VALUES (\(line), \(waits));
            END
            """
    }

    /// A value as the first letter of its type and its bytes in hexadecimal digits.
    private static func coded(_ row: String, _ column: String) -> String {
        "substr(typeof(\(row).\(column)), 1, 1) || hex(\(row).\(column))"
    }
}
