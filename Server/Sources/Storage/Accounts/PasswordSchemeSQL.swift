package import Domain

extension SQLTransaction {
    package func passwordSchemes(
        in application: Identifier<Application>
    ) throws(DomainError) -> Set<PasswordScheme> {
        let schemes = try connection.rows(
            "SELECT scheme FROM password_schemes WHERE application_id = $1", [.id(application)]
        ) { row throws(DomainError) in PasswordScheme(text: row.text(0)) }
        return Set(schemes)
    }

    package func passwordSchemes(
        usedBefore limit: Timestamp, count: Int
    ) throws(DomainError) -> [PasswordSchemeUse] {
        try connection.rows(
            """
            SELECT application_id, scheme, used_at FROM password_schemes
            WHERE used_at < $1 ORDER BY used_at LIMIT $2
            """,
            [.time(limit), .count(count)]
        ) { row throws(DomainError) in
            PasswordSchemeUse(application: row.id(0), scheme: PasswordScheme(text: row.text(1)), usedAt: row.time(2))
        }
    }

    package func hasPasswords(
        of scheme: PasswordScheme, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        // A tilde is behind all letters that a hash can have.
        try connection.row(
            "SELECT 1 FROM passwords WHERE application_id = $1 AND hash >= $2 AND hash < $3 LIMIT 1",
            [.id(application), .text(scheme.head), .text(scheme.head + "~")]
        ) { _ throws(DomainError) in true } ?? false
    }

    package func settle(_ use: PasswordSchemeUse, isUsed: Bool, at now: Timestamp) throws(DomainError) {
        let place: [Value] = [.id(use.application), .text(use.scheme.text), .time(use.usedAt)]
        if isUsed {
            try connection.run(
                "UPDATE password_schemes SET used_at = $1 WHERE application_id = $2 AND scheme = $3 AND used_at = $4",
                [.time(now)] + place)
        } else {
            try connection.run(
                "DELETE FROM password_schemes WHERE application_id = $1 AND scheme = $2 AND used_at = $3", place)
        }
    }

    /// Notes that a hash's scheme is in use. Nearly always that is known, and nothing is written: a row that many wrote
    /// would make them wait for each other.
    func noteScheme(
        of hash: PasswordHash, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) {
        guard let scheme = PasswordScheme(of: hash) else { return }
        let usedAt = try connection.row(
            "SELECT used_at FROM password_schemes WHERE application_id = $1 AND scheme = $2",
            [.id(application), .text(scheme.text)]
        ) { row throws(DomainError) in row.time(0) }
        if let usedAt, now - usedAt < PasswordSchemeUse.span / 2 { return }
        try connection.run(
            """
            INSERT INTO password_schemes (application_id, scheme, used_at) VALUES ($1, $2, $3)
            ON CONFLICT (application_id, scheme) DO UPDATE SET used_at = $3
            """,
            [.id(application), .text(scheme.text), .time(now)])
    }
}
