package import Domain

/// What the lines of a revocation journal ask of a database that was restored.
package struct RevocationStatements: Sendable {
    private let tables: [String: RevocableTable]
    private let shapes: [String: TableShape]
    private let dialect: Dialect
    /// Tables with rows of users, that go with them.
    private let tablesOfUsers: [String]

    /// - Parameters:
    ///   - shapes: The tables that the database has; those of an older version are fewer.
    ///   - dialect: Whose SQL.
    package init(_ shapes: [TableShape], _ dialect: Dialect) {
        tables = Dictionary(RevocableTable.all.map { ($0.name, $0) }) { first, _ in first }
        self.shapes = Dictionary(shapes.map { ($0.name, $0) }) { first, _ in first }
        self.dialect = dialect
        tablesOfUsers = shapes.filter { $0.hasColumn("application_id") && $0.hasColumn("user_id") }.map(\.name)
    }

    /// What a line asks for; none for tables and columns that a backup of an older version does not have.
    ///
    /// - Parameter line: What it says, without its checksum.
    /// - Returns: statements without values; `nil` for a line that cannot be read.
    package func statements(of line: Substring) -> [String]? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count >= 3, let table = tables[String(parts[1])] else { return nil }
        guard let shape = shapes[table.name] else { return [] }
        let values = parts[2].split(separator: ",", omittingEmptySubsequences: false).map(literal)
        let names = [table.namingColumns ?? shape.key, table.earlierNamingColumns].compactMap(\.self)
        guard let columns = names.first(where: { $0.count == values.count }), !values.contains(nil) else { return nil }
        guard columns.allSatisfy(shape.hasColumn) else { return [] }
        let literals = values.compactMap(\.self)
        // No part of a name is null. PostgreSQL finds rows by an index with “=” alone.
        let row = zip(columns, literals).map { "\($0) = \($1)" }.joined(separator: " AND ")
        switch (parts[0], parts.count) {
        case ("D", 3):
            let deletion = "DELETE FROM \(table.name) WHERE \(row)"
            switch table.name {
            case "users":
                return tablesOfUsers.map {
                    "DELETE FROM \($0) WHERE application_id = \(literals[0]) AND user_id = \(literals[1])"
                } + [deletion]
            case "members": return [deletion, grants(of: literals[2], in: literals[0])]
            default: return [deletion]
            }
        case ("P", 4):
            var changes: [String] = []
            for change in parts[3].split(separator: ",") {
                let sides = change.split(separator: "=", omittingEmptySubsequences: false)
                guard sides.count == 2, table.carriedColumns.contains(String(sides[0])), let value = literal(sides[1])
                else { return nil }
                if shape.hasColumn(sides[0]) { changes.append("\(sides[0]) = \(value)") }
            }
            guard !changes.isEmpty else { return [] }
            return ["UPDATE \(table.name) SET \(changes.joined(separator: ", ")) WHERE \(row)"]
        default: return nil
        }
    }

    /// Lets a user name the roles and groups that the list of members has.
    private func grants(of user: String, in application: String) -> String {
        let list = dialect == .sqlite ? "group_concat(grant_id, ' ')" : "string_agg(grant_id, ' ' ORDER BY grant_id)"
        let condition = "application_id = \(application)"
        return """
            UPDATE users SET grants = (SELECT \(list) FROM members WHERE \(condition) AND user_id = \(user))
            WHERE \(condition) AND id = \(user)
            """
    }

    /// Refuses the device proofs that were made up to now: one of them may have counted after the backup.
    package func refusingProofs(madeUpTo now: Timestamp) -> [String] {
        guard shapes["proof_times"] != nil else { return [] }
        return [
            """
            INSERT INTO proof_times (id, latest) VALUES (1, \(now.milliseconds))
            ON CONFLICT (id) DO UPDATE SET latest = excluded.latest WHERE excluded.latest > proof_times.latest
            """
        ]
    }

    /// Lets the streams of events go on behind every position that was given up to now. Readers may have some that the backup
    /// does not know, and would pass over what gets one of them again. No stream has a million events a second.
    package func passingPositions(givenUpTo now: Timestamp) -> [String] {
        guard shapes["event_streams"] != nil else { return [] }
        return [
            """
            INSERT INTO event_streams (application_id, position)
            SELECT id, 1000 * CAST(\(max(now.milliseconds, 0)) AS BIGINT) FROM applications WHERE 1 = 1
            ON CONFLICT (application_id) DO UPDATE SET position = excluded.position
            WHERE excluded.position > event_streams.position
            """
        ]
    }

    /// Ends all that could have ended without being written down.
    ///
    /// - Parameter withKeys: Whether keys of the admin API end too.
    /// - Returns: the statements.
    package func endingAllShortLived(withKeys: Bool) -> [String] {
        (RevocableTable.shortLived + (withKeys ? RevocableTable.keys : [])).filter { shapes[$0] != nil }
            .map { "DELETE FROM \($0)" }
    }

    /// Users who have no factor left after the replay are asked for none, which would lock them out.
    package var forgettingSecondFactors: [String] {
        guard shapes["totp_factors"] != nil else { return [] }
        return [("users", "id"), ("identities", "user_id"), ("sessions", "user_id")].map { table, user in
            """
            UPDATE \(table) SET second_factor_at = NULL WHERE second_factor_at IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM totp_factors
                WHERE totp_factors.application_id = \(table).application_id
                    AND totp_factors.user_id = \(table).\(user))
            """
        }
    }

    /// A value as SQL writes it; hexadecimal digits and nothing else come through.
    private func literal(_ coded: Substring) -> String? {
        let digits = coded.dropFirst()
        let isHexadecimal = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
        guard isHexadecimal, digits.utf8.count.isMultiple(of: 2) else { return nil }
        switch (coded.first, dialect) {
        case ("n", _): return digits.isEmpty ? "NULL" : nil
        case ("b", .sqlite): return "x'\(digits)'"
        case ("t", .sqlite): return "CAST(x'\(digits)' AS TEXT)"
        case ("i", .sqlite): return "CAST(CAST(x'\(digits)' AS TEXT) AS INTEGER)"
        case ("b", .postgresql): return "decode('\(digits)', 'hex')"
        case ("t", .postgresql): return "convert_from(decode('\(digits)', 'hex'), 'UTF8')"
        case ("i", .postgresql): return "convert_from(decode('\(digits)', 'hex'), 'UTF8')::bigint"
        default: return nil
        }
    }
}

extension TableShape {
    fileprivate func hasColumn(_ name: some StringProtocol) -> Bool { columns.contains { $0.name == name } }
}

/// A line of the journal: what it says, and a checksum that tells a torn or damaged one.
package enum RevocationLine {
    package static func sealed(_ line: String) -> String { "\(line) \(checksum(line))" }

    /// What a line says; `nil` for one that is damaged.
    package static func opened(_ line: Substring) -> Substring? {
        guard let space = line.lastIndex(of: " ") else { return nil }
        let content = line[..<space]
        return line[line.index(after: space)...] == checksum(content) ? content : nil
    }

    /// FNV-1a with 64 bits: against accidents, not against people, who could write to the database too.
    private static func checksum(_ text: some StringProtocol) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
