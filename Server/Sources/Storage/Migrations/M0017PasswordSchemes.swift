extension Migration {
    /// Which functions with which costs an application's password hashes have (decision 0056): each hash without its salt
    /// and result, as `PasswordScheme` makes it.
    static let passwordSchemes = Migration(
        version: 17, name: "password schemes",
        sqlite: statements(integer: "INTEGER", options: " WITHOUT ROWID"),
        postgresql: statements(integer: "BIGINT", options: ""))

    private static func statements(integer: String, options: String) -> [String] {
        // Both engines take letters of a set away from the end. All but the dollar signs, once for the result and once for
        // the salt, leaves what stands before those.
        let letters = "replace(hash, '$', '')"
        let withSalt = "rtrim(hash, \(letters))"
        let head = "rtrim(rtrim(\(withSalt), '$'), \(letters))"
        return [
            """
            CREATE TABLE password_schemes (
                application_id TEXT NOT NULL,
                scheme TEXT NOT NULL,
                used_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, scheme)
            )\(options)
            """,
            """
            INSERT INTO password_schemes (application_id, scheme, used_at)
            SELECT DISTINCT application_id, CASE WHEN hash LIKE '$2%' THEN substr(hash, 1, 7) ELSE
                \(head) || (length(\(withSalt)) - length(\(head)) - 1) || '$' || (length(hash) - length(\(withSalt))) END, 0
            FROM passwords WHERE hash LIKE '$%$%$%' AND length(hash) <= 1024
            """,
        ]
    }
}
