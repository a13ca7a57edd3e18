/// A table whose rows must not come back with a backup, or not with their old values.
struct RevocableTable: Sendable {
    let name: String
    /// When one of these changes, the row of before has ended, as with its deletion.
    var endingColumns: [String] = []
    /// What a change of one of these sets: it is carried over to the restored row.
    var carriedColumns: [String] = []

    static let all = [
        RevocableTable(name: "sessions", endingColumns: ["token_digest"]),
        RevocableTable(name: "users", carriedColumns: ["disabled_at", "deletion_requested_at", "credentials_version"]),
        RevocableTable(name: "identities"),
        RevocableTable(name: "passwords", carriedColumns: ["hash"]),
        RevocableTable(name: "passkeys"),
        RevocableTable(name: "totp_factors"),
        RevocableTable(name: "recovery_codes"),
        RevocableTable(name: "transfer_codes", endingColumns: ["digest"]),
        RevocableTable(name: "mailed_codes", endingColumns: ["handle", "digest", "used_by"]),
        RevocableTable(name: "merge_tickets"),
        RevocableTable(name: "merges"),
        RevocableTable(name: "provider_accounts"),
        RevocableTable(name: "protocol_keys", carriedColumns: ["keys"]),
        RevocableTable(name: "applications", carriedColumns: ["admin_key_digest"]),
        RevocableTable(
            name: "admins",
            carriedColumns: [
                "disabled_at", "password_hash", "uses_passkeys_only", "sealed_totp", "recovery_digests", "role",
            ]),
        RevocableTable(name: "admin_passkeys"),
        RevocableTable(name: "admin_sessions"),
        RevocableTable(name: "admin_links"),
        RevocableTable(name: "admin_keys"),
    ]

    /// What could have ended unseen, and is ended as a whole where nobody knows: what people make again by logging in.
    static let shortLived = [
        "sessions", "transfer_codes", "mailed_codes", "merge_tickets", "admin_sessions", "admin_links",
    ]

    /// The triggers that note what ends in this table.
    ///
    /// - Parameter key: The columns of its primary key.
    /// - Returns: statements that make them for one connection.
    func triggers(key: [String]) -> [String] {
        let row = "\(name) ' || " + key.map { Self.coded("OLD", $0) }.joined(separator: " || ',' || ")
        var triggers = [trigger("ended", "AFTER DELETE", "'D \(row)")]
        if !endingColumns.isEmpty {
            triggers.append(trigger("replaced", "AFTER UPDATE", "'D \(row)", when: endingColumns))
        }
        if !carriedColumns.isEmpty {
            let values = carriedColumns.map { "'\($0)=' || " + Self.coded("NEW", $0) }.joined(separator: " || ',' || ")
            triggers.append(trigger("changed", "AFTER UPDATE", "'P \(row) || ' ' || \(values)", when: carriedColumns))
        }
        return triggers
    }

    private func trigger(_ event: String, _ time: String, _ line: String, when changed: [String] = []) -> String {
        let columns = changed.isEmpty ? "" : " OF \(changed.joined(separator: ", "))"
        let difference = changed.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
        return """
            CREATE TEMP TRIGGER \(name)_\(event) \(time)\(columns) ON main.\(name)\
            \(changed.isEmpty ? "" : " WHEN \(difference)") BEGIN
                INSERT INTO revocations (line) VALUES (\(line));
            END
            """
    }

    /// A value as the first letter of its type and its bytes in hexadecimal digits.
    private static func coded(_ row: String, _ column: String) -> String {
        "substr(typeof(\(row).\(column)), 1, 1) || hex(\(row).\(column))"
    }
}
