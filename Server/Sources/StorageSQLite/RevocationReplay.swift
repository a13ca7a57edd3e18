import CSQLite
import Domain
import Foundation
import Storage

/// Applies a revocation journal to a database that was just taken out of a backup. Blocks.
package final class RevocationReplay {
    private let connection: SQLiteConnection
    private let tables: [String: RevocableTable]
    private var keys: [String: [String]] = [:]
    private var columns: [String: Set<String>] = [:]
    /// Tables with rows of users, that go with them.
    private var tablesOfUsers: [String] = []
    /// How many rows were ended or changed.
    package private(set) var changedRows = 0
    /// Whether a line could not be read, so that something may have ended unseen.
    package private(set) var isDamaged = false

    /// - Parameter path: The database, which nobody else uses.
    /// - Throws: `SQLiteOpenFault` when it cannot be written.
    package init(path: String) throws(SQLiteOpenFault) {
        connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE, reportFault: { _ in })
        tables = Dictionary(RevocableTable.all.map { ($0.name, $0) }) { first, _ in first }
        try reading { () throws(DomainError) in
            let names = try connection.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", []
            ) { row throws(DomainError) in row.only.text }
            for name in names {
                keys[name] = try connection.keyColumns(of: name)
                let all = try connection.rows("SELECT name FROM pragma_table_info($1)", [.text(name)]) {
                    row throws(DomainError) in row.only.text
                }
                columns[name] = Set(all)
                if all.contains("application_id"), all.contains("user_id") { tablesOfUsers.append(name) }
            }
            try connection.execute("PRAGMA synchronous = OFF")
            try connection.execute("BEGIN")
        }
    }

    /// Applies lines in their order.
    package func apply(_ text: some StringProtocol) throws(SQLiteOpenFault) {
        for line in text.split(separator: "\n") {
            guard let content = RevocationLine.opened(Substring(line)), let statements = statements(of: content) else {
                isDamaged = true
                continue
            }
            try reading { () throws(DomainError) in
                for statement in statements { try connection.execute(statement) }
            }
        }
    }

    /// Ends all that could have ended without being written down.
    package func endAllShortLived() throws(SQLiteOpenFault) {
        try reading { () throws(DomainError) in
            for table in RevocableTable.shortLived where columns[table] != nil {
                try connection.execute("DELETE FROM \(table)")
            }
        }
    }

    /// Commits what was applied and closes the database.
    package func finish() throws(SQLiteOpenFault) {
        try reading { () throws(DomainError) in
            if columns["totp_factors"] != nil { try forgetSecondFactors() }
            try connection.execute("COMMIT")
        }
        changedRows = Int(clamping: connection.changedRows)
        connection.close()
    }

    /// Users who have no factor left after the replay are asked for none, which would lock them out.
    private func forgetSecondFactors() throws(DomainError) {
        for (table, user) in [("users", "id"), ("identities", "user_id"), ("sessions", "user_id")] {
            try connection.execute(
                """
                UPDATE \(table) SET second_factor_at = NULL WHERE second_factor_at IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM totp_factors
                    WHERE totp_factors.application_id = \(table).application_id
                        AND totp_factors.user_id = \(table).\(user))
                """)
        }
    }

    /// What a line asks for; none for tables and columns that a backup of an older version does not have.
    private func statements(of line: Substring) -> [String]? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count >= 3, let table = tables[String(parts[1])] else { return nil }
        guard let key = keys[table.name] else { return [] }
        let values = parts[2].split(separator: ",", omittingEmptySubsequences: false).map(Self.literal)
        guard values.count == key.count, !values.contains(nil) else { return nil }
        let literals = values.compactMap(\.self)
        let row = zip(key, literals).map { "\($0) IS \($1)" }.joined(separator: " AND ")
        switch (parts[0], parts.count) {
        case ("D", 3):
            let deletion = "DELETE FROM \(table.name) WHERE \(row)"
            guard table.name == "users" else { return [deletion] }
            return tablesOfUsers.map {
                "DELETE FROM \($0) WHERE application_id = \(literals[0]) AND user_id = \(literals[1])"
            } + [deletion]
        case ("P", 4):
            var changes: [String] = []
            for change in parts[3].split(separator: ",") {
                let sides = change.split(separator: "=", omittingEmptySubsequences: false)
                guard sides.count == 2, table.carriedColumns.contains(String(sides[0])),
                    let value = Self.literal(sides[1])
                else { return nil }
                if columns[table.name]?.contains(String(sides[0])) == true { changes.append("\(sides[0]) = \(value)") }
            }
            guard !changes.isEmpty else { return [] }
            return ["UPDATE \(table.name) SET \(changes.joined(separator: ", ")) WHERE \(row)"]
        default: return nil
        }
    }

    /// A value as SQL writes it; hexadecimal digits and nothing else come through.
    private static func literal(_ coded: Substring) -> String? {
        let digits = coded.dropFirst()
        let isHexadecimal = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
        guard isHexadecimal, digits.utf8.count.isMultiple(of: 2) else { return nil }
        switch coded.first {
        case "n": return digits.isEmpty ? "NULL" : nil
        case "b": return "x'\(digits)'"
        case "t": return "CAST(x'\(digits)' AS TEXT)"
        case "i": return "CAST(CAST(x'\(digits)' AS TEXT) AS INTEGER)"
        default: return nil
        }
    }

    private func reading<Value>(_ body: () throws(DomainError) -> Value) throws(SQLiteOpenFault) -> Value {
        do throws(DomainError) {
            return try body()
        } catch {
            throw SQLiteOpenFault(
                "The revocations cannot be applied: \(String(cString: sqlite3_errmsg(connection.handle))).")
        }
    }
}
